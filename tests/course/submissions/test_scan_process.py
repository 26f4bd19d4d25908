"""scan_process.py: a text is scanned elsewhere, as it would be here, and never for long."""

import signal
import subprocess
import sys

import pytest
from texts import COSTLY

from grader.common.errors import WorkerError
from grader.course.submissions import scan_process
from grader.course.submissions.scan import scan
from grader.course.submissions.scan_process import TooCostly, scanned

ODD = "a\ud800 \x0b\x85\u2028 é // grader: é = 1\n#define é\nasm"


@pytest.mark.parametrize("source", ["", ODD, COSTLY["statements"](2000), COSTLY["defines"](100)])
def test_a_process_of_its_own_finds_the_same(source):
    """Whatever characters there are."""
    assert scanned(source) == scan(source)


@pytest.mark.parametrize(
    ("does", "words"),
    [
        ("import os, signal; os.kill(os.getpid(), signal.SIGXCPU)", "takes more than 10 s"),
        ("import sys; sys.exit(3)", "takes more than 1024 MiB"),
    ],
)
def test_what_is_over_its_budget_is_told(monkeypatch, does, words):
    """As a value: it is the text's fault."""
    _in_place_of_the_scan(monkeypatch, does)
    found = scanned("a")
    assert isinstance(found, TooCostly)
    assert words in found.words


@pytest.mark.parametrize("does", ["raise SystemError('broken')", "import os; os.kill(os.getpid(), 9)"])
def test_what_breaks_otherwise_is_our_fault(monkeypatch, does):
    """It leaves the submission without a grade."""
    _in_place_of_the_scan(monkeypatch, does)
    with pytest.raises(WorkerError, match="ended with status"):
        scanned("a")


def _in_place_of_the_scan(monkeypatch, does):
    run = subprocess.run
    monkeypatch.setattr(
        scan_process.subprocess, "run", lambda _, **more: run([sys.executable, "-I", "-c", does], **more)
    )


@pytest.mark.parametrize(
    ("what", "ending"),
    [
        ("while True: pass", -signal.SIGXCPU),
        ("held = []\nwhile True: held.append('a' * 10**6)", scan_process.OUT_OF_MEMORY),
    ],
)
def test_the_process_keeps_to_its_budget(what, ending):
    """Here with a second and a tenth of the memory."""
    text = (
        "from grader.course.submissions import scan_process\n"
        f"def scan(_):\n    {what.replace(chr(10), chr(10) + '    ')}\n"
        "scan_process.scan, scan_process.PROCESSOR, scan_process.MEMORY = scan, 1, 10**8\n"
        "scan_process.main()\n"
    )
    done = subprocess.run([sys.executable, "-I", "-c", text], input=b"", capture_output=True, check=False, timeout=60)
    assert done.returncode == ending, done.stderr.decode()
