"""A service with a small course, a clock that the test sets, and simulated browsers."""

import io
import re
import zipfile
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from courses import course_of
from event_loop import shared_loop
from fastapi.testclient import TestClient
from hidden_parts import failing, right
from project import ROOT

from grader.course.policies.rules import Policies
from grader.service.course.assignment_view import memory_in
from grader.service.course.assignments import AssignmentCache
from grader.service.course.limits import rules_of
from grader.service.db.migrate import migrate
from grader.service.db.session import Database, sqlite_url
from grader.service.db.tables.people import CourseRole, PersonRow
from grader.service.db.tables.submissions import AttemptRow, GradingRow
from grader.service.people.auth.api_tokens import TokenRequest, create_token
from grader.service.people.auth.sessions import invite
from grader.service.station.storage import ready, ready_dry_run
from grader.service.submissions.accept import REGRADING_PRIORITY, HandInRequest, accept, new_grading
from grader.service.submissions.dry_runs import DryRunRequest, make
from grader.service.submissions.health import QueueSnapshot
from grader.service.submissions.queue import claim, finish
from grader.service.web.app import make_app
from grader.service.web.state import AppState

ORIGIN = "http://127.0.0.1:8000"
NOON = datetime(2026, 11, 23, 12, tzinfo=UTC)
SOURCE = b"__kernel void add() {}\n"
FREE = rules_of(Policies())

OUTCOMES = {}
"""Invented outcomes, by the hash of their assignment and by whether they are right."""


@cache
def migrated():
    """Return the bytes of an empty database file with the current tables. They are cached, because all migrations
    together take half a second.
    """
    with TemporaryDirectory() as folder:
        database = Database(sqlite_url(Path(folder)))
        migrate(database)
        database.close()
        return (Path(folder) / "service.sqlite").read_bytes()


class Service:
    """A database, a course with the assignment "small", and the web application for them."""

    def __init__(self, folder, course=None, origin=ORIGIN, policies="", url=None):
        self.course = course or course_of(folder / "course")
        self.data = folder / "data"
        if url is None:
            sqlite_url(self.data)
            (self.data / "service.sqlite").write_bytes(migrated())
        self.database = Database(url or sqlite_url(self.data))
        if url is not None:
            migrate(self.database)
        (self.course.assignments.parent / "course.yaml").write_text(
            policies or "attempts: {most: 20}\ncounts: best\nleaderboard: true\n"
        )
        self.now, self.origin = NOON, origin
        cache = AssignmentCache(self.course, ROOT / "docs" / "reading-your-report.md", recall=memory_in(self.database))
        self.app_state = AppState(
            database=self.database, cache=cache, origin=origin, now=lambda: self.now, snapshot=QueueSnapshot(fresh=0)
        )
        self.app = make_app(self.app_state)
        self.ada, self.ben = self.person("ada", CourseRole.STUDENT), self.person("ben", CourseRole.STUDENT)
        self.staff = self.person("staff", CourseRole.INSTRUCTOR)
        self.forms = 0

    def person(self, key, role):
        """Add a person, and return the id of the row."""
        with self.database.writing() as session:
            row = PersonRow(key=key, name=key.capitalize(), role=role, created=self.now)
            session.add(row)
            session.flush()
            return row.id

    def token(self, person, scopes):
        """Return a new API token of this person."""
        with self.database.writing() as session:
            return create_token(session, person, TokenRequest(name="laptop", scopes=scopes), self.now)

    def passes(self, **time):
        self.now += timedelta(**time)

    def offer(self, person=None, data=SOURCE, form_key=None, assignment="small"):
        self.forms += 1
        return HandInRequest(
            person_id=person or self.ada,
            assignment=assignment,
            file_name="kernels.cl",
            data=data,
            form_key=form_key or f"form {self.forms}",
        )

    def hand_in(self, rules=FREE, **more):
        """Store an attempt, and return its id."""
        with self.database.writing() as session:
            return accept(session, self.offer(**more), rules, self.now).id

    def dry_run(self, person=None, rules=FREE, **more):
        """Request a dry run, and return the id of its grading."""
        fields = {"assignment": "small", "data": SOURCE, "per_hour": 20, **more}
        asked = DryRunRequest(person_id=person or self.ada, **fields)
        with self.database.writing() as session:
            return make(session, asked, rules, self.now).grading.id

    def tried(self, outcome=None, **more):
        """Request a dry run, which must be the next in the queue, and let a station grade it."""
        number, assignment = self.dry_run(**more), self.course.load("small")
        claimed = self.claim()
        assert (claimed.grading_id, claimed.is_dry_run) == (number, True)
        self.finish(claimed, ready_dry_run(outcome or right(assignment), assignment))
        return number

    def claim(self, station="one"):
        with self.database.writing() as session:
            return claim(session, station, self.now)

    def state(self, attempt):
        """Return the state of the attempt's latest grading."""
        return self.gradings(attempt)[-1].state

    def gradings(self, attempt):
        with self.database.reading() as session:
            return session.query(GradingRow).filter_by(attempt_id=attempt).order_by(GradingRow.id).all()

    def attempt(self, number):
        with self.database.reading() as session:
            return session.get_one(AttemptRow, number)

    def graded(self, attempt, outcome=None):
        """Let a station grade an attempt, which must be the next in the queue."""
        claimed = self.claim()
        assert claimed.grading_id == self.gradings(attempt)[-1].id
        self.finish(claimed, outcome)
        return attempt

    def regrade(self, attempt):
        """Queue an attempt for grading again, behind new attempts."""
        with self.database.writing() as session:
            row = session.get_one(AttemptRow, attempt)
            row.gradings.append(new_grading("regraded", REGRADING_PRIORITY, self.now))

    def finish(self, claimed, outcome=None):
        with self.database.writing() as session:
            assert finish(session, claimed, outcome or graded(self.course), self.now)

    def browser(self, key=None):
        """Return a browser in which this person is signed in, or without a sign-in if there is no key."""
        client = TestClient(self.app, base_url=self.origin, headers={"origin": self.origin}, follow_redirects=False)
        client.portal = shared_loop()
        if key is not None:
            with self.database.writing() as session:
                person = session.query(PersonRow).filter_by(key=key).one()
                token = invite(session, person, "test", self.now)
            assert client.post("/join", files={"token": (None, token)}).status_code == 303
        return client

    def page_of(self, attempt):
        return f"/attempts/{self.attempt(attempt).public}"


def graded(course, *, passed=True):
    """Return an invented outcome for the assignment, in the form that a station stores. Outcomes are cached, because a
    page takes longer than anything else in most tests.
    """
    assignment = course.load("small")
    made = (assignment.sha256, passed)
    if made not in OUTCOMES:
        whole = right(assignment)
        OUTCOMES[made] = ready(whole if passed else failing(whole, 1), assignment)
    return OUTCOMES[made]


def visible(page):
    """Return the text of a page without its tags. Attributes of tags contain random keys."""
    return re.sub("<[^>]*>", " ", page.text)


def field(page, name):
    """Return the value of a field in the page's form."""
    return re.search(rf'name="{name}" value="([^"]*)"', page.text)[1]


def parts(**fields):
    """Return form fields as a browser sends them."""
    return {name: value if isinstance(value, tuple) else (None, value) for name, value in fields.items()}


def post(client, path, form="/", **fields):
    """Send a form with the token from the page `form`."""
    return client.post(path, files=parts(form_token=field(client.get(form), "form_token"), **fields))


def upload(client, data=SOURCE, name="kernels.cl", page="/assignments/small", **more):
    """Submit with the form of the page. If the page has no form because it does not accept files, use the editor's
    form.
    """
    shown = client.get(page)
    if 'name="form_key"' not in shown.text:
        shown = client.get(f"{page}/edit")
    fields = {"form_token": field(shown, "form_token"), "form_key": field(shown, "form_key"), **more}
    return client.post(f"{page}/attempts", files=parts(**fields, file=(name, data)))


def told(service, attempt):
    """Return everything that a student can see of an attempt: pages, files, the API, events, and the zip of personal
    data.
    """
    ada, page = service.browser("ada"), service.page_of(attempt)
    bearer = {"authorization": f"Bearer {service.token(service.ada, 'read')}"}
    pages = ("/", "/assignments/small", page, f"{page}/report", f"{page}/download/result.json", f"{page}/events")
    programs = ("/api/v1/assignments", "/api/v1/assignments/small/attempts", f"/api/v1{page}", f"/api/v1{page}/report")
    texts = [ada.get(each).text for each in pages]
    texts += [service.browser().get(each, headers=bearer).text for each in programs]
    with zipfile.ZipFile(io.BytesIO(ada.get("/data.zip").content)) as archive:
        texts += [archive.read(name).decode() for name in archive.namelist() if not name.startswith("files/")]
    return texts
