"""A learning platform that runs inside the test. It signs with real keys, and can misbehave in every way that a test
asks for.
"""

import json
import threading
from contextlib import contextmanager, suppress
from dataclasses import replace
from html import escape
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ipaddress import ip_network
from itertools import count
from urllib.parse import parse_qs, parse_qsl, urlencode, urlsplit

from joserfc import jwt
from joserfc.jwk import RSAKey
from services import parts

from grader.service.db.tables.lti import LtiAccountRow, LtiContextRow, LtiKeyRow, LtiLineItemRow, LtiMemberRow
from grader.service.lti.keys import new_key
from grader.service.lti.platform_client import PlatformClient
from grader.service.lti.registrations import Registration, StatedContext, connect, note_context, register
from grader.service.lti.services.roster import read_rosters
from grader.service.network.client import HttpClient

CLIENT, DEPLOYMENT, CONTEXT = "client-1", "7", "course-1"
CLAIM = "https://purl.imsglobal.org/spec/lti/claim/"
MEMBERSHIP = "http://purl.imsglobal.org/vocab/lis/v2/membership#"
LEARNER, TEACHER = f"{MEMBERSHIP}Learner", f"{MEMBERSHIP}Instructor"
AGS = "https://purl.imsglobal.org/spec/lti-ags/claim/endpoint"
NRPS = "https://purl.imsglobal.org/spec/lti-nrps/claim/namesroleservice"
SELECTION = "https://purl.imsglobal.org/spec/lti-dl/claim/deep_linking_settings"
SCOPES = [f"https://purl.imsglobal.org/spec/lti-ags/scope/{name}" for name in ("lineitem", "score", "result.readonly")]

HTML = {"content-type": "text/html"}

KEY, OTHER_KEY = (RSAKey.generate_key(2048, {"kid": "one"}) for _ in range(2))


TOOL_KEY = new_key()

THIS_MACHINE = (ip_network("127.0.0.0/8"), ip_network("::1"))


class Platform:
    """A platform with a course. `claims` replaces claims of the next messages, and None removes a claim. `answers` maps
    the beginning of a path to a function that answers instead, or returns None to let the platform answer. If it raises
    ConnectionAbortedError, the connection is closed without an answer. `storage` is the name of the frame that keeps
    data for tools, and `application` answers requests for the paths of Open edX.
    """

    def __init__(self, address):
        self.address, self.key, self.signs_with, self.header = address, KEY, KEY, {"alg": "RS256", "kid": "one"}
        self.claims, self.answers, self.members, self.columns = {}, {}, [], {}
        self.page_size, self.scores, self.requests, self.tool_keys = 100, [], [], lambda: {"keys": []}
        self.numbers, self.lock, self.service, self.returned = count(1), threading.Lock(), None, []
        self.application, self.storage = None, ""

    def registration(self, **more):
        """The registration of the service at this platform."""
        fields = {
            "name": "Example LMS",
            "issuer": self.address,
            "client_id": CLIENT,
            "authorization_url": f"{self.address}/authorize",
            "token_url": f"{self.address}/token",
            "jwks_url": f"{self.address}/keys",
            "deployments": (DEPLOYMENT,),
        }
        return Registration(**{**fields, **more})

    @property
    def endpoint(self):
        """The claim with the addresses of grades."""
        return {"scope": SCOPES, "lineitems": f"{self.address}/columns"}

    def message(self, service, nonce, sub="sub-ada", role=LEARNER, **claims):
        """Return a signed message."""
        now = int(service.now.timestamp())
        stated = {
            "iss": self.address,
            "aud": CLIENT,
            "sub": sub,
            "iat": now,
            "exp": now + 300,
            "nonce": nonce,
            "name": sub.removeprefix("sub-").capitalize(),
            "email": f"{sub.removeprefix('sub-')}@example.org",
            f"{CLAIM}message_type": "LtiResourceLinkRequest",
            f"{CLAIM}version": "1.3.0",
            f"{CLAIM}deployment_id": DEPLOYMENT,
            f"{CLAIM}target_link_uri": f"{service.origin}/assignments/small",
            f"{CLAIM}resource_link": {"id": "link-1"},
            f"{CLAIM}context": {"id": CONTEXT, "title": "Parallel Programming"},
            f"{CLAIM}roles": [role],
            AGS: self.endpoint,
            NRPS: {"context_memberships_url": f"{self.address}/members", "service_versions": ["2.0"]},
        }
        stated |= {**claims, **self.claims}
        kept = {name: value for name, value in stated.items() if value is not None}
        return jwt.encode(self.header, kept, self.signs_with)

    def login(self, service, client, **fields):
        """Begin a sign-in in a browser, and return what the service has asked the platform for."""
        asked = {"iss": self.address, "client_id": CLIENT, "login_hint": "hint", "target_link_uri": service.origin}
        said = client.get(f"/lti/login?{urlencode({**asked, **fields})}")
        assert said.status_code == 303, said.text
        return dict(parse_qsl(urlsplit(said.headers["location"]).query))

    def launch(self, service, client, **message):
        """Sign a person in, and return the service's last response."""
        asked = self.login(service, client)
        return arrive(service, client, asked["state"], self.message(service, asked["nonce"], **message))

    def answer(self, method, path, query, body, headers):
        """Return the status, the headers and the value of an answer."""
        self.requests.append((method, path, query))
        for start, act in self.answers.items():
            if path.startswith(start) and (made := act(method, path, query, body)) is not None:
                return made
        if self.application is not None and path.startswith("/lti_consumer/"):
            return self.application(method, path, query, body, headers)
        made = self._shown(path, query, body) or self._known(path)
        if made is not None:
            return made
        if headers.get("authorization") != "Bearer access":
            return 401, {}, {"error": "no token"}
        return self._service(method, path.strip("/").split("/"), query, body)

    def _shown(self, path, query, body):
        """Return a page for a browser; None for other paths."""
        if path == "/return":
            self.returned.append(body["JWT"])
        pages = {
            "/activity": lambda: self._activity(query["hint"], query["target"]),
            "/authorize": lambda: self._authorized(query),
            "/return": lambda: "<title>Added</title>Added",
        }
        return (200, HTML, pages[path]()) if path in pages else None

    def _known(self, path):
        """Return what needs no access token; None for other paths."""
        values = {
            "/keys": lambda: {"keys": [self.key.as_dict(private=False)]},
            "/tool-keys": self.tool_keys,
            "/token": lambda: {"access_token": "access", "token_type": "bearer", "expires_in": 3600},
        }
        return (200, {}, values[path]()) if path in values else None

    def _activity(self, hint, target):
        """Return a page with a frame in which a person opens an activity."""
        address = self.login_address(hint, target)
        return f'<title>Activity</title><iframe src="{escape(address)}" width="900" height="700"></iframe>'

    def login_address(self, hint, target):
        """Return the address at which a sign-in begins."""
        origin = self.service.origin
        asked = {"iss": self.address, "client_id": CLIENT, "login_hint": hint, "target_link_uri": origin + target}
        stored = {"lti_storage_target": self.storage} if self.storage else {}
        return f"{origin}/lti/login?{urlencode(asked | stored)}"

    def _authorized(self, asked):
        """Return a page that sends the message for a person to the service. The hint is their account and role."""
        sub, _, role = asked["login_hint"].partition(" ")
        selection = {SELECTION: {"deep_link_return_url": f"{self.address}/return"}}
        choosing = {f"{CLAIM}message_type": "LtiDeepLinkingRequest", f"{CLAIM}resource_link": None, **selection}
        more = choosing if role == TEACHER else {}
        text = self.message(self.service, asked["nonce"], sub=sub, role=role, **more)
        fields = {"state": asked["state"], "id_token": text}
        fields |= {"lti_storage_target": self.storage} if self.storage else {}
        inputs = "".join(f'<input name="{name}" value="{value}">' for name, value in fields.items())
        form = f'<form method="post" action="{escape(asked["redirect_uri"])}">{inputs}</form>'
        return f"<title>Sending</title>{form}<script>document.forms[0].submit()</script>"

    def _service(self, method, path, query, body):
        match method, path:
            case "GET", ["columns"]:
                found = [each for each in self.columns.values() if each["resourceId"] == query.get("resource_id")]
                return 200, {}, found
            case "POST", ["columns"]:
                made = {"id": f"{self.address}/columns/{next(self.numbers)}?type_id=3", **body}
                self.columns[made["id"]] = made
                return 201, {}, made
            case "POST", ["columns", column, "scores"]:
                with self.lock:
                    self.scores.append((column, body["userId"], body))
                return 204, {}, None
            case "GET", ["columns", column, "results"]:
                latest = {user: said for place, user, said in self.scores if place == column}
                said = latest.get(query.get("user_id"))
                result = said and {"userId": said["userId"], "resultScore": said.get("scoreGiven")}
                return 200, {}, [{**result, "resultMaximum": said["scoreMaximum"]}] if said else []
            case "GET", ["members"]:
                return self._members(int(query.get("page", 0)))
        return 404, {}, {"error": "not found"}

    def _members(self, number):
        start = number * self.page_size
        shown = self.members[start : start + self.page_size]
        more = start + self.page_size < len(self.members)
        links = {"link": f'<{self.address}/members?page={number + 1}>; rel="next"'} if more else {}
        return 200, links, {"id": "list", "context": {"id": CONTEXT}, "members": shown}


def member(sub, role=LEARNER, **more):
    """Return a member as a platform lists them."""
    name = sub.removeprefix("sub-")
    fields = {"user_id": sub, "roles": [role], "name": name.capitalize(), "email": f"{name}@example.org"}
    return {"status": "Active", **fields, **more}


def arrive(service, client, state, message):
    """Send the platform's form as a browser does: first from the platform, then from the service's own page."""
    form = {"state": state, "id_token": message}
    foreign = {"origin": "https://lms.example", "sec-fetch-site": "cross-site"}
    said = client.post("/lti/launch", data=form, headers=foreign)
    assert said.status_code == 200
    return client.post("/lti/session", files=parts(**form), headers={"origin": service.origin})


@contextmanager
def platform_at_work():
    """Run a platform during the block."""

    class Handler(BaseHTTPRequestHandler):
        def _answered(self):
            parts_of = urlsplit(self.path)
            data = self.rfile.read(int(self.headers.get("content-length", 0))).decode()
            is_json = "json" in self.headers.get("content-type", "")
            body = json.loads(data) if is_json else {name: value[0] for name, value in parse_qs(data).items()}
            query = dict(parse_qsl(parts_of.query))
            try:
                status, headers, value = platform.answer(self.command, parts_of.path, query, body, self.headers)
            except ConnectionAbortedError:
                self.close_connection = True
                return
            text = b"" if value is None else value.encode() if isinstance(value, str) else json.dumps(value).encode()
            self.send_response(status)
            for name, said in {"content-type": "application/json", "content-length": len(text), **headers}.items():
                self.send_header(name, str(said))
            self.end_headers()
            with suppress(ConnectionError):  # the service may have given up
                self.wfile.write(text)

        do_GET = do_POST = _answered  # noqa: N815 - names that the library looks for

        def log_message(self, *_):
            """Do not write a log."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    platform = Platform(f"http://127.0.0.1:{server.server_port}")
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield platform
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def registered(service, platform, **more):
    """Register the service at a platform, and connect the platform's course."""
    client = PlatformClient(http=HttpClient(private=THIS_MACHINE))
    service.app_state = replace(service.app_state, lti=client)
    service.app.state.app_state = service.app_state
    with service.database.writing() as session:
        session.merge(LtiKeyRow(kid=TOOL_KEY.kid, pem=TOOL_KEY.pem, created=service.now))
        row = register(session, platform.registration(**more), client, service.now)
        stated = StatedContext(
            deployment=DEPLOYMENT,
            context=CONTEXT,
            title="Parallel Programming",
            memberships_url=f"{platform.address}/members",
            line_items_url=f"{platform.address}/columns",
            scopes=tuple(SCOPES),
        )
        context = note_context(session, row, stated, service.now)
        connect(session, context, "staff", service.now)
        return context.id


def course_using_small(service, platform):
    """Connect a course of the platform that uses "small" and has the members Ada and Ben. Return its number."""
    context = registered(service, platform)
    with service.database.writing() as session:
        session.add(LtiLineItemRow(context_id=context, assignment="small", url=""))
    for each in (service.ada, service.ben):
        joins(service, context, each, f"sub-{each}")
    return context


def joins(service, context, person, sub):
    """Make a person a member of a course of the platform."""
    with service.database.writing() as session:
        number = session.get_one(LtiContextRow, context).platform_id
        session.add(LtiAccountRow(platform_id=number, person_id=person, sub=sub, role="student"))
        session.add(LtiMemberRow(context_id=context, person_id=person))


def roster_words(service):
    """Read the roster, and return the result in words."""
    with suppress(OSError):
        read_rosters(service.database, service.app_state.lti, service.now)
    with service.database.reading() as session:
        return session.query(LtiContextRow).one().roster_words
