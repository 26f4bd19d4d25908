"""Comparison of the results of a synthetic cohort (synthetic.py) with the expected results."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from attacks import verdict
from golden import expectation
from synthetic import Cohort, Member, Work

from grader.authoring.golden_comparison import called, compare
from grader.course.assignment import Assignment
from grader.course.catalogue import Course
from grader.course.submissions.handin import Intake, Student
from grader.course.submissions.submission import SIZE_LIMIT
from grader.results.result import Result, Ungraded


def misplaced(cohort: Cohort, intake: Intake) -> list[str]:
    """Return a line for each file that was read wrongly or assigned to the wrong student, and for each file without an
    author.
    """
    found = {(_identity(each.student), each.assignment): each.data for each in intake.handins}
    lines = []
    for member in cohort.members:
        for assignment, work in member.works.items():
            data = found.pop((_identity_of(member, intake), assignment), None)
            if data != work.data[: SIZE_LIMIT + 1]:
                lines.append(
                    f"{member.name}, {assignment} ({work.about}): {'lost' if data is None else 'another file'}"
                )
    lines += [f"{who}, {assignment}: nobody's" for who, assignment in found]
    away = [member for member in cohort.members if not member.works]
    absent = sorted(_identity_of(member, intake) for member in away)
    listed = sorted(_identity(each.student) for each in intake.absences[:: len(cohort.plot.assignments)])
    if cohort.plot.lists_absent and absent != listed:
        lines.append(f"absent are {absent}, but {listed} are listed")
    reasons = [each for each in intake.unplaced if not each.where.endswith(tuple(member.name for member in away))]
    return [*lines, *(f"unplaced: {each.where}: {each.why}" for each in reasons)]


def unexpected(cohort: Cohort, intake: Intake, results: Path, course: Course) -> Iterator[str]:
    """Yield a line for each report that differs from what it must contain."""
    labels = {_identity(each.student): each.student.label for each in intake.handins}
    assignments = {name: course.load(name) for name in cohort.plot.assignments}
    for member in cohort.members:
        for name, work in member.works.items():
            label = labels.get(_identity_of(member, intake), "nobody")
            difference = _difference(work, results / "students" / label / f"{name}.json", assignments[name])
            if difference:
                yield f"{cohort.plot.shape}, {label}, {name} ({work.about}): {difference}"


def _difference(work: Work, report: Path, assignment: Assignment) -> str:
    """Return the difference between a report and the expectation, or "" if they agree."""
    if not report.is_file():
        return f"there is no {report}"
    said = report.read_bytes()
    if b'"status": "ungraded"' in said[:200]:
        return f"not graded: {Ungraded.model_validate_json(said).fault}"
    result = Result.model_validate_json(said)
    if isinstance(work.expected, str):
        found = verdict(result)
        return "" if found == work.expected else f"expected {work.expected}, found {found}: {_first_message(result)}"
    compared = compare(expectation(work.expected), assignment, result)
    made = {called(check) for check in result.checks}
    expected = {name: why for name, why in compared.expected.items() if name in made}
    told = replace(compared, expected=expected).differences  # other cases belong to a complete course
    return f"{'; '.join(told)}: {_first_message(result)}" if told else ""


def _first_message(result: Result) -> str:
    return next((check.message for check in result.checks if check.reason is not None), "every check passed")


def _identity(student: Student) -> str:
    return student.key or student.name


def _identity_of(member: Member, intake: Intake) -> str:
    """Return the student's key on this platform, or the name on a platform without keys."""
    has_keys = any(each.student.key for each in intake.handins)
    return member.key if has_keys else member.name
