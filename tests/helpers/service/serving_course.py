"""`grader serve` as an operator runs it: a separate program with a station, for a small course."""

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
"""Limit in seconds for steps that take ten seconds on a quiet machine, or that wait for a lease of thirty."""


class Serving:
    """The running program, which can be killed and started again on the same data. `url` is the address of a PostgreSQL
    database. `python` contains the arguments of the Python interpreter that start the program.
    """

    def __init__(self, folder, locks, url=None, stations=1, web_processes=1):
        self.folder, self.url, self.count, self.web_processes = folder, url, stations, web_processes
        if not (folder / "course").exists():
            course_of(folder / "course", FIELDS)
            (folder / "course" / "course.yaml").write_text("leaderboard: true\n")
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.origin = f"http://127.0.0.1:{self.port}"
        self.address = self.origin  # for browsers; the web processes of one service share it
        self.settings = {**QUICK, "GRADER_LOCKS": str(locks), "GRADER_PROFILES": str(folder / "profiles")}
        self.process, self.links, self.python = None, {}, ["-m", "grader.cli.main"]

    def start(self):
        self.log = folder_log = self.folder / f"log{time.monotonic_ns()}"
        data = () if self.url else ("--data", self.folder / "data")
        options = (
            *data,
            "--port",
            self.port,
            "--url",
            self.address,
            "--demo",
            "--stations",
            self.count,
            "--web-processes",
            self.web_processes,
        )
        self.process = self.program(folder_log, "serve", *options)
        until(self._answers)
        self.links = dict(re.findall(r"\((\w+)\), once: (\S+)", folder_log.read_text()))
        return self

    def program(self, log_file, *words):
        """Start a command of grader for this course and database."""
        database = {"GRADER_DATABASE": self.url} if self.url else {}
        with log_file.open("wb") as log:
            return subprocess.Popen(
                [sys.executable, *self.python, *map(str, words), "--course", self.folder / "course"],
                env=environment(**self.settings, **database, PYTHONUNBUFFERED="1"),
                stdout=log,
                stderr=log,
            )

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
        """Return the processes of the service's stations."""
        return children(self.process)

    def browser(self, key="student"):
        client = httpx2.Client(base_url=self.origin, headers={"origin": self.address}, timeout=60)
        token = self.links[key].rpartition("/")[2]
        assert client.post("/join", files=parts(token=token)).status_code == 303
        return client


def children(process):
    """Return the ids of the processes that a process has started."""
    found = Path(f"/proc/{process.pid}/task").glob("*/children")
    return [int(pid) for path in found for pid in path.read_text().split()]


def hand_in(client, source):
    """Submit a source, and return the address of the attempt."""
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
