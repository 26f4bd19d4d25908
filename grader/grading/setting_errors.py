"""Messages about settings that cannot be used. They name the source of a setting, such as the line of the file."""

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import ValidationError
from pydantic_settings import BaseSettings, EnvSettingsSource, SettingsError

from grader.common.errors import InputError
from grader.course.loading import Fields, Origin, described, place_of, read_optional_fields
from grader.grading.installation import config_file

PREFIX, DELIMITER = "GRADER_", "__"


def file_settings(path: Path) -> Fields:
    """Read the settings in a file, which may be empty. Raises InputError if it contains something else."""
    fields = read_optional_fields(path, "`device: 0`") or {}
    for name in fields:
        if not isinstance(name, str):
            raise InputError(f"{path}: {name!r} is not the name of a setting; correct or remove it.")
    return fields


def wrong_setting(error: ValidationError, kind: type[BaseSettings], given: Mapping[str, Any]) -> str:
    """Return the message about a setting that cannot be used. `given` contains the settings of the command line."""
    path = config_file()
    in_file, variables = file_settings(path) if path else {}, EnvSettingsSource(kind)()
    first: Any = error.errors()[0]
    sources = [in_file, variables, dict(given)]
    if first["type"] != "missing":  # of a value that occurs several times, the last source counts
        sources.reverse()
    fields = max(sources, key=lambda each: len(_steps(first, each)))
    if fields is in_file and path is not None:
        return described(error, str(path), kind, fields, Origin(path))
    if fields is variables:
        return described(error, f"the variable {_variable(_steps(first, fields))}", kind, fields, Origin())
    return described(error, "the settings of this command", kind, fields, Origin())


def _steps(error: Any, fields: Fields) -> list[str]:
    """Return the path of a wrong setting, as far as it exists in these fields."""
    return place_of({**error, "type": ""}, fields).split(".") if error["loc"][0] in fields else []


def _variable(steps: list[str]) -> str:
    """Return the name of the variable that sets the setting at this path, or sets a group that contains it."""
    names = [PREFIX + DELIMITER.join(steps[:number]).upper() for number in range(len(steps), 0, -1)]
    known = {name.upper() for name in os.environ}
    return next((name for name in names if name in known), names[0])


def wrong_variable(error: SettingsError) -> str:
    """Return the message about a variable that contains a list or a group of settings, but not as JSON."""
    found = re.search(r'field "(\w+)"', str(error))
    name = f"the variable {PREFIX}{found[1].upper()}" if found else "a GRADER_* variable"
    return f'{name}: is not JSON; write a list such as ["a", "b"], or a group such as {{"name": 1}}.'
