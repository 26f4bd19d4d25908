"""Kill `grader serve` while it sends scores to a learning platform that fails at one request in five.

    python tests/benchmarks/scores.py [--database postgresql] [--scores 1000] [--kills 3] [--dice 1]

Each student has an attempt whose result is released. While the scores are sent, the points of every tenth student are
changed by hand. A request fails in one of several ways: the platform answers with an error, asks for fewer requests,
refuses the score, or closes the connection before or after it has stored the score. It also refuses a score if the time
of the stored score is not earlier, as the specification allows. Pauses are divided by 60. When only refused scores are
left, the benchmark sends them again, like an instructor on the page Learning platforms. The exit code is 0 if the
platform has the last value of each student, and if a value was sent twice in a row only after its answer was lost.
"""

import argparse
import json
import random
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent.parent
HELPERS = ROOT / "tests" / "helpers"
sys.path[:0] = map(str, HELPERS.glob("**/"))

from hidden_parts import right  # noqa: E402
from large_course import attempt_row, grading_row  # noqa: E402
from lti_platforms import Platform, platform_at_work, registered  # noqa: E402
from postgresql import Server  # noqa: E402
from services import Service  # noqa: E402
from serving_course import Serving  # noqa: E402
from sqlalchemy import func, insert, select  # noqa: E402

from grader.service.db.outbox import SendState  # noqa: E402
from grader.service.db.session import utc_now  # noqa: E402
from grader.service.db.tables.audit import AuditRow  # noqa: E402
from grader.service.db.tables.decisions import Decision, DecisionRow  # noqa: E402
from grader.service.db.tables.grading_states import State  # noqa: E402
from grader.service.db.tables.lti import LtiAccountRow, LtiContextRow, LtiLineItemRow, LtiMemberRow, LtiScoreRow  # noqa: E402
from grader.service.db.tables.people import CourseRole, PersonRow  # noqa: E402
from grader.service.db.tables.submissions import AttemptRow, GradingRow  # noqa: E402
from grader.service.lti.services.scores import send_again  # noqa: E402
from grader.service.station.storage import ready  # noqa: E402

PATIENCE = 1800.0
"""Seconds after which the benchmark gives up."""

Answer = tuple[int, dict[str, str], Any]
"""Status, headers and body of an answer."""

LIMITED = {"x-rate-limit-remaining": "0.0"}

FAULTS: dict[str, Answer | None] = {
    "500": (500, {}, "oops"),
    "429": (429, {"retry-after": "1"}, "slow down"),
    "403, rate limit": (403, LIMITED, "403 Forbidden (Rate Limit Exceeded)"),
    "403": (403, {}, "the gradebook is locked"),
    "closed before the score was stored": None,
    "closed after the score was stored": None,
}


@dataclass(frozen=True, kw_only=True)
class Delivery:
    """A score that reached the platform after this number of kills. `answered` is false if its answer was lost."""

    timestamp: str
    points: float | None
    kills: int
    answered: bool


class FaultyPlatform:
    """Decides which requests of a platform fail, and records the scores that reach it, by student."""

    def __init__(self, platform: Platform, dice: random.Random) -> None:
        self.deliveries: dict[str, list[Delivery]] = {}
        self.counts: Counter[str] = Counter()
        self.kills = self.stored = 0
        self.platform, self._dice = platform, dice
        platform.answers = {"/columns": self._answer}

    def _answer(self, method: str, path: str, _query: Any, body: Any) -> Answer | None:
        self.counts["requests"] += 1
        fault = self._dice.choice([*FAULTS]) if self._dice.random() < 0.2 else ""
        self.counts[fault] += 1
        is_score = method == "POST" and path.endswith("/scores")
        if fault == "closed before the score was stored":
            raise ConnectionAbortedError
        if fault and fault != "closed after the score was stored":
            return FAULTS[fault]
        answer = self._store(path, body, answered=not fault) if is_score else None
        if fault:
            raise ConnectionAbortedError
        return answer

    def _store(self, path: str, body: Any, *, answered: bool) -> Answer | None:
        """Store a score. Refuses it if the time of the stored score is not earlier."""
        with self.platform.lock:
            earlier = self.deliveries.setdefault(body["userId"], [])
            is_later = not earlier or body["timestamp"] > earlier[-1].timestamp
            made = Delivery(
                timestamp=body["timestamp"], points=body.get("scoreGiven"), kills=self.kills, answered=answered
            )
            earlier.append(made)
            if not is_later:
                return 409, {}, "a score with this time is stored"
            self.platform.scores.append((path.strip("/").split("/")[1], body["userId"], body))
            self.stored += 1
            return 204, {}, None


def main() -> int:
    """Send scores while the service is killed repeatedly, and count the scores that reached the platform."""
    options = argparse.ArgumentParser()
    options.add_argument("--database", choices=("sqlite", "postgresql"), default="sqlite")
    options.add_argument("--scores", type=int, default=1000)
    options.add_argument("--kills", type=int, default=3)
    options.add_argument("--dice", type=int, default=1)
    given = options.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="scores-"))
    with database_url(given.database) as url, platform_at_work() as platform:
        service = prepared(folder, url, platform, given.scores)
        faulty = FaultyPlatform(platform, random.Random(given.dice))
        serving = Serving(folder, folder, url, stations=0)
        serving.python = [str(HELPERS / "service" / "quick_serve.py")]
        serving.settings["GRADER_PRIVATE_NETWORKS"] = json.dumps(["127.0.0.1"])
        began = time.monotonic()
        try:
            sent_again = sent_under_kills(service, serving, faulty, given)
            seconds = time.monotonic() - began
            good = report(service, faulty, sent_again)
            print(f"{given.database}, {given.scores} students, {faulty.kills} kills, {seconds:.0f} s")
        finally:
            serving.stop(signal.SIGKILL)
            service.database.close()
    shutil.rmtree(folder)
    return 0 if good else 1


@contextmanager
def database_url(kind: str) -> Iterator[str | None]:
    """Yield the address of a new PostgreSQL database, or None for SQLite."""
    if kind == "sqlite":
        yield None
        return
    server = Server().start()
    try:
        yield server.new()
    finally:
        server.close()


def prepared(folder: Path, url: str | None, platform: Platform, number: int) -> Service:
    """Return a service with this number of students, each with an attempt, in a connected course of the platform."""
    service = Service(folder, url=url)
    service.now = utc_now()
    context = registered(service, platform)
    assignment = service.course.load("small")
    version = service.app_state.cache.assignment("small").version
    outcome = ready(right(assignment), assignment).columns
    outcome |= {"measured_sha256": version.measured, "scored_sha256": version.scored}
    with service.database.writing() as session:
        place = session.get_one(LtiContextRow, context).platform_id
        usual = {"role": CourseRole.STUDENT, "created": service.now}
        students = [{"key": f"s{n}", "folded": f"s{n}", "name": f"Student {n}", **usual} for n in range(number)]
        session.execute(insert(PersonRow), students)
        people = session.scalars(select(PersonRow.id).where(PersonRow.key.in_([each["key"] for each in students])))
        numbers = sorted(people)
        accounts = [{"platform_id": place, "person_id": n, "sub": f"sub-{n}", "role": "student"} for n in numbers]
        session.execute(insert(LtiAccountRow), accounts)
        session.execute(insert(LtiMemberRow), [{"context_id": context, "person_id": n} for n in numbers])
        session.add(LtiLineItemRow(context_id=context, assignment="small", url=""))
        attempts = [attempt_row(service, at, n, "small") for at, n in enumerate(numbers, 1)]
        session.execute(insert(AttemptRow), attempts)
        gradings = [grading_row(service, at, State.DONE, ended=service.now, **outcome) for at in range(1, number + 1)]
        session.execute(insert(GradingRow), gradings)
    return service


def sent_under_kills(service: Service, serving: Serving, faulty: FaultyPlatform, given: argparse.Namespace) -> int:
    """Let the service send all scores while it is killed. Return how many refused scores were sent again."""
    kills = [given.scores * part // (given.kills + 1) for part in range(1, given.kills + 1)]
    changes_at: int | None = given.scores // 3
    sent_again, end = 0, time.monotonic() + PATIENCE
    serving.start()
    while time.monotonic() < end:
        time.sleep(0.02)
        if kills and faulty.stored >= kills[0]:
            kills.pop(0)
            serving.stop(signal.SIGKILL)
            faulty.kills += 1
            serving.start()
        if changes_at is not None and faulty.stored >= changes_at:
            change_points(service)
            changes_at = None
        if not kills and changes_at is None:
            states = states_of(service)
            if states == {SendState.SENT: given.scores}:
                break
            if SendState.TO_SEND not in states and SendState.REFUSED in states:
                sent_again += refused_again(service)
            time.sleep(0.2)
    return sent_again


def change_points(service: Service) -> None:
    """Set the points of every tenth student by hand."""
    with service.database.writing() as session:
        accounts = session.scalars(select(LtiAccountRow.person_id).order_by(LtiAccountRow.person_id)).all()
        made = {"assignment": "small", "kind": Decision.SET, "comment": "", "who": "staff", "at": utc_now()}
        for each in accounts[::10]:
            session.add(DecisionRow(person_id=each, points=each % 7, **made))
        session.add(AuditRow(at=utc_now(), who="staff", about="", what="set the points of many students"))


def states_of(service: Service) -> dict[str, int]:
    """Return the number of scores in each state."""
    with service.database.reading() as session:
        return dict(session.execute(select(LtiScoreRow.state, func.count()).group_by(LtiScoreRow.state)).all())


def refused_again(service: Service) -> int:
    """Send the refused scores again, and return their number."""
    with service.database.writing() as session:
        rows = session.scalars(select(LtiScoreRow).filter_by(state=SendState.REFUSED)).all()
        send_again(session, rows, "staff", utc_now())
        return len(rows)


def report(service: Service, faulty: FaultyPlatform, sent_again: int) -> bool:
    """Print counts of the scores that reached the platform. Return True if each student has the last value and no value
    was repeated without a reason.
    """
    with service.database.reading() as session:
        wanted = dict(
            session.execute(
                select(LtiAccountRow.sub, LtiScoreRow.points).join(
                    LtiScoreRow, LtiScoreRow.person_id == LtiAccountRow.person_id
                )
            ).all()
        )
    stored = {user: said.get("scoreGiven") for _, user, said in faulty.platform.scores}
    repeats: Counter[str] = Counter()
    for each in faulty.deliveries.values():
        for before, after in pairwise(each):
            if (before.timestamp, before.points) == (after.timestamp, after.points):
                why = "after a kill" if before.kills != after.kills else "without a reason"
                repeats["after a lost answer" if not before.answered else why] += 1
    correct = sum(user in stored and stored[user] == points for user, points in wanted.items())
    for name, value in {
        "requests for scores and columns": faulty.counts["requests"],
        **{f"  {name}": faulty.counts[name] for name in FAULTS},
        "scores stored by the platform": faulty.stored,
        "refused scores sent again": sent_again,
        "repeated after a lost answer": repeats["after a lost answer"],
        "repeated after a kill": repeats["after a kill"],
        "repeated without a reason": repeats["without a reason"],
        "students with the last value": correct,
        "students without it": len(wanted) - correct,
    }.items():
        print(f"{name:<38}{value}")
    return correct == len(wanted) and not repeats["without a reason"]


if __name__ == "__main__":
    sys.exit(main())
