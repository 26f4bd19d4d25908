"""Run one attack with the sandbox `process`, inside a disposable container, and print its effects.

    python3 observe.py KERNELS COURSE ASSIGNMENT       (as root: the grader runs as another user)

Prints one JSON object: how grader ended, the reason of the first failed check, and the traces that the attack left
behind.
"""

import json
import os
import random
import subprocess
import sys
import time
from pathlib import Path

USER = random.randrange(10_000, 60_000)  # the OS kernel counts the processes of a user across all containers
HOME = Path("/home/grader")
SECRET = HOME / "secret.txt"
WORDS = "the other students' work"
DEADLINE = 60

WRITABLE = (HOME, Path("/tmp"), Path("/dev/shm"), Path("/var/tmp"))


def main(kernels, course, assignment):
    """Run grader on the attack and look for traces."""
    HOME.mkdir(exist_ok=True)
    with Path("/etc/passwd").open("a") as users:
        users.write(f"grader:x:{USER}:{USER}::{HOME}:/bin/sh\n")  # as on a real machine, where the user has an entry
    SECRET.write_text(WORDS)
    os.chown(HOME, USER, USER)
    os.chown(SECRET, USER, USER)
    report = HOME / "result.json"
    before = files()
    ended = grade(kernels, course, assignment, report)
    time.sleep(0.3)
    reason = first_failure(report)
    traces = []
    if processes():
        traces.append("a process is left")
    report.unlink(missing_ok=True)
    if files() - before:
        traces.append("files are left")
    if not SECRET.is_file() or SECRET.read_text() != WORDS:
        traces.append("a file of the user is gone")
    print(json.dumps({"ended": ended, "reason": reason, "traces": traces}))


def grade(kernels, course, assignment, report):
    """Return the exit status of grader, or None if it exceeded the deadline and was killed."""
    command = ["grader", "grade", kernels, "--assignment", assignment, "--course", course, "--json", str(report)]
    process = subprocess.Popen(
        [*command, "--sandbox", "process"],
        user=USER,
        group=USER,
        extra_groups=[],
        cwd=HOME,
        env={**os.environ, "HOME": str(HOME)},
        stdin=subprocess.DEVNULL,
        stdout=sys.stderr,
        start_new_session=True,
    )
    try:
        return process.wait(DEADLINE)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
        return None


def first_failure(report):
    """Return the reason of the first failed check, "held" if none failed, or None if there is no result."""
    try:
        result = json.loads(report.read_text())
    except (OSError, ValueError):
        return None
    if result["status"] != "graded":
        return None
    return next(
        (check["reason"] for check in result["checks"] if check["verdict"] not in {"passed", "skipped"}), "held"
    )


def processes():
    """Return the ids of the processes of grader's user that are still alive."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            state = (entry / "stat").read_text().rpartition(")")[2].split()[0]
            if entry.stat().st_uid == USER and state != "Z":
                found.append(entry.name)
        except OSError:
            continue
    return found


def files():
    """Return all paths in the folders to which grader's user can write."""
    return {str(path) for folder in WRITABLE for path in folder.rglob("*")}


if __name__ == "__main__":
    main(*sys.argv[1:])
