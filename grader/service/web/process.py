"""A web process: the server of its pages, on a socket that may be shared with others of its kind."""

import logging
import socket
from pathlib import Path

import uvicorn

from grader.course.catalogue import Course
from grader.service.courses import Shelf
from grader.service.database.connecting import Database
from grader.service.web.app import make_app
from grader.service.web.connections import PatientProtocol, Seldom, raise_limit_of_files
from grader.service.web.setting import Web


def web_for(database: Database, course: Path, guide: Path, origin: str) -> Web:
    """What it works with. Raises InputError for a course with an assignment that cannot be read."""
    places = Course(assignments=course / "assignments", reference=course / "reference")
    shelf = Shelf(places, guide)
    shelf.all()
    return Web(database=database, shelf=shelf, origin=origin)


def answer(web: Web, listener: socket.socket) -> None:
    """Answer what comes until told to stop."""
    config = uvicorn.Config(
        make_app(web),
        access_log=False,  # addresses of invitations are secrets
        log_level="warning",
        server_header=False,
        proxy_headers=False,  # nothing depends on where a request comes from
        http=PatientProtocol,
        timeout_graceful_shutdown=3,
    )
    raise_limit_of_files()
    logging.getLogger("uvicorn.error").addFilter(Seldom())
    uvicorn.Server(config).run(sockets=[listener])
