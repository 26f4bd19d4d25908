"""scan_process.py: a scan in another process returns the result of a local one, within limits of time and memory."""

import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import pytest
from processes import is_gone
from submission_texts import COSTLY

from grader.common.errors import WorkerError
from grader.course.submissions import scan_process
from grader.course.submissions.scan import scan
from grader.course.submissions.scan_process import ScanServer, TooCostly, scanned

ODD = "a\ud800 \x0b\x85\u2028 é // grader: é = 1\n#define é\nasm"


@pytest.mark.parametrize("source", ["", ODD, COSTLY["statements"](2000), COSTLY["defines"](100)])
def test_a_process_of_its_own_finds_the_same(source):
    """A scan in another process equals a local one, even for unusual characters."""
    assert scanned(source) == scan(source)


def in_place_of_the_scan(monkeypatch, does):
    """Return a server whose scans run this code, with one second and a tenth of the memory."""
    script = (
        "from grader.course.submissions import scan_process\n"
        f"def scan(_):\n    {does.replace(chr(10), chr(10) + '    ')}\n"
        "scan_process.scan, scan_process.PROCESSOR, scan_process.MEMORY = scan, 1, 10**8\n"
        "scan_process.main()\n"
    )
    server = ScanServer((sys.executable, "-I", "-c", script))
    monkeypatch.setattr(scan_process, "_server", server)
    return server


@pytest.mark.parametrize(
    ("does", "words"),
    [
        ("while True: pass", "takes more than 10 s"),
        ("held = []\nwhile True: held.append('a' * 10**6)", "takes more than 1024 MiB"),
    ],
)
def test_what_is_over_its_budget_is_told(monkeypatch, does, words):
    """A scan that exceeds its limits returns TooCostly with a message for the student. The next text is scanned."""
    with closing(in_place_of_the_scan(monkeypatch, f"if _ == 'a':\n    {does.replace(chr(10), chr(10) + '    ')}")):
        found = scanned("a")
        assert isinstance(found, TooCostly)
        assert words in found.words
        with pytest.raises(WorkerError, match="TypeError"):  # for other texts, this scan returns None
            scanned("b")


@pytest.mark.parametrize("does", ["raise SystemError('broken')", "import os; os.kill(os.getpid(), 9)"])
def test_what_breaks_otherwise_is_our_fault(monkeypatch, does):
    """If the process of a scan fails or is killed, WorkerError is raised, so the submission remains ungraded."""
    with closing(in_place_of_the_scan(monkeypatch, does)), pytest.raises(WorkerError, match="ended with status"):
        scanned("a")


def test_a_server_that_was_stopped_goes_on(monkeypatch):
    """If the server is stopped, the next text is still scanned.

    A kernel that runs with the judge's rights could stop the server.
    """
    monkeypatch.setattr(scan_process, "SCAN_SECONDS", 20.0)
    assert scanned("a") == scan("a")
    os.kill(scan_process._server._process._running[0].pid, signal.SIGSTOP)
    assert scanned("b") == scan("b")


def test_a_server_that_does_not_start_is_our_fault(monkeypatch):
    """A server that cannot start, for example for lack of memory, raises WorkerError."""
    monkeypatch.setattr(scan_process, "_server", ScanServer(("/nowhere/python",)))
    with pytest.raises(WorkerError, match="could not be read by a separate process"):
        scanned("a")


def test_texts_are_scanned_side_by_side():
    """Parallel scans return the results of their own texts, even if some take longer than others."""
    texts = [f"#define a{number}\n" * (1 + 200 * (number % 2)) for number in range(16)]
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(scanned, texts)) == list(map(scan, texts))


def test_the_server_ends_with_the_judge():
    """The server's process ends when the judge's process ends."""
    judge = (
        "from grader.course.submissions import scan_process\n"
        "scan_process.scanned('a')\n"
        "print(scan_process._server._process._running[0].pid)"
    )
    done = subprocess.run([sys.executable, "-c", judge], capture_output=True, text=True, check=True)
    assert is_gone(int(done.stdout))
