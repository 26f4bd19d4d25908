"""Writes everything that an instructor gets out of a batch, from stored results.

RESULTS/index.html                       the overview, which links to everything, hidden checks included
RESULTS/grades.csv                       a row for every student and assignment
RESULTS/batch.xml                        JUnit, a suite for every submission
RESULTS/students/LABEL/ASSIGNMENT.html   one submission, and beside it the same as
ASSIGNMENT.xml (JUnit), ASSIGNMENT.gradescope.json (results.json) and ASSIGNMENT.json

What lies under students/ is for students: hidden checks are withheld there (results/withholding.py)
until they are released.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from grader.batch.rescoring import rescore
from grader.batch.scheduler import BatchPlan, Item
from grader.batch.store import Store
from grader.common.files import make_folder, write_whole
from grader.common.record import replace
from grader.course.submissions.handin import Absence, HandIn, Intake
from grader.course.suite import Coursework
from grader.lms.exports.grades import grades_csv
from grader.lms.exports.gradescope import gradescope_results
from grader.reports import REPORTS, Report, overview_page
from grader.reports.junit import render_batch
from grader.results.gradebook import Gradebook, StudentRow, grade_of
from grader.results.result import Result, Ungraded
from grader.results.withholding import View, withheld

JSON = "json"
"""Written last: if it is up to date, so are the others."""

WRITTEN: dict[str, Report] = {"xml": REPORTS["junit"], "gradescope.json": gradescope_results, JSON: REPORTS["json"]}
"""The reports of every outcome, by the endings of their files."""

PAGE = "html"
"""The ending of the page, which takes longer to make than the rest."""


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What became of a hand-in: the stored result (None if there is none), what the assignment scores it now, and
    what students are shown of that.
    """

    handin: HandIn
    item: Item
    stored: Result | None
    told: Result | Ungraded
    shown: Result | Ungraded


@dataclass(frozen=True, kw_only=True)
class Outcomes:
    """Everything that is known at the end of a batch, and what students see of it; `faults` are those of items that
    could not be graded, by key.
    """

    intake: Intake
    assignments: dict[str, Coursework]
    plan: BatchPlan
    store: Store
    faults: dict[str, str]
    view: View = withheld

    def each(self) -> Iterator[Outcome]:
        """The outcome of every hand-in, sorted by label; one at a time, since results are large."""
        pairs = ((handin, item) for item in self.plan.items.values() for handin in item.handins)
        for handin, item in sorted(pairs, key=lambda pair: (pair[0].student.label, pair[0].assignment)):
            stored = self.store.load(item.key)
            told = self._ungraded(handin, item.key) if stored is None else self._scored(handin, stored)
            shown = self.view(told, self.assignments[handin.assignment]) if isinstance(told, Result) else told
            yield Outcome(handin=handin, item=item, stored=stored, told=told, shown=shown)

    def _ungraded(self, handin: HandIn, key: str) -> Ungraded:
        fault = self.faults.get(key, "it has not been graded yet.")
        return Ungraded(assignment=handin.assignment, submission=handin.where, fault=fault)

    def _scored(self, handin: HandIn, stored: Result) -> Result:
        assignment = self.assignments[handin.assignment]
        current = stored.provenance.assignment_sha256 == assignment.sha256
        result = stored if current else rescore(stored, assignment)
        return replace(result, submission=handin.where)


def publish(outcomes: Outcomes, folder: Path) -> Gradebook:
    """Write everything but the files for upload, and return the gradebook.

    Each outcome is read once: its reports and its row are made while its JUnit suite is written.
    """
    rows: list[StudentRow] = []
    links: dict[tuple[str, str], str] = {}

    def suites() -> Iterator[tuple[str, Result | Ungraded]]:
        for outcome in outcomes.each():
            _write_reports(outcome, folder)
            _write_instructors(outcome, outcomes.store)
            rows.append(_row(outcome))
            links[outcome.handin.student.label, outcome.handin.assignment] = _link(outcome, outcomes.store)
            yield outcome.handin.student.label, outcome.told
        for each in outcomes.intake.absences:
            if fault := refused_in_words(each):
                yield each.student.label, Ungraded(assignment=each.assignment, submission="", fault=fault)

    write_whole(folder / "batch.xml", render_batch(suites()))
    book = _gradebook(rows, outcomes)
    write_whole(folder / "grades.csv", grades_csv(book))
    write_whole(folder / "index.html", overview_page(book, links))
    return book


def _gradebook(rows: list[StudentRow], outcomes: Outcomes) -> Gradebook:
    """The gradebook: these rows, and those of students who have handed in nothing that can be graded."""
    absent = (
        StudentRow(student=each.student, assignment=each.assignment, fault=refused_in_words(each))
        for each in outcomes.intake.absences
    )
    everyone = tuple(sorted((*rows, *absent), key=lambda row: (row.student.label, row.assignment)))
    return replace(blank_book(outcomes.intake, outcomes.assignments), rows=everyone)


def refused_in_words(absence: Absence) -> str:
    """Why a student who has handed something in has no grade; "" if nothing was handed in."""
    return f"refused because of {absence.refused}; a new hand-in can be graded." if absence.refused else ""


def blank_book(intake: Intake, assignments: dict[str, Coursework]) -> Gradebook:
    """A gradebook without rows."""
    return Gradebook(
        shape=intake.shape,
        assignments=tuple(assignments),
        titles={name: assignment.title for name, assignment in assignments.items()},
        maxima={name: assignment.points for name, assignment in assignments.items()},
        skeletons={name: assignment.skeleton for name, assignment in assignments.items()},
        parts={name: tuple(part.part for part in assignment.parts) for name, assignment in assignments.items()},
        rows=(),
        unplaced=intake.unplaced,
    )


def _write_reports(outcome: Outcome, folder: Path) -> None:
    """Write the reports of one hand-in, unless they are up to date.

    The file that tells is removed first: what is interrupted here must not look finished to the next run.
    """
    home = folder / "students" / outcome.handin.student.label
    make_folder(home)
    files = {ending: home / f"{outcome.handin.assignment}.{ending}" for ending in (PAGE, *WRITTEN)}
    wanted = WRITTEN[JSON](outcome.shown)
    if all(file.is_file() for file in files.values()) and files[JSON].read_text("utf-8") == wanted:
        return
    files[JSON].unlink(missing_ok=True)
    write_whole(files[PAGE], REPORTS[PAGE](outcome.shown))
    for ending, render in WRITTEN.items():
        write_whole(files[ending], render(outcome.shown))


def _write_instructors(outcome: Outcome, store: Store) -> None:
    """The whole page, where students are shown less: once for a result, and again when it is scored again."""
    page, stored, told = store.page(outcome.item.key), outcome.stored, outcome.told
    as_stored = isinstance(told, Result) and stored is not None and told.checks == stored.checks
    if outcome.shown != told and not (page.is_file() and as_stored):
        write_whole(page, REPORTS[PAGE](told))


def _link(outcome: Outcome, store: Store) -> str:
    """Where the overview leads: to the student's page, or to the whole one where students are shown less."""
    if outcome.shown != outcome.told:
        return f"results/{store.page(outcome.item.key).name}"
    return f"students/{outcome.handin.student.label}/{outcome.handin.assignment}.{PAGE}"


def _row(outcome: Outcome) -> StudentRow:
    handin, told, shown = outcome.handin, outcome.told, outcome.shown
    return StudentRow(
        student=handin.student,
        assignment=handin.assignment,
        where=handin.where,
        late=handin.late,
        grade=grade_of(told) if isinstance(told, Result) else None,
        shown=grade_of(shown) if isinstance(shown, Result) else None,
        fault="" if isinstance(told, Result) else told.fault,
        same_as=tuple(sorted({each.student.label for each in outcome.item.handins} - {handin.student.label})),
    )
