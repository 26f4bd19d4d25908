"""server.py: web processes share an address and keep other programs away from it."""

import selectors
import socket

import pytest

from grader.common.errors import InputError
from grader.common.record import replace
from grader.service.web.server import Address


@pytest.fixture
def address():
    """Return a free address that can be shared."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return Address(host="127.0.0.1", port=free.getsockname()[1], is_shared=True)


@pytest.mark.parametrize("other", [Address.listen, lambda address: socket.create_server((address.host, address.port))])
def test_an_address_where_somebody_listens_cannot_be_claimed(address, other):
    """An address is refused if another program uses it, or another service shares it, which the system itself would
    allow.
    """
    address.require_free()
    with other(address), pytest.raises(InputError, match=f"port {address.port}: another program.*--port NUMBER"):
        address.require_free()
    address.require_free()


def test_connections_are_dealt_out_to_all_who_listen(address):
    """Connections are spread over all listening processes, even if many arrive before any is accepted."""
    taken = []
    with address.listen() as one, address.listen() as other, selectors.DefaultSelector() as waiting:
        clients = [socket.create_connection((address.host, address.port)) for _ in range(60)]
        for each in (one, other):
            waiting.register(each, selectors.EVENT_READ)
        while len(taken) < len(clients):
            for key, _ in waiting.select(timeout=10):
                taken.append((key.fileobj, key.fileobj.accept()[0]))
        counts = [sum(listener is each for listener, _ in taken) for each in (one, other)]
        for each in (*clients, *(accepted for _, accepted in taken)):
            each.close()
    assert min(counts) >= 10, counts


def test_nobody_else_gets_a_part_of_an_address_that_is_not_shared(address):
    """Other programs cannot listen on an address that is not shared. Otherwise, they would receive some of its
    connections, including cookies.
    """
    with replace(address, is_shared=False).listen(), pytest.raises(OSError, match="in use"):
        address.listen()
