"""dry_run.py: a dry run makes the checks that students see, and nothing in it depends on a hidden check."""

import pytest
from courses import KERNEL
from hidden_parts import HIDDEN, hiding_course
from suites import quick

from grader.common.record import replace
from grader.course.rubric import Kind
from grader.course.submissions.submission import parse_submission
from grader.grading.dry_run import grade_shown_checks
from grader.grading.explain.problem import UNMADE
from grader.results.verdicts import Reason, Verdict

SIZES = {"case": b"1000", "sanitizer": b"70"}
"""The size that only the hidden check uses."""

RACING = "z[i] = x[i] + y[i]; if (n == {}) z[n] = i;"


def dry_run(coursework, body, environment):
    """Return the result of a dry run and the progress events that it reports."""
    handed_in = parse_submission("kernels.cl", KERNEL.replace("z[i] = x[i] + y[i];", body).encode())
    events = []
    return grade_shown_checks(coursework, handed_in, 7, environment, events.append), [str(each) for each in events]


def untimed(result):
    """Return the checks without their durations, which differ between two gradings of the same file."""
    return [replace(check, seconds=0.0) for check in result.checks]


@pytest.mark.parametrize("hidden", ["case", pytest.param("sanitizer", marks=pytest.mark.whole)])
def test_no_worker_hears_of_a_hidden_check(environment, tmp_path, monkeypatch, hidden):
    """No worker and no simulator receives the sizes of a hidden check. A kernel that is wrong only at these sizes
    therefore has the same result and the same events as a correct one.
    """
    coursework = hiding_course(tmp_path, hidden, memory=None, performance=None).load("small")
    heard, settings = [], quick(environment)
    start = type(settings.workers.sandbox).start

    def listening(sandbox):
        worker = start(sandbox)
        send = worker.send
        monkeypatch.setattr(worker, "send", lambda data: (heard.append(data), send(data))[1])
        return worker

    monkeypatch.setattr(type(settings.workers.sandbox), "start", listening)
    size = int(SIZES[hidden])
    right, wrong = (dry_run(coursework, RACING.format(n), settings) for n in (0, size))
    assert (untimed(right[0]), right[1]) == (untimed(wrong[0]), wrong[1])
    assert any(b"one" in data for data in heard)
    assert not any(b"ragged" in data for data in heard if hidden == "case")
    (unmade,) = [check for check in right[0].checks if check.reason is Reason.HIDDEN]
    assert (unmade, right[0].checks.index(unmade)) == (UNMADE.skip(unmade), HIDDEN[hidden])


@pytest.mark.whole
@pytest.mark.parametrize("hidden", [pytest.param("sanitizer", marks=pytest.mark.whole), "memory", "performance"])
def test_shown_checks_are_made_as_ever(environment, tmp_path, hidden):
    """For a correct kernel, all shown checks pass. Counts are omitted if they would reveal the outcome of a hidden
    check.
    """
    coursework = hiding_course(tmp_path, hidden).load("small")
    result, _ = dry_run(coursework, "z[i] = x[i] + y[i];", quick(environment))
    made = [check for check in result.checks if check.reason is not Reason.HIDDEN]
    assert len(made) == len(result.checks) - 1
    assert {check.verdict for check in made} == {Verdict.PASSED}
    assert result.points == sum(check.points for check in made)
    assert bool(result.profiles) is (hidden != "memory")
    assert any(check.kind is Kind.PERFORMANCE for check in result.checks)
