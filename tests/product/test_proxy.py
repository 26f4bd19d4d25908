"""docs/operators.md: the TLS proxy that it documents passes on everything that the service needs.

Without nginx, these tests are skipped with a message. With GRADER_TEST_PROXY=required, they fail instead.
"""

import itertools
import os
import re
import shutil
import socket
import ssl
import subprocess
import time
from types import SimpleNamespace

import httpx2
import pytest
from open_service import opened
from project import ROOT
from services import field, parts

from grader.course.submissions.submission import SIZE_LIMIT
from grader.service.db.tables.people import PersonRow
from grader.service.people.auth.sessions import invite

HOST = "grader.example.org"
ABSENT = "nginx is not installed (apt install nginx)"
(PROXY,) = re.findall(r"```nginx\n(.*?)```", (ROOT / "docs" / "operators.md").read_text(encoding="utf-8"), re.DOTALL)

AROUND = """
daemon off;
master_process off;
pid {folder}/nginx.pid;
error_log {folder}/error.log;
events {{}}
http {{
    access_log {folder}/access.log;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    {server}
}}
"""
"""The rest of nginx's configuration, with the lines that allow an ordinary user to run nginx."""


class Proxy:
    """nginx in front of a service. Browsers connect through it."""

    def __init__(self, folder, service):
        self.folder, self.service = folder, service
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        certificate(folder)
        server = PROXY.replace("listen 443", f"listen 127.0.0.1:{self.port}").replace("/etc/ssl/", f"{folder}/")
        server = server.replace("http://127.0.0.1:8000", f"http://127.0.0.1:{service.port}")
        (folder / "nginx.conf").write_text(AROUND.format(folder=folder, server=server))
        words = [shutil.which("nginx"), "-e", folder / "error.log", "-p", folder, "-c", folder / "nginx.conf"]
        self.process = subprocess.Popen(words)

    def browser(self):
        """Return a browser that trusts the certificate of this host."""
        context = ssl.create_default_context(cafile=self.folder / "grader.pem")
        client = httpx2.Client(
            base_url=f"https://127.0.0.1:{self.port}",
            headers={"host": HOST, "origin": self.service.origin},
            verify=context,
            timeout=20,
        )
        client.event_hooks["request"].append(lambda request: request.extensions.update(sni_hostname=HOST))
        return client

    def log(self):
        return (self.folder / "access.log").read_text()

    def close(self):
        self.process.terminate()
        self.process.wait(20)


def certificate(folder):
    """Create a self-signed certificate for the host."""
    files = ("-keyout", folder / "grader.key", "-out", folder / "grader.pem")
    named = ("-subj", f"/CN={HOST}", "-addext", f"subjectAltName=DNS:{HOST}")
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1", *files, *named]
    subprocess.run(command, check=True, capture_output=True)


def need_nginx():
    """Skip the test if nginx is missing, or fail it if nginx is required."""
    if shutil.which("nginx") is None:
        (pytest.fail if os.environ.get("GRADER_TEST_PROXY") == "required" else pytest.skip)(ABSENT)


@pytest.fixture(scope="module")
def proxy(tmp_path_factory):
    """The documented proxy in front of a service that knows its public address."""
    need_nginx()
    folder = tmp_path_factory.mktemp("proxy")
    with opened(tmp_path_factory.mktemp("service"), origin=f"https://{HOST}") as service:
        proxy = Proxy(folder, service)
        try:
            answers(proxy)
            yield proxy
        finally:
            proxy.close()


def answers(proxy):
    """Wait until the service answers through the proxy."""
    end = time.monotonic() + 30
    while not is_there(proxy):
        assert time.monotonic() < end, (proxy.folder / "error.log").read_text()
        time.sleep(0.1)


def is_there(proxy):
    try:
        return proxy.browser().get("/sign-in").status_code == 200
    except httpx2.ConnectError:
        return False


@pytest.fixture(scope="module")
def student(proxy):
    """Ada's browser, signed in with a link."""
    with proxy.service.database.writing() as session:
        token = invite(session, session.get_one(PersonRow, proxy.service.ada), "test", proxy.service.now)
    client = proxy.browser()
    assert client.get(f"/join/{token}").status_code == 200
    assert client.post("/join", files=parts(token=token)).status_code == 303
    return client


def sent(student, source):
    """Hand in this source and return the response."""
    page = student.get("/assignments/small")
    keys = {name: field(page, name) for name in ("form_token", "form_key")}
    return student.post("/assignments/small/attempts", files=parts(**keys, file=("kernels.cl", source)))


def test_a_link_signs_in_and_is_in_no_log(proxy, student):
    """A link through the proxy signs its person in, and the proxy does not log it. Browsers send the cookie only to
    this host, and only over TLS.
    """
    assert list(student.cookies) == ["__Host-grader"]
    assert "Ada" in student.get("/").text
    assert "GET /sign-in" in proxy.log()
    assert "/join" not in proxy.log()


def test_events_come_while_the_attempt_still_waits(student):
    """Events arrive while the attempt is still waiting to be graded, which proves that the proxy does not buffer the
    response.
    """
    where = sent(student, b"// small").headers["location"]
    with student.stream("GET", f"{where}/events") as stream:
        assert "event: place" in itertools.takewhile(lambda line: line != "event: over", stream.iter_lines())


def test_a_file_that_is_too_large_is_refused_in_our_words(student):
    """A file that is too large is refused with the service's own message, because the proxy's limit is higher."""
    said = sent(student, b"// large\n" * (SIZE_LIMIT // 8))
    assert said.status_code == 422
    assert "1 MiB" in said.text


@pytest.mark.sampled
@pytest.mark.parametrize("path", ["/assignments/small/attempts", "/api/v1/assignments/small/attempts"])
@pytest.mark.parametrize(
    "begin",
    [b"Content-Length: 1000000\r\n\r\nfirst", b"Transfer-Encoding: chunked\r\n\r\n5\r\nfirst\r\n"],
    ids=["length", "chunks"],
)
def test_an_upload_reaches_the_service_before_its_end(tmp_path, path, begin):
    """The service receives the first byte of an upload before the upload ends, with or without a Content-Length. The
    first byte therefore decides when an upload arrived.
    """
    need_nginx()
    with socket.create_server(("127.0.0.1", 0)) as listening:
        listening.settimeout(20)
        proxy = Proxy(tmp_path, SimpleNamespace(port=listening.getsockname()[1], origin=f"https://{HOST}"))
        try:
            with connected(proxy) as client:
                client.sendall(f"POST {path} HTTP/1.1\r\nHost: {HOST}\r\n".encode() + begin)
                come, _ = listening.accept()
                with come:
                    come.settimeout(20)
                    seen = b""
                    while b"first" not in seen:
                        piece = come.recv(65536)
                        assert piece, seen
                        seen += piece
        finally:
            proxy.close()


def connected(proxy):
    """Return a TLS connection to the proxy, as soon as it listens."""
    context = ssl.create_default_context(cafile=proxy.folder / "grader.pem")
    end = time.monotonic() + 30
    while True:
        try:
            return context.wrap_socket(socket.create_connection(("127.0.0.1", proxy.port)), server_hostname=HOST)
        except ConnectionRefusedError:
            assert time.monotonic() < end, (proxy.folder / "error.log").read_text()
            time.sleep(0.1)
