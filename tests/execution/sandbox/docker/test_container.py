"""container.py: a worker in a container starts, freezes and ends, even if the engine is late or fails."""

import struct
import time
from contextlib import closing
from types import SimpleNamespace

import pytest
from container_engines import make_worker, refusal, rules, settle
from docker.errors import APIError, ImageNotFound, NotFound

from grader.common.errors import DeviceError, WorkerError
from grader.execution.outcome import Garbled, OutOfMemory
from grader.execution.sandbox.docker import container
from grader.execution.sandbox.docker.container import LAST_WORDS, UNREAD_FRAMES
from grader.execution.sandbox.docker.sandbox import ContainerSandbox

TOOLKIT_MISSING = 'could not select device driver "nvidia" with capabilities: [[gpu compute utility]]'

MOMENT = 10
"""Seconds. A call that does not wait takes far less than this, even on a busy machine. A call that waited here would
never return.
"""


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("failing", "kind", "said"),
    [
        (("start", refusal(TOOLKIT_MISSING)), DeviceError, "nvidia-ctk runtime configure"),
        (("create_container", refusal("no such CPU")), WorkerError, "the container engine refused: no such CPU"),
        (("attach_socket", refusal("no")), WorkerError, "the container engine refused: no"),
        (("start", refusal("OCI runtime create failed")), WorkerError, "OCI runtime create failed"),
        (("start", ConnectionResetError(104, "reset by peer")), WorkerError, "no container engine answers"),
        pytest.param(
            ("create_container", ImageNotFound("404", explanation="No such image")),
            *(WorkerError, "No such image"),
        ),
        pytest.param(
            ("start", NotFound("404", explanation="No such container")),
            *(WorkerError, "No such container"),
        ),
    ],
    ids=["toolkit", "create", "attach", "runtime", "engine gone", "image gone", "container gone"],
    indirect=["failing"],
)
def test_a_worker_that_cannot_start_is_our_error_and_leaves_nothing(failing, sandbox, kind, said):
    """If a worker cannot start, the waiting caller gets the reason. A container that already exists is removed."""
    with make_worker(sandbox) as worker:
        with pytest.raises(kind, match=said):
            worker.ready()
        assert worker._connection.process.has_ended()
    sandbox.close()
    assert set(failing.removed) == {f"c{number}" for number, _ in enumerate(failing.created, start=1)}


def test_starting_and_stopping_wait_for_no_engine(fake, sandbox):
    """Starting and stopping a worker do not wait for the engine. A worker that is stopped during its start is removed
    as soon as it has started.
    """
    fake.slowly.clear()
    start = time.monotonic()
    worker = sandbox.start()
    worker.send(b"{}\n")
    assert not worker.has_ended()
    with pytest.raises(TimeoutError):
        worker.receive(0.05)
    worker.stop()
    assert time.monotonic() - start < MOMENT
    assert fake.removed == []
    fake.slowly.set()
    sandbox.close()
    assert fake.removed == ["c1"]


def test_stopping_can_be_repeated(fake, sandbox):
    """The container is removed only once, and data that is sent afterwards is dropped."""
    worker = sandbox.start()
    worker.stop()
    worker.stop()
    worker.send(b"anybody there?\n")
    sandbox.close()
    assert fake.removed == ["c1"]


def test_an_engine_that_does_not_remove_keeps_no_folder(fake, sandbox, tmp_path):
    """If the engine cannot remove the container, it is left for a later sweep, but the folder is removed."""
    fake.failures["remove_container"] = refusal("device or resource busy")
    sandbox.start().stop()
    sandbox.close()
    assert fake.removed == []
    assert list(tmp_path.iterdir()) == []


def test_what_is_sent_arrives_whole_and_in_order(fake, sandbox):
    """Any amount of data arrives completely and in order, however slowly it is read."""
    worker = sandbox.start()
    lines = [b"%d " % number + b"x" * 300_000 + b"\n" for number in range(4)]
    for line in lines:
        worker.send(line)
    fake.theirs.settimeout(5)
    with fake.theirs.makefile("rb") as stream:
        assert [stream.readline() for _ in lines] == lines
    worker.stop()


def test_output_and_errors_are_told_apart(fake, sandbox):
    """Output and errors are separate streams. The end of the error stream is kept, even if it is not valid text."""
    worker = sandbox.start()
    fake.say(b"one ")
    fake.say(b"\xff noise" * 1000, kind=2)
    fake.say(b"the last words\n", kind=2)
    fake.say(b"two\n")
    assert [worker.receive(5), worker.receive(5)] == [b"one ", b"two\n"]
    assert worker.last_words().endswith("the last words")
    assert len(worker.last_words()) <= LAST_WORDS
    worker.stop()


@pytest.mark.parametrize(
    ("rest", "received"),
    [
        (b"", []),
        (struct.pack(">BxxxL", 1, 9)[:5], []),
        (struct.pack(">BxxxL", 1, 9), []),
        (struct.pack(">BxxxL", 1, 9) + b"half", [b"half"]),
    ],
    ids=["between frames", "in a header", "behind a header", "in a frame"],
)
def test_the_end_is_noticed_wherever_it_comes(fake, sandbox, rest, received):
    """The end of the stream is noticed at once. If the judge waited for its deadline, it would blame the kernel."""
    worker = sandbox.start()
    fake.theirs.sendall(rest)
    fake.theirs.close()
    for expected in [*received, b""]:
        assert worker.receive(5) == expected
    assert worker.has_ended()
    worker.stop()


def test_a_worker_that_floods_us_fills_no_memory(fake, sandbox):
    """All output is read, because the engine would block otherwise. Only a limited part of it is kept."""
    worker = sandbox.start()
    assert worker._started.result(5)
    fake.theirs.settimeout(5)
    for _ in range(2 * UNREAD_FRAMES):
        fake.say(b"x" * 32768)
        fake.say(b"y" * 32768, kind=2)
    fake.theirs.close()
    assert settle(worker.has_ended, wanted=True)
    kept = list(worker._output.queue)
    assert len(kept) <= UNREAD_FRAMES
    assert sum(map(len, kept)) <= UNREAD_FRAMES * 32768
    assert len(worker._errors) <= LAST_WORDS
    worker.stop()


ALREADY = APIError("409", response=SimpleNamespace(status_code=409), explanation="Container c1 is already paused")
NOT_YET = APIError("500", response=SimpleNamespace(status_code=500), explanation="Container c1 is not paused")
"""Docker's errors if it has not yet registered the previous change."""


@pytest.mark.parametrize("refused", [0, 1, 3])
def test_an_engine_that_is_late_is_asked_until_it_has_done_it(fake, sandbox, refused):
    """The judge repeats its request until the engine has carried it out. Even a container that the engine reports as
    frozen may still run.
    """
    worker = sandbox.start()
    fake.refusals = [ALREADY] * refused
    worker.freeze()
    fake.refusals = [NOT_YET] * refused
    worker.thaw()
    assert fake.changes == ["pause", "unpause"]


@pytest.mark.parametrize(("change", "said"), [("freeze", ALREADY), ("thaw", NOT_YET)])
def test_an_engine_that_stays_behind_is_our_error(fake, sandbox, monkeypatch, change, said):
    """If the state of a container stays unknown, the judge raises an error. It does not time or blame a submission."""
    monkeypatch.setattr(container, "LAST_MOMENT", 0.1)
    worker = sandbox.start()
    if change == "thaw":
        worker.freeze()
    fake.refusals = [said] * 1000
    with pytest.raises(WorkerError, match="the container engine refused"):
        getattr(worker, change)()


@pytest.mark.parametrize(("out_of_memory", "outcome"), [(True, OutOfMemory), (False, Garbled)])
def test_a_container_that_ended_is_asked_why(fake, sandbox, out_of_memory, outcome):
    """The engine reports if a container ran out of memory, which leads to a verdict about the submission."""
    fake.out_of_memory = out_of_memory
    with make_worker(sandbox) as worker:
        fake.theirs.close()
        connection = worker._connection
        assert isinstance(connection.failure(connection.reply("running", 5)), outcome)


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (NotFound("404", explanation="No such container: c1"), "another program removed"),
        (ConnectionRefusedError(111, "refused"), "no container engine answers"),
        (refusal("server error"), "the container engine refused: server error"),
    ],
    ids=["container gone", "engine gone", "engine ill"],
)
def test_an_end_that_the_engine_cannot_explain_is_our_error(fake, sandbox, error, said):
    """If the engine cannot explain an end, for example after its restart, students do not lose points."""
    fake.failures["inspect_container"] = error
    with make_worker(sandbox) as worker:
        fake.theirs.close()
        with pytest.raises(WorkerError, match=said):
            worker._connection.reply("running", 5)


@pytest.mark.sampled
@pytest.mark.parametrize(("away", "starts"), [(0, True), (2, True), (9, False)])
def test_a_start_waits_for_an_engine_that_is_being_restarted(fake, tmp_path, away, starts):
    """If the engine is being restarted, a start waits for it, so that only the grading that was interrupted fails, and
    not the rest of a batch. If the engine stays away, the start fails.
    """
    fake.away = away
    with closing(ContainerSandbox(rules(tmp_path))) as sandbox:
        worker = sandbox.start()
        if starts:
            assert worker._started.result(5) == "c1"
        else:
            with pytest.raises(WorkerError, match="no container engine answers"):
                worker.receive(5)
