"""The HTTP server of a web process. It has its own socket, at an address that several processes may share."""

import errno
import gc
import logging
import socket
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import uvicorn
from pydantic import IPvAnyNetwork

from grader.common.errors import InputError
from grader.common.record import Record
from grader.common.secret import HANDED_OVER
from grader.common.sign_in import SignInRules
from grader.course.catalogue import Course
from grader.service.course.assignment_view import memory_in
from grader.service.course.assignments import AssignmentCache
from grader.service.db.session import Database
from grader.service.lti.platform_client import PlatformClient
from grader.service.network.client import HttpClient
from grader.service.people.auth.mail_links import LinkContext
from grader.service.people.auth.methods import sign_in_methods
from grader.service.web import app
from grader.service.web.http.connections import LogRateFilter, TimeLimitedProtocol, raise_file_limit
from grader.service.web.state import AppState


def state_for(database: Database, course: Path, guide: Path, origin: str) -> AppState:
    """Create the state of the application. Raises InputError if the course has an assignment that could
    never be read.
    """
    places = Course(assignments=course / "assignments", reference=course / "reference")
    cache = AssignmentCache(places, guide, fresh=1.0, recall=memory_in(database))
    known = {each.name for each in cache.all()}
    if not known or not known.issuperset(cache.names()):
        for problem in cache.problems():
            raise InputError(problem)
    return AppState(database=database, cache=cache, origin=origin)


class WebRules(Record):
    """The operator's rules for web processes."""

    sign_in: SignInRules = SignInRules()
    private_networks: tuple[IPvAnyNetwork, ...] = ()

    def handed_over(self) -> str:
        """Return these rules as one line of JSON, including secrets, for a process that the service starts."""
        return self.model_dump_json(context=HANDED_OVER)


def with_rules(state: AppState, rules: WebRules, say: Callable[[str], None]) -> AppState:
    """Add what these rules allow. `say` prints mails if the rules ask for printed mails."""
    context = LinkContext(database=state.database, origin=state.origin, now=state.now)
    client = PlatformClient(http=HttpClient(private=rules.private_networks))
    return replace(state, sign_in=sign_in_methods(rules.sign_in, context, say), lti=client)


def run_server(state: AppState, listener: socket.socket, proxies: Sequence[str] = ()) -> None:
    """Serve pages until the process is stopped. Client addresses are trusted if one of the `proxies` reports them."""
    config = uvicorn.Config(
        app.make_app(state),
        access_log=False,  # paths of invitations are secrets
        log_level="warning",
        server_header=False,
        proxy_headers=bool(proxies),  # only rate limits depend on the client's address
        forwarded_allow_ips=list(proxies),
        http=TimeLimitedProtocol,
        timeout_graceful_shutdown=3,
    )
    raise_file_limit()
    for talkative in ("uvicorn.error", "python_multipart.multipart", app.LOG.name):
        logging.getLogger(talkative).addFilter(LogRateFilter())
    gc.collect()
    gc.freeze()  # collecting the present objects, which stay, would block all pages for 0.1 s
    uvicorn.Server(config).run(sockets=[listener])


class Address(Record):
    """A host name or address of this machine, and a port. If `is_shared` is true, several processes listen on it."""

    host: str
    port: int
    is_shared: bool = False

    def require_free(self) -> None:
        """Raise InputError if another program listens on the address, or if it is not available. This check is needed
        because programs that share an address do not notice each other.
        """
        try:
            socket.create_server((self.host, self.port), family=self._family).close()
        except OSError as error:
            raise InputError(f"cannot listen on {self.host}, port {self.port}: {_why_not(error)}") from error

    def listen(self) -> socket.socket:
        """Create a socket for this process. The system distributes connections evenly among the sockets of a shared
        address. With one socket for all processes, the first process to wake up would accept all waiting connections,
        so that one of two processes gets three times as many as the other. Another program of this user could also join
        a shared address, so it is shared only among several processes.
        """
        return socket.create_server((self.host, self.port), family=self._family, reuse_port=self.is_shared)

    @property
    def _family(self) -> socket.AddressFamily:
        return socket.AF_INET6 if ":" in self.host else socket.AF_INET


def _why_not(error: OSError) -> str:
    """The reason and the next step. The text in brackets in Python's own message is removed."""
    reason = (error.strerror or str(error)).partition(" (")[0]
    match error.errno:
        case errno.EADDRINUSE:
            return "another program listens there; choose another port: --port NUMBER, or `make serve PORT=NUMBER`."
        case errno.EACCES:
            return f"{reason}; choose a port above 1023: --port NUMBER, or `make serve PORT=NUMBER`."
        case _:
            return f"{reason}; give an address of this machine with --host, or omit the option."
