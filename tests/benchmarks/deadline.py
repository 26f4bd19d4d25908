"""Play the last hour before a deadline: students look at pages, hand in and wait for results, most of them near the
end.

    python tests/benchmarks/deadline.py [--students 300] [--attempts 900] [--seconds 3600] [--database postgresql]

Stations replay a real grading in real time, or with --grading an invented one of that many seconds. With fewer than
3,600 seconds, the hour and its gradings run faster by the same factor, so the service has more pages to serve per
second. Half of the attempts come in the last sixth of the time. Each student who hands in looks at the assignment,
sends a file, and watches until the attempt is over. Afterwards, pages are requested at a fixed rate while the stations
work.
"""

import argparse
import asyncio
import itertools
import os
import random
import shutil
import statistics
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Awaitable, Sequence
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
sys.path[:0] = map(str, (ROOT / "tests" / "helpers").glob("**/"))

import httpx2  # noqa: E402
import page_load  # noqa: E402
import service_loads as loads  # noqa: E402
from services import field, parts  # noqa: E402

from grader.service.db.tables.grading_states import State  # noqa: E402

AN_HOUR = 3600.0

PAGE = f"/assignments/{loads.ASSIGNMENT}"


class Course:
    """The students, and the seconds that they waited, grouped by what they waited for."""

    def __init__(self, home: loads.Home, students: int) -> None:
        self.waited: dict[str, list[float]] = defaultdict(list)
        self._home = home
        origin = home.webs[0].origin
        tokens = home.enrol(students)
        limits = httpx2.Limits(max_connections=None)
        self.clients = [
            httpx2.AsyncClient(base_url=origin, headers={"origin": origin}, timeout=None, limits=limits) for _ in tokens
        ]
        self._tokens = tokens

    async def sign_in(self) -> None:
        """Sign in all students, one after the other."""
        for client, token in zip(self.clients, self._tokens, strict=True):
            await client.post("/join", files=parts(token=token))

    async def hand_in(self, client: httpx2.AsyncClient, number: int) -> None:
        """Look at the assignment, send a file, and watch until the attempt is over."""
        page = await self._timed("page", client.get(PAGE))
        keys = {name: field(page, name) for name in ("form_token", "form_key")}
        form = parts(**keys, file=("kernels.cl", f"// {number}\n".encode()))
        said = await self._timed("received", client.post(f"{PAGE}/attempts", files=form))
        if said.status_code != 303:
            self.waited["refused"].append(0.0)
            return
        begun, first, over = time.monotonic(), True, False
        while not over:  # the service ends a stream after some minutes, and a browser then opens another
            async with client.stream("GET", f"{said.headers['location']}/events") as stream:
                async for line in stream.aiter_lines():
                    if first and line == "event: place":
                        self.waited["place in queue"].append(time.monotonic() - begun)
                        first = False
                    if line == "event: over":
                        over = True
                        break

    async def pages(self, rate: float, seconds: float) -> list[float]:
        """Request pages at this rate, and return the seconds that each took."""
        visitors = await page_load.Visitors(self._home.webs[0].port).connect()
        cookies = ["; ".join(f"{name}={value}" for name, value in each.cookies.items()) for each in self.clients]
        found: list[float] = await visitors.at_rate(rate, seconds, PAGE, cookies)
        visitors.close()
        return found

    async def _timed(self, what: str, asked: Awaitable[httpx2.Response]) -> httpx2.Response:
        begun = time.monotonic()
        answer = await asked
        self.waited[what].append(time.monotonic() - begun)
        return answer


def arrivals(count: int, seconds: float, dice: random.Random) -> list[float]:
    """Return the times of the attempts. Half of them are in the last sixth of the time."""
    early, late = count - count // 2, count // 2
    times = [dice.uniform(0, seconds * 5 / 6) for _ in range(early)]
    return sorted(times + [dice.uniform(seconds * 5 / 6, seconds) for _ in range(late)])


async def last_hour(course: Course, home: loads.Home, given: argparse.Namespace) -> list[tuple[float, float]]:
    """Play the hour until everything is graded. Return the memory of all web processes in MiB, with its time, for each
    second.
    """
    dice, begun, held = random.Random(given.dice), time.monotonic(), []

    async def one(number: int, moment: float) -> None:
        await asyncio.sleep(max(0.0, begun + moment - time.monotonic()))
        client = course.clients[number % len(course.clients)]
        await course.hand_in(client, number)

    pids = home.web_pids()

    async def look() -> None:
        while True:
            held.append((time.monotonic() - begun, sum(map(loads.memory, pids))))
            await asyncio.sleep(1)

    await course.sign_in()
    begun = time.monotonic()
    looking = asyncio.create_task(look())
    times = arrivals(given.attempts, given.seconds, dice)
    await asyncio.wait([asyncio.create_task(one(*each)) for each in enumerate(times)])
    looking.cancel()
    return held


async def play(home: loads.Home, given: argparse.Namespace) -> None:
    """Play the hour, then request pages while the stations work."""
    course = Course(home, given.students)
    begun = time.monotonic()
    held = await last_hour(course, home, given)
    for what in ("page", "received", "place in queue"):
        print(f"{what:<16}{spread(course.waited[what])}")
    print_queue(home, course, begun)
    print_memory(held, len(home.web_pids()))
    used = page_load.processor_seconds(home.web_pids())
    asked = await course.pages(given.rate, given.pages)
    each = (page_load.processor_seconds(home.web_pids()) - used) / len(asked)
    print(f"load average {', '.join(f'{one:.1f}' for one in os.getloadavg())}")
    print(
        f"{given.rate:g} pages a second beside the stations: {spread(asked)}; {each * 1000:.1f} ms of processors each"
    )


def print_queue(home: loads.Home, course: Course, begun: float) -> None:
    """Print the states of all attempts, and compare the throughput of the queue with the capacity of the stations."""
    states = Counter(State(state) for _, _, state, _ in home.stored())
    ends = [each for each in home.ends() if each is not None]
    busy = statistics.median(later - sooner for sooner, later in itertools.pairwise(ends)) if len(ends) > 1 else 0.0
    can = home.recording.seconds / len(home.stations)
    print(f"attempts {states.total()}, refused {len(course.waited['refused'])}, superseded {states[State.SUPERSEDED]}")
    print(
        f"graded {states[State.DONE]}, queue empty after {time.monotonic() - begun:.0f} s: one in {busy:.2f} s, "
        f"and the stations can grade one in {can:.2f} s"
    )


def print_memory(held: Sequence[tuple[float, float]], processes: int) -> None:
    """Print the memory at the start and the end, and its growth in the second half, when all students are present."""
    seconds, sizes = zip(*held[len(held) // 2 :], strict=True)
    slope = statistics.linear_regression(seconds, sizes).slope * 60 if len(set(seconds)) > 1 else 0.0
    print(
        f"memory of {processes} web processes: {held[0][1]:.0f} MiB, {max(size for _, size in held):.0f} at most, "
        f"{held[-1][1]:.0f} in the end, {slope:+.1f} MiB a minute in the last half"
    )


def spread(seconds: Sequence[float]) -> str:
    """Return the median and the slow percentiles in milliseconds."""
    if len(seconds) < 2:
        return f"{len(seconds)} only"
    cuts = statistics.quantiles(seconds, n=100, method="inclusive")
    return f"p50 {cuts[49] * 1000:.0f} ms, p95 {cuts[94] * 1000:.0f} ms, p99 {cuts[98] * 1000:.0f} ms"


def main() -> int:
    """Set up the service, play the hour and clean up."""
    options = argparse.ArgumentParser()
    options.add_argument("--students", type=int, default=300)
    options.add_argument("--attempts", type=int, default=900)
    options.add_argument("--seconds", type=float, default=3600.0)
    options.add_argument("--grading", type=float, help="seconds of an invented grading, to replace the real one")
    options.add_argument("--pages", type=float, default=10.0, help="seconds of requests for pages at the end")
    options.add_argument("--rate", type=float, default=200.0, help="pages that are then requested per second")
    options.add_argument("--web-processes", type=int, default=2)
    options.add_argument("--database", choices=("sqlite", "postgresql"), default="sqlite")
    options.add_argument("--dice", type=int, default=1)
    options.add_argument("--apart", type=int, help="number of processors for the service; its visitors use the others")
    given, processors = options.parse_args(), sorted(os.sched_getaffinity(0))
    if given.apart and given.apart >= len(processors):
        options.error(f"--apart leaves none of the {len(processors)} processors for visitors; use a smaller number")
    folder = Path(tempfile.mkdtemp(prefix="deadline-"))
    faster = AN_HOUR / given.seconds
    own, others = processors[: given.apart], processors[given.apart :] if given.apart else processors
    os.sched_setaffinity(0, own)  # processes that are started from here on inherit these processors
    home = loads.Home(folder, given.database, 1, 2, given.grading, faster, given.web_processes)
    os.sched_setaffinity(0, others)
    how = f"recorded, {faster:g} times as fast" if given.grading is None else "invented"
    print(
        f"{given.students} students, {given.attempts} attempts in {given.seconds:g} s, {given.database}; "
        f"a grading ({how}) takes {home.recording.seconds:.1f} s, {len(home.stations)} stations, "
        f"{len(own)} processors"
    )
    try:
        asyncio.run(play(home, given))
    finally:
        home.close()
    shutil.rmtree(folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
