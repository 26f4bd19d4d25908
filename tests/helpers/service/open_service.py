"""A service that a real browser can open at a port of this machine. The test decides the outcomes of gradings."""

import socket
import threading
from contextlib import contextmanager

import uvicorn
from chromium_pipe import Driven
from services import Service

from grader.service.db.tables.people import PersonRow
from grader.service.people.auth.sessions import invite


@contextmanager
def opened(folder, **more):
    """Yield a service that listens on its `port` during the block."""
    listener = socket.create_server(("127.0.0.1", 0))
    port = listener.getsockname()[1]
    service = Service(folder, **{"origin": f"http://127.0.0.1:{port}", **more})
    service.port = port

    async def current(scope, receive, send):
        await service.app(scope, receive, send)  # a change of the sign-in methods replaces the application

    server = uvicorn.Server(uvicorn.Config(current, log_level="warning", timeout_graceful_shutdown=1))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    try:
        yield service
    finally:
        server.should_exit = True
        thread.join()
        service.database.close()


@contextmanager
def driving(browser, service, key):
    """Yield a Chromium in which this person is signed in."""
    driven = Driven(browser.program, browser.folder / f"driven-{key}")
    try:
        sign_in(driven, service, key)
        yield driven
    finally:
        driven.close()


def sign_in(driven, service, key):
    """Sign in by an invitation link, as people do."""
    with service.database.writing() as session:
        person = session.query(PersonRow).filter_by(key=key).one()
        token = invite(session, person, "test", service.now)
    driven.open(f"{service.origin}/join/{token}")
    driven.say("document.querySelector('main button').click()")
    driven.wait("/^(Assignments|Course) /.test(document.title)")


def errors(driven):
    """Return the errors that the browser reported, including violations of the content security policy."""
    return [each["text"] for each in driven.complaints if each["level"] == "error"]
