"""`grader serve`. This process serves pages, and stations and further web processes are its children. Each of them may
die at any moment without loss of data because all state is in the database.
"""

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from ipaddress import ip_address
from pathlib import Path
from urllib.parse import urlsplit

from sqlalchemy import select
from sqlalchemy.orm import Session

from grader.common.errors import InputError
from grader.common.files import write_whole
from grader.common.notices import NoticeRules
from grader.common.record import replace
from grader.common.sign_in import SignInRules
from grader.course.catalogue import Course
from grader.course.folders import read_text
from grader.service.db.migrate import migrate, require_current
from grader.service.db.session import Database, sqlite_url, utc_now
from grader.service.db.tables.people import CourseRole, PersonRow
from grader.service.errors import RefusedError
from grader.service.network.addresses import Network
from grader.service.people.auth.sessions import invite, person_named
from grader.service.serve.deliveries import delivery_thread
from grader.service.serve.notifier import mail_thread, notice_thread, webhook
from grader.service.serve.platform_jobs import platform_threads
from grader.service.serve.supervisor import ProcessSpec, StationSpec, supervised
from grader.service.web.server import Address, WebRules, run_server, state_for, with_rules

INSTRUCTOR, STUDENT = "instructor", "student"
"""Keys of the first people in a new service or a demo."""

UNNAMED_PROXY = (
    "sign_in.proxies is empty, so all people behind a TLS proxy share one limit on attempts to sign in; "
    "docs/operators.md explains how to list the proxy."
)


@dataclass(frozen=True, kw_only=True)
class ServeRequest:
    """The operator's options. `database` is the address of a database, or the folder for an SQLite database. `stations`
    describes the stations that run on this machine. `invite` contains the keys of people who get a new sign-in link.
    """

    database: str | Path
    course: Path
    guide: Path
    host: str
    port: int
    url: str | None
    stations: StationSpec
    web_processes: int = 1
    sign_in: SignInRules = field(default_factory=SignInRules)
    notices: NoticeRules = field(default_factory=NoticeRules)
    private_networks: tuple[Network, ...] = ()
    demo: bool = False
    invite: tuple[str, ...] = ()

    @property
    def address(self) -> Address:
        """Address on which the web processes listen."""
        return Address(host=self.host, port=self.port, is_shared=self.web_processes > 1)

    @property
    def origin(self) -> str:
        """The address that browsers use. Raises InputError if it is not a valid address."""
        return origin_of(self.url or f"http://{_in_address(self.host)}:{self.port}")


ADDRESS_FILE = "address.txt"
"""File in the folder of a service with the address that browsers use. `grader invite` reads it."""

USUAL_PORTS = {"http": ":80", "https": ":443"}
"""Default ports, which browsers omit from the origin of a form."""


def origin_of(url: str) -> str:
    """The origin of an address, as browsers send it. Raises InputError if `url` is not an address."""
    parts = urlsplit(url)
    if parts.scheme not in {"http", "https"} or not parts.netloc or parts.path.strip("/") or parts.query:
        raise InputError(
            f"--url {url} is not valid; give an address without a path, such as https://grader.example.org."
        )
    return f"{parts.scheme}://{parts.netloc.removesuffix(USUAL_PORTS[parts.scheme])}".lower()


def _in_address(host: str) -> str:
    """The host in the notation of a URL. Raises InputError for a host that browsers cannot open."""
    try:
        parsed = ip_address(host)
    except ValueError:
        return host
    if parsed.is_unspecified:
        raise InputError(
            f"--host {host} means every address of this machine. Set the address that browsers use with --url."
        )
    return f"[{host}]" if parsed.version == 6 else host


def serve(request: ServeRequest, say: Callable[[str], None]) -> None:
    """Run the service until interrupted. `say` prints a line."""
    course = Course(assignments=request.course / "assignments", reference=request.course / "reference")
    course.require_solutions()
    with closing(ready_database(request.database)) as database:
        rules = _rules(request)
        state = with_rules(state_for(database, request.course, request.guide, request.origin), rules, say)
        address = request.notices.address
        hook = None if address is None else webhook(address)
        request.address.require_free()
        with request.address.listen() as listener, supervised(_processes(request), database.url, say):
            if isinstance(request.database, Path):
                write_whole(request.database / ADDRESS_FILE, f"{request.origin}\n")
            for line in first_lines(database, request):
                say(line)
            origin = request.origin
            with (
                notice_thread(database, origin, hook, say),
                mail_thread(database, origin, state.sign_in.mail, say),
                platform_threads(state, say),
                delivery_thread(database, origin, request.private_networks, say),
            ):
                run_server(state, listener, rules.sign_in.proxies)


def _rules(request: ServeRequest) -> WebRules:
    """The rules for web processes. A demo prints mails unless a mail server is configured."""
    printed = request.demo and request.sign_in.mail is None
    sign_in = replace(request.sign_in, mail="printed") if printed else request.sign_in
    return WebRules(sign_in=sign_in, private_networks=request.private_networks)


def _processes(request: ServeRequest) -> list[ProcessSpec]:
    """The child processes: stations, and further web processes that listen on the same address."""
    address = request.address
    web = ProcessSpec(
        name="web process",
        module="grader.service.web",
        arguments=(str(request.course), str(request.guide), request.origin, address.host, str(address.port)),
        environment={**os.environ},
        secret_line=_rules(request).handed_over(),
    )
    return [*request.stations.processes, *[web] * (request.web_processes - 1)]


def ready_database(where: str | Path) -> Database:
    """Open the database and make sure that its tables fit this grader. The tables of a database in a folder are
    upgraded if necessary. Raises InputError if they do not fit, and SetupError if the database does not answer.
    """
    if isinstance(where, Path):
        database = Database(sqlite_url(where))
        migrate(database)
        return database
    database = Database(where)
    require_current(database)
    return database


def first_lines(database: Database, request: ServeRequest) -> Iterator[str]:
    """Lines to print at the start: the address of the service, and sign-in links for the requested people. If the
    course does not have an instructor, creates one and includes a link for them.
    """
    with database.writing() as session:
        wanted = [_person(session, key) for key in request.invite]
        is_new = session.scalar(select(PersonRow.id).where(PersonRow.role == CourseRole.INSTRUCTOR).limit(1)) is None
        if is_new or request.demo:
            wanted.append(_ensured_person(session, INSTRUCTOR, "Instructor", CourseRole.INSTRUCTOR))
        if request.demo:
            wanted.append(_ensured_person(session, STUDENT, "Ada Student", CourseRole.STUDENT))
        each_once = dict.fromkeys(wanted)  # a second link would invalidate the person's first one
        links = [_link_line(session, each, "grader serve", request.origin) for each in each_once]
    yield f"serving {request.course} at {request.origin}; Ctrl-C ends this."
    yield from links
    if request.origin.startswith("https:") and not request.sign_in.proxies:
        yield UNNAMED_PROXY


def stored_address(folder: Path) -> str | None:
    """The address of the service that last used this folder, or None if it is unknown."""
    path = folder / ADDRESS_FILE
    return read_text(path).strip() if path.is_file() else None


def invitation_lines(database: Database, keys: Sequence[str], url: str) -> list[str]:
    """A line with a new sign-in link for each of these people. May be called while the service runs. Raises InputError
    for an unknown key. If `keys` is empty, raises InputError with the keys of the instructors.
    """
    origin = origin_of(url)
    require_current(database)
    with database.writing() as session:
        if not keys:
            wanted = select(PersonRow.key).where(PersonRow.role == CourseRole.INSTRUCTOR).order_by(PersonRow.key)
            found = ", ".join(session.scalars(wanted)) or "none yet"
            raise InputError(f"specify the key of a person. Instructors of this course: {found}.")
        people = dict.fromkeys(_person(session, key) for key in keys)
        return [_link_line(session, each, "grader invite", origin) for each in people]


def _link_line(session: Session, person: PersonRow, who: str, origin: str) -> str:
    """A line with a new sign-in link. Raises InputError if the person is deactivated."""
    try:
        token = invite(session, person, who, utc_now())
    except RefusedError as error:
        raise InputError(str(error)) from error
    return f"sign in as {person.name} ({person.key}), once: {origin}/join/{token}"


def _person(session: Session, key: str) -> PersonRow:
    found = person_named(session, {key})
    if found is None:
        raise InputError(f"this course has no person with the key {key!r}; add them to the roster first.")
    return found


def _ensured_person(session: Session, key: str, name: str, role: CourseRole) -> PersonRow:
    found = person_named(session, {key})
    if found is None:
        found = PersonRow(key=key, name=name, role=role, created=utc_now())
        session.add(found)
        session.flush()
    return found
