"""Turns the files of all students into hand-ins, absences and remarks."""

from collections.abc import Iterator, Sequence

from grader.common.people import sort_key
from grader.course.submissions.handin import Absence, HandIn, Intake, Remark, Student
from grader.course.suite import Coursework
from grader.lms.intake.choosing import Candidate, choose
from grader.lms.intake.labels import labels
from grader.lms.intake.lines import one_line, remark
from grader.lms.intake.owners import Pile, Sorted
from grader.lms.intake.reading.opening import Budget, opened


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
                handins.append(_handin(student, assignment.name, found[-1]))
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


def _handin(student: Student, assignment: str, chosen: Candidate) -> HandIn:
    return HandIn(
        student=student,
        assignment=assignment,
        where=one_line(chosen.piece.where),
        data=chosen.data,
        late=chosen.piece.late,
        team=chosen.piece.team,
        submitted=chosen.piece.submitted,
    )


def _superseded(found: Sequence[Candidate]) -> Iterator[Remark]:
    """Yield a remark on work in an earlier source, if a later source has different work."""
    *older, last = found
    wheres = [each.piece.where for each in older if each.data != last.data]
    if wheres:
        yield remark(wheres, f"is ignored; {one_line(last.piece.where)} counts")
