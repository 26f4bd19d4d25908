"""connections.py: who says nothing is not waited for."""

import asyncio
import resource

import uvicorn

from grader.service.web import connections
from grader.service.web.connections import PatientProtocol, raise_limit_of_files


async def _answers_nothing(_scope, _receive, _send):
    """Never called: no request comes."""


async def _until_closed(words):
    """Connect to a server, say this, and return what comes until the connection ends."""
    config = uvicorn.Config(_answers_nothing, http=PatientProtocol, log_level="critical", lifespan="off")
    config.load()
    loop = asyncio.get_running_loop()
    state = uvicorn.server.ServerState()
    server = await loop.create_server(lambda: PatientProtocol(config, state, {}), "127.0.0.1", 0)
    async with server:
        reader, writer = await asyncio.open_connection(*server.sockets[0].getsockname())
        writer.write(words)
        try:
            return await asyncio.wait_for(reader.read(), 10)
        finally:
            writer.close()


def test_a_connection_that_asks_nothing_is_closed(monkeypatch):
    """Also one whose request never ends; or some hundred of them would keep everybody out."""
    monkeypatch.setattr(connections, "PATIENCE", 0.2)
    for words in (b"", b"GET / HTTP/1.1\r\nHost: x\r\n"):
        assert asyncio.run(_until_closed(words)) == b""


def test_the_service_may_have_all_the_connections_that_the_system_allows(monkeypatch):
    """Not the 1,024 that it starts with."""
    seen = []
    monkeypatch.setattr(resource, "getrlimit", lambda _: (1024, 5000))
    monkeypatch.setattr(resource, "setrlimit", lambda *given: seen.append(given))
    raise_limit_of_files()
    assert seen == [(resource.RLIMIT_NOFILE, (5000, 5000))]
