"""webhook_outbox.py, deliveries.py and outgoing.py: each event is sent, signed, to each webhook until it is accepted.
No address inside the operator's network is reached.
"""

import hashlib
import hmac
import json
import socket
import threading
from contextlib import contextmanager
from datetime import timedelta
from ipaddress import ip_network

import pytest
from services import graded, post

from grader.service.course.webhooks import add_webhook
from grader.service.db.models import DeliveryRow, WebhookRow
from grader.service.decisions.regrading import Selection, regrade
from grader.service.public_addresses import is_public
from grader.service.serve import outgoing
from grader.service.serve.deliveries import PAUSES, QUEUEING, send_deliveries
from grader.service.serve.outgoing import BlockedAddressError, Reply

LOCAL = (ip_network("127.0.0.0/8"),)


class Receiver:
    """A receiver that answers with prepared replies, and then accepts."""

    def __init__(self, *replies):
        self.replies, self.taken = list(replies), []

    def __call__(self, url, body, headers):
        self.taken.append((url, json.loads(body), body, headers))
        reply = self.replies.pop(0) if self.replies else Reply(status=200, text="")
        if isinstance(reply, OSError):
            raise reply
        return reply


def webhook(service, url="https://ci.example.org/hook?token=abc"):
    """Add a webhook, and return its secret."""
    with service.database.writing() as session:
        return add_webhook(session, url, "staff", service.now)


def sends(service, receiver):
    send_deliveries(service.database, "https://grader.example.org", receiver, service.now)
    return receiver


def rows(service):
    with service.database.reading() as session:
        return session.query(DeliveryRow).order_by(DeliveryRow.id).all()


def test_a_graded_attempt_is_sent_once_signed_and_without_points(service):
    """A graded attempt leads to one request to each webhook, with a signature that the secret proves. It has no points.
    A trial run leads to none.
    """
    secret = webhook(service)
    attempt = service.graded(service.hand_in(), graded(service.course))
    service.graded(service.hand_in(person=service.staff))
    ((url, told, body, headers),) = sends(service, Receiver()).taken
    public = service.attempt(attempt).public
    assert url == "https://ci.example.org/hook?token=abc"
    assert (told["event"], told["attempt"], told["student"], told["complete"]) == (
        "attempt.graded",
        public,
        "ada",
        True,
    )
    assert told["page"] == f"https://grader.example.org/attempts/{public}"
    assert "points" not in body.decode()
    signed = headers["x-grader-timestamp"].encode() + b"." + body
    assert headers["x-grader-signature"] == "sha256=" + hmac.new(secret.encode(), signed, hashlib.sha256).hexdigest()
    assert headers["x-grader-delivery"] == told["id"]
    assert sends(service, Receiver()).taken == []


def test_a_refused_delivery_is_tried_with_growing_pauses_up_to_a_limit(service):
    """A receiver that refuses is tried again after growing pauses. After the limit, the delivery is refused, and the
    page quotes the receiver and sends it again.
    """
    webhook(service)
    service.graded(service.hand_in(), graded(service.course))
    refusing = Receiver(*[Reply(status=500, text="<b>busy</b>")] * 20)
    for number, pause in enumerate(PAUSES, start=1):
        sends(service, refusing)
        assert (len(refusing.taken), rows(service)[0].state) == (number, "to send")
        service.now += pause - timedelta(seconds=1)
        sends(service, refusing)
        assert len(refusing.taken) == number
        service.passes(seconds=1)
    sends(service, refusing)
    assert (rows(service)[0].state, rows(service)[0].words) == ("refused", "answered 500: <b>busy</b>")
    staff = service.browser("staff")
    shown = staff.get("/course/webhooks").text
    assert "answered 500: &lt;b&gt;busy&lt;/b&gt;" in shown
    assert "token=abc" not in shown
    post(staff, "/course/webhooks/again", "/course/webhooks")
    assert len(sends(service, Receiver()).taken) == 1
    assert rows(service)[0].state == "sent"


def test_a_dead_receiver_delays_no_other(service):
    """While one receiver does not answer, another gets all events, and the first gets them once it answers again."""
    webhook(service, "https://dead.example.org/")
    webhook(service, "https://ci.example.org/")
    for _ in range(3):
        service.graded(service.hand_in(), graded(service.course))
    receiver = sends(service, Receiver(OSError("connection refused")))
    assert [url for url, *_ in receiver.taken] == ["https://dead.example.org/", *["https://ci.example.org/"] * 3]
    assert rows(service)[0].words == "did not answer: connection refused"
    service.passes(minutes=5)
    assert [url for url, *_ in sends(service, receiver).taken[4:]] == ["https://dead.example.org/"] * 3


def test_a_regrading_is_reported_once_when_it_has_ended(service):
    """The end of a regrading is sent once, and not while one of its gradings is waiting."""
    attempt = service.graded(service.hand_in(), graded(service.course))
    webhook(service)
    order = regrade(service.database, Selection(assignment="small", which="all"), "staff", service.now)
    service.now += QUEUEING
    assert sends(service, Receiver()).taken == []
    service.graded(attempt, graded(service.course))
    told = [each["event"] for _, each, *_ in sends(service, Receiver()).taken]
    assert told == ["attempt.graded", "regrade.ended"]
    assert json.loads(rows(service)[1].data)["regrade"] == order
    assert sends(service, Receiver()).taken == []


@pytest.mark.whole
def test_a_webhook_needs_an_https_address_and_its_removal_drops_its_deliveries(service):
    """Addresses without TLS or with a password are refused at the field. A removed webhook gets nothing more."""
    staff = service.browser("staff")
    for url in ("http://ci.example.org", "ftp://x", "https://", "https://me:pw@ci.example.org/", "https://a b/", "//x"):
        assert post(staff, "/course/webhooks", "/course/webhooks", url=url).status_code == 422
    webhook(service)
    service.graded(service.hand_in(), graded(service.course))
    with service.database.reading() as session:
        number = session.query(WebhookRow.id).scalar()
    post(staff, f"/course/webhooks/{number}/removal", "/course/webhooks")
    assert rows(service) == []


@pytest.mark.parametrize(
    ("address", "public"),
    [
        ("93.184.216.34", True),
        ("2606:2800:220:1:248:1893:25c8:1946", True),
        ("127.0.0.1", False),
        ("10.1.2.3", False),
        ("172.16.0.1", False),
        ("192.168.1.1", False),
        ("169.254.169.254", False),
        ("100.64.0.1", False),
        ("0.0.0.0", False),
        ("224.0.0.1", False),
        ("255.255.255.255", False),
        ("::1", False),
        ("::", False),
        ("fe80::1", False),
        ("fd00::1", False),
        ("ff02::1", False),
        ("::ffff:127.0.0.1", False),
        ("::ffff:169.254.169.254", False),
        ("::7f00:1", False),
        ("64:ff9b::a9fe:a9fe", False),
        ("::ffff:0:a9fe:a9fe", False),
        ("fec0::1", False),
        ("2002:7f00:1::", False),
    ],
)
def test_only_public_addresses_are_reached(address, public):
    """Addresses of this machine, of private networks and of clouds' metadata are not public, also inside IPv6."""
    assert is_public(address) is public


def test_a_name_that_resolves_to_a_private_address_is_not_asked(monkeypatch):
    """A name with a public and a private address, or with a decimal or octal form of one, is refused unasked."""
    found = [(0, 0, 0, "", ("93.184.216.34", 443)), (0, 0, 0, "", ("10.0.0.1", 443))]
    monkeypatch.setattr(outgoing.socket, "create_connection", lambda *_: pytest.fail("it connected"))
    with pytest.raises(BlockedAddressError):
        outgoing.post("https://2130706433/", b"", {})
    with pytest.raises(BlockedAddressError):
        outgoing.post("https://0177.0.0.1/", b"", {})
    monkeypatch.setattr(outgoing.socket, "getaddrinfo", lambda *_, **__: found)
    with pytest.raises(BlockedAddressError, match=r"10\.0\.0\.1, which is not public"):
        outgoing.post("https://ci.example.org/", b"", {})


@contextmanager
def listening(answer):
    """A server on this machine that sends `answer` to one request, or nothing if it is None. Yields its port, and the
    requests that it got.
    """
    taken, over = [], threading.Event()

    def serve():
        try:
            peer, _ = server.accept()
        except OSError:
            return
        with peer:
            taken.append(peer.recv(4096))
            if answer is not None:
                peer.sendall(answer)
            over.wait(5)

    with socket.create_server(("127.0.0.1", 0)) as server:
        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        yield server.getsockname()[1], taken
        over.set()
        server.shutdown(socket.SHUT_RDWR)
    thread.join()


def test_a_redirect_is_not_followed_and_a_long_answer_is_cut():
    """A redirect is an answer that is not accepted. Only the beginning of an answer is read."""
    answer = b"HTTP/1.1 302 Found\r\nlocation: http://127.0.0.1:1/\r\ncontent-length: 100000\r\n\r\n" + b"x" * 2000
    with listening(answer) as (port, taken):
        reply = outgoing.post(f"http://localhost:{port}/hook?a=b", b"{}", {"x-test": "1"}, LOCAL)
    assert (reply.status, reply.is_accepted, len(reply.text)) == (302, False, outgoing.MAX_ANSWER_BYTES)
    assert taken[0].startswith(b"POST /hook?a=b HTTP/1.1\r\n")


def test_a_receiver_that_hangs_is_given_up(monkeypatch):
    """A receiver that accepts the connection but does not answer is given up after the time limit."""
    monkeypatch.setattr(outgoing, "SECONDS", 0.3)
    with listening(None) as (port, _), pytest.raises(TimeoutError):
        outgoing.post(f"http://127.0.0.1:{port}/", b"{}", {}, LOCAL)


def test_without_tls_only_networks_of_the_operator_are_reached():
    """Plain HTTP is refused unless the operator allows the network of the receiver."""
    with listening(b"") as (port, taken), pytest.raises(BlockedAddressError):
        outgoing.post(f"http://127.0.0.1:{port}/", b"{}", {})
    assert taken == []
