"""Turns the files of all students into hand-ins, absences and remarks. For each assignment, a student's latest file is
chosen, or none if it is unclear which one is the latest.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from grader.common.people import sort_key
from grader.course.submissions.handin import Absence, HandIn, Intake, Remark, Student
from grader.course.submissions.submission import FILE_NAME, is_binary
from grader.course.suite import Coursework
from grader.lms.intake.labels import labels
from grader.lms.intake.matching import attempt_of, copy_of, defined_in, named_in
from grader.lms.intake.owners import Piece, Pile, Sorted
from grader.lms.intake.reading.listing import is_source, one_line, remark, stem
from grader.lms.intake.reading.opening import Budget, opened


@dataclass(frozen=True, kw_only=True)
class Candidate:
    """A .cl file that may be the submission, with the number of its attempt. Copies of one file have the same `family`.
    `copies` has the number of the copy for each part of the path, such as 2 for "kernels (2).cl", and 0 for originals.
    """

    piece: Piece
    data: bytes
    attempt: int | None
    family: tuple[str, ...]
    copies: tuple[int, ...]

    @property
    def age(self) -> tuple[int, tuple[int, ...]]:
        """Sorting key within a family. A higher value is later."""
        return (self.piece.order, self.copies)


@dataclass(frozen=True, kw_only=True)
class Choice:
    """The file that counts for each assignment, and remarks about the others. `refused` is the reason why no file
    counts for an assignment, although a file may be meant for it.
    """

    chosen: dict[str, Candidate]
    refused: dict[str, str]
    unplaced: tuple[Remark, ...]
    remarks: tuple[Remark, ...]


class AmbiguousError(Exception):
    """Raised if several files could be meant and it is unknown which one is right."""


def choose(pieces: tuple[Piece, ...], assignments: tuple[Coursework, ...]) -> Choice:
    """Choose the pieces that count. Their archives have been opened before."""
    candidates = [_candidate(each, each.data) for each in _sources(pieces, assignments) if each.data is not None]
    chosen: dict[str, Candidate] = {}
    ambiguous: dict[str, Remark] = {}
    told: set[str] = set()
    matched: set[str] = set()
    for assignment, found in zip(assignments, _by_assignment(candidates, assignments), strict=True):
        wheres = [each.piece.where for each in found]
        matched.update(wheres)
        try:
            if found:
                chosen[assignment.name] = _latest(found, assignment)
        except AmbiguousError as error:
            told.update(wheres)
            ambiguous[assignment.name] = remark(wheres, f"for {assignment.name}: {error}")
    missing = tuple(each for each in assignments if each.name not in chosen)
    lost = [each.piece.where for each in candidates if missing and each.piece.where not in matched]
    known = {each.piece.where for each in candidates}
    others = [each for each in pieces if not each.refused and each.where not in known]
    meant = [
        each.where
        for each in others
        if not candidates or named_in((*each.parts[:-1], each.parts[-1].partition(".")[0]), missing)  # with any ending
    ]
    unplaced = list(_refusals(pieces))
    unplaced += _without_match((each for each in candidates if each.piece.where in lost), assignments)
    if meant:
        unplaced.append(remark(meant, "is not source text; ask for the .cl file"))
    reasons = {each.name: [*filter(None, [ambiguous.get(each.name)]), *unplaced] for each in missing}
    told.update(lost, (each.piece.where for each in chosen.values()))
    left = [each for each in candidates if each.piece.where not in told]
    return Choice(
        chosen=chosen,
        refused={name: f"{why[0].where}: {why[0].why}" for name, why in reasons.items() if why},
        unplaced=(*unplaced, *ambiguous.values()),
        remarks=(*_renamed(chosen), *_aside(left, chosen)),
    )


def _without_match(lost: Iterable[Candidate], assignments: tuple[Coursework, ...]) -> Iterable[Remark]:
    """Yield a remark on the files that match none of the assignments, for each reason."""
    names = ", ".join(each.name for each in assignments)
    reasons: dict[str, list[str]] = {}
    for each in lost:
        if not each.data.strip():
            why = "is empty; ask for the file with the kernel"
        elif is_binary(each.data):
            why = "is not text; ask for the .cl file"
        else:
            why = f"does not match any of {names}, neither by name nor by its kernels"
        reasons.setdefault(why, []).append(each.piece.where)
    return [remark(wheres, why) for why, wheres in reasons.items()]


def _sources(pieces: tuple[Piece, ...], assignments: tuple[Coursework, ...]) -> list[Piece]:
    """Return the source texts. For an assignment that none of them defines or names, add texts with any name that
    define its kernel.
    """
    named = [each for each in pieces if is_source(each.parts[-1])]
    names: set[str | None]
    if len(assignments) == 1:
        names = {each.name for each in assignments if any(piece.data is not None for piece in named)}
    else:
        names = {each.assignment or named_in(each.parts, assignments) for each in named}
        names.update(name for each in named for name in defined_in(each.data or b"", assignments))
    lacking = tuple(each for each in assignments if each.name not in names)
    texts = (each for each in pieces if not is_source(each.parts[-1]) and not each.refused and each.data is not None)
    return [*named, *(each for each in texts if lacking and defined_in(each.data or b"", lacking))]


def _candidate(each: Piece, data: bytes) -> Candidate:
    attempts = [number for number in map(attempt_of, each.parts) if number is not None]
    kept = [part for part in each.parts if attempt_of(part) is None]
    copies = [copy_of(stem(part)) if stem(part) != part else (part, 0) for part in kept]
    return Candidate(
        piece=each,
        data=data,
        attempt=attempts[0] if attempts else None,
        family=tuple(base.casefold() for base, _ in copies),
        copies=tuple(number for _, number in copies),
    )


def _by_assignment(candidates: list[Candidate], assignments: tuple[Coursework, ...]) -> Iterable[list[Candidate]]:
    """Yield the files for each assignment. These are the files that are named after it, or else the files that define
    only its kernel, or else the files that define its kernel among others.

    If there is only one assignment, every file that is not named after another one is for it.
    """
    names = [each.piece.assignment or named_in(each.piece.parts, assignments) for each in candidates]
    unnamed = [each for each, name in zip(candidates, names, strict=True) if name is None]
    defines = [defined_in(each.data, assignments) for each in unnamed]
    for assignment in assignments:
        named = [each for each, name in zip(candidates, names, strict=True) if name == assignment.name]
        alone = [each for each, kernels in zip(unnamed, defines, strict=True) if kernels == (assignment.name,)]
        among = [each for each, kernels in zip(unnamed, defines, strict=True) if assignment.name in kernels]
        yield named or (unnamed if len(assignments) == 1 else alone or among)


def _called(candidates: list[Candidate]) -> list[Candidate]:
    """Return the files named kernels.cl. If some of them are at the top level of the student's files, return only
    these.
    """
    kernels = stem(FILE_NAME)
    called = [each for each in candidates if each.family and each.family[-1] == kernels]
    return [each for each in called if each.family == (kernels,)] or called


def _latest(candidates: list[Candidate], assignment: Coursework) -> Candidate:
    """Return the latest of several files. Raises AmbiguousError if they differ and their order is unknown."""
    newest = max((each.attempt for each in candidates if each.attempt is not None), default=None)
    current = [each for each in candidates if each.attempt in {newest, None}]
    if len({each.attempt for each in current}) == 1:
        defining = (each for each in current if defined_in(each.data, (assignment,)))
        current = _newest(_called(current) or list(defining) or current)
    if len({each.data for each in current}) > 1:
        raise AmbiguousError("it is unclear which of them counts; keep one")
    return current[0]


def _newest(candidates: list[Candidate]) -> list[Candidate]:
    """Return the latest copies of each file. Several copies that differ are equally late."""
    last: dict[tuple[str, ...], tuple[int, tuple[int, ...]]] = {}
    for each in candidates:
        last[each.family] = max(each.age, last.get(each.family, each.age))
    return [each for each in candidates if each.age == last[each.family]]


def _renamed(chosen: dict[str, Candidate]) -> Iterable[Remark]:
    """Yield a remark on each file that counts although it does not have the name of source text."""
    for each in dict.fromkeys(candidate.piece.where for candidate in chosen.values()):
        if not is_source(each):
            yield remark(each, "is graded, although it is not named as a .cl file: it defines the kernel")


def _aside(left: list[Candidate], chosen: dict[str, Candidate]) -> Iterable[Remark]:
    """Yield a remark on the files that do not count, if other files do."""
    counted = ", ".join(sorted({one_line(each.piece.where) for each in chosen.values()}))
    if left and counted:
        yield remark([each.piece.where for each in left], f"is ignored; {counted} counts")


def _refusals(pieces: tuple[Piece, ...]) -> Iterable[Remark]:
    reasons: dict[str, list[str]] = {}
    for each in pieces:
        if each.refused:
            reasons.setdefault(each.refused, []).append(each.where)
    return [remark(wheres, why) for why, wheres in reasons.items()]


def place(shape: str, sources: Sequence[Sorted], assignments: tuple[Coursework, ...]) -> Intake:
    """Choose the latest files. Each student has a hand-in or an absence for every assignment.

    If a student is in several sources, the last source with work for an assignment counts.
    """
    piles: dict[tuple[str, str], list[Pile]] = {}
    for pile in (each for source in sources for each in source.piles):
        piles.setdefault(pile.owner.identity, []).append(pile)
    named = labels(theirs[-1].owner for theirs in piles.values())
    handins: list[HandIn] = []
    absences: list[Absence] = []
    unplaced = [each for source in sources for each in source.unplaced]
    remarks = [each for source in sources for each in source.remarks]
    for theirs in sorted(piles.values(), key=lambda each: sort_key(named[each[-1].owner])):
        owner = theirs[-1].owner
        student = Student(label=named[owner], name=one_line(owner.name), key=owner.key)
        choices = [choose(tuple(opened(pile.pieces, Budget())), assignments) for pile in theirs]
        for choice in choices:
            unplaced += choice.unplaced
            remarks += choice.remarks
        for assignment in assignments:
            found = [choice.chosen[assignment.name] for choice in choices if assignment.name in choice.chosen]
            if found:
                last = found[-1]
                handins.append(
                    HandIn(
                        student=student,
                        assignment=assignment.name,
                        where=one_line(last.piece.where),
                        data=last.data,
                        late=last.piece.late,
                        team=last.piece.team,
                        submitted=last.piece.submitted,
                    )
                )
                remarks += _superseded(found)
                continue
            reasons = [*(choice.refused.get(assignment.name) for choice in choices), *(pile.refused for pile in theirs)]
            why = next(filter(None, reversed(reasons)), "")
            absences.append(Absence(student=student, assignment=assignment.name, refused=why))
    return Intake(
        shape=shape,
        handins=tuple(handins),
        absences=tuple(absences),
        unplaced=tuple(dict.fromkeys(unplaced)),
        remarks=tuple(dict.fromkeys(remarks)),
    )


def _superseded(found: Sequence[Candidate]) -> Iterator[Remark]:
    """Yield a remark on work in an earlier source, if a later source has different work."""
    *older, last = found
    wheres = [each.piece.where for each in older if each.data != last.data]
    if wheres:
        yield remark(wheres, f"is ignored; {one_line(last.piece.where)} counts")
