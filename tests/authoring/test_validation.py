"""validation.py: a draft assignment is examined on the available device."""

import re
from dataclasses import replace

import pytest
from courses import course_of
from drafts import course_in, spoil
from samples import BUILD, PROFILE, performance, result
from samples import check as a_check
from three_kernels import FIELDS, ORACLE, three_kernels
from untimed import UNTIMED

from grader.authoring import validation
from grader.authoring.extent import ATTEMPTS, FULL, NOISY, QUICK, leave_out_speed
from grader.authoring.golden import Expectation, Golden, corpus
from grader.authoring.selftest import OwnResults
from grader.authoring.validation import (
    Examined,
    Judged,
    examine,
    have_new_data,
    is_complete,
    is_read,
    judge,
    limits,
    proposal,
    speeds,
)
from grader.common.errors import NoiseError
from grader.course.rubric import Kind
from grader.results.metrics import Interval

NO_WORDS = [].append


@pytest.fixture
def scaling(drafted):
    """The draft assignment."""
    return course_in(drafted).load("scaling")


def broken(seen):
    return [statement for statement in seen.statements if not statement.holds]


def test_what_is_read_is_told_with_its_points(scaling):
    """One statement about the files gives the number of kernels and points. Another one names the files that are
    missing.
    """
    assert is_read(scaling).seen == "1 kernel, 100 points"
    assert is_complete(scaling).holds
    (scaling.folder / "README.md").unlink()
    assert not is_complete(scaling).holds
    assert is_complete(scaling).seen == f"add README.md to {scaling.folder}"


@pytest.mark.whole
@pytest.mark.timed
def test_a_draft_holds_and_its_baseline_is_counted(scaling, quick, simulator):  # noqa: ARG001
    """All statements about the draft are true. Its naive kernel moves eight times as many sectors as the model
    solution.
    """
    seen = examine(scaling, quick, NO_WORDS)
    assert [each.claim for each in broken(seen)] == []
    assert len(seen.statements) == 5
    assert seen.own.model.points == 100
    assert seen.own.skeleton.points == 0
    (limit,) = limits(seen, ())
    assert (limit.check.name, limit.asked, limit.model, limit.baseline) == ("coalesced accesses", 1.1, 1.0, 8.0)


@pytest.mark.whole
def test_a_quick_examination_leaves_out_speed_alone(scaling, quick, simulator):  # noqa: ARG001 - it is installed
    """A quick examination makes every statement that needs no timing and leaves the points for speed open."""
    seen = examine(scaling, quick, NO_WORDS, QUICK)
    assert [each.claim for each in broken(seen)] == []
    assert [each.claim for each in seen.statements if "times as fast" in each.claim] == []
    assert len(seen.statements) == 4
    assert seen.statements[0].seen == "80 of 100 points, 20 not decided"
    assert speeds(seen, ()) is None
    assert [limit.model for limit in limits(seen, ())] == [1.0]


@pytest.mark.whole
def test_a_baseline_with_another_program_is_counted(tmp_path, quick, simulator):  # noqa: ARG001 - it is installed
    """The counts of a naive program come from its own launches, of which it has more than the student's program."""
    fields = {name: value for name, value in UNTIMED.items() if name not in {"launches", "baseline"}}
    (launch,) = UNTIMED["launches"]
    fields |= {"program": [launch], "baseline_program": [launch, launch]}
    seen = examine(course_of(tmp_path, fields).load("small"), quick, NO_WORDS, QUICK)
    reads = next(iter(limits(seen, ())))
    assert (reads.model, reads.baseline) == (256, 512)


@pytest.mark.whole
def test_an_oracle_that_fails_is_a_false_statement(drafted, quick):
    """If the oracle raises an exception, a statement is false and gives the path of the oracle and the exception. No
    speeds or limits are proposed.
    """
    spoil(drafted, "reference/scaling/oracle.py", 'return {"y": Truth(value=a * x + y', 'return {"y": Truth(value=b')
    seen = examine(course_in(drafted).load("scaling"), quick, NO_WORDS)
    (said,) = broken(seen)
    assert re.search(r"reference/scaling/oracle\.py, line \d+: `expected` failed at n \d+ with NameError", said.seen)
    assert seen.own is None
    assert speeds(seen, ()) is None
    assert list(limits(seen, ())) == []


FIXED = """

def inputs(generator, data, n, **_):
    return {"data": np.arange(n)}
"""


def test_kernels_that_run_alone_need_inputs_that_use_the_generator(tmp_path):
    """If `inputs` ignores its generator, the claim about kernels that run alone is false, and names the cases.
    Assignments without such cases do not make this claim.
    """
    assert [each.holds for each in have_new_data(three_kernels(tmp_path / "new"))] == [True]
    made = {**FIELDS["buffers"], "data": {**FIELDS["buffers"]["data"], "data": "made"}}
    (said,) = have_new_data(three_kernels(tmp_path / "fixed", oracle=ORACLE + FIXED, buffers=made))
    assert not said.holds
    assert said.seen.endswith("the data never change in scanBlocks alone and addOffsets alone")
    assert list(have_new_data(course_of(tmp_path / "whole", UNTIMED).load("small"))) == []


@pytest.mark.whole
def test_a_baseline_that_does_not_build_is_a_false_statement(drafted, quick):
    """If the baseline does not build, a statement is false and gives the place of the error."""
    spoil(drafted, "reference/scaling/baseline.cl", "a * x[i] + y[i]", "b")
    seen = examine(course_in(drafted).load("scaling"), quick, NO_WORDS)
    (said,) = broken(seen)
    assert said.seen.startswith("the baseline of the assignment does not build: line 7, column 16: ")


@pytest.mark.whole
@pytest.mark.timed
def test_golden_submissions_are_graded_and_held_against_their_expectations(drafted, quick):
    """The draft's golden submissions get the expected verdicts. If one of them is changed, the difference is
    reported.
    """
    scaling, folder = course_in(drafted).load("scaling"), drafted / "tests" / "submissions" / "scaling"
    for golden in corpus(folder):
        assert judge(golden, scaling, quick, NO_WORDS).differences == ()
    spoil(drafted, "tests/submissions/scaling/old-y-left-out/kernels.cl", "a * x[i]", "x[i] + y[i]")
    (*_, wrong) = corpus(folder)
    (said,) = judge(wrong, scaling, quick, NO_WORDS).differences
    assert said.startswith('the explanation does not say "the old y is left out": the factor a is left out')


def test_a_submission_whose_speed_is_no_question_is_not_timed(scaling, quick, monkeypatch):
    """A submission is timed only if its expectation says something about its speed."""
    given = []

    def grade(_, _environment, progress, prepare):
        progress("building")
        given.append(prepare)
        return result(BUILD)

    monkeypatch.setattr(validation, "grade_submission", grade)
    said = []
    for fails in ({}, {"every case": "WRONG_OUTPUT"}):
        golden = Golden(folder=scaling.reference, expectation=Expectation(about="It is made up.", fails=fails))
        judge(golden, scaling, quick, said.append)
    assert given == [FULL.prepare, leave_out_speed]
    assert said[0] == "scaling: building"


@pytest.mark.whole
def test_on_a_noisy_machine_all_but_the_speed_is_examined(scaling, quick, monkeypatch):
    """If the machine stays too noisy to time the model solution, everything else is still examined, without timing."""
    prepared = []

    def grade(_assignment, _environment, _progress, prepare):
        prepared.append(prepare)
        if prepare is FULL.prepare:
            raise NoiseError("this machine was too noisy to time kernels.")
        return OwnResults(model=result(BUILD), skeleton=result(BUILD))

    monkeypatch.setattr(validation, "grade_own", grade)
    monkeypatch.setattr(validation, "state", lambda *_: [])
    seen = examine(scaling, quick, NO_WORDS)
    assert seen.own is not None
    assert seen.extent is NOISY
    assert prepared == [FULL.prepare] * ATTEMPTS + [NOISY.prepare]


def timed(fraction, speed_up=2.0):
    """Return a result with this fraction of the model solution's speed."""
    figures = performance(
        fraction_of_reference=Interval(median=fraction, low=fraction, high=fraction),
        speed_up_over_baseline=Interval(median=speed_up, low=speed_up, high=speed_up),
    )
    return result(BUILD, a_check("performance: cpu (n 1)", kind=Kind.PERFORMANCE, performance=figures))


def judged(folder, graded, part="", fails=()):
    """Return a golden submission with this result."""
    expectation = Expectation(about="It is made up.", part=part, fails=dict(fails))
    return Judged(golden=Golden(folder=folder, expectation=expectation), result=graded, differences=())


def test_speeds_are_those_of_right_submissions_for_this_part(scaling, tmp_path):
    """Speeds are taken only from correct submissions for this part. The bands of the proposal share the points of the
    goal.
    """
    own = OwnResults(model=timed(0.98, speed_up=4.0), skeleton=result(BUILD))
    seen = Examined(assignment=scaling, statements=(), own=own, baseline=None)
    others = (
        judged(tmp_path / "right", timed(0.9)),
        judged(tmp_path / "slow", timed(0.1), fails={"performance": "TOO_SLOW"}),
        judged(tmp_path / "elsewhere", timed(0.2), part="second"),
    )
    measured = speeds(seen, others)
    assert (measured.model, measured.baseline, measured.right) == (0.98, 0.25, {"right": 0.9})
    assert [(band.fraction, band.points) for band in proposal(seen, measured).bands] == [(0.5, 20), (0.37, 10)]
    part = replace(seen, assignment=scaling.model_copy(update={"part": "second"}))
    assert speeds(part, others).right == {"elsewhere": 0.2}


def counted(unused):
    """Return a result whose profile has this number of unused bytes."""
    access = PROFILE.accesses[0].model_copy(update={"unused": unused})
    return result(BUILD, profiles={"": PROFILE.model_copy(update={"accesses": (access,), "branches": ()})})


@pytest.mark.whole
def test_limits_are_above_what_right_submissions_are_counted(scaling, tmp_path):
    """Proposed limits are above the counts of all correct submissions. Wrong submissions, and those without counts, are
    ignored.
    """
    own = OwnResults(model=counted(0), skeleton=result(BUILD))
    others = (
        judged(tmp_path / "right", counted(PROFILE.compulsory // 2)),
        judged(tmp_path / "uncounted", result(BUILD)),
        judged(tmp_path / "wrong", counted(7 * PROFILE.compulsory), fails={"sanitizer": "DATA_RACE"}),
    )
    (limit,) = limits(Examined(assignment=scaling, statements=(), own=own, baseline=None), others)
    assert (limit.model, limit.right, limit.proposed, limit.beyond) == (1.0, {"right": 1.5}, 1.65, "right")
