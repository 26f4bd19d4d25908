"""simulated_run.py: a submission runs in the simulator, and a failure there is explained."""

from dataclasses import replace

import pytest
from pools import with_timeouts
from project import ROOT
from simulator import subject_of

from grader.execution.client import Worker
from grader.execution.outcome import Crashed, Fetched, Garbled, TimedOut, Timing
from grader.execution.plan import STUDENT, Plan, Script
from grader.grading.checks.simulation.sanitizer_run import simulate
from grader.grading.checks.simulation.simulated_run import CUT_OFF, UNKNOWN, Simulated, run_at, seen_in
from grader.grading.checks.simulation.simulator_runs import Runs
from grader.grading.explain.problem import Problem
from grader.protocol.messages import Done, Opened, Refused
from grader.protocol.observation import SeenKernel, SeenMessage
from grader.results.verdicts import Reason

MODEL = (ROOT / "reference" / "coalsTransp" / "kernels.cl").read_text()
SIGNATURE = "__kernel void coalsTransp(__global float *A, __global float *B, uint height, uint width)\n"
SIZES = {"height": 20, "width": 37}


class Scripted:
    """A worker that gives a prepared answer to each request."""

    plan = Plan(buffers=(), scripts={STUDENT: Script(steps=(), uploads=("A",), outputs=("B",))})

    def __init__(self, **answers):
        fetched = {}
        self.answers = {
            "open": Opened(kernels=()),
            "stage": Done(),
            "launch": Timing(steps=(), wall_seconds=0.0),
            "observe": (),
            "fetch": fetched,
            **answers,
        }
        self.closed = 0

    @property
    def session(self):
        return self

    def load(self, programs):
        assert set(programs) == {"submission"}
        return self

    def close(self):
        self.closed += 1

    def __getattr__(self, request):
        return lambda *_: self.answers[request]


@pytest.fixture(scope="module")
def subject(environment, transposition):
    """Yield the model solution with a worker that builds it."""
    with environment.worker() as worker:
        yield subject_of(worker, transposition, MODEL)


def test_the_model_solution_is_seen(simulator, transposition):
    """The model solution gets correct results in the simulator, and its accesses have the line numbers of the student's
    file.
    """
    seen = simulate(subject_of(simulator, transposition, MODEL), SIZES)
    assert isinstance(seen, Simulated)
    assert seen.problem is None
    assert [each.kernel for each in seen.kernels] == ["coalsTransp"]
    (scene,) = seen.scenes
    assert (scene.dimensions, scene.source) == (2, MODEL)
    lines = {scene.text(each.line) for each in seen.kernels[0].accesses if each.writes and each.space == 1}
    assert lines == {line.strip() for line in MODEL.splitlines() if line.strip().startswith("B[")} != set()
    assert scene.is_beyond((37, 0, 0))
    assert not scene.is_beyond((36, 19, 0))


def test_the_same_inputs_for_the_same_seed(simulator, transposition):
    """Two runs with the same seed give equal observations."""
    subject = subject_of(simulator, transposition, MODEL)
    assert simulate(subject, SIZES) == simulate(subject, SIZES)


def test_wrong_results_are_a_problem_of_the_run(simulator, transposition):
    """The results of a simulated run are checked. If they are wrong, the run has a problem."""
    source = SIGNATURE + "{\n    if (get_global_id(0) == 0 && get_global_id(1) == 0) B[0] = A[1];\n}\n"
    seen = simulate(subject_of(simulator, transposition, source), SIZES)
    assert isinstance(seen, Simulated)
    assert seen.problem.reason is Reason.WRONG_OUTPUT


def test_a_kernel_that_never_ends_there(simulator, environment, transposition):
    """A kernel that does not end is stopped at the simulator's deadline, in the worker's first session and in later
    ones.
    """
    assert simulator.ready()
    quick = with_timeouts(environment, launch=0.1, simulation=2)
    hanging = SIGNATURE + "{\n    volatile uint go = 1;\n    while (go) B[0] = 0;\n}\n"
    with quick.simulator() as worker:
        for _ in range(2):
            found = simulate(subject_of(worker, transposition, hanging), SIZES)
            assert isinstance(found, Problem)
            assert found.reason is Reason.TIME_LIMIT
            assert found.message == "the simulator did not finish this kernel in 2 s."
        assert isinstance(simulate(subject_of(worker, transposition, MODEL), SIZES), Simulated)


def test_every_launch_there_has_the_deadline_of_a_first(environment):
    """Every launch in the simulator has the simulator's deadline instead of the shorter deadlines for a device."""
    worker = environment.simulator()
    assert isinstance(worker, Worker)
    assert worker.timeouts.now.launch == worker.timeouts.now.first_launch == environment.workers.timeouts.simulation


@pytest.mark.whole
def test_a_function_that_the_simulator_does_not_know(simulator, environment, transposition):
    """If the simulator crashes because it does not know a function, the message says so and does not blame an
    access.
    """
    source = SIGNATURE + "{\n    B[0] = __builtin_popcount(height);\n}\n"
    with environment.worker() as device:
        subject = replace(subject_of(device, transposition, source), worker=simulator)
    found = simulate(subject, SIZES)
    assert isinstance(found, Problem)
    assert found.message == UNKNOWN.message


@pytest.mark.whole
def test_too_much_local_memory_is_told_with_both_figures(subject, simulator):
    """If a kernel needs too much local memory, the message gives the needed and the available amount. The simulator has
    48 KiB, like NVIDIA's drivers, and a CPU has more.
    """
    source = SIGNATURE + "{ __local float t[16384]; t[get_local_id(0)] = A[0]; B[0] = t[height]; }"
    program = subject.built.program.model_copy(update={"source": source})
    found = simulate(replace(subject, worker=simulator, built=replace(subject.built, program=program)), SIZES)
    assert isinstance(found, Problem)
    assert found.reason is Reason.LAUNCH_ERROR
    assert "coalsTransp asks for 64 KiB of local memory per work-group, but this device has 48 KiB" in found.message


@pytest.mark.parametrize(
    ("answers", "reason", "words"),
    [
        ({"open": Crashed(signal=11, exit_code=None, words="When creating")}, Reason.CRASH, "does not support"),
        ({"launch": Crashed(signal=24, exit_code=None, words="")}, Reason.TIME_LIMIT, "processor time"),
        ({"launch": Crashed(signal=6, exit_code=None, words="bad_alloc")}, Reason.MEMORY_LIMIT, "more memory"),
        ({"stage": TimedOut(doing="uploading the inputs", seconds=5)}, Reason.TIME_LIMIT, "uploading the inputs"),
        ({"launch": Refused(call="launch", error="OUT_OF_RESOURCES")}, Reason.LAUNCH_ERROR, "OUT_OF_RESOURCES"),
        ({"observe": Garbled(what="it sent rubbish")}, Reason.CRASH, "it sent rubbish"),
        ({"fetch": Garbled(what="its file is short")}, Reason.CRASH, "its file is short"),
        ({"observe": ()}, Reason.CRASH, "does not support"),
        ({"observe": ("one", "two")}, Reason.CRASH, "does not support"),
    ],
)
def test_failures_say_where_they_showed(subject, answers, reason, words):
    """Every failure of the worker becomes a problem whose message mentions the simulator. It is also a failure if the
    number of observations differs from the number of launches.
    """
    found = simulate(replace(subject, worker=Scripted(**answers)), SIZES)
    assert isinstance(found, Problem)
    assert found.reason is reason
    assert "the simulator" in found.message
    assert words in f"{found.message} {found.help}"


def test_a_failure_ends_the_session_for_the_next(simulator, transposition):
    """After a refused launch, the same worker can run the next submission."""
    greedy = SIGNATURE + "{\n    __local float t[1 << 20];\n    t[get_local_id(0)] = 0;\n    B[0] = t[0];\n}\n"
    found = simulate(subject_of(simulator, transposition, greedy), SIZES)
    assert isinstance(found, Problem)
    assert found.reason is Reason.LAUNCH_ERROR
    assert isinstance(simulate(subject_of(simulator, transposition, MODEL), SIZES), Simulated)


class Returning(Scripted):
    """A worker that returns the arrays that it received."""

    def stage(self, _script, arrays):
        self.sent = arrays
        return Done()

    def fetch(self, names):
        fetched = {name: self.sent[name].reshape(-1).view("uint32") for name in names}
        return {name: Fetched(before=[], payload=each, after=[], poison=None) for name, each in fetched.items()}


def seen_kernel(*texts):
    """Return the record of a launch in which the simulator printed these messages."""
    messages = tuple(SeenMessage(text=text, array="", times=1, endings=(), writes=()) for text in texts)
    return SeenKernel(
        kernel="k",
        flop=0,
        steps=0,
        busiest=0,
        private=0,
        arrays=(),
        messages=messages,
        unset=(),
        accesses=(),
        branches=(),
    )


def test_fetched_is_what_is_inspected(subject):
    """If the launch was observed, the buffers that the worker returns are checked."""
    worker = Returning(observe=(seen_kernel(),))
    seen = simulate(replace(subject, worker=worker), SIZES)
    assert seen.problem is None
    assert worker.closed == 1


def test_nothing_is_said_of_the_arrays_of_a_run_that_was_cut_off(subject):
    """The arrays of a run that was stopped early are not checked, because the kernel had no time to write all
    elements.
    """
    worker = Returning(observe=(seen_kernel("OCLGRIND FATAL ERROR (x)\na loop that does not end\n"),))
    assert simulate(replace(subject, worker=worker), SIZES).problem is CUT_OFF


# --- runs that are started in advance ---------------------------------------------------------


HANGING = SIGNATURE + "{\n    volatile uint go = 1;\n    while (go) B[0] = 0;\n}\n"
REFUSED = SIGNATURE + "{\n    __local float t[1 << 20];\n    t[get_local_id(0)] = 0;\n    B[0] = t[0];\n}\n"


@pytest.mark.parametrize("source", [MODEL, REFUSED], ids=["a run", "a refusal"])
def test_a_run_that_was_begun_shows_what_it_would_have_shown_later(simulator, transposition, source):
    """A run that was started in advance gives the same result as one that starts when it is needed, even if it fails.
    The worker can be used again after a failure.
    """
    subject = subject_of(simulator, transposition, source)
    assert seen_in(run_at(subject, SIZES, 0).begin()) == simulate(subject, SIZES)


@pytest.mark.whole
def test_another_session_gives_up_a_run_that_was_begun(simulator, environment, transposition):
    """Opening a new session in the same worker cancels a run that was started in advance, however long it would take.
    The cancelled run can be started again later.
    """
    simulator.ready()
    with environment.simulator() as worker:
        hanging = subject_of(worker, transposition, HANGING)
        run_at(hanging, SIZES, 0).begin()
        subject = replace(hanging, built=subject_of(simulator, transposition, MODEL).built)
        begun = run_at(subject, SIZES, 1).begin()
        assert simulate(subject, SIZES) == simulate(replace(subject, worker=simulator), SIZES)
        assert isinstance(seen_in(begun), Simulated)


@pytest.mark.whole
def test_two_runs_go_on_at_once(simulator, environment, transposition):
    """Two runs proceed at the same time in separate workers, and their results can be fetched in any order."""
    subject = subject_of(simulator, transposition, MODEL)
    with environment.simulator() as counter:
        runs = Runs(subject=subject, counter=counter, ours=counter)
        runs.begin_sanitizer()
        runs.begin_memory()
        assert isinstance(seen_in(runs.memory), Simulated)
        assert isinstance(seen_in(runs.sanitizer), Simulated)
