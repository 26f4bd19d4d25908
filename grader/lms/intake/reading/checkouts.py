"""A CSV of git checkouts: columns student, path and, if need be, assignment; a path counts from the CSV's folder.

A checkout is its working tree: git is never run, and nothing below .git is read.
"""

import csv
import io
from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path

from grader.common.errors import InputError
from grader.course.submissions.handin import Remark
from grader.course.suite import Coursework
from grader.lms.intake.lines import one_line, remark
from grader.lms.intake.matching import named_by
from grader.lms.intake.owners import Owner, Pile, Sorted, gather, piece, pile
from grader.lms.intake.reading.folder import find_file, list_folder
from grader.lms.intake.reading.listing import Listing, normal

SIZE = 8 * 1024 * 1024
"""Bytes of a list: a hundred thousand students."""

DELIMITERS = ",;\t"
"""The delimiters that spreadsheets write, depending on the country."""


@dataclass(frozen=True, kw_only=True)
class CheckoutRow:
    """A row of the list, by its line in the file; `assignment` is as it stands there, perhaps empty."""

    line: int
    student: str
    path: str
    assignment: str


def sort(path: Path, assignments: tuple[Coursework, ...]) -> Sorted:
    """Sort by the names in the list; raises InputError if it is not a list of checkouts."""
    rows = _rows(path)
    piles: list[Pile] = []
    unplaced: list[Remark] = []
    times = Counter((row.student, row.assignment) for row in _once(rows))
    for row in _once(rows):
        where = f"{path.name}, line {row.line}: {row.student}"
        assignment = named_by(row.assignment, assignments) if row.assignment else None
        if not row.student or not row.path:
            unplaced.append(remark(where, "needs both a student and a path"))
        elif row.assignment and assignment is None:
            unplaced.append(remark(where, f"is for {row.assignment}, which was not asked for"))
        elif times[row.student, row.assignment] > 1:
            why = "is in the list twice, with different paths; keep one"
            piles.append(Pile(owner=Owner(name=row.student), refused=why))
            unplaced.append(remark(where, why))
        else:
            mine, why = _checkout(path.parent, row)
            pieces = tuple(replace(each, assignment=assignment) for each in mine.pieces)
            piles.append(replace(mine, pieces=pieces))
            if why:
                unplaced.append(remark(where, f"{one_line(row.path)} {why}"))
    return Sorted(piles=gather(piles).piles, unplaced=tuple(unplaced))


def _once(rows: list[CheckoutRow]) -> list[CheckoutRow]:
    """The rows without those that only repeat another."""
    return list({(row.student, row.path, row.assignment): row for row in reversed(rows)}.values())[::-1]


def _checkout(root: Path, row: CheckoutRow) -> tuple[Pile, str]:
    """The files of a checkout, and why there are none; a path that cannot be read is refused."""
    owner, path = Owner(name=row.student), root / row.path
    try:
        if path.is_symlink():
            why = "is a link, and links are not followed; name the folder itself"
        elif path.is_dir():
            listing = replace(list_folder(path), name=row.path)
            return pile(owner, listing, listing.files, 0), "" if listing.files else "holds no files"
        elif path.exists():
            file = find_file(path.parent, (path.name,))
            listing = Listing(name=row.path, files=(file,))
            return Pile(owner=owner, pieces=(replace(piece(listing, file, file.parts), where=row.path),)), ""
        else:
            return Pile(owner=owner), "is not there"
    except (OSError, ValueError, InputError) as error:
        why = f"cannot be read: {error}"
    return Pile(owner=owner, refused=f"{one_line(row.path)} {why}"), why


def _rows(path: Path) -> list[CheckoutRow]:
    text = _text(path)
    delimiter = max(DELIMITERS, key=text.partition("\n")[0].count)  # the one that is most often in the heading
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, skipinitialspace=True)
    try:
        heading = [cell.strip().casefold() for cell in next(reader, [])]
        if not {"student", "path"} <= set(heading):
            raise InputError(
                f"{path} is not a list of checkouts: its first line must name the columns student and path."
            )
        rows = []
        for cells in reader:
            fields = dict(zip(heading, (cell.strip() for cell in cells), strict=False))
            if any(fields.values()):
                student, place, assignment = (fields.get(name, "") for name in ("student", "path", "assignment"))
                row = CheckoutRow(line=reader.line_num, student=normal(student), path=place, assignment=assignment)
                rows.append(row)
    except csv.Error as error:
        raise InputError(f"{path} is not a list of checkouts: {error} (line {reader.line_num}).") from error
    if not rows:
        raise InputError(f"{path} names no checkouts; give each a line with student and path.")
    return rows


def _text(path: Path) -> str:
    """The list's text: UTF-8, with or without the mark that Excel puts first, UTF-16 or an older encoding of it."""
    try:
        with path.open("rb") as file:
            data = file.read(SIZE + 1)
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}.") from error
    if len(data) > SIZE:
        raise InputError(f"{path} is over {SIZE // 1024**2} MiB, too large for a list of checkouts.")
    encodings = ("utf-16",) if data.startswith((b"\xff\xfe", b"\xfe\xff")) else ("utf-8-sig", "cp1252", "latin-1")
    for encoding in encodings:
        try:
            return data.decode(encoding)
        except UnicodeDecodeError:
            continue
    raise InputError(f"{path} is not text; save it as CSV in UTF-8.")
