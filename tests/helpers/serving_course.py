"""`grader serve` as an operator has it: a program of its own, with its station, on a small course."""

import os
import re
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import httpx2
from commandline import QUICK, environment
from courses import ADDITION, KERNEL, any_speed, course_of
from services import field, parts

RIGHT = KERNEL
WRONG = KERNEL.replace("x[i] + y[i];", "x[i] - y[i];")
FIELDS = {**ADDITION, "performance": {**ADDITION["performance"], "classes": {"cpu": {"sizes": {"n": 100000}}}}}
FIELDS["performance"]["classes"]["cpu"] |= any_speed(5)

PATIENCE = 120
"""Seconds for what takes ten, and a lease of thirty, on a quiet machine."""


class Serving:
    """The program, which can be killed and started again on the same data."""

    def __init__(self, folder, locks):
        self.folder = folder
        course_of(folder / "course", FIELDS)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.origin = f"http://127.0.0.1:{self.port}"
        self.settings = {**QUICK, "GRADER_LOCKS": str(locks), "GRADER_PROFILES": str(folder / "profiles")}
        self.process, self.links = None, {}

    def start(self):
        self.log = folder_log = self.folder / f"log{time.monotonic_ns()}"
        options = ("--data", self.folder / "data", "--course", self.folder / "course", "--port", self.port, "--demo")
        with folder_log.open("wb") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "grader.cli.main", "serve", *map(str, options)],
                env=environment(**self.settings, PYTHONUNBUFFERED="1"),
                stdout=log,
                stderr=log,
            )
        until(self._answers)
        self.links = dict(re.findall(r"\((\w+)\), once: (\S+)", folder_log.read_text()))
        return self

    def _answers(self):
        assert self.process.poll() is None, self.log.read_text()
        try:
            return httpx2.get(f"{self.origin}/health").text == "ok\n"
        except httpx2.TransportError:
            return False

    def stop(self, number=signal.SIGTERM):
        if self.process.poll() is None:
            self.process.send_signal(number)
        return self.process.wait(60)

    def stations(self):
        """The processes of its stations."""
        children = Path(f"/proc/{self.process.pid}/task").glob("*/children")
        return [int(pid) for path in children for pid in path.read_text().split()]

    def browser(self, key="student"):
        client = httpx2.Client(base_url=self.origin, headers={"origin": self.origin}, timeout=60)
        token = self.links[key].rpartition("/")[2]
        assert client.post("/join", files=parts(token=token)).status_code == 303
        return client


def hand_in(client, source):
    """Hand in; the address of the attempt."""
    page = client.get("/assignments/small")
    keys = {name: field(page, name) for name in ("form_token", "form_key")}
    said = client.post("/assignments/small/attempts", files=parts(**keys, file=("kernels.cl", source.encode())))
    assert said.status_code == 303, said.text
    return said.headers["location"]


def until(true, seconds=PATIENCE):
    end = time.monotonic() + seconds
    while not (found := true()):
        assert time.monotonic() < end
        time.sleep(0.1)
    return found


def alive(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return "State:\tZ" not in Path(f"/proc/{pid}/status").read_text()
