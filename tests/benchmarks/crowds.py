"""Estimate how the service copes with 10 and 100 times as many students. Costs per student are measured; an hour is
simulated.

    python tests/benchmarks/crowds.py [--students 300 3000 30000] [--stations 2 20 200] [--grading 15]

This program measures the processor time of a page, of a hand-in, of a status request from a waiting student and of
reading the queue, and the size in bytes of an attempt with its report. It simulates three attempts per student in one
hour, half of them in its last ten minutes. Stations grade attempts in order, and a newer attempt replaces a waiting one
from the same student. The simulation ignores the costs of a proxy, a network and a slow disk, and differences between
attempts.
"""

import argparse
import asyncio
import heapq
import random
import shutil
import sqlite3
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
sys.path[:0] = map(str, (ROOT / "tests" / "helpers").glob("**/"))

from services import Service  # noqa: E402
from starlette.types import Message  # noqa: E402

from grader.service.db.tables.submissions import GradingRow  # noqa: E402
from grader.service.submissions.health import QueueSnapshot, places_of  # noqa: E402

AN_HOUR, ATTEMPTS = 3600.0, 3
PAGES = 6
"""Pages for each attempt: the home page, the assignment, the attempt before and after its grading, the report, and a
file.
"""

SECONDS_OF_A_LOOK = 8.0
"""Seconds between two status requests of a student who waits behind many others (events.py)."""

SOURCE = b"// a line of a kernel, as people write them\n" * 120
ANSWER = 1.0
"""Milliseconds that uvicorn adds to each page, which this program does not measure. The value comes from a static file
(deadline.py).
"""


@dataclass(frozen=True, kw_only=True)
class Costs:
    """Costs in milliseconds of processor time, and the size of an attempt in bytes."""

    page: float
    hand_in: float
    look: float
    queue_of_one: float
    attempt: float


@dataclass(frozen=True, kw_only=True)
class Hour:
    """The result of a simulated hour: the waiting times in seconds, and the largest number of waiting attempts."""

    graded: int
    waits: tuple[float, ...]
    most: int
    empty_after: float


def measured(tries: int) -> Costs:
    """Measure all costs on this machine."""
    folder = Path(tempfile.mkdtemp(prefix="crowds-"))
    service = Service(folder)
    try:
        before = _size(service)
        for _ in range(tries):
            service.passes(minutes=5)  # the minimum time between two hand-ins
            service.graded(service.hand_in(data=SOURCE))
        attempt = (_size(service) - before) / tries
        mine = service.hand_in(person=service.ben)
        alone = _reading(service, tries)
        crowd = [service.person(f"p{number}", "student") for number in range(tries)]
        hand_in = _milliseconds(lambda: [service.hand_in(person=each, data=SOURCE) for each in crowd]) / tries
        grading, snapshot = service.gradings(mine)[0], QueueSnapshot()
        return Costs(
            page=_page(service, tries) + ANSWER,
            hand_in=hand_in + ANSWER,
            look=_milliseconds(lambda: _looks(service, snapshot, grading.id, tries)) / tries,
            queue_of_one=max(0.0, _reading(service, tries) - alone) / len(crowd),
            attempt=attempt,
        )
    finally:
        service.database.close()
        shutil.rmtree(folder)


def _size(service: Service) -> int:
    path = service.data / "service.sqlite"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")  # a part may be in a second file
    return path.stat().st_size


def _milliseconds(act: Callable[[], object]) -> float:
    begun = time.process_time()
    act()
    return (time.process_time() - begun) * 1000


def _page(service: Service, tries: int) -> float:
    """Return the milliseconds that the whole application needs for a page, for a student with one attempt."""
    ((name, cookie),) = service.browser("ben").cookies.items()
    headers = [(b"host", b"127.0.0.1:8000"), (b"cookie", f"{name}={cookie}".encode())]
    scope = {"type": "http", "method": "GET", "path": "/assignments/small", "query_string": b"", "headers": headers}

    async def nothing() -> Message:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def check(message: Message) -> None:
        assert message.get("status", 200) == 200

    async def ask(times: int) -> None:
        for _ in range(times):
            await service.app({**scope, "app": service.app}, nothing, check)

    asyncio.run(ask(5))
    return _milliseconds(lambda: asyncio.run(ask(tries))) / tries


def _looks(service: Service, snapshot: QueueSnapshot, number: int, tries: int) -> None:
    for _ in range(tries):
        with service.database.reading() as session:
            snapshot.place(session, session.get_one(GradingRow, number), dict, service.now)


def _reading(service: Service, tries: int) -> float:
    """Return the milliseconds that reading the whole queue takes."""

    def read() -> None:
        for _ in range(tries):
            with service.database.reading() as session:
                places_of(session, {}, service.now)

    return _milliseconds(read) / tries


def simulated(students: int, stations: int, grading: float, dice: random.Random) -> Hour:
    """Simulate an hour. Attempts arrive in order, and stations take the oldest attempt that is not superseded."""
    number = students * ATTEMPTS
    late = [dice.uniform(AN_HOUR * 5 / 6, AN_HOUR) for _ in range(number // 2)]
    times = sorted(late + [dice.uniform(0, AN_HOUR * 5 / 6) for _ in range(number - len(late))])
    free, waiting, waits, most = [0.0] * stations, dict[int, float](), list[float](), 0

    def take_until(moment: float) -> None:
        while waiting and free[0] < moment:
            student = next(iter(waiting))
            begun = max(free[0], waiting[student])
            if begun >= moment:
                return
            waits.append(begun - waiting.pop(student))
            heapq.heapreplace(free, begun + grading)

    for moment in times:
        take_until(moment)
        student = dice.randrange(students)
        waiting.pop(student, None)
        waiting[student] = moment
        most = max(most, len(waiting))
    take_until(float("inf"))
    return Hour(graded=len(waits), waits=tuple(sorted(waits)), most=most, empty_after=max(0.0, max(free) - AN_HOUR))


def row(students: int, stations: int, costs: Costs, hour: Hour) -> str:
    """Return a row of the table. Rates are for the last sixth of the hour, which has half of the attempts."""
    a_second = students * ATTEMPTS / 2 / (AN_HOUR / 6)
    pages, hand_ins = a_second * PAGES * costs.page, a_second * costs.hand_in
    looks = hour.most / SECONDS_OF_A_LOOK * costs.look + hour.most * costs.queue_of_one
    median, slow = hour.waits[len(hour.waits) // 2], hour.waits[int(len(hour.waits) * 0.95)]
    return (
        f"{students:>8}{stations:>9}{a_second * PAGES:>9.0f}{(pages + hand_ins + looks) / 1000:>12.2f}{hour.most:>9}"
        f"{median / 60:>9.1f}{slow / 60:>8.1f}{hour.empty_after / 60:>13.1f}"
        f"{students * ATTEMPTS * costs.attempt / 2**20:>8.0f}"
    )


def main() -> int:
    """Measure the costs, simulate each combination, and print the table."""
    options = argparse.ArgumentParser()
    options.add_argument("--students", type=int, nargs="+", default=[300, 3_000, 30_000])
    options.add_argument("--stations", type=int, nargs="+", default=[2, 20, 200])
    options.add_argument("--grading", type=float, default=15.0, help="duration of a grading in seconds")
    options.add_argument("--tries", type=int, default=60)
    given = options.parse_args()
    costs = measured(given.tries)
    print(
        f"a page {costs.page:.1f} ms, a hand-in {costs.hand_in:.1f} ms, a status request {costs.look:.2f} ms, "
        f"the queue {costs.queue_of_one * 1000:.1f} us per waiting attempt, an attempt {costs.attempt / 1024:.0f} KiB"
    )
    print(f"rates in the last sixth of the hour; gradings of {given.grading:g} s; waits in minutes")
    print("students stations  pages/s  processors  waiting   median     p95  empty after     MiB")
    for students in given.students:
        for stations in given.stations:
            hour = simulated(students, stations, given.grading, random.Random(1))
            print(row(students, stations, costs, hour))
    return 0


if __name__ == "__main__":
    sys.exit(main())
