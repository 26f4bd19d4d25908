"""handover.py: the database's password reaches the processes of the service, but no process that inspects them."""

import subprocess
import sys
from pathlib import Path

from commandline import environment
from serving_course import alive, children, until

SECRET = "postgresql://grader:swordfish@/x?host=/nowhere"

FORGETS = """
import os, sys
from grader.service.db.handover import forget_variable
forget_variable("GRADER_DATABASE")
print("GRADER_DATABASE" in os.environ, flush=True)
sys.stdin.read()
"""

TOLD = """
import subprocess, sys
from pathlib import Path
from grader.service.serve.supervisor import ProcessSpec, supervised
spec = ProcessSpec(name="child", module="told", arguments=(), environment={"PYTHONPATH": sys.argv[1]})
with supervised([spec], sys.argv[2], print):
    sys.stdin.read()
"""

CHILD = """
import sys
from pathlib import Path
from grader.service.db.handover import end_with_parent, told_line
url = told_line()
end_with_parent(5)
Path(__file__).with_name("url").write_text(url)
import signal
signal.pause()
"""


def started(code, *words, **variables):
    return subprocess.Popen(
        [sys.executable, "-c", code, *words],
        env=environment(**variables),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def shown(pid):
    """Return what a kernel in the sandbox `process` can read of another process, which is its environment and its
    command line.
    """
    return b"".join(Path(f"/proc/{pid}/{name}").read_bytes() for name in ("environ", "cmdline"))


def test_what_a_variable_said_is_wiped_from_the_process():
    """A forgotten variable is erased even from /proc, which shows the environment with which a process started."""
    with started(FORGETS, GRADER_DATABASE=SECRET, OTHER="kept") as process:
        assert process.stdout.readline() == "False\n"
        seen = shown(process.pid)
        process.stdin.close()
    assert b"swordfish" not in seen
    assert b"OTHER=kept" in seen


def test_a_variable_that_is_not_there_is_forgotten_too():
    """Forgetting a variable that is not set has no effect."""
    with started(FORGETS) as process:
        assert process.stdout.readline() == "False\n"
        process.stdin.close()


def test_a_child_is_told_by_its_standard_input_and_ends_with_its_parent(tmp_path):
    """A child process gets the address on its standard input, not in its environment or on its command line. It ends
    together with its parent.
    """
    (tmp_path / "told.py").write_text(CHILD)
    root = str(Path(__file__).parent.parent.parent)
    with started(TOLD, f"{tmp_path}:{root}", SECRET) as process:
        until(lambda: (tmp_path / "url").exists() and (tmp_path / "url").read_text() == SECRET)
        [child] = children(process)
        seen = shown(child)
        process.kill()
    assert b"swordfish" not in seen
    until(lambda: not alive(child))
