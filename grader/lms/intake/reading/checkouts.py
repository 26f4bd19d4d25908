"""A CSV of git checkouts with the columns student and path. The columns assignment and submitted are optional;
submitted is a date such as 2026-12-01T23:59. Paths are relative to the folder of the CSV.

Only the working tree of a checkout is used. Git is never run, and nothing below .git is read.
"""

from collections import Counter
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from grader.common.errors import InputError
from grader.common.people import person_key
from grader.course.policies.rules import read_date
from grader.course.submissions.handin import Remark
from grader.course.suite import Coursework
from grader.lms.intake.matching import named_by
from grader.lms.intake.owners import Owner, Pile, Sorted, gather, piece, pile
from grader.lms.intake.reading.folder import find_file, list_folder
from grader.lms.intake.reading.listing import Listing, normal, one_line, remark
from grader.lms.intake.reading.table import TableRow, read_table


@dataclass(frozen=True, kw_only=True)
class CheckoutRow:
    """A row of the list, with its line in the file. `assignment` is the text in the file, which may be empty."""

    line: int
    student: str
    path: str
    assignment: str
    submitted: datetime | None


def sort(path: Path, assignments: tuple[Coursework, ...]) -> Sorted:
    """Sort by the names in the list. Raises InputError if the file is not a list of checkouts."""
    rows = _rows(path)
    piles: list[Pile] = []
    unplaced: list[Remark] = []
    times = Counter((person_key(row.student), row.assignment) for row in _once(rows))
    for row in _once(rows):
        where = f"{path.name}, line {row.line}: {row.student}"
        assignment = named_by(row.assignment, assignments) if row.assignment else None
        if not row.student or not row.path:
            unplaced.append(remark(where, "needs both a student and a path"))
        elif row.assignment and assignment is None:
            unplaced.append(remark(where, f"is for {row.assignment}, which is not graded in this run"))
        elif times[person_key(row.student), row.assignment] > 1:
            why = "is in the list twice, with different paths; keep one"
            piles.append(Pile(owner=Owner(name=row.student), refused=why))
            unplaced.append(remark(where, why))
        else:
            mine, why = _checkout(path.parent, row)
            pieces = tuple(replace(each, assignment=assignment, submitted=row.submitted) for each in mine.pieces)
            piles.append(replace(mine, pieces=pieces))
            if why:
                unplaced.append(remark(where, f"{one_line(row.path)} {why}"))
    return Sorted(piles=gather(piles).piles, unplaced=tuple(unplaced))


def _once(rows: list[CheckoutRow]) -> list[CheckoutRow]:
    """Return the rows without exact repetitions."""
    return list(
        {(person_key(row.student), row.path, row.assignment, row.submitted): row for row in reversed(rows)}.values()
    )[::-1]


def _checkout(root: Path, row: CheckoutRow) -> tuple[Pile, str]:
    """Return the files of a checkout, and the reason if the pile is empty. A path that cannot be read is refused."""
    owner, path = Owner(name=row.student), root / row.path
    try:
        if path.is_symlink():
            why = "is a link, and links are not followed; give the path of the folder itself"
        elif path.is_dir():
            listing = replace(list_folder(path), name=row.path)
            return pile(owner, listing, listing.files, 0), "" if listing.files else "contains no files"
        elif path.exists():
            file = find_file(path.parent, (path.name,))
            listing = Listing(name=row.path, files=(file,))
            return Pile(owner=owner, pieces=(replace(piece(listing, file, file.parts), where=row.path),)), ""
        else:
            return Pile(owner=owner), "does not exist"
    except (OSError, ValueError, InputError) as error:
        why = f"cannot be read: {error}"
    return Pile(owner=owner, refused=f"{one_line(row.path)} {why}"), why


def _rows(path: Path) -> list[CheckoutRow]:
    rows = read_table(path, "a list of checkouts", ("student", "path"))
    if not rows:
        raise InputError(f"{path} lists no checkouts; add a line with student and path for each.")
    return [
        CheckoutRow(
            line=row.line,
            student=normal(row.field("student")),
            path=row.field("path"),
            assignment=row.field("assignment"),
            submitted=_date(path, row),
        )
        for row in rows
    ]


def _date(path: Path, row: TableRow) -> datetime | None:
    try:
        return read_date(row.field("submitted")) if row.field("submitted") else None
    except ValueError as error:
        raise InputError(f"{path.name}, line {row.line}: submitted: {error}.") from error
