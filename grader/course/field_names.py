"""Names of the fields that are allowed at a place in a file, to suggest one of them for an unknown field."""

from collections.abc import Iterator, Sequence
from difflib import get_close_matches
from types import UnionType
from typing import Annotated, Any, Union, get_args, get_origin

from pydantic import BaseModel, Tag

Place = Sequence[int | str]
"""Path of a field in an error of pydantic. It may contain tags of alternative types."""


def similar_field(kind: type[BaseModel], place: Place, absent: frozenset[str]) -> str | None:
    """Return the name of the field that is most similar to the unknown field at this place, or None if none is similar.
    `absent` contains the names of top-level fields that do not occur in a file.
    """
    *path, unknown = place
    types: list[Any] = [kind]
    for step in path:
        # the step to an alternative without a tag is the name of its type, so the types stay the same
        types = [each for found in types for each in _inner(found, step)] or types
    names = [name for found in types for each in _alternatives(found) for name in _fields(_bare(each))]
    known = [name for name in names if path or name not in absent]
    return next(iter(get_close_matches(str(unknown), known, n=1)), None)


def _inner(kind: Any, step: int | str) -> Iterator[Any]:
    """Yield the types after the next step of a path: the type of the values of a list or a mapping, the type of this
    field of a record, or the alternative with this tag.
    """
    for each in _alternatives(kind):
        bare = _bare(each)
        if Tag(str(step)) in get_args(each)[1:]:
            yield bare
        elif get_origin(bare) is dict:
            yield get_args(bare)[1]
        elif get_origin(bare) is tuple and isinstance(step, int):
            yield from get_args(bare)
        elif step in _fields(bare):
            yield _fields(bare)[str(step)]


def _alternatives(kind: Any) -> tuple[Any, ...]:
    """Return the alternatives of a type, or the type itself if there is only one."""
    bare = _bare(kind)
    if get_origin(bare) in {Union, UnionType}:
        return tuple(inner for each in get_args(bare) for inner in _alternatives(each))
    return (kind,)


def _bare(kind: Any) -> Any:
    """Return a type without its annotations."""
    return get_args(kind)[0] if get_origin(kind) is Annotated else kind


def _fields(kind: Any) -> dict[str, Any]:
    """Return the types of a record's fields by their names in the file. Empty if the type is not a record."""
    if not (isinstance(kind, type) and issubclass(kind, BaseModel)):
        return {}
    return {field.alias or name: field.annotation for name, field in kind.model_fields.items()}
