"""A web process: the server of pages, on its own socket, at an address that several processes may share."""

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
from grader.service.auth.mail_links import LinkContext
from grader.service.auth.methods import sign_in_methods
from grader.service.course.assignments import AssignmentCache
from grader.service.course.saved_assignments import memory_in
from grader.service.db.session import Database
from grader.service.web import app
from grader.service.web.connections import LogRateFilter, TimeLimitedProtocol, raise_file_limit
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


def with_sign_in(state: AppState, rules: SignInRules, say: Callable[[str], None]) -> AppState:
    """The state with the ways to sign in that these rules allow. `say` prints mails if the rules ask for that."""
    context = LinkContext(database=state.database, origin=state.origin, now=state.now)
    return replace(state, sign_in=sign_in_methods(rules, context, say))


def run_server(state: AppState, listener: socket.socket, proxies: Sequence[str] = ()) -> None:
    """Serve pages until the process is stopped. The client addresses that `proxies` report are trusted."""
    config = uvicorn.Config(
        app.make_app(state),
        access_log=False,  # addresses of invitations are secrets
        log_level="warning",
        server_header=False,
        proxy_headers=bool(proxies),  # rate limits count by the client's address; nothing else depends on it
        forwarded_allow_ips=list(proxies),
        http=TimeLimitedProtocol,
        timeout_graceful_shutdown=3,
    )
    raise_file_limit()
    for talkative in ("uvicorn.error", "python_multipart.multipart", app.LOG.name):
        logging.getLogger(talkative).addFilter(LogRateFilter())
    gc.collect()
    gc.freeze()  # present objects stay: each collection of them would stop all pages for a tenth of a second
    uvicorn.Server(config).run(sockets=[listener])


class Address(Record):
    """A host of this machine and a port. If it `is_shared`, several processes listen there."""

    host: str
    port: int
    is_shared: bool = False

    def require_free(self) -> None:
        """Raise InputError if another program listens at the address, or if it is not available. Programs that share an
        address would not notice each other.
        """
        try:
            socket.create_server((self.host, self.port), family=self._family).close()
        except OSError as error:
            raise InputError(f"cannot listen on {self.host}, port {self.port}: {_why_not(error)}") from error

    def listen(self) -> socket.socket:
        """A socket of this process. The system distributes connections evenly among the sockets of a shared address.
        With one socket for all processes, the first to wake takes all waiting connections: three times as many as the
        other. Another program of this user could take a share, so an address is only shared if there are several
        processes.
        """
        return socket.create_server((self.host, self.port), family=self._family, reuse_port=self.is_shared)

    @property
    def _family(self) -> socket.AddressFamily:
        return socket.AF_INET6 if ":" in self.host else socket.AF_INET


def _why_not(error: OSError) -> str:
    """The reason and the next step. Python's own message has further text in brackets, which is left out."""
    reason = (error.strerror or str(error)).partition(" (")[0]
    match error.errno:
        case errno.EADDRINUSE:
            return "another program listens there; choose another port: --port NUMBER, or `make serve PORT=NUMBER`."
        case errno.EACCES:
            return f"{reason}; choose a port above 1023: --port NUMBER, or `make serve PORT=NUMBER`."
        case _:
            return f"{reason}; name an address of this machine with --host, or leave it out."
