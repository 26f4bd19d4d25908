"""connection.py: the judge accepts only replies in the form of the protocol, and explains a missing device."""

import pytest
from small_jobs import make_worker
from worker_rules import LIMITS, TIMEOUTS

from grader.common.errors import DeviceError
from grader.execution.client import Worker
from grader.execution.connection import Connection
from grader.execution.outcome import Garbled
from grader.execution.plan import NOTHING
from grader.protocol.messages import (
    REPLY_LIMIT,
    Devices,
)
from grader.worker.fingerprint import fingerprint


@pytest.fixture
def worker():
    with make_worker() as running:
        yield running


class Impostor:
    """A worker that ignores the requests and gives prepared answers."""

    def __init__(self, *output):
        self._output = list(output)

    def send(self, data):
        pass

    def receive(self, _timeout):
        return self._output.pop(0)

    def stop(self):
        pass

    def last_words(self):
        return ""

    def ran_out_of_memory(self):
        return False


@pytest.mark.parametrize(
    ("said", "outcome"),
    [
        (b'{"kind":"launched","times":[]}\n', "another question"),
        (b"rubbish\n", "unknown form"),
        (b'{"kind":"done","verdict":"passed"}\n', "unknown form"),
        (b"x" * (REPLY_LIMIT + 1), "too long"),
        (b"", "process ended"),
        (b"\xff\xfe\n", "unknown form"),
    ],
)
def test_an_answer_that_is_not_ours_is_garbled(said, outcome):
    """A reply that does not have the form of the protocol makes the outcome Garbled."""
    devices = (
        b'{"kind":"devices","worker":"' + fingerprint().encode() + b'","devices":[{"index":0,"name":"d","platform":"p",'
        b'"version":"v","driver":"1","type":"cpu","compute_units":1,"global_memory":1,"local_memory":1,'
        b'"max_work_group":1,"bus":null}]}\n'
    )

    class Sandbox:
        def start(self):
            return Impostor(devices, said)

        def limits(self):
            return LIMITS

    with Worker(Sandbox(), 0, TIMEOUTS) as worker:
        found = worker.open(NOTHING)
    assert isinstance(found, Garbled)
    assert outcome in found.what


@pytest.mark.parametrize(
    ("found", "said"),
    [
        (Devices(worker=fingerprint(), devices=()), "no OpenCL driver is installed"),
        (
            Devices(worker=fingerprint(), devices=(), too_new=("AMD EPYC 9755",)),
            "AMD EPYC 9755 is newer than the OpenCL driver that is installed",
        ),
    ],
)
def test_a_missing_device_is_told_with_its_reason(worker, monkeypatch, found, said):
    """If a driver does not know the processor, the message calls the driver too old, and not missing. Both messages
    contain the command to run.
    """
    alone = Worker(worker._starter, 0, TIMEOUTS)
    monkeypatch.setattr(Connection, "reply", lambda *_: found)
    with alone, pytest.raises(DeviceError, match=rf"{said}.*grader setup`") as raised:
        alone.ready()
    assert ("is installed (PoCL" in str(raised.value)) is bool(found.too_new)
