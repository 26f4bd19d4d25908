"""completion.py: hidden cases that run later give the same result as a single grading."""

import re

import pytest
from courses import KERNEL, course_of
from hidden_parts import CASES, FIELDS, hiding_course
from pools import with_timeouts
from suites import quick

from grader.common.record import replace
from grader.course.rubric import Kind
from grader.course.submissions.submission import parse_submission
from grader.grading.completion import complete, is_pending
from grader.grading.grade import grade_coursework, grade_without_hidden_cases
from grader.results.verdicts import Reason, Verdict

SEED = 7
HIDDEN_SIZE = 1000
"""Number of elements in the hidden case."""


def submission(statement=""):
    """Return a correct submission that also executes the statement in the hidden case."""
    body = f"z[i] = x[i] + y[i]; if (n == {HIDDEN_SIZE}) {{ {statement} }}"
    return parse_submission("kernels.cl", KERNEL.replace("z[i] = x[i] + y[i];", body).encode())


@pytest.fixture(scope="module")
def hiding(tmp_path_factory):
    """An assignment with one hidden case, without simulated runs and without timing."""
    course = hiding_course(tmp_path_factory.mktemp("course"), "case", sanitizer=None, memory=None, performance=None)
    return course.load("small")


@pytest.fixture
def soon(environment):
    """An environment with such short deadlines that a test can wait for them."""
    changed = quick(environment)
    return with_timeouts(changed, first_launch=5, launch=5)


def both(coursework, handed_in, environment):
    """Return the first result, in which the hidden case is pending, and the completed result."""
    first = grade_without_hidden_cases(coursework, handed_in, SEED, environment, lambda _: None)
    return first, complete(coursework, handed_in, first, environment)


def untimed(result):
    """Return the checks without their durations and without the duration until a kernel was stopped. They differ
    between two gradings of the same file.
    """
    stopped = re.compile(r"still running after [\d.]+ s")
    return [replace(check, seconds=0.0, message=stopped.sub("still running", check.message)) for check in result.checks]


@pytest.mark.whole
@pytest.mark.parametrize(
    ("statement", "reason"),
    [
        pytest.param("", None, marks=pytest.mark.whole),
        ("z[i] += 1;", Reason.WRONG_OUTPUT),
        pytest.param("z[n] = 1;", Reason.OUT_OF_BOUNDS, marks=pytest.mark.whole),
        pytest.param("z[((size_t)n << 40) + i] = 1;", Reason.CRASH, marks=pytest.mark.whole),
        pytest.param("while (z[0] < 1e30f) z[0] = 0;", Reason.TIME_LIMIT, marks=pytest.mark.whole),
    ],
)
def test_a_completed_result_is_that_of_one_grading(hiding, soon, statement, reason):
    """A completed result equals the result of a single grading. Before it is completed, the hidden case is pending, and
    all other checks are final.
    """
    handed_in = submission(statement)
    first, completed = both(hiding, handed_in, soon)
    at_once = grade_coursework(hiding, handed_in, SEED, soon, lambda _: None)
    (pending,) = [check for check in first.checks if check.reason is Reason.PENDING]
    (hidden,) = [check for check in completed.checks if check.name == pending.name]
    assert (pending.verdict, pending.points, hidden.reason) == (Verdict.SKIPPED, 0.0, reason)
    assert [(left.reason, left.points) for left in first.unchecked] == [(Reason.PENDING, pending.max_points)]
    assert untimed(completed) == untimed(at_once)
    assert (completed.points, completed.max_points) == (at_once.points, at_once.max_points)
    others = [check for check in first.checks if check is not pending]
    assert [check for check in completed.checks if check.name != pending.name] == others


@pytest.mark.whole
@pytest.mark.parametrize("source", ["not OpenCL", KERNEL.replace("x[i] + y[i]", "x[i]")])
def test_only_hidden_cases_that_must_run_are_pending(hiding, soon, source):
    """A failed build decides all hidden cases, so none of them is pending. A wrong result in a shown case decides none
    of them.
    """
    handed_in = parse_submission("kernels.cl", source.encode())
    first = grade_without_hidden_cases(hiding, handed_in, SEED, soon, lambda _: None)
    builds = first.checks[0].verdict is Verdict.PASSED
    assert is_pending(first) is builds
    assert complete(hiding, handed_in, first, soon).points == 0
    assert is_pending(complete(hiding, handed_in, first, soon)) is False


@pytest.mark.whole
def test_a_case_that_is_hidden_no_longer_is_run_all_the_same(hiding, soon):
    """A pending case runs even if the assignment no longer hides it. This can change between the two gradings without a
    new measurement.
    """
    handed_in = submission("z[i] += 1;")
    first = grade_without_hidden_cases(hiding, handed_in, SEED, soon, lambda _: None)
    cases = tuple(replace(case, hidden=False) for case in hiding.correctness.cases)
    open_now = replace(hiding, correctness=replace(hiding.correctness, cases=cases))
    completed = complete(open_now, handed_in, first, soon)
    assert [check.reason for check in completed.checks if check.kind is Kind.CORRECTNESS] == [None, Reason.WRONG_OUTPUT]


@pytest.mark.whole
def test_in_a_suite_each_part_runs_its_own(environment, tmp_path):
    """In a suite, each part runs its own hidden case, and a wrong result in one part does not affect the others."""
    fields = {name: value for name, value in FIELDS.items() if name not in {"sanitizer", "memory", "performance"}}
    (launch,) = fields.pop("launches")
    del fields["kernel"]
    fields["correctness"] = {**fields["correctness"], "cases": [CASES[0], {**CASES[1], "hidden": True}]}
    fields["parts"] = [
        {"kernel": "add", "launches": [launch]},
        {"kernel": "plus", "launches": [{**launch, "kernel": "plus"}]},
    ]
    text = KERNEL + KERNEL.replace("add", "plus")
    suite = course_of(tmp_path, fields, text).load("small")
    wrong = submission("z[i] += 1;").source + KERNEL.replace("add", "plus")
    first, completed = both(suite, parse_submission("kernels.cl", wrong.encode()), quick(environment))
    cases = [(check.part, check.reason) for check in completed.checks if check.kind is Kind.CORRECTNESS]
    assert cases == [("add", None), ("add", Reason.WRONG_OUTPUT), ("plus", None), ("plus", None)]
    assert sum(check.reason is Reason.PENDING for check in first.checks) == 2


def test_no_worker_hears_of_a_hidden_case_before_the_result_is_complete(hiding, soon, monkeypatch):
    """No worker receives a hidden case before the result is completed. Therefore, the duration of the first grading
    cannot depend on the outcome of a hidden case.
    """
    heard = []
    start = type(soon.workers.sandbox).start

    def listening(sandbox):
        worker = start(sandbox)
        send = worker.send
        monkeypatch.setattr(worker, "send", lambda data: (heard.append(data), send(data))[1])
        return worker

    monkeypatch.setattr(type(soon.workers.sandbox), "start", listening)
    handed_in = submission("z[i] += 1;")
    first = grade_without_hidden_cases(hiding, handed_in, SEED, soon, lambda _: None)
    assert any(b"one" in data for data in heard)
    assert not any(b"ragged" in data for data in heard)
    complete(hiding, handed_in, first, soon)
    assert any(b"ragged" in data for data in heard)
