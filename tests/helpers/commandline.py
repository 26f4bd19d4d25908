"""Runs the command line in a folder, as a user would, and reads the files that it writes there.

`grader` runs in this process, because a new process would import modules for a second in each of a hundred calls.
test_main.py and the commands of the README prove that it also works as a separate program.
"""

import io
import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import chdir, contextmanager, redirect_stderr, redirect_stdout
from functools import cache
from xml.etree import ElementTree

import pytest
from project import ROOT

from grader.cli import main as cli
from grader.common import interrupts
from grader.execution.sandbox.environment import NOWHERE, environment_of
from grader.execution.sandbox.forkserver import ForkServer, own_command
from grader.results.result import Result

MODEL = ROOT / "reference" / "coalsTransp" / "kernels.cl"
SIGNATURE = "__kernel void coalsTransp(__global float *A, __global float *B, uint height, uint width)"
WRONG = SIGNATURE + "{ uint x = get_global_id(0); if (x == 0) B[0] = A[0] * 1.5f; }\n"
CRASHING = SIGNATURE + "{ B[1000000000000UL + width] = A[0]; }\n"
HANGING = SIGNATURE + "{ volatile uint go = 1; while (go) B[0] = A[0]; }\n"
NOT_BUILDING = f"// first\n// second\n{SIGNATURE}\n{{\n    B[0] = nothing;\n}}\n"

STOPS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)

QUICK = {"GRADER_TIMING__MIN_PAIRS": "10", "GRADER_TIMING__NOISE_LIMIT": "100"}
"""Settings for gradings whose speed is not tested: few pairs of timed runs, and tolerance for a machine that is busy
with other tests.
"""


OF_ALL_COMMANDS = {"COLUMNS": "80", "GRADER_SANDBOX": "process", "GRADER_SEARCH__SECONDS": "0"}
"""Environment variables of each command. The search for lines takes seconds, and most tests do not need it. conftest.py
adds the folder of locks.
"""


def environment(**changes):
    """Return the environment of this process with the grader settings of the tests and `changes` instead of its own."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GRADER_")}
    return {**kept, **OF_ALL_COMMANDS, **changes}


def python(folder, *args, **changes):
    return subprocess.run(
        [sys.executable, *map(str, args)],
        cwd=folder,
        env=environment(**{"GRADER_PROFILES": str(folder / "profiles"), **changes}),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


class CommonServer(ForkServer):
    """Fork server that all commands with equal environment variables share. It lives as long as this process. Starting
    a server for each command would take half a second more.
    """

    def close(self):
        """No-op, because the next command needs the server."""


def common_server():
    """Return the fork server for the current environment variables, which its workers inherit."""
    return _server(tuple(environment_of(NOWHERE).items()))


@cache
def _server(variables):
    return CommonServer(own_command(), dict(variables))


def grader(folder, *args, executable=sys.executable, **changes):
    """Run the command line in a folder, and check that its output has no traceback. `executable` is the Python that
    runs the workers.
    """
    words, said, complained = ["grader", *map(str, args)], _stream("strict"), _stream("backslashreplace")
    with as_of_a_program(folder, changes), pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", words)
        if executable == sys.executable:
            patch.setattr(ForkServer, "ours", common_server)
        patch.setattr(sys, "executable", str(executable))
        with redirect_stdout(said), redirect_stderr(complained), pytest.raises(SystemExit) as ended:
            cli.main()
    code = {None: 0}.get(ended.value.code, ended.value.code)
    done = subprocess.CompletedProcess(words, code, _written(said), _written(complained))
    assert "Traceback (most recent" not in done.stdout + done.stderr
    return done


@contextmanager
def as_of_a_program(folder, changes) -> Iterator[None]:
    """Set the folder, environment, input and signal handlers as for a new program, and restore them afterwards."""
    kept, handlers = dict(os.environ), {number: signal.getsignal(number) for number in STOPS}
    with chdir(folder), open(os.devnull) as nothing, pytest.MonkeyPatch.context() as patch:  # noqa: PTH123 - a device
        patch.setattr(sys, "stdin", nothing)
        patch.setattr(interrupts, "_told", interrupts._Told())
        os.environ.clear()
        os.environ.update(environment(**{"GRADER_PROFILES": str(folder / "profiles"), **changes}))
        try:
            yield
        finally:
            os.environ.clear()
            os.environ.update(kept)
            for number, handler in handlers.items():
                signal.signal(number, handler)


def _stream(errors):
    """Return a text stream that encodes to UTF-8 bytes, like a terminal's."""
    return io.TextIOWrapper(io.BytesIO(), encoding="utf-8", errors=errors, write_through=True)


def _written(stream):
    return stream.buffer.getvalue().decode()


def grade(folder, *args, **changes):
    """Grade kernels.cl in a folder for coalsTransp, and write both report files."""
    return grader(
        folder,
        *("grade", "kernels.cl", "--assignment", "coalsTransp", "--junit", "report.xml", "--json", "result.json"),
        *args,
        **changes,
    )


def complaint(done, code=2):
    """Check that a command printed a single line, an error message, and return that line."""
    assert done.returncode == code, done.stderr
    assert done.stdout == ""
    assert re.fullmatch(r"grader: \S[^\n]*\n", complained(done)), done.stderr
    return complained(done)


LIVE = re.compile(r" *\d+\.\d s .*\n(?: {15}.*\n)*")
"""A live log line about a decided check or a step that begins, with its continuation lines."""


def complained(done):
    """Return the error output without the live log lines."""
    return LIVE.sub("", done.stderr)


def graded_as_failed(done, folder):
    """Return the result of a grading with a failed check."""
    assert (done.returncode, complained(done)) == (1, "")
    return Result.model_validate_json((folder / "result.json").read_text())


def reasons_by_kind(result):
    """Return the reasons of all checks in order, grouped by the kind of check."""
    kinds = dict.fromkeys(check.kind.value for check in result.checks)
    return {kind: [check.reason for check in result.checks if check.kind == kind] for kind in kinds}


def everything_said(done, folder):
    return done.stdout + done.stderr + (folder / "result.json").read_text() + (folder / "report.xml").read_text()


def names_in(folder):
    return sorted(path.name for path in folder.iterdir())


def is_ungraded(done, folder, fault, code=3):
    """Check for the exit code, and for reports that have a fault instead of points."""
    line = complaint(done, code)
    assert line.startswith("grader: not graded: ")
    assert fault in line
    root = ElementTree.parse(folder / "report.xml").getroot()
    (case,) = root.iter("testcase")
    (error,) = case.iter("error")
    assert fault in error.get("message")
    assert list(root.iter("failure")) == []
    fields = json.loads((folder / "result.json").read_text())
    assert fields["status"] == "ungraded"
    assert fault in fields["fault"]
    assert "points" not in fields


def output_of(folder, *args, **changes):
    done = grader(folder, *args, **changes)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def without_simulator(folder, bare_python, *args):
    """Run the command line as if the machine had no simulator."""
    return grader(folder, *args, executable=bare_python, **QUICK)


REPORTS = ("--junit", "report.xml", "--json", "result.json")
