"""Sign-in methods for a service in tests: a mailbox, fast password hashes, and an OpenID Connect issuer on this
machine.
"""

import base64
import hashlib
import json
import re
import threading
import time
from contextlib import contextmanager
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count
from urllib.parse import parse_qs, parse_qsl, urlsplit

from argon2 import PasswordHasher
from joserfc import jwt
from joserfc.jwk import RSAKey

from grader.common.sign_in import UniversityRules
from grader.service.people.auth.mail_links import LinkContext, MailLinks
from grader.service.people.auth.methods import SignInMethods
from grader.service.people.auth.oidc import University
from grader.service.people.auth.passwords import Passwords
from grader.service.web.app import make_app

CLIENT, SECRET = "grader", "the client's secret"
QUICK = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)


def enter(service, **ways):
    """Let the service use these sign-in methods."""
    service.app_state = replace(service.app_state, sign_in=SignInMethods(**ways))
    service.app = make_app(service.app_state)


def mailbox(service, *, domain="example.org", fails=None):
    """Let the service use sign-in by mail, and return the list to which sent mails are added."""
    sent = []

    def send(message):
        if fails is not None:
            raise fails
        sent.append(message)

    context = LinkContext(database=service.database, origin=service.origin, now=lambda: service.now)
    enter(service, mail=MailLinks(context=context, send=send, sender="course@example.org", domain=domain))
    return sent


def token_in(message):
    return re.search(r"/join/(\S+)", message.get_content())[1]


def with_passwords(service):
    enter(service, passwords=Passwords(QUICK))


class Issuer:
    """An OpenID Connect issuer. A test can change its answers, to imitate an attacker or a careless issuer."""

    def __init__(self, address):
        self.address, self.key = address, RSAKey.generate_key(2048, {"kid": "one"})
        self.signs_with, self.header = self.key, {"alg": "RS256", "kid": "one"}
        self.metadata, self.claims, self.person = {}, {}, {"email": "ada", "email_verified": True}
        self.codes, self.people, self.seen, self.numbers = {}, {}, [], count(1)

    def authorize(self, address, person=None):
        """Return the parameters with which the issuer sends back a browser in which this person is signed in."""
        asked = dict(parse_qsl(urlsplit(address).query))
        code = f"code{next(self.numbers)}"
        self.codes[code], self.people[code] = asked, person
        return {"code": code, "state": asked["state"]}

    def answer(self, path, form, headers):
        if path.endswith("openid-configuration"):
            return {
                "issuer": self.address,
                "authorization_endpoint": f"{self.address}/authorize",
                "token_endpoint": f"{self.address}/token",
                "jwks_uri": f"{self.address}/keys",
            } | self.metadata
        if path == "/keys":
            return {"keys": [self.key.as_dict(private=False)]}
        return self._token(form, headers)

    def _token(self, form, headers):
        asked = self.codes.pop(form.get("code"), None)
        self.seen.append(form)
        basic = base64.b64decode(headers.get("Authorization", "Basic ")[6:]).decode()
        challenge = base64.urlsafe_b64encode(hashlib.sha256(form["code_verifier"].encode()).digest()).decode()
        if (
            asked is None
            or challenge.rstrip("=") != asked["code_challenge"]
            or asked["code_challenge_method"] != "S256"
        ):
            return {"error": "invalid_grant"}
        if basic != f"{CLIENT}:{SECRET}".replace(" ", "+").replace("'", "%27") and basic != f"{CLIENT}:{SECRET}":
            return {"error": "invalid_client"}
        now = int(time.time())
        claims = {"iss": self.address, "aud": CLIENT, "sub": "7", "iat": now, "exp": now + 60, "nonce": asked["nonce"]}
        person = self.people[form["code"]] or self.person
        text = jwt.encode(self.header, {**claims, **person, **self.claims}, self.signs_with)
        return {"access_token": "access", "token_type": "Bearer", "id_token": text}


@contextmanager
def issuing():
    """Run an issuer during the block."""

    class Handler(BaseHTTPRequestHandler):
        def _answered(self):
            length = int(self.headers.get("content-length", 0))
            form = {name: value[0] for name, value in parse_qs(self.rfile.read(length).decode()).items()}
            said = issuer.answer(self.path, form, self.headers)
            data = json.dumps(said).encode()
            self.send_response(400 if "error" in said else 200)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        do_GET = do_POST = _answered  # noqa: N815 - names that the library looks for

        def log_message(self, *_):
            """Do not write a log."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    issuer = Issuer(f"http://127.0.0.1:{server.server_port}")
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield issuer
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def at_university(service, issuer, **rules):
    """Let the service accept people who sign in at this issuer."""
    rules = UniversityRules(name="Example University", issuer=issuer.address, client_id=CLIENT, **rules)
    enter(service, university=University(rules, SECRET, service.origin))
