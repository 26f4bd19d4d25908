"""A course: the folders of its assignments, and functions to find and read an assignment."""

import difflib
from contextlib import suppress
from pathlib import Path

from grader.common.errors import InputError
from grader.common.record import Record
from grader.course.assignment import Assignment
from grader.course.criteria import Hints
from grader.course.folders import ASSIGNMENT_FILE, BASELINE_FILE, KIT_FILE, MODEL_FILE, ORACLE_FILE, RULES_FILE, Kit
from grader.course.loading import Fields, checked, line_at, line_of, read_fields
from grader.course.policies.rules import POLICIES, Policies, contradictions
from grader.course.suite import Coursework, Suite

PARTS = "parts"


class CourseRules(Policies):
    """Fields of course.yaml. They apply to every assignment that does not override them."""

    hints: Hints = "line"
    """How precise the hint is about a mistake that grader finds by small edits of the student's file."""


class Course(Record):
    """The folders with the assignments of a course and with their reference files."""

    assignments: Path
    reference: Path

    def names(self) -> list[str]:
        """Return the names of all assignments, sorted."""
        if not self.assignments.is_dir():
            raise InputError(f"{self.assignments} is not a folder; give the folder of the course with --course DIR.")
        return _names_in(self.assignments)

    def find(self, name: str) -> Path:
        """Return the path of this assignment's assignment.yaml. If the name is unknown, raises InputError that suggests
        the most similar name.
        """
        names = self.names()
        if name not in names:
            raise InputError(f"there is no assignment {name!r}; {self._hint(name, names)}")
        return self.assignments / name / ASSIGNMENT_FILE

    def _hint(self, name: str, names: list[str]) -> str:
        """Suggest the course around the current folder if it has this name, or else the most similar name."""
        if not names:
            return f"{self.assignments} contains none, and `grader new NAME` starts one."
        around = next((each for each in _folders_around() if name in _names_in(each / "assignments")), None)
        if around is not None:
            return f"{around} is a course that contains it: add --course {around}."
        near = difflib.get_close_matches(name, names, n=1, cutoff=0.4)
        return f"did you mean {near[0]}?" if near else "`grader list` shows the names."

    def load(self, name: str) -> Coursework:
        """Read and check the assignment or suite with this name. Raises InputError with the file, the field and the
        remedy.
        """
        path, kit = self.find(name), self.kit()
        for file_name in (BASELINE_FILE, ORACLE_FILE, *([] if kit else [MODEL_FILE])):
            if not (self.reference / name / file_name).is_file():
                raise InputError(f"{self.reference / name / file_name} is missing; every assignment needs it.")
        place = {"name": name, "folder": path.parent, "reference": self.reference / name, "kit": kit}
        return _parse(path, self.rules().model_dump(), place)

    def require_solutions(self) -> None:
        """Raise InputError if this is a student kit, which can do nothing but grade submissions."""
        if self.kit() is not None:
            raise InputError(
                f"{self.assignments.parent} is a student kit without model solutions: give the folder of the course "
                "itself with --course DIR."
            )

    def kit(self) -> Kit | None:
        """Return the contents of kit.yaml if the course is a student kit, and None otherwise."""
        path = self.assignments.parent / KIT_FILE
        return checked(str(path), Kit, read_fields(path, "`grader:`")) if path.is_file() else None

    def rules(self) -> CourseRules:
        """Return the contents of course.yaml, which is next to assignments/. Raises InputError with the line, the field
        and the remedy.
        """
        path = self.assignments.parent / RULES_FILE
        if not path.is_file():
            return CourseRules()
        fields = read_fields(path, "`hints:`")
        rules = checked(str(path), CourseRules, fields, path)
        _check_together(path, rules, fields)
        return rules


def _folders_around() -> list[Path]:
    """Return the current folder and all folders that contain it, from the inside out."""
    with suppress(FileNotFoundError):  # the current folder may have been deleted
        return [Path.cwd(), *Path.cwd().parents]
    return []


def _names_in(assignments: Path) -> list[str]:
    """Return the names of all assignments in a folder, sorted."""
    return sorted(path.parent.name for path in assignments.glob(f"*/{ASSIGNMENT_FILE}"))


def _parse(path: Path, rules: Fields, place: Fields) -> Coursework:
    """Build the coursework from a file, whose fields override the course's rules."""
    own = read_fields(path, "`title:` and `kernel:`")
    place = {**place, "due_in": ASSIGNMENT_FILE if "due" in own else RULES_FILE}
    fields = {**rules, **own}
    policies = {name: fields.pop(name) for name in POLICIES}
    checked(str(path), Policies, {name: own[name] for name in POLICIES if name in own}, path)
    _check_together(path, checked(str(path), Policies, policies), own)
    if PARTS not in fields:
        _check_spelling(path, own)
        return checked(str(path), Assignment, {**fields, **policies, **place}, path)
    common = {name: value for name, value in fields.items() if name != PARTS}
    parts = tuple(_part(path, number, common, each, place) for number, each in enumerate(_listed(path, fields)))
    whole = {name: fields.get(name) for name in ("title", "order")}
    return checked(str(path), Suite, {**place, **policies, **whole, PARTS: parts}, path)


def _check_together(path: Path, policies: Policies, stated: Fields) -> None:
    """Raise InputError if policies contradict each other. The error gives the line of a field in this file."""
    for name, why in contradictions(policies):
        here = next((each for each in (name, "opens", "due", "late") if each in stated), name)
        raise InputError(f"{path}, line {line_of(path, here)}: {name}: {why}")


def _check_spelling(path: Path, own: Fields) -> None:
    """Raise InputError if a list in this file has a name like `parts`. As the file of a single kernel, it would get
    errors about fields that are only in the list.
    """
    for name, value in own.items():
        if isinstance(value, list) and difflib.get_close_matches(str(name).lower(), [PARTS]):
            raise InputError(f"{path}, line {line_of(path, name)}: {name}: unknown key; did you mean {PARTS}?")


def _listed(path: Path, fields: Fields) -> list[Fields]:
    parts = fields[PARTS]
    if not isinstance(parts, list) or not all(isinstance(each, dict) for each in parts):
        raise InputError(f"{path}: parts: must be a list of mappings, each with a `kernel`.")
    for number, part in enumerate(parts):
        place = f"{PARTS}.{number}"
        if "kernel" not in part:
            near = difflib.get_close_matches("kernel", map(str, part), n=1)
            why = f"{near[0]}: unknown key; did you mean kernel?" if near else "has no `kernel`; add it."
            line = line_at(path, f"{place}.{near[0]}" if near else place)
            raise InputError(f"{path}, line {line}: {place}: {why}")
    return parts


def _part(path: Path, number: int, common: Fields, own: Fields, place: Fields) -> Assignment:
    """Build the assignment of a part from the fields of the whole file, overridden by the part's own fields."""
    where = f"{path}: parts.{number} ({own['kernel']})"
    for name in own.keys() & {*POLICIES, "order"}:
        raise InputError(f"{where}: {name}: applies to the whole file; write it next to `parts`.")
    fields = {**merged(common, own), **place, "part": own["kernel"]}
    return checked(where, Assignment, fields, path, f"{PARTS}.{number}")


def merged(common: Fields, own: Fields) -> Fields:
    """Return `common` overridden by `own`. A mapping that occurs in both is merged recursively."""
    shared = common.keys() & own.keys()
    both = {name for name in shared if isinstance(common[name], dict) and isinstance(own[name], dict)}
    return {**common, **own, **{name: merged(common[name], own[name]) for name in both}}
