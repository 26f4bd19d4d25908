"""environment.py: the environment variables of a worker."""

import os

import pytest
from docker.errors import ContainerError

from grader.execution.sandbox.environment import environment


@pytest.mark.parametrize(
    ("allowed", "pins"), [({0, 1, 2, 3}, "1"), ({0}, "0"), ({0, 1, 2}, "0"), ({1}, "0"), ({1, 2, 3}, "0")]
)
def test_threads_are_pinned_only_if_all_processors_are_ours(allowed, pins, monkeypatch):
    """Threads are pinned only if all processors of the machine are allowed. PoCL pins a thread to each of them, and
    aborts the worker if a cpuset forbids one.
    """
    monkeypatch.setattr(os, "cpu_count", lambda: 4)
    assert environment("/home", allowed)["POCL_AFFINITY"] == pins


USES_POCL = "import pyopencl as cl; [cl.Context(each.get_devices()) for each in cl.get_platforms()]; print('used')"


@pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="needs two processors, of which one is taken away")
@pytest.mark.parametrize("processor", [0, 1])
def test_pocl_runs_in_a_cpuset(engine, worker_image, processor):
    """PoCL runs in a cpuset with one processor, as in a job of a batch system. With the variables for a whole machine,
    it aborts there.
    """

    def used_by(allowed):
        command = ["/opt/grader/bin/python3", "-I", "-c", USES_POCL]
        given = {"environment": environment("/tmp", allowed), "cpuset_cpus": str(processor)}
        return engine.containers.run(worker_image, entrypoint=command, remove=True, **given).decode().strip()

    assert used_by({processor}) == "used"
    with pytest.raises(ContainerError, match="Invalid argument"):
        used_by(set(range(os.cpu_count())))
