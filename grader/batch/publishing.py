"""Writes all files that an instructor gets from a batch. They are made from stored results.

RESULTS/index.html                       the overview with links to all pages, hidden checks included
RESULTS/grades.csv                       a row for every student and assignment
RESULTS/batch.xml                        JUnit, a suite for every submission
RESULTS/students/LABEL/ASSIGNMENT.html   one submission; next to it, the content of this page in other formats:
ASSIGNMENT.xml (JUnit), ASSIGNMENT.gradescope.json (results.json), ASSIGNMENT.sarif,
ASSIGNMENT.codequality.json (GitLab) and ASSIGNMENT.json
RESULTS/instructor/LABEL/ASSIGNMENT.html the complete page, if students see less
RESULTS/faults.txt                       only if grader failed: the missing parts, with tracebacks

The files under students/ are for students. Hidden checks are withheld there (results/withholding.py) until they are
released.
"""

import dataclasses
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial

from grader.batch.lateness import LateWork, deducted
from grader.batch.lists import ABSENT, Order, Orders, corrected, graded_by_hand
from grader.batch.outputs import Outputs
from grader.batch.page_renderer import PageRenderer, source_of
from grader.batch.rescoring import up_to_date
from grader.batch.scheduler import BatchPlan, Item
from grader.batch.store import Store
from grader.common.optional import Fault, OptionalWork, noting
from grader.common.record import replace
from grader.course.submissions.handin import Absence, HandIn, Intake, strangers
from grader.course.suite import Coursework
from grader.lms.exports.grades import grades_csv
from grader.protocol.text import showable
from grader.reports import REPORTS, Report
from grader.reports.junit import render_batch
from grader.results.gradebook import Gradebook, StudentRow, grade_of
from grader.results.result import Result, Ungraded
from grader.results.withholding import View, withheld, without_tracebacks

FAULTS = "faults.txt"
"""Name of the list of parts that are missing because grader failed."""

PAGE = "html"
"""File ending of an outcome's page."""

BESIDE: dict[str, Report] = {each.ending: each for each in REPORTS.values() if each.ending != PAGE}
"""Reports that are written next to an outcome's page, by file ending."""

AHEAD = 8
"""Number of outcomes whose pages are prepared ahead while the page of an outcome is written."""


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """Outcome of a hand-in. `told` is its current score, `shown` is the part that students see, and `faults` lists the
    parts that are missing because grader failed.
    """

    handin: HandIn
    item: Item
    told: Result | Ungraded
    shown: Result | Ungraded
    faults: tuple[Fault, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Missing:
    """A part that is missing because grader failed, and the submission that it belongs to."""

    where: str
    fault: Fault

    def __str__(self) -> str:
        return f"{showable(self.where)}: {self.fault.sentence}\n\n{self.fault.traceback}"


@dataclass(frozen=True, kw_only=True)
class Published:
    """The gradebook of the written results, and the parts that are missing from them."""

    book: Gradebook
    missing: tuple[Missing, ...]


@dataclass(frozen=True, kw_only=True)
class Outcomes:
    """All data from which the files of a batch are made at its end. `faults` maps the key of each item that could not
    be graded to the reason. `view` selects the part of a result that students see. Deductions for lateness are applied
    after scoring, and corrections last. Both also apply to the part that students see.
    """

    deadlines: LateWork
    assignments: dict[str, Coursework]
    plan: BatchPlan
    store: Store
    faults: dict[str, str]
    view: View = withheld
    corrections: Orders = field(default_factory=dict)

    def each(self) -> Iterator[Outcome]:
        """Yield the outcome of every hand-in, sorted by label. Results are large, so only one is loaded at a time."""
        pairs = ((handin, item) for item in self.plan.items.values() for handin in item.handins)
        for handin, item in sorted(pairs, key=lambda pair: (pair[0].student.order, pair[0].assignment)):
            yield self._of(handin, item)

    def of(self, item: Item) -> Iterator[Outcome]:
        """Yield the outcomes of all hand-ins of an item. Their files are identical."""
        return (self._of(handin, item) for handin in item.handins)

    def _of(self, handin: HandIn, item: Item) -> Outcome:
        stored = self.store.load(item.key)
        told = self._ungraded(handin, item.key) if stored is None else self._scored(handin, stored)
        shown = self.view(told, self.assignments[handin.assignment]) if isinstance(told, Result) else told
        return Outcome(
            handin=handin,
            item=item,
            told=self._adjusted(told, handin),
            shown=self._adjusted(shown, handin),
            faults=() if stored is None else stored.faults,
        )

    @property
    def intake(self) -> Intake:
        """The intake, with late hand-ins marked."""
        return self.deadlines.intake

    def _adjusted(self, outcome: Result | Ungraded, handin: HandIn) -> Result | Ungraded:
        """Subtract the deduction for lateness, then apply the instructor's correction."""
        cost = self.deadlines.costs.get(handin.key)
        return corrected(deducted(outcome, cost), *self._correction(handin))

    def of_absence(self, absence: Absence) -> Result | Ungraded | Absence:
        """Return the outcome of a student without a gradable hand-in: the reason, or the points that the instructor has
        given. If there is neither, return the absence itself.
        """
        order, most = self._correction(absence)
        refused = refused_in_words(absence)
        if not refused and (order is None or order.amount.to is None):
            return absence
        told = Ungraded(assignment=absence.assignment, submission="", fault=refused or ABSENT)
        return corrected(told, order, most)

    def corrected_row(self, row: StudentRow) -> StudentRow:
        """Return the row; if it has no grade, with the points that the instructor has set, if any."""
        return graded_by_hand(row, *self._correction(row)) if row.grade is None else row

    def _correction(self, of: HandIn | Absence | StudentRow) -> tuple[Order | None, float]:
        """Return the correction, if any, and the full points of the assignment."""
        return self.corrections.get((of.student.label, of.assignment)), self.assignments[of.assignment].points

    def _ungraded(self, handin: HandIn, key: str) -> Ungraded:
        fault = self.faults.get(key, "it has not been graded yet.")
        return Ungraded(assignment=handin.assignment, submission=handin.where, fault=fault)

    def _scored(self, handin: HandIn, stored: Result) -> Result:
        assignment = self.assignments[handin.assignment]
        return replace(without_tracebacks(up_to_date(stored, assignment)), submission=handin.where)


def publish(outcomes: Outcomes, outputs: Outputs, renderer: PageRenderer, written: Callable[[], object]) -> Published:
    """Write all files except those for upload. Return the gradebook, and the parts that are missing because grader
    failed. `written` is called after the files of each hand-in.

    Each outcome is loaded only once. While its JUnit suite is written, its page, its other reports and its row are
    made. A report that fails does not stop the others; only grades.csv and the gradebook must succeed.
    """
    missing: list[Missing] = []
    rows: list[StudentRow] = []
    links: dict[tuple[str, str], str] = {}

    def suites() -> Iterator[tuple[str, Result | Ungraded | Absence]]:
        for outcome in _with_pages_begun(outcomes.each(), outputs, renderer):
            student, assignment = outcome.handin.student, outcome.handin.assignment
            where = f"{student.label}, {assignment}"
            missing.extend(Missing(where=where, fault=fault) for fault in outcome.faults)
            missing.extend(Missing(where=where, fault=fault) for fault in _write_reports(outcome, outputs, renderer))
            rows.append(outcomes.corrected_row(_row(outcome)))
            links[student.label, assignment] = _page(outcome)
            written()
            yield student.label, outcome.told
        for each in outcomes.intake.absences:
            yield each.student.label, outcomes.of_absence(each)

    with noting() as faults, OptionalWork("the file batch.xml"):
        outputs.write("batch.xml", render_batch(suites()))
    book = _gradebook(rows, outcomes)
    outputs.write("grades.csv", grades_csv(book))
    overview = renderer.overview(book, links)
    outputs.write("index.html", overview.text)
    missing.extend(Missing(where="the batch", fault=fault) for fault in (*faults, *overview.faults))
    return Published(book=book, missing=tuple(missing))


def _gradebook(rows: list[StudentRow], outcomes: Outcomes) -> Gradebook:
    """Return the gradebook with these rows, and a row for each student without a gradable hand-in."""
    absent = (
        outcomes.corrected_row(
            StudentRow(student=each.student, assignment=each.assignment, fault=refused_in_words(each))
        )
        for each in outcomes.intake.absences
    )
    everyone = tuple(sorted((*rows, *absent), key=lambda row: (row.student.order, row.assignment)))
    book = blank_book(outcomes.intake, outcomes.assignments)
    return dataclasses.replace(book, rows=everyone, deadlines=outcomes.deadlines.lines)


def refused_in_words(absence: Absence) -> str:
    """Return the reason why a hand-in was refused, so that the student has no grade, or "" if nothing was handed in."""
    return f"refused: {absence.refused.rstrip('.')}. A new hand-in can be graded." if absence.refused else ""


def blank_book(intake: Intake, assignments: dict[str, Coursework]) -> Gradebook:
    """Return a gradebook without rows."""
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


def pages_of(outcome: Outcome) -> dict[str, Result | Ungraded]:
    """Return the content of each page by file name: the student's page and, if that shows less, the complete page."""
    return {_file("students", outcome, PAGE): outcome.shown, _page(outcome): outcome.told}


def _with_pages_begun(outcomes: Iterator[Outcome], outputs: Outputs, renderer: PageRenderer) -> Iterator[Outcome]:
    """Yield the outcomes. The pages of the next AHEAD outcomes are started in advance, unless they are up to date."""
    waiting: deque[Outcome] = deque()
    for outcome in outcomes:
        for name, told in pages_of(outcome).items():
            if not outputs.has(name, source_of(told)):
                renderer.begin(told)
        waiting.append(outcome)
        if len(waiting) > AHEAD:
            yield waiting.popleft()
    yield from waiting


def _write_reports(outcome: Outcome, outputs: Outputs, renderer: PageRenderer) -> list[Fault]:
    """Write the reports of one hand-in, and return the missing parts. Pages take long to make, so a page that is up to
    date is kept.
    """
    lacking: list[Fault] = []
    with noting() as faults:
        for name, told in pages_of(outcome).items():
            with OptionalWork(f"the file {name}"):
                lacking += _write_page(name, told, outputs, renderer)
        source = source_of(outcome.shown)
        for ending, render in BESIDE.items():
            name = _file("students", outcome, ending)
            with OptionalWork(f"the file {name}"):
                outputs.renew(name, source, partial(render, outcome.shown))
    return [*faults, *lacking]


def _write_page(name: str, told: Result | Ungraded, outputs: Outputs, renderer: PageRenderer) -> tuple[Fault, ...]:
    """Write a page. An incomplete page is listed without a source, so that the next run makes it again."""
    source = source_of(told)
    if outputs.keep(name, source):
        return ()
    page = renderer.page(told)
    outputs.write(name, page.text, "" if page.faults else source)
    return page.faults


def _page(outcome: Outcome) -> str:
    """Return the page that the overview links to: the student's page, or the complete page if students see less."""
    whose = "students" if outcome.shown == outcome.told else "instructor"
    return _file(whose, outcome, PAGE)


def _file(whose: str, outcome: Outcome, ending: str) -> str:
    return f"{whose}/{outcome.handin.student.label}/{outcome.handin.assignment}.{ending}"


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
        same_as=strangers(handin, outcome.item.handins),
    )
