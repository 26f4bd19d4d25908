"""The YAML files of a course as records; what is wrong with one is told with its path, the field and the remedy."""

from pathlib import Path
from typing import Any, TypeVar

import yaml
from pydantic import BaseModel, ValidationError

from grader.coursework import read_text
from grader.errors import InputError

Fields = dict[str, Any]
"""A mapping of a YAML file."""

Read = TypeVar("Read", bound=BaseModel)


def read_fields(path: Path, such_as: str) -> Fields:
    """The mapping in a file; `such_as` names fields that it has, for one that holds something else."""
    try:
        fields = yaml.safe_load(read_text(path))
    except yaml.YAMLError as error:
        raise InputError(f"{path}: is not YAML: {' '.join(str(error).split())}") from error
    if not isinstance(fields, dict):
        raise InputError(f"{path}: must hold fields such as {such_as}, but holds {type(fields).__name__}.")
    return fields


def checked(where: str, kind: type[Read], fields: Fields) -> Read:
    """The record of these fields; `where` they stand is what an error begins with."""
    try:
        return kind.model_validate(fields)
    except ValidationError as error:
        # an unknown field is often a missing one misspelt: name it first
        first, *others = sorted(error.errors(), key=lambda each: each["type"] != "extra_forbidden")
        more = f" (and {len(others)} more)" if others else ""
        raise InputError(f"{where}: {_describe(first)}{more}") from error


REMEDIES = {
    "missing": "add it",
    "extra_forbidden": "remove it, or correct its spelling",
}


def _describe(error: Any) -> str:
    where = ".".join(str(part) for part in error["loc"])
    message = error["msg"].removeprefix("Value error, ")
    remedy = REMEDIES.get(error["type"])
    text = f"{where}: {message}" if where else message
    return f"{text}; {remedy}." if remedy else f"{text}."
