"""supervisor.py: a process that ends is started again after a growing pause, and all end with the service."""

import os
import sys
from dataclasses import replace

import pytest
from processes import wait_for

from grader.common.errors import GraderError
from grader.service.db.session import sqlite_url
from grader.service.serve import supervisor
from grader.service.serve.supervisor import ProcessSpec, StationSpec, run_stations, supervised

URL = "postgresql://me:hush@db/grader"
STAYS = "import sys; print(sys.stdin.readline() + sys.stdin.readline(), file=open({!r}, 'a')); sys.stdin.read()"


class Script(ProcessSpec):
    """A process that runs its only argument as a program."""

    @property
    def command(self):
        return [sys.executable, "-c", *self.arguments]


def script(text, **more):
    return Script(name="station", module="", arguments=(text,), environment=dict(os.environ), **more)


def test_a_process_that_ends_is_started_again_after_a_growing_pause(monkeypatch):
    """A process that ends soon after its start is started again and again, with longer pauses up to a limit."""
    monkeypatch.setattr(supervisor, "FIRST_RESTART_SECONDS", 0.01)
    monkeypatch.setattr(supervisor, "MAX_RESTART_SECONDS", 0.04)
    lines = []
    with supervised([script("raise SystemExit(3)")], URL, lines.append):
        assert wait_for(lambda: len(lines) >= 4)
    assert lines[:4] == [
        f"a station ended with exit code 3; another starts in {pause:g} s." for pause in (0.02, 0.04, 0.04, 0.04)
    ]


def test_a_process_reads_the_address_and_the_secrets_and_ends_with_the_service(tmp_path):
    """Each process reads the address of the database and its secret line from standard input. Neither is in the
    command, in the environment or in log lines about the process. When the service ends, the processes end, too.
    """
    told = tmp_path / "told"
    spec = script(STAYS.format(str(told)), secret_line="of sign-in")
    with supervised([spec, spec], URL, pytest.fail):
        assert wait_for(lambda: told.exists() and told.read_text().count(f"{URL}\nof sign-in\n") == 2)
    assert "hush" not in str((spec.command, spec.environment))
    assert "of sign-in" not in repr(spec)


def test_a_process_that_does_not_end_is_killed(monkeypatch, tmp_path):
    """A process that ignores the request to end is killed, so that the service can end."""
    monkeypatch.setattr(supervisor, "STOP_SECONDS", 0.2)
    ready = tmp_path / "ready"
    text = "import pathlib, signal, time\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
    text += f"pathlib.Path({str(ready)!r}).touch()\ntime.sleep(60)"
    with supervised([script(text)], URL, pytest.fail):
        assert wait_for(ready.exists)


def test_each_station_is_a_process_with_the_settings(tmp_path):
    """A station gets the course, the settings and its device class as arguments, and runs as a module."""
    spec = StationSpec(count=2, course=tmp_path, settings_json="{}", device_class="gpu", variables={"A": "b"})
    one, other = spec.processes
    assert one == other
    assert one.command[1:] == ["-P", "-m", "grader.service.station", str(tmp_path), "{}", "gpu", ""]
    assert one.environment == {"A": "b"}
    assert replace(spec, count=0).processes == []


def test_stations_do_not_start_on_tables_of_another_version(service, tmp_path):
    """A database without tables is refused before a process starts, with one line for the operator."""
    spec = StationSpec(count=1, course=service.course.assignments.parent, settings_json="{}")
    with pytest.raises(GraderError, match="`grader "):
        run_stations(spec, sqlite_url(tmp_path / "new"), pytest.fail)
