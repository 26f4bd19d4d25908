"""selftest.py: an assignment is checked against its own goals on the available device."""

import shutil

import pytest
from project import ROOT
from samples import BUILD, DEVICE, check, failed, performance, result, unchecked

from grader.authoring import selftest
from grader.authoring.selftest import CLEARLY, EITHER, MARGIN, UNEQUAL, Claim, grade_own, state
from grader.course.catalogue import Course
from grader.course.rubric import Kind
from grader.grading.phases.speed import prepare_own
from grader.grading.progress import quietly
from grader.results.metrics import Interval
from grader.results.verdicts import Reason, Verdict

PASSES = "the model solution passes every check"
FAST = f"the model solution is at least {MARGIN:g} times as fast as full points require"
MISSES = "the baseline clearly misses full points"
SKELETON = "the skeleton builds and fails every case"
BASELINE = "the baseline computes the right results"
AGREE = "the model solution and the baseline agree at the timed sizes"

RIGHT_BASELINE = Claim(claim=BASELINE, holds=True, seen="in 12 cases")
AGREEMENT = Claim(claim=AGREE, holds=True, seen="height 2048, width 1024")


def exactly(value):
    return Interval(median=value, low=value, high=value)


def timed(fraction, baseline, verdict=Verdict.PASSED):
    """Return a speed check with this fraction of the model solution's speed. `baseline` is the baseline's fraction."""
    return check(
        "performance: cpu (height 1)",
        kind=Kind.PERFORMANCE,
        verdict=verdict,
        points=40,
        max_points=40,
        performance=performance(
            fraction_of_reference=exactly(fraction), speed_up_over_baseline=exactly(fraction / baseline)
        ),
    )


CASES = [check(f"correctness: case {number}") for number in range(2)]
UNWRITTEN = [
    failed(f"correctness: case {number}", reason=Reason.NOT_WRITTEN, message="nothing written.") for number in range(2)
]
NOT_TIMED = failed("performance: cpu (height 1)", kind=Kind.PERFORMANCE, reason=Reason.NOT_RUN, message="not timed.")

MODEL = result(BUILD, *CASES, timed(1.0, 0.5))
EMPTY = result(BUILD, *UNWRITTEN, NOT_TIMED)


def statements_of(assignment, environment):
    """Return all statements about one assignment on this device."""
    own = grade_own(assignment, environment, quietly, prepare_own)
    return list(state(assignment, own, environment, quietly))


@pytest.fixture
def asking(transposition):
    """Return a function that changes the speed goal on a CPU and whether the baseline is expected to pass it."""

    def ask(fraction=0.7, baseline="fails"):
        goal = transposition.performance.classes["cpu"]
        bands = (goal.bands[0].model_copy(update={"fraction": fraction}),)
        goals = {"cpu": goal.model_copy(update={"bands": bands, "baseline": baseline})}
        timing = transposition.performance.model_copy(update={"classes": goals})
        return transposition.model_copy(update={"performance": timing})

    return ask


@pytest.fixture
def examined(monkeypatch, environment):
    """Return a function that examines an assignment with prepared results instead of gradings. It returns a dictionary
    of the statements by their claim.
    """

    def examine(assignment, model=MODEL, skeleton=EMPTY):
        graded = {assignment.reference: model, assignment.folder: skeleton}
        tasks = []

        def grade(task, *_):
            tasks.append(task)
            return graded[task.submission.path.parent]

        monkeypatch.setattr(selftest, "grade_submission", grade)
        monkeypatch.setattr(selftest, "_baseline_is_right", lambda *_: RIGHT_BASELINE)
        monkeypatch.setattr(selftest, "_both_agree", lambda *_: AGREEMENT)
        statements = {statement.claim: statement for statement in statements_of(assignment, environment)}
        assert [task.submission.path.name for task in tasks] == ["kernels.cl", "kernels.cl"]
        return statements

    return examine


def broken(statements):
    return [claim for claim, statement in statements.items() if not statement.holds]


def test_an_assignment_as_it_should_be_holds_in_every_statement(asking, examined):
    """All six statements about a valid assignment are true. They appear in the order in which an instructor would check
    them.
    """
    statements = examined(asking())
    assert list(statements) == [PASSES, FAST, MISSES, SKELETON, BASELINE, AGREE]
    assert broken(statements) == []
    assert statements[PASSES].seen == f"{MODEL.points:g} of {MODEL.max_points:g} points"
    assert statements[SKELETON].seen == "0 of 2 cases pass"


@pytest.mark.parametrize(
    "check_",
    [
        failed("build", kind=Kind.BUILD, reason=Reason.BUILD_ERROR, message="line 6: no z."),
        failed("correctness: case 1", reason=Reason.TIME_LIMIT, message="line 5: this loop was still running."),
    ],
    ids=["does not build", "does not end"],
)
def test_a_model_solution_that_does_not_run_is_to_be_corrected(asking, examined, check_):
    """If the model solution does not build or does not end, the statement names the file to correct."""
    asked = asking()
    said = examined(asked, result(check_))[PASSES]
    assert said.seen == (
        f"{check_.name}: {check_.message} Correct {asked.reference / 'kernels.cl'}, and validate again."
    )


def test_a_model_solution_that_fails_a_check_is_named_with_its_reason(asking, examined):
    """If the model solution fails a check, the statement shows its first failure. If it was not timed, the statements
    about speed are omitted. If its results are wrong, the arrays of the timed sizes are not compared, which takes long
    if the kernel does not end.
    """
    wrong = failed("correctness: case 1", message="2 of 9 elements of B are wrong.")
    statements = examined(asking(), model=result(BUILD, CASES[0], wrong, NOT_TIMED))
    assert broken(statements) == [PASSES]
    assert statements[PASSES].seen == f"correctness: case 1: 2 of 9 elements of B are wrong.{EITHER}"
    assert FAST not in statements
    assert AGREE not in statements


def test_a_model_solution_that_rounds_whole_numbers_gets_advice(asking, examined):
    """If the model solution is wrong only in cases with `data: integers`, the statement says what these cases require.
    Otherwise it does not.
    """
    whole = next(case.name for case in asking().correctness.cases if case.data == "integers")
    wrong = failed(f"correctness: {whole}", message="2 of 9 elements of B are wrong.")
    other = failed("correctness: case 1", message="3 of 9 elements of B are wrong.")
    assert examined(asking(), model=result(BUILD, wrong, NOT_TIMED))[PASSES].seen.endswith(UNEQUAL)
    assert UNEQUAL not in examined(asking(), model=result(BUILD, wrong, other, NOT_TIMED))[PASSES].seen


def test_a_model_solution_that_earns_only_a_part_does_not_pass(asking, examined):
    """A model solution that gets only a part of the points for speed does not pass."""
    assert PASSES in broken(examined(asking(), model=result(BUILD, *CASES, timed(1.0, 0.5, Verdict.PARTIAL))))


def test_a_check_that_was_not_made_here_does_not_show_that_the_model_solution_passes(asking, examined):
    """Without a simulator, the statement about the model solution is false and says that the simulator is missing."""
    statements = examined(asking(), model=result(BUILD, *CASES, unchecked(), timed(1.0, 0.5)))
    assert broken(statements) == [PASSES]
    assert statements[PASSES].seen == "sanitizer (height 1): the simulator is not installed: install it."


@pytest.mark.parametrize(("asked", "holds"), [(0.79, True), (0.81, False), (1.0, False)])
def test_full_points_that_ask_for_nearly_the_model_solutions_speed_have_no_margin(asking, examined, asked, holds):
    """If full points need almost the speed of the model solution, the statement is false, because noise could cost a
    good kernel its full points.
    """
    statements = examined(asking(asked))
    assert statements[FAST].holds is holds
    assert statements[FAST].seen == f"{1 / asked:.2f} times"


def test_a_model_solution_that_is_slower_than_itself_has_no_margin(asking, examined):
    """The margin is computed from the measured speed of the model solution, which may differ from 1."""
    assert FAST in broken(examined(asking(), model=result(BUILD, *CASES, timed(0.8, 0.3))))


@pytest.mark.parametrize(
    ("naive", "holds"), [(0.5, True), (0.7 * CLEARLY - 0.01, True), (0.7 * CLEARLY + 0.01, False), (1.3, False)]
)
def test_a_baseline_near_full_points_is_too_fast(asking, examined, naive, holds):
    """The speed for full points must exceed the baseline's speed by more than measurements vary."""
    statements = examined(asking(0.7), model=result(BUILD, *CASES, timed(1.0, naive)))
    assert statements[MISSES].holds is holds
    assert statements[MISSES].seen == f"it reaches {naive:.2f} of the model solution; full points need 0.70"


def test_a_baseline_that_may_pass_is_not_asked_to_miss(asking, examined):
    """An assignment may allow its baseline to pass, because the caches of a CPU can make local memory unnecessary."""
    statements = examined(asking(baseline="passes"), model=result(BUILD, *CASES, timed(1.0, 1.3)))
    assert MISSES not in statements
    assert broken(statements) == []


def test_a_skeleton_that_passes_a_case_gives_points_away(asking, examined):
    """If the skeleton passes a case, the statement is false and gives the number of passed cases."""
    statements = examined(asking(), skeleton=result(BUILD, CASES[0], UNWRITTEN[1], NOT_TIMED))
    assert broken(statements) == [SKELETON]
    assert statements[SKELETON].seen == "1 of 2 cases pass"


def test_a_skeleton_that_does_not_build_is_no_start(asking, examined):
    """If the skeleton does not build, the statement is false and shows the build error."""
    build = failed("build", kind=Kind.BUILD, reason=Reason.BUILD_ERROR, message="line 3, column 1: expected '}'")
    statements = examined(asking(), skeleton=result(build, *UNWRITTEN, NOT_TIMED))
    assert broken(statements) == [SKELETON]
    assert statements[SKELETON].seen == "line 3, column 1: expected '}'"


def test_goals_are_those_of_the_device_that_graded(asking, examined):
    """The result is compared with the speed goals for the class of the device on which it was measured."""
    assert MODEL.provenance.device == DEVICE
    assert DEVICE.type == "cpu"
    assert set(asking().performance.classes) == {"cpu"}
    assert FAST in examined(asking())


@pytest.fixture
def copied(tmp_path):
    """A copy of an assignment for tests that break its baseline."""
    for part in ("assignments", "reference"):
        shutil.copytree(ROOT / part / "coalsTransp", tmp_path / part / "coalsTransp")
    return Course(assignments=tmp_path / "assignments", reference=tmp_path / "reference").load("coalsTransp")


@pytest.fixture
def said_of_baseline(monkeypatch, environment):
    """Return a function that runs the baseline and returns the statement about it. The gradings are replaced by
    prepared results.
    """
    monkeypatch.setattr(
        selftest, "grade_submission", lambda task, *_: EMPTY if "TODO" in task.submission.source else MODEL
    )
    monkeypatch.setattr(selftest, "_both_agree", lambda *_: AGREEMENT)
    return lambda assignment: statements_of(assignment, environment)[-2]


@pytest.fixture
def said_of_both(monkeypatch, environment):
    """Return a function that runs the model solution and the baseline at the timed sizes and returns the statement
    about them.
    """
    device = DEVICE.model_copy(update={"global_memory": 2**30})
    model = MODEL.model_copy(update={"provenance": MODEL.provenance.model_copy(update={"device": device})})
    monkeypatch.setattr(
        selftest, "grade_submission", lambda task, *_: EMPTY if "TODO" in task.submission.source else model
    )
    monkeypatch.setattr(selftest, "_baseline_is_right", lambda *_: RIGHT_BASELINE)
    return lambda assignment: statements_of(assignment, environment)[-1]


@pytest.mark.whole
@pytest.mark.parametrize("name", [pytest.param("coalsTransp", marks=pytest.mark.whole), "coalsProgrm"])
def test_both_kernels_of_ours_agree_at_the_sizes_that_are_timed(course, said_of_both, name):
    """The shipped model solutions and baselines agree at the timed sizes, also if the student's kernel is only one part
    of the baseline's program.
    """
    said = said_of_both(course.load(name))
    assert (said.claim, said.holds) == (AGREE, True)


@pytest.mark.whole
def test_a_model_solution_that_is_wrong_only_when_large_is_named(copied, said_of_both):
    """A model solution that is wrong only at large sizes is detected. Otherwise, correct submissions would be judged
    wrong.
    """
    model = copied.reference / "kernels.cl"
    text = model.read_text(encoding="utf-8")
    spoiled = text.replace(
        "A[(y0 + r) * width + (x0 + x)]", "A[(y0 + r) * width + (x0 + x)] * (height < 2000 ? 1 : -1)"
    )
    assert spoiled != text
    model.write_text(spoiled, encoding="utf-8")
    said = said_of_both(copied)
    assert not said.holds
    assert said.seen == "they differ in B"


@pytest.mark.whole
def test_a_right_baseline_is_run_on_every_case(copied, said_of_baseline):
    """The baseline is run on every case on the available device, and its results are right."""
    assert said_of_baseline(copied) == RIGHT_BASELINE


@pytest.mark.whole
@pytest.mark.parametrize(
    ("old", "new", "seen"),
    [
        pytest.param(
            *("x * height + y", "x * height + y + height", "one element: memory outside `B` was changed"),
            id="writes outside",
            marks=pytest.mark.whole,
        ),
        pytest.param(
            *("A[y * width + x]", "A[y * width + x] * 1.5f", "one element: B[0][0] is wrong"),
            id="wrong values",
            marks=pytest.mark.whole,
        ),
        pytest.param(
            *("x < width && y < height", "x < width && y < height && y < 1031", "large: "), id="wrong in a late case"
        ),
        pytest.param("B[x", "C[x", "one element: line 8", id="does not build"),
    ],
)
def test_a_wrong_baseline_is_told_with_its_first_wrong_case(copied, said_of_baseline, old, new, seen):
    """A wrong baseline is reported with the first case that it gets wrong, because speed-ups over a wrong baseline mean
    nothing.
    """
    path = copied.reference / "baseline.cl"
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))
    statement = said_of_baseline(copied)
    assert (statement.claim, statement.holds) == (BASELINE, False)
    assert statement.seen.startswith(seen)
