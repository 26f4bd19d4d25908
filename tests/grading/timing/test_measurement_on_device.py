"""measurement.py: work that a submission leaves to the operating system is detected with real workers."""

import os
from contextlib import ExitStack

import pytest
from timing_setups import at_sizes, begun, real_setup

from grader.course.submissions.submission import read_submission
from grader.execution.kernel_threads import kernel_threads
from grader.execution.plan import STUDENT
from grader.execution.session import WorkerSession
from grader.grading.device_lock import exclusive
from grader.grading.rules import TimingRules
from grader.grading.timing.oracle_verifier import ByOracle
from grader.grading.timing.performance import check_performance
from grader.grading.timing.rounds import Role
from grader.results.verdicts import Reason, Verdict

FEW = TimingRules(warm_up_seconds=0, clear_pairs=8, min_pairs=9, max_pairs=12, noise_limit=9)

LONG_LINE = 2000 * b"x"
SHOW_AGAIN = 200 * b"\x12"
"""Ctrl-R characters. For each of them, the terminal displays its line again, which keeps a thread of the OS kernel busy
for a few ms.
"""


@pytest.fixture
def terminals():
    """Return a function that opens a terminal and gives it work that continues after the function has returned."""
    with ExitStack() as files:

        def leave_work():
            master, slave = os.openpty()
            files.callback(os.close, master)
            files.callback(os.close, slave)
            os.set_blocking(master, False)
            os.write(master, LONG_LINE + SHOW_AGAIN)

        yield leave_work


@pytest.mark.timed  # other noise would be the reason why the speed is left open
@pytest.mark.parametrize(
    "sides",
    [
        pytest.param((Role.REFERENCE, Role.CONTROL), id="ours", marks=pytest.mark.whole),
        pytest.param((Role.SUBMISSION,), id="its own"),
    ],
)
def test_work_that_the_kernel_does_beside_one_side_leaves_the_speed_open(
    environment, transposition, terminals, sides, monkeypatch
):
    """If the OS kernel works during the launches of only one side, the speed is left open, even for the model solution,
    which would otherwise get all points.
    """
    with kernel_threads() as threads:
        if not threads.number:
            pytest.skip("no threads of the OS kernel are visible here, as in a container")
    assignment = at_sizes(transposition, height=70, width=91)
    with ExitStack() as workers:
        submission = read_submission(assignment.reference)
        setup = begun(real_setup(environment, workers, assignment, submission, ByOracle))
        launch, disturbed = WorkerSession.launch, {setup.participants[role].worker for role in sides}

        def launching(session, script, key=0):
            if script == STUDENT and any(worker.session is session for worker in disturbed):
                terminals()
            return launch(session, script, key)

        monkeypatch.setattr(WorkerSession, "launch", launching)
        with exclusive(setup.device, environment.locks):
            check = check_performance(setup, FEW)
    assert (check.verdict, check.reason, check.points) == (Verdict.SKIPPED, Reason.INTERFERENCE, 0)
