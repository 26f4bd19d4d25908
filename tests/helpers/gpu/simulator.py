"""The fixture `simulator`, a worker on the simulated device, and ways to run small kernels in it.

Without the simulator, a test that needs it is skipped with a reason. With GRADER_TEST_SIMULATOR=required, it fails
instead.
"""

import hashlib
import os
from dataclasses import dataclass, replace

import numpy as np
import pytest
from submission_texts import submitted

from grader.common.errors import NoSimulatorError
from grader.course.submissions.submission import Task
from grader.course.truth.oracle import load_oracle
from grader.execution.outcome import Timing
from grader.execution.plan import Plan, Script
from grader.grading.checks.compilation.building import check_build
from grader.grading.checks.simulation.simulated_run import Subject
from grader.grading.checks.simulation.simulator_runs import Runs
from grader.protocol.messages import Done, Opened
from grader.protocol.steps import (
    BufferArg,
    BufferSpec,
    ImageSpec,
    KernelStep,
    LocalArg,
    ProgramSource,
    SamplerArg,
    ScalarArg,
)

DEFINITIONS = ("-D", "real=float", "-D", "TILE=16", "-D", "RT=16", "-D", "CHUNK=16", "-D", "PRG_WGSIZE=128")
"""Build options for the programs in tests: the constants of the course."""


def do_without(reason):
    """Skip the test, or fail it if the simulator is required."""
    if os.environ.get("GRADER_TEST_SIMULATOR") == "required":
        pytest.fail(reason)
    pytest.skip(reason)


@pytest.fixture(scope="session")
def simulator(environment):
    """A worker on this machine's simulator."""
    with environment.simulator() as worker:
        try:
            worker.ready()
        except NoSimulatorError as error:
            do_without(str(error))
        yield worker


@dataclass(frozen=True, kw_only=True)
class Given:
    """Arguments and sizes of a launch. `args` contains arrays by name, integers for sizes, and `Local` for local
    memory. `outputs` names the arrays that are outputs. The others are inputs without NaN.
    """

    args: dict
    items: tuple
    group: tuple
    outputs: tuple = ("out",)


@dataclass(frozen=True, kw_only=True)
class Local:
    """An argument that is `size` bytes of local memory."""

    size: int


@dataclass(frozen=True, kw_only=True)
class Picture:
    """An argument that is an image with these pixels: uint8 for the channel UNORM_INT8, float32 for FLOAT."""

    pixels: np.ndarray
    channel: str

    @property
    def spec(self):
        """Format and extent."""
        order = "R" if self.pixels.ndim == 2 else "RGBA"
        height, width = self.pixels.shape[:2]
        return ImageSpec(order=order, channel=self.channel, width=width, height=height)


def plan_of(kernels, given):
    """Return a plan that launches the kernels with these names one after the other with the same arguments."""
    arrays = {name: value for name, value in given.args.items() if isinstance(value, np.ndarray | Picture)}
    buffers = tuple(
        BufferSpec(
            name=name,
            size=_content(value).nbytes,
            guard=0,
            unit=_content(value).itemsize,
            poison=None,
            read_only=name not in given.outputs,
            image=value.spec if isinstance(value, Picture) else None,
        )
        for name, value in arrays.items()
    )
    steps = tuple(
        KernelStep(
            program="p",
            kernel=kernel,
            args=tuple(_arg(name, value) for name, value in given.args.items()),
            global_size=given.items,
            local_size=given.group,
        )
        for kernel in kernels
    )
    uploads = tuple(name for name in arrays if name not in given.outputs)
    outputs = tuple(name for name in arrays if name in given.outputs)
    return Plan(buffers=buffers, scripts={"s": Script(steps=steps, uploads=uploads, outputs=outputs)})


def _content(value):
    return value.pixels if isinstance(value, Picture) else value


def _arg(name, value):
    if isinstance(value, np.ndarray | Picture):
        return BufferArg(buffer=name)
    if isinstance(value, SamplerArg):
        return value
    if isinstance(value, Local):
        return LocalArg(size=value.size)
    return ScalarArg(type="uint32", value=value)


def watch(worker, source, given, kernels=("k",), order="ascending"):
    """Return the simulator's observations of each kernel, and the contents of the outputs after the last kernel."""
    plan = replace(plan_of(kernels, given), order=order)
    opened = worker.load({"p": ProgramSource(source=source, options=DEFINITIONS)}).open(plan)
    assert isinstance(opened, Opened), opened
    staged = worker.session.stage("s", {name: _content(given.args[name]) for name in plan.scripts["s"].uploads})
    assert isinstance(staged, Done), staged
    launched = worker.session.launch("s")
    assert isinstance(launched, Timing), launched
    seen = worker.session.observe()
    assert isinstance(seen, tuple), seen
    fetched = worker.session.fetch(plan.scripts["s"].outputs)
    assert isinstance(fetched, dict), fetched
    worker.close()
    return seen, {name: each.payload for name, each in fetched.items()}


def subject_of(worker, assignment, source):
    """Return a submission with this text, which must build, in the form that the checks in the simulator expect."""
    digest = hashlib.sha256(source.encode()).hexdigest()
    submission = replace(submitted(source), sha256=digest)
    task = Task(assignment=assignment, submission=submission, seed=7)
    build = check_build(task, worker)
    assert build.built is not None, build.check
    return Subject(task=task, oracle=load_oracle(assignment), worker=worker, built=build.built)


def runs_of(subject):
    """Return the simulated runs of a submission and of the model solution, one after the other in one worker."""
    return Runs(subject=subject, counter=subject.worker, ours=subject.worker)
