"""series.py: several scripts share a session, but each returns the results of a separate session."""

import numpy as np
import pytest
from worker_rules import LIMITS, TIMEOUTS, sandbox_with

from grader.course.poison import INPUT_POISON, POISON
from grader.execution.client import Worker
from grader.execution.outcome import Crashed, Fetched, OutOfMemory
from grader.execution.plan import Plan, Script
from grader.execution.series import Series
from grader.execution.states import Idle
from grader.protocol.messages import Opened, Refused, Stopped
from grader.protocol.steps import BufferArg, BufferSpec, KernelStep, ProgramSource, ScalarArg

SHORT = TIMEOUTS.model_copy(update={"first_launch": 4.0})
"""Timeouts of tests that wait for the end of an endless first launch."""

COUNT = 1000
ARRAYS = {"in": np.arange(1, COUNT + 1, dtype=np.float32)}

KERNELS = """
__kernel void twice(__global const float *in, __global float *out, uint n) {
    uint i = get_global_id(0);
    if (i < n) out[i] = 2 * in[i];
}
__kernel void adds(__global float *in, __global float *out, uint n) {
    uint i = get_global_id(0);
    if (i < n) { in[i] += 1; out[i] += in[i]; }
    if (i == 0) out[n] = in[-1];
}
__kernel void forever(__global const float *in, __global float *out, uint n) {
    while (((volatile __global const float *)in)[0] < 1e30f) out[0] += 1;
}
__kernel void crash(__global const float *in, __global float *out, uint n) {
    out[((size_t)n << 40) + get_global_id(0)] = 1;
}
__kernel __attribute__((reqd_work_group_size(7, 1, 1)))
void sevens(__global const float *in, __global float *out, uint n) { out[get_global_id(0)] = 1; }
"""


def plan(kernel, size=4 * COUNT):
    step = KernelStep(
        program="p",
        kernel=kernel,
        args=(BufferArg(buffer="in"), BufferArg(buffer="out"), ScalarArg(type="uint32", value=COUNT)),
        global_size=(1008,),
        local_size=(16,),
    )
    buffers = (
        BufferSpec(name="in", size=4 * COUNT, guard=4096, poison=INPUT_POISON),
        BufferSpec(name="out", size=size, guard=4096, poison=POISON),
    )
    return Plan(buffers=buffers, scripts={"run": Script(steps=(step,), uploads=("in",), outputs=("out",))})


def is_right(fetched):
    return np.array_equal(fetched["out"].payload.view(np.float32), 2 * ARRAYS["in"])


class Opens(Worker):
    """A worker that records for which scripts each of its sessions was opened."""

    def __init__(self, limits=LIMITS):
        super().__init__(sandbox_with(limits), 0, SHORT)
        self.load({"p": ProgramSource(source=KERNELS)})
        self.sessions = []

    def open(self, plan):
        self.sessions.append("".join(plan.scripts))
        return super().open(plan)


@pytest.fixture
def worker():
    with Opens() as running:
        yield running


def series(worker, **kernels):
    return Series(worker, {name: plan(kernel) for name, kernel in kernels.items()})


@pytest.mark.whole
def test_scripts_that_run_to_their_ends_share_a_session(worker):
    """Scripts that complete share a session. Their results have the names of their own plans, and outputs come first,
    as in the script.
    """
    shared = series(worker, a="twice", b="twice", c="twice")
    for name in "abc":
        fetched = shared.run(name, ARRAYS)
        assert is_right(fetched)
        assert list(fetched) == ["out", "in"]
        assert np.array_equal(fetched["in"].payload.view(np.float32), ARRAYS["in"])
        assert (fetched["out"].before == POISON).all()
        assert (fetched["in"].after == INPUT_POISON).all()
    assert worker.sessions == ["abc"]


def test_every_run_starts_from_its_inputs_and_from_poison(worker):
    """Each run starts from its inputs and from poison, even after a kernel that has changed everything within its
    reach.
    """
    shared = series(worker, a="adds", b="adds")
    first = shared.run("a", ARRAYS)
    assert first["out"].after[0] != POISON
    for name in ("a", "b", "a"):
        again = shared.run(name, ARRAYS)
        for buffer in ("in", "out"):
            for part in ("before", "payload", "after"):
                assert np.array_equal(getattr(again[buffer], part), getattr(first[buffer], part))
    assert worker.sessions == ["ab"]


@pytest.mark.whole
def test_a_session_that_a_script_ends_is_followed_by_one_for_those_that_remain(worker):
    """If a script ends the session, a new session is opened for the remaining scripts. A script that fails as the first
    of its session is not run again.
    """
    shared = series(worker, a="crash", b="twice", c="twice")
    assert isinstance(shared.run("a", ARRAYS), Crashed)
    assert is_right(shared.run("b", ARRAYS))
    assert is_right(shared.run("c", ARRAYS))
    assert worker.sessions == ["abc", "bc"]


def test_a_script_that_fails_after_others_is_run_again_before_others(worker):
    """A script that fails after others is run again as the first of a session, and the second result counts."""
    shared = series(worker, a="twice", b="crash", c="sevens", d="twice")
    assert is_right(shared.run("a", ARRAYS))
    assert isinstance(shared.run("b", ARRAYS), Crashed)
    refused = shared.run("c", ARRAYS)
    assert isinstance(refused, Refused)
    assert refused.error == "INVALID_WORK_GROUP_SIZE"
    assert is_right(shared.run("d", ARRAYS))
    assert worker.sessions == ["abcd", "bcd", "cd", "d"]


@pytest.mark.whole
def test_a_session_that_was_begun_is_the_next_one(worker):
    """A session that was requested serves its own script or a later one, because nothing has run in it yet."""
    shared = series(worker, a="twice", b="twice")
    shared.request("a")
    assert not shared.is_open_for("b")
    assert is_right(shared.run("b", ARRAYS))
    assert is_right(shared.run("a", ARRAYS))
    assert worker.sessions == ["ab"]


@pytest.mark.whole
def test_a_session_that_was_begun_in_vain_answers_nobody_else(worker):
    """If a session was requested but not used, as after the last case, its answer is not read by the next request."""
    shared = series(worker, a="twice", b="twice")
    shared.run("a", ARRAYS)
    shared.close()
    shared.request("b")
    shared.close()
    assert worker.preprocess("#define X y\nX", {}).strip() == "y"


@pytest.mark.whole
def test_an_endless_script_leaves_the_others_their_results(worker):
    """An endless script is ended at its deadline together with its worker. A new worker runs the remaining scripts."""
    shared = series(worker, a="forever", b="twice", c="twice")
    timed_out = shared.run("a", ARRAYS)
    assert (timed_out.doing, round(timed_out.seconds)) == ("running", SHORT.first_launch)
    assert is_right(shared.run("b", ARRAYS))
    assert worker.sessions == ["abc", "bc"]


@pytest.mark.whole
def test_the_first_launch_of_every_script_may_take_longer(worker):
    """The first launch of each script has a longer deadline, because a driver may compile a kernel for each work-group
    size. Repeated launches do not need compilation.
    """
    shared = series(worker, a="twice", b="forever")
    for _ in range(2):
        assert is_right(shared.run("a", ARRAYS))
    timed_out = shared.run("b", ARRAYS)
    assert (timed_out.doing, round(timed_out.seconds)) == ("running", SHORT.first_launch)


@pytest.mark.whole
def test_a_script_whose_buffers_cannot_be_made_takes_them_from_no_other():
    """If the buffers of all scripts do not fit together, each script gets its own session, and only the script that
    needs too much fails.
    """
    plans = {"a": plan("twice"), "b": plan("twice", size=1 << 31), "c": plan("twice")}
    with Opens(LIMITS.model_copy(update={"memory_bytes": 1 << 30})) as worker:
        shared = Series(worker, plans)
        assert is_right(shared.run("a", ARRAYS))
        assert isinstance(shared.run("b", ARRAYS), Refused | Crashed)
        assert is_right(shared.run("c", ARRAYS))
    assert worker.sessions == ["abc", "a", "b", "c"]


@pytest.mark.whole
def test_a_closed_series_has_no_session_left(worker):
    """A closed series has no open session, so that no submission runs in the background while others are timed. It can
    be closed twice.
    """
    shared = series(worker, a="twice")
    shared.run("a", ARRAYS)
    shared.close()
    shared.close()
    assert worker.state == Idle()


class Forgetful:
    """A worker whose sessions succeed for `runs` launches of any scripts, and answer the next launch with `failure`."""

    def __init__(self, failure, runs):
        self.failure = failure
        self.runs = runs
        self.sessions = []

    @property
    def session(self):
        return self

    def open(self, plan):
        self.sessions.append("".join(plan.scripts))
        self.left = self.runs
        return Opened(kernels=())

    def close(self):
        self.left = 0

    def run(self, name, _arrays):
        if not self.left:
            return self.failure
        self.left -= 1
        words = np.zeros(1, dtype=np.uint32)
        bands = Fetched(before=words, payload=words, after=words, poison=0)
        return {f"out of {name}": bands, f"in of {name}": bands}


@pytest.mark.parametrize(
    "failure", [Stopped(error="INVALID_COMMAND_QUEUE"), OutOfMemory(), Refused(call="stage", error="OUT_OF_RESOURCES")]
)
def test_what_earlier_scripts_have_used_up_is_not_held_against_later_ones(failure):
    """If earlier scripts have used up memory or processor time, a later script does not fail. It runs again in its own
    session.
    """
    worker = Forgetful(failure, runs=2)
    shared = series(worker, a="twice", b="twice", c="twice", d="twice", e="twice")
    assert all(isinstance(shared.run(name, ARRAYS), dict) for name in "abcde")
    assert worker.sessions == ["abcde", "cde", "e"]


def test_a_script_that_always_fails_is_run_twice_at_most():
    """A script that always fails is run at most twice: after other scripts, and as the first of a session."""
    worker = Forgetful(OutOfMemory(), runs=0)
    shared = series(worker, a="twice", b="twice")
    assert shared.run("a", ARRAYS) == shared.run("b", ARRAYS) == OutOfMemory()
    assert worker.sessions == ["ab", "b"]
