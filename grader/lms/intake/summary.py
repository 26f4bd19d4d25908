"""What was found, in words: shown before grading starts, so that a wrong download costs a look and not a night."""

import textwrap
from collections.abc import Iterable, Iterator, Sequence

from grader.common.phrases import count
from grader.course.submissions.handin import Absence, HandIn, Intake, Refusal, Remark, Student
from grader.lms.intake.lines import one_line

WIDTH = 80
NAMES = 20
"""Names in a list; after these a number."""


def tell(intake: Intake) -> str:
    """The text, of lines that fit a terminal: what it was taken for, how much of what, and what is not graded."""
    students = {each.student.label for each in _everything(intake)}
    found = f"Found {intake.shape}: {count(len(intake.handins), 'hand-in')} of {count(len(students), 'student')}."
    lines = [*_wrapped(found), *_counts(intake), *_late(intake), *_identical(intake), *_absent(intake)]
    lines += _refused(intake)
    lines += _remarks("Not graded:", intake.unplaced)
    lines += _remarks("Noted:", intake.remarks)
    return "\n".join(lines) + "\n"


def _everything(intake: Intake) -> list[HandIn | Absence | Refusal]:
    return [*intake.handins, *intake.absences, *intake.refusals]


def _counts(intake: Intake) -> Iterator[str]:
    names = sorted({each.assignment for each in _everything(intake)})
    for name in names:
        handed_in = sum(each.assignment == name for each in intake.handins)
        absent = sum(each.assignment == name for each in intake.absences)
        refused = sum(each.assignment == name for each in intake.refusals)
        more = f", {refused:,} refused" if refused else ""
        yield from _wrapped(f"{name}: {count(handed_in, 'hand-in')}, {absent:,} without{more}", indent="  ")


def _late(intake: Intake) -> Iterator[str]:
    late = [f"{each.student.label} ({each.assignment})" for each in intake.handins if each.late]
    if late:
        yield from _wrapped(f"Late: {_names(late)}.")


def _identical(intake: Intake) -> Iterator[str]:
    same: dict[tuple[str, str], list[HandIn]] = {}
    for each in intake.handins:
        same.setdefault((each.assignment, each.sha256), []).append(each)
    for (assignment, _), twins in same.items():
        if len(twins) > 1:
            names = _names([each.student.label for each in twins])
            yield from _wrapped(f"Identical files for {assignment}, graded once: {names}.")


def _absent(intake: Intake) -> Iterator[str]:
    for name in sorted({each.assignment for each in intake.absences}):
        students = [each.student for each in intake.absences if each.assignment == name]
        yield from _wrapped(f"Nothing to grade for {name}: {_names(_labels(students))}.")


def _refused(intake: Intake) -> Iterator[str]:
    for name in sorted({each.assignment for each in intake.refusals}):
        students = [each.student for each in intake.refusals if each.assignment == name]
        yield from _wrapped(f"Refused for {name}, for the reasons below: {_names(_labels(students))}.")


def _labels(students: Iterable[Student]) -> list[str]:
    return [each.label for each in students]


def _remarks(heading: str, remarks: Sequence[Remark]) -> Iterator[str]:
    if remarks:
        yield heading
    for each in remarks:
        yield from _wrapped(f"{each.where}: {each.why}.", indent="  ")


def _names(names: list[str]) -> str:
    more = f" and {len(names) - NAMES} more" if len(names) > NAMES else ""
    return ", ".join(one_line(name) for name in names[:NAMES]) + more


def _wrapped(text: str, indent: str = "") -> list[str]:
    return textwrap.wrap(text, WIDTH, initial_indent=indent, subsequent_indent=f"{indent}  ", break_on_hyphens=False)
