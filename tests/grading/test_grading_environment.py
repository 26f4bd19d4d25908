"""grading_environment.py: states the provenance of a result, and reuses the worker that examines a GPU."""

from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime

from pools import pool_like
from samples import DEVICE

from grader.course.submissions.submission import Task, read_submission
from grader.execution import pool
from grader.grading import grading_environment as module
from grader.grading.timing.rounds import Role


def test_enough_is_stated_to_repeat_a_grading(transposition, environment):
    """The provenance is sufficient to repeat a grading: it contains the checksums of the files, the seed, the sandbox,
    the limits, the device and the start time.
    """
    task = Task(assignment=transposition, submission=read_submission(transposition.reference), seed=5)
    stated = environment.provenance(task, DEVICE, datetime(2026, 11, 22, 12, 0, 0, 123, tzinfo=UTC))
    assert (stated.seed, stated.device, stated.started) == (5, DEVICE, "2026-11-22T12:00:00+00:00")
    assert (stated.sandbox, stated.limits) == (environment.sandbox_name, environment.workers.sandbox.facts())
    assert stated.assignment_sha256 == transposition.sha256
    assert stated.submission_sha256 == task.submission.sha256


def test_a_package_that_is_not_installed_is_left_out(transposition, environment, monkeypatch):
    """The provenance omits packages that are not installed, for example if PoCL comes from the operating system."""
    monkeypatch.setattr(module, "PACKAGES", ("numpy", "no-such-package"))
    task = Task(assignment=transposition, submission=read_submission(transposition.reference), seed=5)
    assert list(environment.provenance(task, DEVICE, datetime.now(UTC)).packages) == ["numpy"]


def test_who_looks_at_a_gpu_runs_the_model_solution(environment, monkeypatch):
    """On a GPU, the worker that examines the device also runs the model solution, because it takes a driver long to
    start another process. On a processor, this worker is closed.
    """
    with closing(pool_like(environment.workers)) as workers:
        looking = replace(environment, workers=workers)
        device = looking.look()
        with workers.own(Role.REFERENCE) as worker:
            assert not worker.is_there
        monkeypatch.setattr(pool, "share_a_process", lambda _: False)
        assert looking.look() == device
        with workers.own(Role.REFERENCE) as worker:
            assert worker.is_there
            assert worker.ready() == device
