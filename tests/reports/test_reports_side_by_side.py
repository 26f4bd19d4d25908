"""Reports about a suite show its kernels separately, and compare them side by side (side_by_side.py)."""

import csv
import re
from xml.etree import ElementTree

import pytest
from fake_workforce import FakeWorkforce, handin, plan_of, silent
from gradebooks import gradebook, row
from pages import PAYLOADS, Reader
from samples import BUILD, PROFILE, RACE, ROOFLINE, SPEED, failed, performance, result
from schemas.gradescope import Results
from suites import FIRST, LAST, NAME
from xunit import XUNIT

from grader.batch.rescoring import rescore
from grader.batch.scheduler import choose, grade_all
from grader.batch.store import Store
from grader.common.phrases import capital
from grader.course.rubric import Kind
from grader.lms.exports.feedback import comment
from grader.lms.exports.grades import grades_csv
from grader.reports import REPORTS
from grader.reports.figures import ladder as drawn
from grader.reports.side_by_side import HEADINGS, in_words, standings_of
from grader.reports.terminal import render
from grader.results.gradebook import grade_of
from grader.results.suite_results import joined
from grader.results.verdicts import Reason

RACING = failed("sanitizer (n 3)", kind=Kind.SANITIZER, reason=Reason.DATA_RACE, message="a race.", findings=(RACE,))
WRONG = failed("correctness: one (n 1)", message="it is wrong.")
FAST = SPEED.model_copy(update={"performance": ROOFLINE})


def suite_of(ladder, first, last, **changes):
    """Return the handmade results of both kernels as one result."""
    whole = joined(ladder, [result(*first, **changes), result(*last, **changes)])
    return whole.model_copy(update={"assignment": NAME})


def text_of(outcome):
    return Reader(REPORTS["html"](outcome)).text


# --- what is compared -----------------------------------------------------------------------------


def test_kernels_stand_side_by_side(climbed):
    """In a real grading, two kernels are compared.

    Each has a rate, its share of the model solution's rate, and its multiple of the first kernel's rate.
    """
    first, last = standings_of(climbed["right"])
    assert (first.part, last.part) == (FIRST, LAST)
    assert first.times_first == 1.0
    assert last.times_first == last.performance.rate.median / first.performance.rate.median
    assert sum(each.points for each in (first, last)) == climbed["right"].points
    for each in (first, last):
        rate, of_model, times, _ = each.cells
        assert re.fullmatch(r"[\d.,e+]+ GFLOPS", rate)
        assert of_model.endswith(" %")
        assert times.endswith(" x")


def test_arithmetic_for_each_byte_is_counted(climbed):
    """A tiled kernel does more than ten times as many operations per byte, because each staged word is used sixteen
    times.
    """
    first, last = standings_of(climbed["right"])
    if last.intensity is None:
        pytest.skip("no simulator: nothing was counted")
    assert last.intensity > 10 * first.intensity


def test_what_was_not_measured_is_a_dash(climbed):
    """A value that was not measured is shown as a dash, also if this is the rate of the first kernel."""
    _, last = standings_of(climbed["missing"])
    assert last.cells == ("-", "-", "-", "-")
    assert standings_of(climbed["broken"])[0].performance is None
    assert standings_of(result(BUILD, SPEED)) == ()


def test_rates_of_different_things_are_not_compared(ladder):
    """Rates in GB/s and in GFLOPS are not compared, and do not share a figure."""
    mixed = suite_of(ladder, (BUILD, FAST), (BUILD, SPEED))
    assert [each.times_first for each in standings_of(mixed)] == [1.0, None]
    assert drawn({each.part: each.performance for each in standings_of(mixed)}) is None
    assert drawn({}) is None


def test_the_figure_tells_its_figures():
    """The figure's label gives its numbers in words, for readers who cannot see it."""
    label = ElementTree.fromstring(drawn({"first": ROOFLINE, "last": ROOFLINE})).get("aria-label")
    assert label.startswith("Rates in GFLOPS: first 1,190 (model ")


@pytest.mark.sampled
@pytest.mark.parametrize("payload", PAYLOADS)
def test_no_name_becomes_markup_in_the_figure(payload):
    """Kernel names are text in the figure, and never become markup."""
    plain, hostile = (ElementTree.fromstring(drawn({name: ROOFLINE})) for name in ("word", payload))
    assert {each.tag for each in hostile.iter()} <= {each.tag for each in plain.iter()}


# --- reports --------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["right", "missing", "broken"])
def test_a_terminal_of_80_columns_holds_it(climbed, name):
    """In 80 columns, each kernel has a heading with its points. If there are rates, they are in a table."""
    text = render(climbed[name], width=80, color=False)
    assert max(map(len, text.splitlines())) <= 80
    for standing in standings_of(climbed[name]):
        assert re.search(rf"\n\n        {standing.part} +{standing.points:g} / {standing.max_points:g}\n", text)
    assert ("of first" in text) == (name != "broken")
    rows = text[re.search(rf"^        {FIRST} ", text, re.MULTILINE).start() :]
    assert f"{FIRST}: " not in rows


def test_a_kernel_that_does_not_build_is_two_rows(climbed):
    """A kernel that does not build is an issue that costs all its points. It has one row for the build, and one for all
    checks that did not run.
    """
    issues, _, rows = render(climbed["missing"], width=80, color=False).partition(f"        {LAST} ")
    assert f" 1. error[KERNEL_MISSING]: {LAST}: the file has no kernel named {LAST}" in issues
    last = standings_of(climbed["missing"])[-1]
    assert f"    cost: {last.max_points:g} points (build)\n" in issues
    assert "failed  build: see 1\n" in rows
    assert rows.count("fix the build first.") == 1
    assert re.search(r"skipped \d+ checks: correctness, sanitizer, memory, performance +0 / \d+\n", rows)


def test_where_to_start_is_the_kernel_that_loses_most_points(ladder):
    """Readers start at the wrong kernel that has lost the most points, and there at the simulator's finding. If two
    kernels have lost equally many points, the first comes first.
    """
    both = suite_of(ladder, (BUILD, WRONG, RACING), (BUILD, RACING))
    assert both.first_cause.name == f"{FIRST}: sanitizer (n 3)"
    assert f" 1. error[DATA_RACE]: {FIRST}: a race." in render(both, width=80, color=False)
    assert text_of(both).partition("DATA_RACE in ")[2].startswith(FIRST)
    equal = suite_of(ladder, (BUILD, WRONG), (BUILD, RACING))
    assert equal.first_cause.name == f"{FIRST}: correctness: one (n 1)"
    costlier = suite_of(ladder, (BUILD, WRONG), (BUILD, WRONG, RACING))
    assert costlier.first_cause.name == f"{LAST}: sanitizer (n 3)"
    told = render(costlier, width=80, color=False)
    assert told.index(f"]: {LAST}: ") < told.index(f"]: {FIRST}: ")


@pytest.mark.sampled
@pytest.mark.parametrize("name", ["right", "missing", "broken"])
def test_the_page_has_a_section_for_each_kernel(climbed, name):
    """The page has a folded section for each kernel, which is open if a check failed. The table links to the sections,
    and ids are unique.
    """
    outcome = climbed[name]
    page = Reader(REPORTS["html"](outcome))
    ids = page.values("id")
    assert len(ids) == len(set(ids))
    assert {target.strip("#") for target in page.values("href")} <= set(ids)
    for heading in HEADINGS:
        assert capital(heading) in page.text
    for number, standing in enumerate(standings_of(outcome), start=1):
        part = next(dict(attrs) for tag, attrs in page.elements if dict(attrs).get("id") == f"part-{number}")
        assert ("open" in part) == (standing.points < standing.max_points)
        assert f"{standing.part} {standing.points:g} / {standing.max_points:g} " in page.text
    assert page.text.count("Memory counts") == len(outcome.profiles)


def test_no_page_scrolls_sideways(climbed, browser):
    """No page scrolls sideways on a phone, a tablet or a desktop."""
    widths = [360, 768, 1280]
    page = REPORTS["html"](climbed["right"])
    assert browser.measure(page, widths, "document.documentElement.scrollWidth") == widths


def test_counts_at_a_line_that_serves_several_kernels_are_apart(ladder):
    """If a line belongs to several kernels, its counts are shown for each kernel separately."""
    last = PROFILE.model_copy(update={"accesses": PROFILE.accesses[:1], "branches": ()})
    source = "\n" * 30
    whole = suite_of(ladder, (BUILD,), (BUILD,), source=source)
    text = text_of(whole.model_copy(update={"profiles": {FIRST: PROFILE, LAST: last}}))
    _, first, second = text.partition(" Checks ")[2].split("Memory counts")
    assert "line 13 costly" in first
    assert "line 13 costly" in second
    assert "line 17" in first
    assert "line 17" not in second


@pytest.mark.parametrize("name", ["right", "missing", "broken"])
def test_junit_names_are_unique_and_classes_are_kinds(climbed, name):
    """The names of cases include the kernel, so that the strictest reader accepts the file."""
    root = ElementTree.fromstring(REPORTS["junit"](climbed[name]))
    XUNIT.validate(root)
    cases = list(root.iter("testcase"))
    outcome = climbed[name]
    unreached = len(outcome.unreached) if name == "broken" else 0
    assert len({case.get("name") for case in cases}) == len(cases) == len(outcome.checks) - unreached + bool(unreached)
    assert {case.get("classname") for case in cases} <= {f"{NAME}.{check.kind}" for check in outcome.checks}


def test_gradescope_is_told_of_each_kernel(climbed):
    """The text above Gradescope's tests shows the points and the speed of each kernel."""
    results = Results.model_validate_json(REPORTS["gradescope"](climbed["missing"]))
    first, last = standings_of(climbed["missing"])
    assert in_words(first) in results.output
    assert f"{FIRST}: {first.points:g} of {first.max_points:g} points, " in results.output
    assert results.output.splitlines()[-1] == f"{LAST}: 0 of {last.max_points:g} points"
    assert sum(test.score for test in results.tests) == results.score


# --- a batch --------------------------------------------------------------------------------------


def test_a_grade_has_points_and_speeds_by_kernel(climbed):
    """The gradebook, the table and the Moodle comment show the points of each kernel, and the table its speed."""
    grade = grade_of(climbed["missing"])
    first, last = standings_of(climbed["missing"])
    assert grade.parts == (FIRST, LAST)
    assert grade.points_of_part(FIRST) == (first.points, first.max_points)
    assert list(grade.speeds) == [FIRST]
    book = gradebook(row("ada", grade), row("ben"), parts={"coalsTransp": (FIRST, LAST)})
    ada, ben = csv.DictReader(grades_csv(book).lstrip("\ufeff").splitlines())
    assert float(ada[f"{FIRST}: points"]) + float(ada[f"{LAST}: points"]) == float(ada["points"])
    assert float(ada[f"{FIRST}: rate"]) == first.performance.rate.median
    assert (ada[f"{FIRST}: unit"], ada[f"{LAST}: rate"], ada["rate"]) == ("GFLOPS", "", "")
    assert {value for name, value in ben.items() if name.startswith((FIRST, LAST))} == {""}
    said = comment(book.rows[0])
    assert f"{FIRST} {first.points:g} / {first.max_points:g}, {LAST} 0 / {last.max_points:g}" in said
    assert f"Start here: {LAST}: KERNEL_MISSING: " in said


def test_a_kernel_of_a_suite_can_be_graded_again(ladder, climbed, tmp_path):
    """`--regrade check=WORDS` selects a kernel by its name, with which the name of each of its checks begins."""
    plan, store = (
        plan_of([ladder], handin("ada", assignment=NAME), handin("ben", b"x", assignment=NAME)),
        Store(tmp_path),
    )
    answers = {b"x": [climbed["missing"]], handin("ada").data: [climbed["right"]]}
    grade_all(plan, FakeWorkforce(answers=answers), store, silent)
    for words, labels in ((LAST, ["ben"]), (f"{LAST}: memory", ["ben"]), (FIRST, []), ("correctness", ["ben"])):
        keys = choose(plan, store, {NAME: ladder}, f"check={words}")
        assert [plan.items[key].handins[0].student.label for key in keys] == labels


def test_scoring_anew_changes_nothing(climbed, ladder):
    """Rescoring an unchanged suite does not change any names or times."""
    for name, whole in climbed.items():
        assert rescore(whole, ladder) == whole, name


def test_several_speeds_are_kept_by_part(ladder):
    """A grade keeps the speeds of all timed kernels, by part."""
    other = performance(rate=performance().rate.model_copy(update={"median": 3.0}))
    speeds = grade_of(suite_of(ladder, (BUILD, SPEED), (BUILD, SPEED.model_copy(update={"performance": other})))).speeds
    assert [(part, each.rate) for part, each in speeds.items()] == [(FIRST, 7.21), (LAST, 3.0)]
