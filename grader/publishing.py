"""What an instructor gets out of a batch, made from stored results.

RESULTS/index.html                       the overview, which links to everything
RESULTS/grades.csv                       a row for every student and assignment
RESULTS/batch.xml                        JUnit, a suite for every submission
RESULTS/students/LABEL/ASSIGNMENT.html   one submission, and beside it the same as
ASSIGNMENT.xml (JUnit), ASSIGNMENT.gradescope.json (results.json) and ASSIGNMENT.json
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from grader.assignment import Assignment
from grader.batch import Item, Plan
from grader.exports.grades import grades_csv
from grader.exports.gradescope import gradescope_results
from grader.files import make_folder, write_whole
from grader.gradebook import Gradebook, Row, grade_of
from grader.handin import HandIn, Intake
from grader.reports import REPORTS, Report, overview_page
from grader.reports.junit import render_batch
from grader.rescoring import rescore
from grader.result import Result, Ungraded
from grader.store import Store

JSON = "json"
"""Written last: where it is as it should be, so are the others."""

WRITTEN: dict[str, Report] = {"xml": REPORTS["junit"], "gradescope.json": gradescope_results, JSON: REPORTS["json"]}
"""What is made of every outcome, by the ending of its file."""

PAGE = "html"
"""What takes longer to make, and is stored with the result."""


@dataclass(frozen=True, kw_only=True)
class Outcomes:
    """Everything that is known at the end of a batch; `faults` are those of items that could not be graded, by key."""

    intake: Intake
    assignments: dict[str, Assignment]
    plan: Plan
    store: Store
    faults: dict[str, str]

    def of(self, handin: HandIn, key: str) -> Result | Ungraded:
        """What became of a file, as the assignment scores it now."""
        result = self.store.load(key)
        if result is None:
            fault = self.faults.get(key, "it has not been graded yet.")
            return Ungraded(assignment=handin.assignment, submission=handin.where, fault=fault)
        assignment = self.assignments[handin.assignment]
        if result.provenance.assignment_sha256 != assignment.sha256:
            result = rescore(result, assignment)
        return result.model_copy(update={"submission": handin.where})

    def each(self) -> Iterator[tuple[HandIn, Item, Result | Ungraded]]:
        """Every file that counts, by label, with its outcome; one at a time, since results are large."""
        pairs = ((handin, item) for item in self.plan.items.values() for handin in item.handins)
        for handin, item in sorted(pairs, key=lambda pair: (pair[0].student.label, pair[0].assignment)):
            yield handin, item, self.of(handin, item.key)


def publish(outcomes: Outcomes, folder: Path) -> Gradebook:
    """Write everything but what is for upload; the batch in brief."""
    book = _gradebook(outcomes, folder)
    write_whole(folder / "grades.csv", grades_csv(book))
    suites = ((handin.student.label, outcome) for handin, _, outcome in outcomes.each())
    write_whole(folder / "batch.xml", render_batch(suites))
    links = {
        (row.student.label, row.assignment): f"students/{row.student.label}/{row.assignment}.{PAGE}"
        for row in book.rows
        if row.status != "absent"
    }
    write_whole(folder / "index.html", overview_page(book, links))
    return book


def _gradebook(outcomes: Outcomes, folder: Path) -> Gradebook:
    """The batch in brief, made while the reports of each are written."""
    rows = [_row(handin, item, outcome) for handin, item, outcome in _reported(outcomes, folder)]
    absent = (Row(student=each.student, assignment=each.assignment) for each in outcomes.intake.absences)
    everyone = tuple(sorted((*rows, *absent), key=lambda row: (row.student.label, row.assignment)))
    return replace(blank_book(outcomes.intake, outcomes.assignments), rows=everyone)


def blank_book(intake: Intake, assignments: dict[str, Assignment]) -> Gradebook:
    """The gradebook before anybody is in it."""
    return Gradebook(
        shape=intake.shape,
        assignments=tuple(assignments),
        titles={name: assignment.title for name, assignment in assignments.items()},
        maxima={name: assignment.points for name, assignment in assignments.items()},
        skeletons={name: assignment.skeleton for name, assignment in assignments.items()},
        rows=(),
        unplaced=intake.unplaced,
    )


def _reported(outcomes: Outcomes, folder: Path) -> Iterator[tuple[HandIn, Item, Result | Ungraded]]:
    for handin, item, outcome in outcomes.each():
        home = folder / "students" / handin.student.label
        make_folder(home)
        _write_reports(home / handin.assignment, outcome, outcomes.store, item.key)
        yield handin, item, outcome


def _write_reports(path: Path, outcome: Result | Ungraded, store: Store, key: str) -> None:
    """Those of one submission, unless they are there already."""
    files = {ending: path.with_name(f"{path.name}.{ending}") for ending in (PAGE, *WRITTEN)}
    if all(file.is_file() for file in files.values()) and files[JSON].read_text("utf-8") == WRITTEN[JSON](outcome):
        return
    write_whole(files[PAGE], _page(outcome, store, key))
    for ending, render in WRITTEN.items():
        write_whole(files[ending], render(outcome))


def _page(outcome: Result | Ungraded, store: Store, key: str) -> str:
    """The stored page, unless the result has been scored anew since."""
    stored = store.load(key)
    unchanged = stored is not None and isinstance(outcome, Result) and stored.checks == outcome.checks
    return (store.page(key) if unchanged else "") or REPORTS["html"](outcome)


def _row(handin: HandIn, item: Item, outcome: Result | Ungraded) -> Row:
    return Row(
        student=handin.student,
        assignment=handin.assignment,
        where=handin.where,
        late=handin.late,
        grade=grade_of(outcome) if isinstance(outcome, Result) else None,
        fault="" if isinstance(outcome, Result) else outcome.fault,
        same_as=tuple(sorted({each.student.label for each in item.handins} - {handin.student.label})),
    )
