"""`grader serve`: the web process here, and one station as a child. Each may die at any moment; the database stays.

A station that ends is started again, more slowly each time that it ends soon: one that cannot grade says why, and what
was handed in waits.
"""

import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

import uvicorn
from sqlalchemy import select
from sqlalchemy.orm import Session

from grader.common.errors import InputError
from grader.course.catalogue import Course
from grader.service.clock import utc_now
from grader.service.courses import Shelf
from grader.service.database.connecting import Database, sqlite_url
from grader.service.database.tables import CourseRole, PersonRow
from grader.service.signing_in import invite
from grader.service.web.app import make_app
from grader.service.web.connections import PatientProtocol, raise_limit_of_files
from grader.service.web.setting import Web

STATION = ("-P", "-m", "grader.service.station")
"""-P: nothing is imported from the working directory."""

SOON, MOST = 1.0, 60.0
"""Seconds before a station that has ended is started again: the first time, and at most."""

STEADY = 120.0
"""Seconds after which a station that ends counts as one that worked."""

LEAVE = 25.0
"""Seconds in which a station must have ended; it gives itself twenty."""

INSTRUCTOR, STUDENT = "instructor", "student"
"""The keys of the people whom a new service, and a demo, begins with."""


@dataclass(frozen=True, kw_only=True)
class ServeRequest:
    """What an operator asks for. `orders` are the settings by which the station grades, `variables` those that are its
    own; `invite` are the keys of people who get a new sign-in link.
    """

    data: Path
    course: Path
    guide: Path
    host: str
    port: int
    url: str | None
    orders: str
    demo: bool = False
    invite: tuple[str, ...] = ()
    variables: Mapping[str, str] = field(default_factory=dict)

    @property
    def origin(self) -> str:
        """The address that browsers use; raises InputError if it is none."""
        if self.url is None:
            return f"http://{self.host}:{self.port}"
        parts = urlsplit(self.url)
        if parts.scheme not in {"http", "https"} or not parts.netloc or parts.path.strip("/") or parts.query:
            raise InputError(f"{self.url} is not an address such as https://grader.example.org; correct --url.")
        return f"{parts.scheme}://{parts.netloc}".lower()


def serve(request: ServeRequest, say: Callable[[str], None]) -> None:
    """Serve until interrupted; `say` prints a line."""
    course = Course(assignments=request.course / "assignments", reference=request.course / "reference")
    course.require_solutions()
    with closing(Database(sqlite_url(request.data))) as database:
        database.migrate()
        shelf = Shelf(course, request.guide)
        shelf.all()  # an assignment that cannot be read is said now
        web = Web(database=database, shelf=shelf, origin=request.origin)
        server = uvicorn.Server(
            uvicorn.Config(
                make_app(web),
                access_log=False,  # addresses of invitations are secrets
                log_level="warning",
                server_header=False,
                proxy_headers=False,  # nothing depends on where a request comes from
                http=PatientProtocol,
                timeout_graceful_shutdown=3,
            )
        )
        raise_limit_of_files()
        with _listening(request) as listener, _station(request, database.url, say):
            for line in first_lines(database, request):
                say(line)
            server.run(sockets=[listener])


def _listening(request: ServeRequest) -> socket.socket:
    """The socket that browsers reach; raises InputError if it cannot be had."""
    family = socket.AF_INET6 if ":" in request.host else socket.AF_INET
    try:
        return socket.create_server((request.host, request.port), family=family)
    except OSError as error:
        raise InputError(
            f"cannot listen on {request.host}, port {request.port}: {error.strerror}; choose another with --port."
        ) from error


def first_lines(database: Database, request: ServeRequest) -> Iterator[str]:
    """Where the service is, and the sign-in links that were asked for or without which nobody could come in."""
    with database.writing() as session:
        wanted = [_person(session, key) for key in request.invite]
        nobody = session.scalar(select(PersonRow.id).where(PersonRow.role == CourseRole.INSTRUCTOR).limit(1)) is None
        if nobody or request.demo:
            wanted.append(_made(session, INSTRUCTOR, "Instructor", CourseRole.INSTRUCTOR))
        if request.demo:
            wanted.append(_made(session, STUDENT, "Ada Student", CourseRole.STUDENT))
        links = [(each.name, each.key, invite(session, each, "grader serve", utc_now())) for each in wanted]
    yield f"serving {request.course} at {request.origin}; Ctrl-C ends this."
    for name, key, token in links:
        yield f"sign in as {name} ({key}), once: {request.origin}/join/{token}"


def _person(session: Session, key: str) -> PersonRow:
    found = session.scalar(select(PersonRow).where(PersonRow.key == key))
    if found is None:
        raise InputError(f"there is nobody with the key {key!r} in this course; add them to the roster first.")
    return found


def _made(session: Session, key: str, name: str, role: CourseRole) -> PersonRow:
    found = session.scalar(select(PersonRow).where(PersonRow.key == key))
    if found is None:
        found = PersonRow(key=key, name=name, role=role, created=utc_now())
        session.add(found)
        session.flush()
    return found


@contextmanager
def _station(request: ServeRequest, url: str, say: Callable[[str], None]) -> Iterator[None]:
    """In the block, a station runs."""
    over = threading.Event()
    command = [sys.executable, *STATION, url, str(request.course), request.orders]
    thread = threading.Thread(target=_keep_running, args=(command, request.variables, over, say), name="station")
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def _keep_running(
    command: list[str], variables: Mapping[str, str], over: threading.Event, say: Callable[[str], None]
) -> None:
    pause = SOON
    while not over.is_set():
        begun = time.monotonic()
        # Its standard input is closed when this process ends, however that is.
        process = subprocess.Popen(  # noqa: S603 - our own module, run by our own Python
            command, stdin=subprocess.PIPE, env={**variables}, start_new_session=True
        )
        while process.poll() is None and not over.wait(0.2):
            pass
        if over.is_set():
            _end(process)
            return
        pause = SOON if time.monotonic() - begun > STEADY else min(MOST, 2 * pause)
        say(f"the station ended with exit code {process.returncode}; another starts in {pause:g} s.")
        over.wait(pause)


def _end(process: "subprocess.Popen[bytes]") -> None:
    process.terminate()
    try:
        process.wait(LEAVE)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
