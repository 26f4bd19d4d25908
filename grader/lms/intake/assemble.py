"""Turns everybody's files into hand-ins, absences and remarks."""

from grader.course.submissions.handin import Absence, HandIn, Intake, Student
from grader.course.suite import Coursework
from grader.lms.intake.choosing import choose
from grader.lms.intake.labels import labels
from grader.lms.intake.lines import one_line
from grader.lms.intake.owners import Sorted
from grader.lms.intake.reading.opening import Budget, opened


def place(shape: str, everything: Sorted, assignments: tuple[Coursework, ...]) -> Intake:
    """Everybody's latest files; each student has a hand-in or an absence for every assignment."""
    named = labels(pile.owner for pile in everything.piles)
    handins: list[HandIn] = []
    absences: list[Absence] = []
    unplaced, remarks = list(everything.unplaced), list(everything.remarks)
    for pile in sorted(everything.piles, key=lambda each: named[each.owner.identity]):
        student = Student(label=named[pile.owner.identity], name=one_line(pile.owner.name), key=pile.owner.key)
        choice = choose(tuple(opened(pile.pieces, Budget())), assignments)
        unplaced += choice.unplaced
        remarks += choice.remarks
        for assignment in assignments:
            chosen = choice.chosen.get(assignment.name)
            if chosen is None:
                why = choice.refused.get(assignment.name) or pile.refused
                absences.append(Absence(student=student, assignment=assignment.name, refused=why))
                continue
            handins.append(
                HandIn(
                    student=student,
                    assignment=assignment.name,
                    where=one_line(chosen.piece.where),
                    data=chosen.data,
                    late=chosen.piece.late,
                )
            )
    return Intake(
        shape=shape,
        handins=tuple(handins),
        absences=tuple(absences),
        unplaced=tuple(dict.fromkeys(unplaced)),
        remarks=tuple(dict.fromkeys(remarks)),
    )
