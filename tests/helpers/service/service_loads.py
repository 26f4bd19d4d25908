"""A service under load: web processes, stations that replay a recorded grading, a small course, and students."""

import os
import pickle
import re
import shutil
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import httpx2
from hidden_parts import right
from postgresql import Server
from project import HELPERS, ROOT
from replay import Recording, record
from services import field, parts
from serving_course import Serving, children

from grader.course.catalogue import Course
from grader.grading.settings import load_settings
from grader.service.db.migrate import migrate
from grader.service.db.session import Database, sqlite_url, utc_now
from grader.service.db.tables.grading_states import State
from grader.service.db.tables.people import CourseRole, PersonRow
from grader.service.db.tables.submissions import AttemptRow, GradingRow
from grader.service.people.auth.sessions import invite
from grader.service.station.grader import ready

ASSIGNMENT = "vectorAdd"
REPLAY = HELPERS / "service" / "replay.py"


class Home:
    """A complete service in a folder. `kind` is sqlite or postgresql. `grading` is the duration in seconds of an
    invented grading. If it is None, a real grading is recorded, and replayed `faster` times as fast. Each of the `webs`
    is a `grader serve` with this number of `web_processes`. If `pending` is true, each invented grading leaves a hidden
    case that is run later.
    """

    def __init__(self, folder, kind, webs=1, stations=2, grading=None, faster=1.0, web_processes=1, *, pending=False):  # noqa: PLR0913, PLR0917
        self.folder, self.kind, self.pending = folder, kind, pending
        _course(folder / "course")
        self.server = Server().start() if kind == "postgresql" else None
        self.url = self.server.new() if self.server else sqlite_url(folder / "data")
        self.database = Database(self.url)
        migrate(self.database)
        self.recording = self._record().faster(faster) if grading is None else self._made_up(grading)
        (folder / "recording").write_bytes(pickle.dumps(self.recording))
        url, counts = self.url if self.server else None, {"stations": 0, "web_processes": web_processes}
        self.webs = [Serving(folder, folder, url, **counts) for _ in range(webs)]
        for each in self.webs:
            each.settings.pop("GRADER_LOCKS")
            each.address = self.webs[0].origin
            each.start()
        self.stations = [self._station() for _ in range(stations)]

    def _places(self):
        return Course(
            assignments=self.folder / "course" / "assignments", reference=self.folder / "course" / "reference"
        )

    def _record(self):
        places = self._places()
        settings = load_settings({"sandbox": "process", "course": self.folder / "course"})
        source = (places.reference / ASSIGNMENT / "kernels.cl").read_bytes()
        return record(places, settings.as_json({"sandbox": "process"}), ASSIGNMENT, source)

    def _made_up(self, seconds):
        assignment = self._places().load(ASSIGNMENT)
        events = tuple((seconds * part / 5, f"part {part} of 5") for part in range(5))
        graded = replace(ready(right(assignment), assignment), is_pending=self.pending)
        return Recording(events, graded, seconds)

    def _station(self):
        with (self.folder / "stations.log").open("ab") as log:
            return subprocess.Popen(
                [sys.executable, str(REPLAY), str(self.folder / "recording")],
                env={**os.environ, "GRADER_DATABASE": self.url},
                stdout=log,
                stderr=log,
            )

    def kill_web(self, number):
        """Kill a web process and start it again."""
        self.webs[number].process.kill()
        self.webs[number].process.wait()
        self.webs[number].start()

    def kill_station(self, number):
        """Kill a station and start another."""
        self.stations[number].kill()
        self.stations[number].wait()
        self.stations[number] = self._station()

    def kill_server(self):
        """Kill the database server and start it again."""
        self.server.kill()
        self.server.start()

    def enrol(self, people):
        """Add students, and return a token for each with which the student can sign in once."""
        with self.database.writing() as session:
            rows = [
                PersonRow(key=f"s{n}", name=f"S {n}", role=CourseRole.STUDENT, created=utc_now()) for n in range(people)
            ]
            session.add_all(rows)
            session.flush()
            return [invite(session, each, "load", utc_now()) for each in rows]

    def browser(self, token, number=0):
        """Return a client of one web process in which the owner of the token is signed in."""
        client = httpx2.Client(timeout=30)
        move(client, self.webs[number % len(self.webs)])
        assert client.post("/join", files=parts(token=token)).status_code == 303
        return client

    def stored(self):
        """Return for each grading the attempt's address and person, the grading's state, and whether it is the one that
        counts.
        """
        with self.database.reading() as session:
            columns = AttemptRow.public, AttemptRow.person_id, GradingRow.state, AttemptRow.counted_id == GradingRow.id
            return [tuple(row) for row in session.query(*columns).join(GradingRow.attempt)]

    def ends(self):
        """Return the times at which gradings ended, in seconds since 1970, earliest first."""
        with self.database.reading() as session:
            done = session.query(GradingRow.ended).filter(GradingRow.state == State.DONE).order_by(GradingRow.ended)
            return [row.ended.timestamp() for row in done]

    def web_pids(self):
        """Return the ids of all processes that serve pages."""
        return [pid for web in self.webs for pid in (web.process.pid, *children(web.process))]

    def drained(self):
        """True if no grading is waiting or running."""
        return not any(State(state).open or state == State.SHOWN for _, _, state, _ in self.stored())

    def close(self):
        for each in (*self.stations, *(web.process for web in self.webs)):
            each.terminate()
            each.wait(60)
        self.database.close()
        if self.server:
            self.server.close()


def move(client, web):
    """Let a client continue at another web process."""
    client.base_url, client.headers["origin"] = web.origin, web.address


def _course(folder):
    for kind in ("assignments", "reference"):
        shutil.copytree(ROOT / kind / ASSIGNMENT, folder / kind / ASSIGNMENT)
    (folder / "course.yaml").write_text("attempts: {most: 20}\n")


def form_of(client):
    """Return the two keys of the form for submissions."""
    page = client.get(f"/assignments/{ASSIGNMENT}")
    page.raise_for_status()
    return {name: field(page, name) for name in ("form_token", "form_key")}


def send(client, keys, source):
    """Send the form. Return the public name of the attempt, or None if the service could not store the attempt."""
    said = client.post(f"/assignments/{ASSIGNMENT}/attempts", files=parts(**keys, file=("kernels.cl", source)))
    if said.status_code >= 500:
        return None
    assert said.status_code == 303, said.text
    return re.search("/attempts/(.*)", said.headers["location"])[1]


def until_true(condition, seconds):
    """True if the condition becomes true in time."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.5)
    return True


def memory(pid):
    """Return the resident memory of a process in MiB."""
    return int(re.search(r"VmRSS:\s+(\d+)", Path(f"/proc/{pid}/status").read_text())[1]) / 1024
