"""A container engine that does what real engines do only rarely, and the rules of the sandboxes that use it."""

import socket
import struct
import threading
import time

from docker.errors import APIError
from docker.types import HostConfig
from small_jobs import KERNELS
from worker_rules import TIMEOUTS

from grader.execution.client import Worker
from grader.execution.sandbox.limits import ContainerRules, Rules
from grader.protocol.messages import Limits
from grader.protocol.steps import ProgramSource

MEGABYTE = 1024**2

LIMITS = Limits(memory_bytes=768 * MEGABYTE, cpu_seconds=60, file_bytes=64 * MEGABYTE, processes=48)
SMALL = {"cpus": 1.5, "tmp_bytes": 32 * MEGABYTE, "shm_bytes": 4 * MEGABYTE, "open_files": 200}


def rules(folder, **container):
    return Rules(limits=LIMITS, container=ContainerRules(folder=folder, **{**SMALL, **container}))


def make_worker(sandbox):
    return Worker(sandbox, 0, TIMEOUTS).load({"p": ProgramSource(source=KERNELS)})


def settle(look, wanted):
    """Return the value of `look` as soon as it equals `wanted`, or after ten seconds."""
    end = time.monotonic() + 10
    while look() != wanted and time.monotonic() < end:
        time.sleep(0.02)
    return look()


def refusal(text):
    return APIError("500 Server Error", explanation=text)


class FakeEngine:
    """An engine with one container. The test plays the container's worker, and `theirs` is the worker's end of the
    stream.

    `failures` maps calls to the errors that they raise. `slowly` delays the start. `listed` contains the containers of
    other judges. `refusals` contains the errors for the next changes, and `changes` records the changes that were made.
    """

    def __init__(self):
        self.refusals = []
        self.changes = []
        self.away = 0
        self.ours, self.theirs = socket.socketpair()
        self.failures = {}
        self.listed = []
        self.created = []
        self.removed = []
        self.out_of_memory = False
        self.slowly = threading.Event()
        self.slowly.set()
        self.closed = False

    def _may_fail(self, call):
        if call in self.failures:
            raise self.failures[call]

    def inspect_image(self, name):
        self._may_fail("inspect_image")
        return {"Id": f"sha256:{name}"}

    def containers(self, **_):
        return self.listed

    def create_host_config(self, **options):
        return HostConfig(version="1.41", **options)

    def create_container(self, **options):
        self._may_fail("create_container")
        if self.away:
            self.away -= 1
            raise ConnectionError("nobody there")
        self.created.append(options)
        return {"Id": f"c{len(self.created)}"}

    def attach_socket(self, *_, **__):
        self._may_fail("attach_socket")
        return socket.SocketIO(self.ours, "rw")

    def start(self, _):
        assert self.slowly.wait(10)
        self._may_fail("start")

    def pause(self, _):
        self._change("pause")

    def unpause(self, _):
        self._change("unpause")

    def _change(self, change):
        if self.refusals:
            raise self.refusals.pop()
        self.changes.append(change)

    def inspect_container(self, _):
        self._may_fail("inspect_container")
        return {"State": {"Running": False, "OOMKilled": self.out_of_memory}}

    def remove_container(self, container, **how):
        assert how == {"force": True, "v": True}
        self._may_fail("remove_container")
        self.removed.append(container)
        self.theirs.close()

    def close(self):
        self.closed = True

    def say(self, data, kind=1):
        """Write data to the worker's output stream or, if `kind` is 2, to its error stream."""
        self.theirs.sendall(struct.pack(">BxxxL", kind, len(data)) + data)
