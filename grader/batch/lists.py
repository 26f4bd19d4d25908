"""Reads the instructor's lists in the results folder. They are CSV files with one line per student and assignment."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path

from grader.common.errors import InputError
from grader.common.people import AmbiguousPersonError, Register, similar_person
from grader.course.submissions.handin import Remark
from grader.course.suite import Coursework
from grader.lms.intake.matching import named_by
from grader.lms.intake.reading.table import TableRow, read_table


@dataclass(frozen=True, kw_only=True)
class ListLine:
    """A line of a list. `where` is its position in the file, and `row` contains all its fields."""

    where: str
    label: str
    assignment: str
    row: TableRow


def read_list(
    path: Path, columns: Collection[str], people: Register, assignments: Mapping[str, Coursework]
) -> tuple[tuple[ListLine, ...], tuple[Remark, ...]]:
    """Return the lines of a list, and remarks about lines for assignments outside this batch. Both are empty if the
    file does not exist. The name of the file states what the list contains. Raises InputError for an unknown student,
    for a name that several people share, and for a second line about the same student and assignment.
    """
    if not path.exists():
        return (), ()
    lines: dict[tuple[str, str], ListLine] = {}
    others: list[Remark] = []
    for row in read_table(path, f"a list of {path.stem}", ("student", "assignment", *columns)):
        where = f"{path.name}, line {row.line}"
        assignment = named_by(row.field("assignment"), tuple(assignments.values()))
        if assignment is None:
            why = f"not applied: {row.field('assignment') or 'no assignment'} is not in this batch."
            others.append(Remark(where=where, why=why))
            continue
        label = _label(row.field("student"), people, where)
        if (label, assignment) in lines:
            raise InputError(f"{where}: {label} has two {path.stem} for {assignment}; keep one.")
        lines[label, assignment] = ListLine(where=where, label=label, assignment=assignment, row=row)
    return tuple(lines.values()), tuple(others)


def _label(named: str, people: Register, where: str) -> str:
    """Return the label of the only student with this label, key or name. Raises InputError unless exactly one student
    matches.
    """
    try:
        found = people.find(named)
    except AmbiguousPersonError as error:
        raise InputError(f"{where}: {error}") from None
    if found is not None and found.label is not None:
        return found.label
    labels = [each.label for each in people.people if each.label is not None]
    near = similar_person(named, labels)
    hint = f"; did you mean {near}?" if near else "; use the label in grades.csv."
    raise InputError(f"{where}: no single student matches {named!r}{hint}")
