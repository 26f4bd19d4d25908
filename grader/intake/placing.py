"""From everybody's files to hand-ins, absences and what is to be said."""

from grader.handin import Absence, HandIn, Intake, Student
from grader.intake.choosing import choose
from grader.intake.labels import labels
from grader.intake.lines import one_line
from grader.intake.piles import Sorted, spread
from grader.suite import Coursework


def place(shape: str, everything: Sorted, assignments: tuple[Coursework, ...]) -> Intake:
    """Everybody's latest files; each student has a hand-in or an absence for every assignment."""
    named = labels(pile.owner for pile in everything.piles)
    handins: list[HandIn] = []
    absences: list[Absence] = []
    unplaced, remarks = list(everything.unplaced), list(everything.remarks)
    for pile in sorted(everything.piles, key=lambda each: named[each.owner.identity]):
        student = Student(label=named[pile.owner.identity], name=one_line(pile.owner.name), key=pile.owner.key)
        choice = choose(tuple(spread(pile.pieces)), assignments)
        unplaced += (remark for each in pile.pieces if each.inside for remark in each.inside.unplaced)
        unplaced += choice.unplaced
        remarks += choice.remarks
        for assignment in assignments:
            chosen = choice.chosen.get(assignment.name)
            if chosen is None:
                absences.append(Absence(student=student, assignment=assignment.name))
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
