"""oracle_verifier.py: complete timings on a device, with the steps of a GPU."""

from contextlib import ExitStack
from dataclasses import replace

import pytest
from project import ROOT
from selection import param
from timing_setups import at_sizes, begun, real_setup

from grader.course.submissions.submission import read_submission
from grader.execution.session import WorkerSession
from grader.grading.explain.problem import Problem
from grader.grading.rules import TimingRules
from grader.grading.timing.measurement import measure
from grader.grading.timing.oracle_verifier import END_NUMBER, ByOracle
from grader.grading.timing.rounds import Role

RULES = TimingRules(warm_up_seconds=0, min_pairs=3, max_pairs=3, noise_limit=1e6)

SIZES = {
    "mandelbrot": {"height": 53, "width": 90, "limit": 40},
    "spMatVec": {"rows": 53, "columns": 90, "entries": 700},
    "lifeInImages": {"height": 53, "width": 90, "generations": 3},
}


def on_a_gpu(task):
    """Return the verifier with the steps of a GPU."""
    return ByOracle(replace(task, device=task.device.model_copy(update={"type": "gpu"})))


@pytest.mark.parametrize("name", [param(name, name, frozenset({"mandelbrot"})) for name in sorted(SIZES)])
def test_the_end_of_each_launch_is_seen(environment, course, name, monkeypatch):
    """Each turn fetches the number of grader's kernel before the results, and a right submission has no problem."""
    fetched = []
    turn = WorkerSession.turn
    monkeypatch.setattr(
        WorkerSession, "turn", lambda own, keys, names: (fetched.append(names), turn(own, keys, names))[1]
    )
    with ExitStack() as workers:
        model = read_submission(ROOT / "reference" / name)
        assignment = at_sizes(course.load(name), **SIZES[name])
        setup = begun(real_setup(environment, workers, assignment, model, on_a_gpu))
        rounds = measure(setup, RULES)
    assert not isinstance(rounds, Problem), rounds
    assert all(each.submission > 0 and each.turn > each.submission for each in rounds)
    assert set(fetched) == {(END_NUMBER, *setup.participants[Role.SUBMISSION].judged.outputs)}
