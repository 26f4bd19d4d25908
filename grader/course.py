"""A course: the folders in which its assignments are kept, and how one is found there and read."""

import difflib
from pathlib import Path
from typing import Any

import yaml
from pydantic import ValidationError

from grader.assignment import BASELINE_FILE, MODEL_FILE, ORACLE_FILE, Assignment, read_text
from grader.errors import InputError
from grader.record import Record


class Course(Record):
    """Where the assignments of a course and their references are kept."""

    assignments: Path
    reference: Path

    def names(self) -> list[str]:
        """Names of all assignments, sorted."""
        if not self.assignments.is_dir():
            raise InputError(
                f"{self.assignments} is not a folder; name the folder of the assignments with --course DIR."
            )
        return sorted(path.parent.name for path in self.assignments.glob("*/assignment.yaml"))

    def load(self, name: str) -> Assignment:
        """Read and check one assignment; raises InputError that names the file, the field and the remedy."""
        names = self.names()
        if name not in names:
            near = difflib.get_close_matches(name, names, n=1, cutoff=0.4)
            hint = f"did you mean {near[0]}?" if near else f"there are: {', '.join(names) or 'none'}."
            raise InputError(f"there is no assignment {name!r}; {hint}")
        path = self.assignments / name / "assignment.yaml"
        for file_name in (MODEL_FILE, BASELINE_FILE, ORACLE_FILE):
            if not (self.reference / name / file_name).is_file():
                raise InputError(f"{self.reference / name / file_name} is missing; every assignment needs it.")
        return _parse(path, {"name": name, "folder": path.parent, "reference": self.reference / name})


def _parse(path: Path, place: dict[str, Any]) -> Assignment:
    try:
        fields = yaml.safe_load(read_text(path))
    except yaml.YAMLError as error:
        raise InputError(f"{path}: is not YAML: {' '.join(str(error).split())}") from error
    if not isinstance(fields, dict):
        raise InputError(f"{path}: must hold fields such as `title:` and `kernel:`, but holds {type(fields).__name__}.")
    try:
        return Assignment.model_validate({**fields, **place})
    except ValidationError as error:
        # an unknown field is often a missing one misspelt: name it first
        first, *others = sorted(error.errors(), key=lambda each: each["type"] != "extra_forbidden")
        more = f" (and {len(others)} more)" if others else ""
        raise InputError(f"{path}: {_describe(first)}{more}") from error


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
