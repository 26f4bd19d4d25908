"""Reads the YAML files of a course into records. Errors give the file, the field and the remedy."""

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn, TypeVar

import yaml
from pydantic import BaseModel, ValidationError

from grader.common.errors import InputError
from grader.course.field_messages import UNKNOWN, message
from grader.course.field_names import similar_field
from grader.course.folders import NOT_IN_THE_FILE, read_text

Fields = dict[str, Any]
"""The mapping in a YAML file."""

Read = TypeVar("Read", bound=BaseModel)


NAMED = 5
"""Maximum number of further wrong values that an error names."""

DEEPEST = 50
"""Maximum number of nested levels. The time that PyYAML takes for a level grows with the number of levels around it."""


class _Loader(yaml.SafeLoader):
    """A safe loader without merge keys. Each merge key can double its contents, so a few hundred bytes could fill any
    memory. Dates remain text, since no field has dates as values.
    """

    depth = 0

    def fetch_flow_collection_start(self, token: type[yaml.Token]) -> None:
        if self.flow_level >= DEEPEST:
            self._refuse_depth()
        super().fetch_flow_collection_start(token)

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        self.depth += 1
        if self.depth > DEEPEST:
            self._refuse_depth()
        try:
            return super().compose_node(parent, index)
        finally:
            self.depth -= 1

    def _refuse_depth(self) -> NoReturn:
        raise InputError(f"line {self.line + 1}: nest at most {DEEPEST} lists and mappings in each other.")

    def flatten_mapping(self, node: yaml.MappingNode) -> None:
        for key, _ in node.value:
            if key.tag == "tag:yaml.org,2002:merge":
                raise InputError(f"line {key.start_mark.line + 1}: replace `<<` by the fields that it refers to.")


def _as_text(loader: _Loader, node: yaml.ScalarNode) -> str:
    return str(loader.construct_scalar(node))


_Loader.add_constructor("tag:yaml.org,2002:timestamp", _as_text)


NOT_YAML = (yaml.YAMLError, ValueError, TypeError, LookupError, RecursionError)
"""Errors of PyYAML for text that is not YAML, or whose keys or tags do not fit."""


def read_fields(path: Path, such_as: str) -> Fields:
    """Read the mapping in a file. `such_as` gives examples of fields, for the error about a file with other
    contents.
    """
    fields = read_optional_fields(path, such_as)
    if fields is None:
        raise InputError(f"{path}: is empty; write fields such as {such_as}.")
    return fields


def read_optional_fields(path: Path, such_as: str) -> Fields | None:
    """Read the mapping in a file, or return None if the file is empty."""
    text = read_text(path)
    try:
        fields = yaml.load(text, _Loader)  # noqa: S506 - it is a safe one
        _check_text(fields)
    except InputError as error:
        raise InputError(f"{path}: {error}") from error
    except NOT_YAML as error:
        raise InputError(f"{path}: is not YAML: {_syntax(error)}") from error
    if fields is not None and not isinstance(fields, dict):
        raise InputError(f"{path}: must contain fields such as {such_as}, but contains {type(fields).__name__}.")
    return fields


def _syntax(error: Exception) -> str:
    """Describe a mistake in the syntax of YAML, with its place if it is known."""
    if isinstance(error, yaml.MarkedYAMLError) and error.problem_mark is not None:
        mark = error.problem_mark
        return f"line {mark.line + 1}, column {mark.column + 1}: {error.problem}"
    return " ".join(str(error).split())


def line_of(path: Path, field: object) -> int:
    """Return the line of a field in the mapping of a file, or 1 if it is not found. The file must have been read as a
    mapping before.
    """
    node = yaml.compose(read_text(path), _Loader)
    keys = [key for key, _ in node.value] if isinstance(node, yaml.MappingNode) else []
    return next((key.start_mark.line + 1 for key in keys if key.value == str(field)), 1)


def _check_text(fields: object) -> None:
    """Raise ValueError for a text that cannot be written to a file, since YAML can express halves of characters. A
    value is checked only once, no matter how often others refer to it.
    """
    waiting, seen = [fields], set[int]()
    while waiting:
        value = waiting.pop()
        if isinstance(value, str):
            value.encode()
        elif isinstance(value, dict | list) and id(value) not in seen:
            seen.add(id(value))
            waiting += [*value, *value.values()] if isinstance(value, dict) else value


def line_at(path: Path, place: str, inside: str = "") -> int | None:
    """Return the line of the field at this path, such as "buffers.x.type". If the field is missing, returns the line of
    the innermost mapping or list on the path that exists, or None if the file does not contain any of them. The file
    must be known to contain a mapping.

    `inside` is the path of a mapping, such as "parts.0", whose fields override those of the file.
    """
    root = yaml.compose(read_text(path), _Loader)
    depth, line, _ = _found(root, place)
    inner, line_of_part, part = _found(root, inside) if inside else (0, None, None)
    own_depth, own_line, _ = _found(part, place) if inner else (0, None, None)
    if own_depth and own_depth >= depth:
        return own_line
    return line or line_of_part


def _found(node: yaml.Node | None, place: str) -> tuple[int, int | None, yaml.Node | None]:
    """Return how many steps of a path exist, and the line and the node of the last of these steps."""
    depth, line = 0, None
    for step in place.split("."):
        found = next((each for each in _children(node) if each[0] == step), None)
        if found is None:
            break
        _, node, line = found
        depth += 1
    return depth, line, node


def _children(node: yaml.Node | None) -> Iterator[tuple[str, yaml.Node, int]]:
    """Yield the values in a mapping or a list, with their names or numbers, and their lines."""
    if isinstance(node, yaml.MappingNode):
        yield from ((str(key.value), value, key.start_mark.line + 1) for key, value in node.value)
    elif isinstance(node, yaml.SequenceNode):
        yield from ((str(number), value, value.start_mark.line + 1) for number, value in enumerate(node.value))


@dataclass(frozen=True)
class Origin:
    """Origin of fields: the file, if it is known, and the mapping in the file (`inside` of `line_at`)."""

    path: Path | None = None
    inside: str = ""

    def line(self, place: str) -> int | None:
        """Return the line of a field, or None if it is unknown."""
        return None if self.path is None else line_at(self.path, place, self.inside)


def checked(where: str, kind: type[Read], fields: Fields, path: Path | None = None, inside: str = "") -> Read:
    """Return these fields as a record. Invalid fields raise an InputError whose message begins with `where`, the place
    of the fields. If `path` is the file that contains the fields, `where` begins with it, and the message also gives
    the line. `inside` has the same meaning as in `line_at`.
    """
    try:
        return kind.model_validate(fields)
    except ValidationError as error:
        raise InputError(described(error, where, kind, fields, Origin(path, inside))) from error


def described(error: ValidationError, where: str, kind: type[BaseModel], fields: Fields, origin: Origin) -> str:
    """Return the message about invalid fields. It begins with `where`, the place of the fields."""
    errors = _in_order(error, fields, origin)
    absent = NOT_IN_THE_FILE if "folder" in fields else frozenset[str]()
    unknown = {
        place_of(each, fields): similar_field(kind, each["loc"], absent) for each in errors if each["type"] == UNKNOWN
    }
    return _message(where, errors, unknown, fields, origin)


def _in_order(error: ValidationError, fields: Fields, origin: Origin) -> list[Any]:
    """Return the errors, beginning with unknown keys in the order of their lines, because an unknown key is often a
    misspelt missing one.
    """
    errors = _stated(error, fields)
    unknown = [each for each in errors if each["type"] == UNKNOWN]
    others = [each for each in errors if each["type"] != UNKNOWN]
    return [*sorted(unknown, key=lambda each: origin.line(place_of(each, fields)) or 0), *others]


def _message(where: str, errors: list[Any], unknown: Mapping[str, str | None], fields: Fields, origin: Origin) -> str:
    """Return the message about these errors. It begins with `where` and the line of the first error. `unknown` gives
    a suggestion for the place of each unknown key.
    """
    meant = {".".join((*place.split(".")[:-1], near)) for place, near in unknown.items() if near}
    words: dict[str, dict[str, None]] = {}  # a value that may be of several kinds gets several messages
    for each in errors:
        place = place_of(each, fields)
        if place in unknown:
            words[place] = {f"unknown key; {_suggestion(unknown[place])}": None}
        elif each["type"] != "missing" or place not in meant:  # the unknown key is a misspelt missing one
            words.setdefault(place, {})[message(each)] = None
    (place, first), *others = words.items()
    line = origin.line(errors[0].get("ctx", {}).get("place", place))
    if line is not None:
        where = f"{origin.path}, line {line}{where.removeprefix(str(origin.path))}"
    more = _others_in_words([name for name, _ in others if name in unknown], unknown, origin)
    rest = [name for name, _ in others if name not in unknown]
    more += f" Other wrong values: {', '.join(rest[:NAMED])}{', ...' if len(rest) > NAMED else ''}." if rest else ""
    return ": ".join(filter(None, (where, place, f"{' Or: '.join(first)}{more}")))


def _others_in_words(places: list[str], unknown: Mapping[str, str | None], origin: Origin) -> str:
    """Return a sentence about the unknown keys after the first, or "" if only one key is unknown."""
    found = []
    for place in places:
        near, line = unknown[place], origin.line(place)
        told = "; ".join(filter(None, ("" if line is None else f"line {line}", near and f"did you mean {near}?")))
        found.append(f"{place} ({told})" if told else place)
    return f" Other unknown keys: {', '.join(found)}." if found else ""


def _suggestion(near: str | None) -> str:
    return f"did you mean {near}?" if near else "remove it, or correct its spelling."


def _stated(error: ValidationError, fields: Fields) -> list[Any]:
    """Return the errors without those in fields that are not in the file, because these repeat other errors."""

    def is_stated(each: Any) -> bool:
        place = each["loc"]
        return not place or place[0] in fields or (len(place) == 1 and each["type"] == "missing")

    errors: list[Any] = [*error.errors()]
    return list(filter(is_stated, errors)) or errors


def place_of(error: Any, fields: Fields) -> str:
    """Return the path of the field in the file, without the names of alternative types that pydantic inserts."""
    found: Any = fields
    place = []
    for step in error["loc"]:
        if isinstance(found, dict | list):
            with suppress(LookupError, TypeError):
                found = found[step]
                place.append(str(step))
    lacking = error["loc"][-1:] if error["type"] == "missing" else ()
    return ".".join((*place, *map(str, lacking)))
