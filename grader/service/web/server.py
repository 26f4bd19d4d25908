"""A web process: the server of its pages, on a socket of its own at an address that several processes may share."""

import errno
import gc
import logging
import socket
from collections.abc import Callable, Sequence
from pathlib import Path

import uvicorn

from grader.common.errors import InputError
from grader.common.record import Record, replace
from grader.common.sign_in import SignInRules
from grader.course.catalogue import Course
from grader.service.auth.mail_links import Surroundings
from grader.service.auth.methods import entry_of
from grader.service.course.assignments import AssignmentCache
from grader.service.course.saved_assignments import memory_in
from grader.service.db.session import Database
from grader.service.web import app
from grader.service.web.connections import PatientProtocol, Seldom, raise_limit_of_files
from grader.service.web.state import AppState


def state_for(database: Database, course: Path, guide: Path, origin: str) -> AppState:
    """State of the application. Raises InputError for a course with an assignment that could never be read."""
    places = Course(assignments=course / "assignments", reference=course / "reference")
    cache = AssignmentCache(places, guide, fresh=1.0, recall=memory_in(database))
    known = {each.name for each in cache.all()}
    if not known or not known.issuperset(cache.names()):
        for problem in cache.problems():
            raise InputError(problem)
    return AppState(database=database, cache=cache, origin=origin)


def with_entry(web: AppState, rules: SignInRules, say: Callable[[str], None]) -> AppState:
    """The same, with the ways to sign in that these rules allow; `say` prints mails where they say so."""
    around = Surroundings(database=web.database, origin=web.origin, now=web.now)
    return replace(web, entry=entry_of(rules, around, say))


def answer(web: AppState, listener: socket.socket, proxies: Sequence[str] = ()) -> None:
    """Answer what comes until told to stop; proxies are believed for whom they ask."""
    config = uvicorn.Config(
        app.make_app(web),
        access_log=False,  # addresses of invitations are secrets
        log_level="warning",
        server_header=False,
        proxy_headers=bool(proxies),  # rate limits count by the client's address; nothing else depends on it
        forwarded_allow_ips=list(proxies),
        http=PatientProtocol,
        timeout_graceful_shutdown=3,
    )
    raise_limit_of_files()
    for talkative in ("uvicorn.error", "python_multipart.multipart", app.LOG.name):
        logging.getLogger(talkative).addFilter(Seldom())
    gc.collect()
    gc.freeze()  # what is there now stays: to look through it again and again stops all pages for a tenth of a second
    uvicorn.Server(config).run(sockets=[listener])


class Address(Record):
    """A host of this machine, and a port; several processes listen there where it `is_shared`."""

    host: str
    port: int
    is_shared: bool = False

    def claim(self) -> None:
        """Make sure that nobody else listens there: those who share an address are not told of each other. Raises
        InputError if somebody does, or if it cannot be had.
        """
        try:
            socket.create_server((self.host, self.port), family=self._family).close()
        except OSError as error:
            raise InputError(f"cannot listen on {self.host}, port {self.port}: {_why_not(error)}") from error

    def listen(self) -> socket.socket:
        """A socket of this process's own. The system deals connections out evenly among those of a shared address; on
        one socket for all, whichever process wakes first takes all that have come: three times as many as the other.
        Another program of this user could take its part, so an address is shared only where it must be.
        """
        return socket.create_server((self.host, self.port), family=self._family, reuse_port=self.is_shared)

    @property
    def _family(self) -> socket.AddressFamily:
        return socket.AF_INET6 if ":" in self.host else socket.AF_INET


def _why_not(error: OSError) -> str:
    """The reason and the next step; Python's own words have more, in brackets."""
    reason = (error.strerror or str(error)).partition(" (")[0]
    match error.errno:
        case errno.EADDRINUSE:
            return "another program listens there; choose another port: --port NUMBER, or `make serve PORT=NUMBER`."
        case errno.EACCES:
            return f"{reason}; choose a port above 1023: --port NUMBER, or `make serve PORT=NUMBER`."
        case _:
            return f"{reason}; name an address of this machine with --host, or leave it out."
