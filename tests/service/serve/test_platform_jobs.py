"""platform_jobs.py: scores are sent after a change, and grades are compared only then."""

import threading

import pytest
from lti_platforms import course_using_small, platform_at_work
from processes import wait_for
from services import graded

from grader.service.lti.services.scores import queue_scores
from grader.service.serve import notifier, platform_jobs
from grader.service.serve.platform_jobs import ScoreJob, platform_threads


@pytest.fixture
def platform(service):
    """Return a platform with a course that uses "small"."""
    with platform_at_work() as made:
        course_using_small(service, made)
        yield made


@pytest.mark.whole
def test_the_job_compares_grades_only_after_a_change(service, platform, monkeypatch):
    """The job sends a score in the run after a grading. It compares all grades only after a change."""
    compared = []
    monkeypatch.setattr(platform_jobs, "queue_scores", lambda *asked: compared.append(queue_scores(*asked)))
    monkeypatch.setattr(platform_jobs, "PAUSE_FACTOR", 0.0)
    job = ScoreJob(service.app_state)
    for _ in range(3):
        job.run()
    service.graded(service.hand_in(), graded(service.course))
    for _ in range(3):
        job.run()
    assert compared == [0, 1]
    assert len(platform.scores) == 1


def test_jobs_run_only_while_the_service_runs(service, platform, monkeypatch):
    """The jobs send a score and read the roster on their own, and end with the service."""

    def is_done():
        return platform.scores and any(path == "/members" for _, path, _ in platform.requests)

    monkeypatch.setattr(notifier, "INTERVAL_SECONDS", 0.01)
    service.graded(service.hand_in(), graded(service.course))
    with platform_threads(service.app_state, pytest.fail):
        assert wait_for(is_done)
    assert not {"scores", "rosters"} & {each.name for each in threading.enumerate()}
