"""environment.py: the environment variables of a worker."""

import os

import pytest
from docker.errors import ContainerError

from grader.execution.sandbox.environment import environment


@pytest.mark.parametrize(
    ("allowed", "pins"), [({0}, "1"), ({0, 1, 2, 3}, "1"), ({1}, "0"), ({6, 7, 8}, "0"), ({0, 1, 4, 5}, "0")]
)
def test_threads_are_pinned_only_to_processors_that_are_ours(allowed, pins):
    """Threads are pinned only if processors from 0 on are allowed. PoCL pins the threads to processors from 0 on, one
    after the other, and aborts the worker if a cpuset forbids one of these processors.
    """
    assert environment("/home", allowed)["POCL_AFFINITY"] == pins


USES_POCL = "import pyopencl as cl; [cl.Context(each.get_devices()) for each in cl.get_platforms()]; print('used')"


@pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="needs two processors, of which one is taken away")
def test_pocl_runs_where_processor_0_is_not_ours(engine, worker_image):
    """PoCL runs in a cpuset without processor 0, as in a job of a batch system. With the variables for a whole machine,
    it aborts there.
    """

    def used_by(allowed):
        command = ["/opt/grader/bin/python3", "-I", "-c", USES_POCL]
        given = {"environment": environment("/tmp", allowed), "cpuset_cpus": "1"}
        return engine.containers.run(worker_image, entrypoint=command, remove=True, **given).decode().strip()

    assert used_by({1}) == "used"
    with pytest.raises(ContainerError, match="Invalid argument"):
        used_by({0})
