"""Describes the files that were found before grading starts, so that a wrong download is noticed before a night of
grading.
"""

import textwrap
from collections import Counter
from collections.abc import Iterator, Sequence

from grader.common.phrases import count
from grader.course.submissions.handin import Absence, HandIn, Intake, Remark, strangers
from grader.lms.intake.reading.listing import one_line

WIDTH = 80
NAMES = 20
"""Maximum number of names in a list. The others are replaced by their number."""


def tell(intake: Intake) -> str:
    """Return lines that fit a terminal. They state the shape of the download, the numbers of hand-ins, and the work
    that is not graded.
    """
    everyone: tuple[HandIn | Absence, ...] = (*intake.handins, *intake.absences)
    students = {each.student.label for each in everyone}
    found = f"Found {intake.shape}: {count(len(intake.handins), 'hand-in')} of {count(len(students), 'student')}."
    absent, refused = _by_cause(intake)
    lines = [*_wrapped(found), *_counts(intake), *_late(intake), *_identical(intake)]
    lines += _lacking("Nothing to grade for {}", absent)
    lines += _lacking("Refused for {}, for the reasons below", refused)
    lines += _remarks("Not graded:", intake.unplaced)
    lines += _remarks("Noted:", intake.remarks)
    return "\n".join(lines) + "\n"


def _by_cause(intake: Intake) -> tuple[list[Absence], list[Absence]]:
    """Return the absences without a hand-in, and those with a refused hand-in."""
    absent = [each for each in intake.absences if not each.refused]
    return absent, [each for each in intake.absences if each.refused]


def _counts(intake: Intake) -> Iterator[str]:
    absent, refused = (Counter(each.assignment for each in cause) for cause in _by_cause(intake))
    handed_in = Counter(each.assignment for each in intake.handins)
    for name in sorted({*handed_in, *absent, *refused}):
        more = f", {refused[name]:,} refused" if refused[name] else ""
        yield from _wrapped(f"{name}: {count(handed_in[name], 'hand-in')}, {absent[name]:,} without{more}", indent="  ")


def _late(intake: Intake) -> Iterator[str]:
    late = [f"{each.student.label} ({each.assignment})" for each in intake.handins if each.late]
    if late:
        yield from _wrapped(f"Late: {_names(late)}.")


def _identical(intake: Intake) -> Iterator[str]:
    same: dict[tuple[str, str], list[HandIn]] = {}
    for each in intake.handins:
        same.setdefault((each.assignment, each.sha256), []).append(each)
    for (assignment, _), twins in same.items():
        if any(strangers(each, tuple(twins)) for each in twins):
            yield from _wrapped(f"Identical files for {assignment}, graded once: {_names(_together(twins))}.")


def _together(handins: Sequence[HandIn]) -> list[str]:
    """Return the labels. The labels of a team are joined."""
    found: dict[tuple[str, str], list[str]] = {}
    for each in handins:
        found.setdefault((each.team, "" if each.team else each.student.label), []).append(each.student.label)
    return [" with ".join(labels) for labels in found.values()]


def _lacking(heading: str, absences: Sequence[Absence]) -> Iterator[str]:
    """Yield a line for each assignment with the students who have no grade for it."""
    for name in sorted({each.assignment for each in absences}):
        students = [each.student.label for each in absences if each.assignment == name]
        yield from _wrapped(f"{heading.format(name)}: {_names(students)}.")


def _remarks(heading: str, remarks: Sequence[Remark]) -> Iterator[str]:
    if remarks:
        yield heading
    for each in remarks:
        yield from _wrapped(f"{each.where}: {each.why}.", indent="  ")


def _names(names: list[str]) -> str:
    more = f" and {len(names) - NAMES} more" if len(names) > NAMES else ""
    return ", ".join(one_line(name) for name in names[:NAMES]) + more


def _wrapped(text: str, indent: str = "") -> list[str]:
    words = " ".join(text.split())  # at any kind of space, because textwrap is slow with kinds that it does not know
    return textwrap.wrap(words, WIDTH, initial_indent=indent, subsequent_indent=f"{indent}  ", break_on_hyphens=False)
