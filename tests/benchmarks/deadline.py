"""The last hour before a deadline: students who look, hand in and watch, most of them at the end.

    python tests/benchmarks/deadline.py [--students 300] [--attempts 900] [--seconds 3600] [--database postgresql]

Stations replay one real grading in its true time, or with --grading a made-up one of so many seconds. Half of the
attempts come in the last sixth of the time. Each student who hands in looks at the assignment, sends a file, and
watches until it is graded or the time is over. Then, beside the stations, pages are asked for as fast as they come.
"""

import argparse
import asyncio
import random
import shutil
import statistics
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Awaitable, Sequence
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
sys.path.insert(0, str(ROOT / "tests" / "helpers"))

import httpx2  # noqa: E402
import service_loads as loads  # noqa: E402
from services import field, parts  # noqa: E402

from grader.service.database.tables import State  # noqa: E402

AT_ONCE = 16
"""Connections that ask for pages."""

PAGE = f"/assignments/{loads.ASSIGNMENT}"


class Course:
    """The students, and what they had to wait for: seconds, by what it was."""

    def __init__(self, home: loads.Home, students: int) -> None:
        self.waited: dict[str, list[float]] = defaultdict(list)
        self._home = home
        origin = home.webs[0].origin
        tokens = home.enrol(students)
        limits = httpx2.Limits(max_connections=None)
        self.clients = [
            httpx2.AsyncClient(base_url=origin, headers={"origin": origin}, timeout=60, limits=limits) for _ in tokens
        ]
        self._tokens = tokens

    async def sign_in(self) -> None:
        """All of them, one after the other."""
        for client, token in zip(self.clients, self._tokens, strict=True):
            await client.post("/join", files=parts(token=token))

    async def hand_in(self, client: httpx2.AsyncClient, number: int, until: float) -> None:
        """Look, send, watch."""
        page = await self._timed("page", client.get(PAGE))
        keys = {name: field(page, name) for name in ("form_token", "form_key")}
        form = parts(**keys, file=("kernels.cl", f"// {number}\n".encode()))
        said = await self._timed("received", client.post(f"{PAGE}/attempts", files=form))
        if said.status_code != 303:
            self.waited["refused"].append(0.0)
            return
        begun, first = time.monotonic(), True
        async with client.stream("GET", f"{said.headers['location']}/events") as stream:
            async for line in stream.aiter_lines():
                if first and line.startswith("event:"):
                    self.waited["first event"].append(time.monotonic() - begun)
                    first = False
                if line == "event: over" or time.monotonic() > until:
                    return

    async def pages(self, seconds: float) -> list[float]:
        """Ask for pages as fast as they come; how many seconds each took."""
        until, found = time.monotonic() + seconds, []

        async def ask(client: httpx2.AsyncClient) -> None:
            while time.monotonic() < until:
                begun = time.monotonic()
                (await client.get(PAGE)).raise_for_status()
                found.append(time.monotonic() - begun)

        await asyncio.gather(*(ask(self.clients[number % len(self.clients)]) for number in range(AT_ONCE)))
        return found

    async def _timed(self, what: str, asked: Awaitable[httpx2.Response]) -> httpx2.Response:
        begun = time.monotonic()
        answer = await asked
        self.waited[what].append(time.monotonic() - begun)
        return answer


def arrivals(count: int, seconds: float, dice: random.Random) -> list[float]:
    """When attempts come: half of them in the last sixth."""
    early, late = count - count // 2, count // 2
    times = [dice.uniform(0, seconds * 5 / 6) for _ in range(early)]
    return sorted(times + [dice.uniform(seconds * 5 / 6, seconds) for _ in range(late)])


async def last_hour(course: Course, home: loads.Home, given: argparse.Namespace) -> list[float]:
    """Play it; the MiB of the web process, every second."""
    dice, begun, held = random.Random(given.dice), time.monotonic(), []

    async def one(number: int, moment: float) -> None:
        await asyncio.sleep(max(0.0, begun + moment - time.monotonic()))
        client = course.clients[number % len(course.clients)]
        await course.hand_in(client, number, begun + given.seconds)

    web = home.webs[0].process
    assert web is not None

    async def look() -> None:
        while True:
            held.append(loads.memory(web.pid))
            await asyncio.sleep(1)

    looking = asyncio.create_task(look())
    await course.sign_in()
    begun = time.monotonic()
    times = arrivals(given.attempts, given.seconds, dice)
    await asyncio.wait([asyncio.create_task(one(*each)) for each in enumerate(times)], timeout=given.seconds + 30)
    looking.cancel()
    return held


async def play(home: loads.Home, given: argparse.Namespace) -> None:
    """The hour, then pages beside the stations."""
    course = Course(home, given.students)
    begun = time.monotonic()
    held = await last_hour(course, home, given)
    stored = home.stored()
    done = sum(state == State.DONE for _, _, state, _ in stored)
    superseded = sum(state == State.SUPERSEDED for _, _, state, _ in stored)
    taken = time.monotonic() - begun
    most = taken / home.recording.seconds * len(home.stations)
    for what in ("page", "received", "first event"):
        print(f"{what:<14}{spread(course.waited[what])}")
    print(f"attempts {len(stored)}, refused {len(course.waited['refused'])}, superseded {superseded}")
    print(f"graded {done} in {taken:.0f} s, by stations that can do {most:.0f}")
    third = max(1, len(held) // 3)
    print(f"memory of the web process: {max(held[:third]):.0f} MiB, then {max(held[-third:]):.0f}")
    asked = await course.pages(given.pages)
    print(f"pages beside the stations: {len(asked) / given.pages:.0f} a second, {spread(asked)}")


def spread(seconds: Sequence[float]) -> str:
    """Median and the slow ends, in ms."""
    if len(seconds) < 2:
        return f"{len(seconds)} only"
    cuts = statistics.quantiles(seconds, n=100, method="inclusive")
    return f"p50 {cuts[49] * 1000:.0f} ms, p95 {cuts[94] * 1000:.0f} ms, p99 {cuts[98] * 1000:.0f} ms"


def main() -> int:
    """Set up, play, clear away."""
    options = argparse.ArgumentParser()
    options.add_argument("--students", type=int, default=300)
    options.add_argument("--attempts", type=int, default=900)
    options.add_argument("--seconds", type=float, default=3600.0)
    options.add_argument("--grading", type=float, help="seconds of a made-up grading in place of a real one's")
    options.add_argument("--pages", type=float, default=10.0, help="seconds in which pages are asked for in the end")
    options.add_argument("--database", choices=("sqlite", "postgresql"), default="sqlite")
    options.add_argument("--dice", type=int, default=1)
    given = options.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="deadline-"))
    home = loads.Home(folder, given.database, grading=given.grading)
    how = "recorded" if given.grading is None else "made up"
    print(
        f"{given.students} students, {given.attempts} attempts in {given.seconds:g} s, {given.database}; "
        f"a grading ({how}) takes {home.recording.seconds:.1f} s, {len(home.stations)} stations"
    )
    try:
        asyncio.run(play(home, given))
    finally:
        home.close()
    shutil.rmtree(folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
