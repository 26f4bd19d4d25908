"""Kill web processes, stations and the database of a service while students hand in, and count the results.

    python tests/benchmarks/killing_service.py [--database postgresql] [--attempts 60] [--kills 30] [--dice 1]

Each kill (SIGKILL) hits a random target: a web process, one of two stations, or PostgreSQL with all its processes. The
target is restarted immediately. Stations replay a real grading in real time, or with --grading an invented one. After
an invented grading, its hidden cases take the same time again. Students whose hand-in gets no answer send the same form
again, to any web process that answers. The exit code is 1 unless each accepted attempt has exactly one result.
"""

import argparse
import random
import shutil
import sys
import tempfile
import threading
import time
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
sys.path[:0] = map(str, (ROOT / "tests" / "helpers").glob("**/"))

import httpx2  # noqa: E402
import service_loads as loads  # noqa: E402

from grader.service.db.tables.grading_states import State  # noqa: E402

DRAINING = 900.0
"""Seconds after the last kill within which all gradings must be done."""


class Students:
    """Students who hand in once each, at random times, and send the form again until they get an answer."""

    def __init__(self, home: loads.Home, count: int, seconds: float, dice: random.Random) -> None:
        self.accepted: set[str] = set()
        self.repeated = 0
        self._home = home
        tokens = home.enrol(count)
        self._clients = [home.browser(token, number) for number, token in enumerate(tokens)]
        self._times = sorted(dice.uniform(0, seconds) for _ in tokens)
        self._thread = threading.Thread(target=self._all, daemon=True)

    def start(self) -> None:
        """Start to hand in."""
        self._begun = time.monotonic()
        self._thread.start()

    def join(self) -> None:
        """Wait until all students have handed in."""
        self._thread.join()

    def _all(self) -> None:
        for number, client in enumerate(self._clients):
            time.sleep(max(0.0, self._begun + self._times[number] - time.monotonic()))
            self.accepted.add(self._hand_in(client, f"// {number}\n".encode()))

    def _hand_in(self, client: httpx2.Client, source: bytes) -> str:
        keys: dict[str, str] | None = None
        while True:
            try:
                keys = keys or loads.form_of(client)
                if (public := loads.send(client, keys, source)) is not None:
                    return str(public)
            except httpx2.HTTPError:
                pass
            self.repeated += 1
            time.sleep(0.2)
            loads.move(client, self._home.webs[self.repeated % len(self._home.webs)])


def main() -> int:
    """Let students hand in while processes are killed, wait for the gradings, and count the results."""
    options = argparse.ArgumentParser()
    options.add_argument("--database", choices=("sqlite", "postgresql"), default="sqlite")
    options.add_argument("--attempts", type=int, default=60)
    options.add_argument("--kills", type=int, default=30)
    options.add_argument("--grading", type=float, help="seconds of an invented grading, to replace the real one")
    options.add_argument("--dice", type=int, default=1)
    given = options.parse_args()
    folder, dice = Path(tempfile.mkdtemp(prefix="killing-service-")), random.Random(given.dice)
    webs = 2 if given.database == "postgresql" else 1
    home = loads.Home(folder, given.database, webs=webs, grading=given.grading, pending=given.grading is not None)
    try:
        seconds = home.recording.seconds
        print(f"one grading: {seconds:.1f} s; {given.database}, {len(home.webs)} web, {len(home.stations)} stations")
        students = Students(home, given.attempts, given.attempts * seconds / 2, dice)
        students.start()
        killed = kill(home, given.kills, given.attempts * seconds / 2, dice)
        students.join()
        drained = loads.until_true(home.drained, DRAINING)
        good = report(home, students, killed) and drained
    finally:
        home.close()
    shutil.rmtree(folder)
    return 0 if good else 1


def kill(home: loads.Home, kills: int, seconds: float, dice: random.Random) -> Counter[str]:
    """Kill parts at random moments within this many seconds. Return how often each part was killed."""
    killed: Counter[str] = Counter()
    begun = time.monotonic()
    parts = ["web", "station", "database"] if home.server else ["web", "station"]
    for moment in sorted(dice.uniform(0, seconds) for _ in range(kills)):
        time.sleep(max(0.0, begun + moment - time.monotonic()))
        part = dice.choice(parts)
        killed[part] += 1
        if part == "web":
            home.kill_web(dice.randrange(len(home.webs)))
        elif part == "station":
            home.kill_station(dice.randrange(len(home.stations)))
        else:
            home.kill_server()
    return killed


def report(home: loads.Home, students: Students, killed: Counter[str]) -> bool:
    """Print the table. Return True if no attempt is lost, duplicated or faulty."""
    stored = home.stored()
    results = Counter(public for public, _, state, _ in stored if state == State.DONE)
    counting = Counter(public for public, _, _, counts in stored if counts)
    by_person = Counter(person for person, _ in {(person, public) for public, person, _, _ in stored})
    lost = students.accepted - {public for public, number in counting.items() if number == 1}
    doubled = sum(number - 1 for number in results.values()) + sum(number - 1 for number in by_person.values())
    faulted = sum(state == State.FAULTED for _, _, state, _ in stored)
    print(f"killed: {', '.join(f'{number} x {part}' for part, number in sorted(killed.items()))}")
    for name, value in {
        "attempts accepted": len(students.accepted),
        "forms sent again": students.repeated,
        "results": sum(results.values()),
        "duplicates": doubled,
        "lost": len(lost),
        "used up by our faults": faulted,
    }.items():
        print(f"{name:<24}{value}")
    return not lost and not doubled and not faulted


if __name__ == "__main__":
    sys.exit(main())
