"""Send files in the last two seconds before the due date of an assignment, on a busy machine.

    python tests/benchmarks/last_seconds.py [--students 200] [--seconds 2] [--burners 2] [--database postgresql]

Students send their requests at equal intervals, the last one 50 ms before the due date. Prints how many files were
stored, how many of them with a time after the due date, and how long the answers took. The exit code is 1 if a file is
late or missing.
"""

import argparse
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import urlsplit

ROOT = Path(__file__).parent.parent.parent
sys.path[:0] = map(str, (ROOT / "tests" / "helpers").glob("**/"))

import httpx2  # noqa: E402
import service_loads as loads  # noqa: E402
from services import parts  # noqa: E402

from grader.service.db.tables.submissions import AttemptRow  # noqa: E402

SPARE = 0.05
"""Seconds between the last file and the due date."""

READY = 3.0
"""Seconds within which all students connect."""


def main() -> int:
    """Sign in all students, send their files in the last seconds, and read the times from the database."""
    options = argparse.ArgumentParser()
    options.add_argument("--students", type=int, default=200)
    options.add_argument("--seconds", type=float, default=2.0)
    options.add_argument("--burners", type=int, default=2)
    options.add_argument("--database", choices=("sqlite", "postgresql"), default="sqlite")
    given = options.parse_args()
    home = loads.Home(Path(tempfile.mkdtemp(prefix="last-seconds-")), given.database, stations=0, grading=1.0)
    requests = [_request(home.browser(token), number) for number, token in enumerate(home.enrol(given.students))]
    with _busy(given.burners):
        due, last, answers = _send(home.webs[0].origin, requests, given.seconds)
    times = _received(home)
    late = sum(each > due for each in times)
    print(f"{len(requests)} files in {given.seconds:g} s, {given.burners} burners, {given.database}")
    print(f"last byte sent {due.timestamp() - last:.3f} s before the due date")
    print(f"stored {len(times)}, late {late}; latest {max(times).timestamp() - due.timestamp():+.3f} s")
    print(f"answers after {statistics.median(answers):.2f} s (median), {max(answers):.2f} s (slowest)")
    home.close()
    return int(late > 0 or len(times) < len(requests))


def _request(client: httpx2.Client, number: int) -> bytes:
    """Return the bytes of a student's whole request with a file."""
    keys = loads.form_of(client)
    form = parts(**keys, file=("kernels.cl", f"// {number}\n".encode()))
    built = client.build_request("POST", f"/assignments/{loads.ASSIGNMENT}/attempts", files=form)
    body = built.read()
    head = "".join(f"{name}: {value}\r\n" for name, value in built.headers.items())
    return f"POST {built.url.raw_path.decode()} HTTP/1.1\r\n{head}\r\n".encode() + body


def _send(origin: str, requests: Sequence[bytes], seconds: float) -> tuple[datetime, float, list[float]]:
    """Send the requests. Return the due date, the time of the last byte, and the seconds until each answer began."""
    where = urlsplit(origin)
    connections = [socket.create_connection((where.hostname, where.port)) for _ in requests]
    due = time.time() + READY + seconds
    sent = []
    for number, (connection, request) in enumerate(zip(connections, requests, strict=True)):
        moment = due - seconds + (seconds - SPARE) * number / max(1, len(requests) - 1)
        time.sleep(max(0.0, moment - time.time()))
        connection.sendall(request)
        sent.append(time.time())
    answers = []
    for connection, begun in zip(connections, sent, strict=True):
        assert connection.recv(12) == b"HTTP/1.1 303"
        answers.append(time.time() - begun)
        connection.close()
    return datetime.fromtimestamp(due, UTC), max(sent), answers


def _received(home: loads.Home) -> list[datetime]:
    with home.database.reading() as session:
        return [row.received for row in session.query(AttemptRow)]


@contextmanager
def _busy(burners: int) -> Iterator[None]:
    """Run programs that compute until the end of the block."""
    running = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(burners)]
    try:
        yield
    finally:
        for each in running:
            each.kill()


if __name__ == "__main__":
    sys.exit(main())
