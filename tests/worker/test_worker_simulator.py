"""simulator/: a worker whose only device is the simulator, and the observations that it reports."""

import json
import os

import numpy as np
import pytest
from pydantic import ValidationError
from samples import SEEN
from simulator import Given, watch

from grader.common.errors import NoSimulatorError
from grader.execution.connection import Connection
from grader.protocol.messages import Devices, Simulation
from grader.protocol.observation import SeenAccess, SeenKernel
from grader.worker import simulator as module
from grader.worker.fingerprint import fingerprint

KERNEL = "__kernel void k(__global float *out) { out[get_global_id(0)] = 1; }"
GIVEN = Given(args={"out": np.zeros(64, np.float32)}, items=(64,), group=(32,))

MESSAGE = {"text": "a race", "array": "", "times": 1, "endings": [[3, 4]], "writes": [True]}
ACCESS = {
    "line": 1,
    "column": 1,
    "array": "A",
    "space": 1,
    "writes": False,
    "requests": 1,
    "mostly_idle": 1,
    "active": 1,
    "bytes": 4,
    "unused": 28,
    "conflicts": 0,
    "sectors": 1,
    "fewest": 1,
    "worst": 1.0,
    "stride": None,
}


@pytest.fixture
def variables(tmp_path, monkeypatch):
    """Environment variables of this test alone. The original environment is restored afterwards."""
    monkeypatch.setattr(os, "environ", {**os.environ, "HOME": str(tmp_path)})
    return os.environ


def test_the_simulator_is_the_only_device(simulator):
    """The only device of a simulating worker is the simulator, which has the local memory of a GPU."""
    device = simulator.ready()
    assert [each.platform for each in simulator.devices] == [module.PLATFORM]
    assert device.local_memory == module.LOCAL_MEMORY


def test_other_workers_do_not_see_it(environment):
    """A worker for a real device never runs on the simulator, even if the simulator is installed."""
    with environment.worker() as worker:
        worker.ready()
        assert module.PLATFORM not in {each.platform for each in worker.devices}


def test_a_machine_without_the_plugin(environment, monkeypatch, tmp_path):
    """Without the plugin, grader does not offer a simulator, because it would not observe anything. Each call raises
    the error with advice, although the worker lists its devices only once.
    """
    monkeypatch.setattr(module, "OBSERVER", tmp_path / "observer.so")
    assert module.library() is None
    worker = environment.simulator()
    told = iter([Devices(worker=fingerprint(), devices=())])
    monkeypatch.setattr(Connection, "reply", lambda *_: next(told))
    with worker:
        for _ in range(2):
            with pytest.raises(NoSimulatorError, match="grader setup"):
                worker.ready()


def test_a_session_tells_its_own_launches(simulator):
    """A session reports its own launches, but none of an earlier session."""
    for _ in range(2):
        (seen,), results = watch(simulator, KERNEL, GIVEN)
        assert seen.kernel == "k"
        assert np.all(results["out"].view(np.float32) == 1)


def test_settings_reach_the_plugin(variables):
    """All parameters of the simulated device reach the plugin, and the machine's own drivers are excluded."""
    module.prepare(Simulation(warp=16, sector=64, banks=8, bank=2))
    assert [variables[f"GRADER_{name}"] for name in ("WARP", "SECTOR", "BANKS", "BANK")] == ["16", "64", "8", "2"]
    assert variables["OCL_ICD_VENDORS"] in {str(module.library()), "none"}
    assert variables["OCLGRIND_DATA_RACES"] == "1"


def test_observations_are_read_and_forgotten(variables, tmp_path):
    """The plugin's file is read line by line, and then removed. Without a file, there are no observations."""
    assert module.observed().kernels == ()
    variables[module.OBSERVATIONS] = str(tmp_path / "seen")
    assert module.observed().kernels == ()
    (tmp_path / "seen").write_text(f"{json.dumps(SEEN)}\n{json.dumps({**SEEN, 'kernel': 'm'})}\n")
    assert [each.kernel for each in module.observed().kernels] == ["k", "m"]
    assert not (tmp_path / "seen").exists()
    assert module.observed().kernels == ()


@pytest.mark.parametrize(
    "change",
    [
        {"fewest": 0},
        {"requests": 0},
        {"space": 7},
        {"worst": float("inf")},
        {"worst": float("nan")},
        {"bytes": 2**63},
        {"bytes": -1},
        {"stride": 2**63},
        {"line": -1},
    ],
)
def test_impossible_counts_are_refused(change):
    """A worker's counts are validated, so that they cannot make the judge divide by zero or overflow."""
    assert SeenAccess.model_validate(ACCESS)
    with pytest.raises(ValidationError):
        SeenAccess.model_validate({**ACCESS, **change})


def test_what_was_seen_can_be_sent():
    """An observation is unchanged after it has been written to JSON and read back, as in a reply."""
    unset = {
        "line": 1,
        "column": 2,
        "name": "s",
        "space": 0,
        "used_line": 3,
        "how": "stored",
        "array": "C",
        "global_id": [1, 2, 3],
        "local_id": [1, 2, 3],
        "group": [0, 0, 0],
        "times": 4,
    }
    seen = SeenKernel.model_validate_json(
        json.dumps({**SEEN, "messages": [MESSAGE], "unset": [unset], "accesses": [ACCESS]})
    )
    assert SeenKernel.model_validate_json(seen.model_dump_json()) == seen
