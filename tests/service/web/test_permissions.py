"""Permissions of every route for every role, in a table that each new route must enter."""

import re
from html import unescape
from urllib.parse import urljoin

import pytest
from full_service import QUERIES
from service_routes import routes
from services import SOURCE, field, graded, parts, post

from grader.service.db.tables.people import CourseRole
from grader.service.people.auth.api_tokens import TokenScope
from grader.service.people.auth.sessions import links_digest

NOBODY, OTHER, OWNER, ASSISTANT, STAFF = "nobody", "ben", "ada", "tom", "staff"
ROLES = (NOBODY, OTHER, OWNER, ASSISTANT, STAFF)

ALL, MEMBERS, MEMBERS_FORM = (200,) * 5, (303, 200, 200, 200, 200), (401, 303, 303, 303, 303)
ONLY_OWN = (303, 404, 200, 404, 404)
OWN, OWN_FORM = (303, 404, 200, 200, 200), (401, 404, 303, 409, 409)
TEACHING, LEADING = (303, 404, 404, 200, 200), (303, 404, 404, 404, 200)
LEADING_FORM, LEADING_LINKS = (401, 404, 404, 404, 303), (401, 404, 404, 404, 200)

NO_COOKIE, NO_WAY, NO_LAUNCH = (401,) * 5, (404,) * 5, (409,) * 5
"""Statuses of routes that do not accept cookies, of ways to sign in that the operator has not enabled, which do not
exist, and of requests that do not come from a registered learning platform.
"""

TABLE = {
    "GET /health": ALL,
    "GET /static/{name}": ALL,
    "GET /sign-in": ALL,
    "GET /join/{token}": (403, 403, 403, 403, 403),  # the link is invalid
    "POST /join": (403, 403, 403, 403, 403),
    "POST /sign-out": MEMBERS_FORM,
    "GET /": MEMBERS,
    "GET /guide": MEMBERS,
    "GET /assignments/{name}": MEMBERS,
    "GET /data": MEMBERS,
    "GET /data.zip": MEMBERS,
    "GET /api": ALL,
    "GET /openapi.json": ALL,
    "GET /device": MEMBERS,
    "POST /device": (401, 422, 422, 422, 422),  # the code is invalid
    "GET /tokens": MEMBERS,
    "POST /tokens": (401, 200, 200, 200, 200),
    "POST /sign-in/mail": NO_WAY,
    "POST /sign-in/password": NO_WAY,
    "GET /password": (303, 404, 404, 404, 404),
    "POST /password": (401, 404, 404, 404, 404),
    "GET /mails": (303, 404, 404, 404, 404),
    "POST /mails": (401, 404, 404, 404, 404),
    "GET /repositories": (303, 404, 404, 404, 404),
    "POST /repositories": (401, 404, 404, 404, 404),
    "POST /repositories/{row_id}/removal": (401, 404, 404, 404, 404),
    "GET /course/repositories": (303, 404, 404, 404, 404),
    "POST /course/repositories/upload": (401, 404, 404, 404, 404),
    "GET /sign-on": NO_WAY,
    "GET /sign-on/back": NO_WAY,
    "GET /lti/keys": ALL,
    "GET /lti/login": NO_LAUNCH,
    "POST /lti/login": (415,) * 5,  # for platforms, which do not send forms of pages
    "POST /lti/launch": (415,) * 5,
    "POST /lti/session": NO_LAUNCH,
    "POST /lti/deep-linking": NO_LAUNCH,
    "GET /lti/register/{token}": (403,) * 5,  # the link is invalid
    "POST /lti/register": NO_LAUNCH,
    "GET /course/platforms": TEACHING,
    "GET /course/platforms/guide": TEACHING,
    "POST /course/platforms/{context_id}/connection": (401, 404, 404, 404, 404),  # no course has this number
    "POST /course/platforms/{context_id}/roster": (401, 404, 404, 404, 404),
    "POST /course/platforms/{context_id}/groups": (401, 404, 404, 404, 404),
    "POST /course/platforms/scores": (401, 404, 404, 404, 422),  # there is no score
    "POST /tokens/{token_id}/revoke": MEMBERS_FORM,  # revokes only the caller's own token
    "POST /api/v1/device/code": (415, 415, 415, 415, 415),  # for terminals, which do not send forms of pages
    "POST /api/v1/device/token": (415, 415, 415, 415, 415),
    "POST /api/v1/jobs/token": (415, 415, 415, 415, 415),
    "GET /api/v1/me": NO_COOKIE,
    "DELETE /api/v1/token": NO_COOKIE,
    "GET /api/v1/assignments": NO_COOKIE,
    "GET /api/v1/assignments/{name}/attempts": NO_COOKIE,
    "POST /api/v1/assignments/{name}/attempts": NO_COOKIE,
    "GET /api/v1/attempts/{public}": NO_COOKIE,
    "GET /api/v1/attempts/{public}/events": NO_COOKIE,
    "GET /api/v1/attempts/{public}/report": NO_COOKIE,
    "GET /api/v1/attempts/{public}/file": NO_COOKIE,
    "GET /api/v1/attempts/{public}/download/{name}": NO_COOKIE,
    "GET /api/v1/assignments/{name}/leaderboard": NO_COOKIE,
    "POST /api/v1/attempts/{public}/cancel": NO_COOKIE,
    "GET /api/v1/course/people": NO_COOKIE,
    "GET /api/v1/course/assignments": NO_COOKIE,
    "GET /api/v1/course/attempts": NO_COOKIE,
    "GET /api/v1/course/attempts/{public}": NO_COOKIE,
    "GET /api/v1/course/attempts/{public}/file": NO_COOKIE,
    "GET /api/v1/course/attempts/{public}/results/{name}": NO_COOKIE,
    "GET /api/v1/course/grades": NO_COOKIE,
    "GET /api/v1/course/extensions": NO_COOKIE,
    "POST /api/v1/course/extensions": NO_COOKIE,
    "DELETE /api/v1/course/extensions/{extension_id}": NO_COOKIE,
    "GET /api/v1/course/overrides": NO_COOKIE,
    "POST /api/v1/course/overrides": NO_COOKIE,
    "DELETE /api/v1/course/overrides/{override_id}": NO_COOKIE,
    "GET /api/v1/course/regrades": NO_COOKIE,
    "POST /api/v1/course/regrades": NO_COOKIE,
    "GET /api/v1/course/regrades/{regrading_id}": NO_COOKIE,
    "GET /assignments/{name}/skeleton": MEMBERS,
    "GET /assignments/{name}/edit": MEMBERS,
    "POST /assignments/{name}/try": MEMBERS_FORM,  # starts the caller's own dry run
    "GET /assignments/{name}/try": ONLY_OWN,
    "GET /assignments/{name}/try/edit": ONLY_OWN,
    "GET /assignments/{name}/try/events": ONLY_OWN,
    "GET /assignments/{name}/try/report": ONLY_OWN,
    "GET /assignments/{name}/leaderboard": MEMBERS,
    "POST /assignments/{name}/leaderboard/pseudonym": MEMBERS_FORM,  # changes the caller's own pseudonym
    "POST /assignments/{name}/leaderboard/{person_id}/end": LEADING_FORM,
    "GET /assignments/{name}/compare": (303, 404, 200, 404, 404),
    "POST /assignments/{name}/attempts": MEMBERS_FORM,
    "GET /attempts/{public}": OWN,
    "GET /attempts/{public}/events": OWN,
    "GET /attempts/{public}/report": OWN,
    "GET /attempts/{public}/file": OWN,
    "GET /attempts/{public}/download/{name}": OWN,
    "POST /attempts/{public}/cancel": OWN_FORM,
    "GET /course": TEACHING,
    "GET /course/points": TEACHING,
    "GET /course/points.csv": TEACHING,
    "GET /course/assignments/{name}": TEACHING,
    "GET /course/overview": TEACHING,
    "GET /course/assignments/{name}/similar": LEADING,
    "POST /course/assignments/{name}/pool/upload": LEADING_FORM,
    "GET /course/assignments/{name}/pool/remove": LEADING,
    "POST /course/assignments/{name}/pool/remove": LEADING_FORM,
    "GET /course/system": TEACHING,
    "GET /course/webhooks": LEADING,
    "POST /course/webhooks": LEADING_LINKS,
    "POST /course/webhooks/{webhook_id}/removal": LEADING_FORM,
    "POST /course/webhooks/again": LEADING_FORM,
    "POST /course/webhooks/deliveries/{delivery_id}/again": (401, 404, 404, 404, 404),  # nothing was delivered
    "GET /course/exports": LEADING,
    "GET /course/exports/{kind}": LEADING,
    "POST /course/exports": (401, 404, 404, 404, 422),  # the request does not choose a kind of file
    "POST /course/regrade": (401, 404, 404, 303, 422),  # all attempts are waiting already
    "POST /course/regrade-older": (401, 404, 404, 409, 409),  # no attempt was graded by an older version
    "GET /course/people": TEACHING,
    "POST /course/people": LEADING_FORM,
    "GET /course/people/{person_id}/edit": LEADING,
    "POST /course/people/{person_id}/edit": LEADING_FORM,
    "GET /course/people/{person_id}/removal": (303, 404, 404, 404, 409),  # a person who has handed in cannot be removed
    "POST /course/people/{person_id}/removal": (401, 404, 404, 404, 409),
    "GET /course/people/{person_id}/deactivation": LEADING,
    "POST /course/people/{person_id}/deactivation": LEADING_FORM,
    "POST /course/people/{person_id}/activation": LEADING_FORM,
    "POST /course/people/roster": LEADING_FORM,
    "POST /course/people/{person_id}/invitation": LEADING_LINKS,
    "GET /course/people/{person_id}/sign-out": LEADING,
    "POST /course/people/{person_id}/sign-out": LEADING_FORM,
    "GET /course/invitations": LEADING,
    "POST /course/invitations": LEADING_LINKS,
    "GET /course/people/{person_id}": TEACHING,
    "GET /course/people/{person_id}/assignments/{name}": TEACHING,
    "GET /course/people/{person_id}/assignments/{name}/compare": TEACHING,
    "POST /course/people/{person_id}/assignments/{name}/extension": LEADING_FORM,
    "GET /course/people/{person_id}/assignments/{name}/hand-in": LEADING,
    "POST /course/people/{person_id}/assignments/{name}/attempts": LEADING_FORM,
    "GET /course/extensions": TEACHING,
    "POST /course/extensions": LEADING_FORM,
    "GET /course/extensions/{extension_id}/withdrawal": LEADING,
    "POST /course/extensions/{extension_id}/withdrawal": LEADING_FORM,
    "POST /course/faults/{grading_id}/again": (401, 404, 404, 409, 409),  # the grading has not failed
    "GET /course/audit": TEACHING,
    "GET /course/audit.csv": TEACHING,
    "POST /course/people/{person_id}/assignments/{name}/decision": LEADING_FORM,
    "POST /course/attempts/{public}/exclusion": LEADING_FORM,
    "GET /course/assignments/{name}/release": (303, 404, 404, 404, 409),  # the assignment hides nothing
    "POST /course/assignments/{name}/release": (401, 404, 404, 404, 409),  # the assignment hides nothing
    "GET /course/assignments/{name}/hold": LEADING,
    "POST /course/assignments/{name}/hold": LEADING_FORM,
    "GET /course/assignments/{name}/publication": (303, 404, 404, 404, 409),  # no results are held back
    "POST /course/assignments/{name}/publication": LEADING_FORM,
    "POST /attempts/{public}/request": (401, 404, 303, 409, 409),  # staff answer questions and do not ask them
    "GET /course/requests": TEACHING,
    "POST /course/requests/{request_id}/answer": (401, 404, 404, 404, 404),  # no question has this number
    "GET /course/regradings": TEACHING,
    "GET /course/regradings/{regrading_id}": (303, 404, 404, 404, 404),  # no regrading has this number
}
"""Status of each route for a visitor without a sign-in, another student, the attempt's owner, an assistant and an
instructor.

303 redirects a page to the sign-in. 404 is the answer for missing pages and for pages whose existence the role may not
know.
"""

NUMBERS = (
    "person_id",
    "grading_id",
    "token_id",
    "request_id",
    "regrading_id",
    "extension_id",
    "override_id",
    "webhook_id",
    "row_id",
    "delivery_id",
    "context_id",
)
"""Names of numeric parameters in addresses."""

ENDINGS, LAST = ("sign-out", "/deactivation"), "POST /course/people/{person_id}/deactivation"
"""Ends of the routes that sign a person out, and the route that is tried last, because the person cannot sign in
afterwards.
"""

FIELDS = {
    "POST /course/people": {"key": "zoe", "name": "Zoe"},
    "POST /course/people/{person_id}/edit": {"key": "ada", "name": "Ada", "role": "student"},
    "POST /course/webhooks": {"url": "https://ci.example.org/hook"},
    "POST /course/invitations": {"cancels": links_digest(())},
    "POST /course/assignments/{name}/pool/upload": {"kind": "earlier", "file": ("old.cl", b"kernel")},
    "POST /course/assignments/{name}/pool/remove": {"kind": "allowed"},
    "POST /tokens": {"name": "laptop", "read": "yes", "days": "7"},
    "POST /assignments/{name}/attempts": {"form_key": "key", "file": ("kernels.cl", b"kernel")},
    "POST /assignments/{name}/try": {"file": ("kernels.cl", b"kernel")},
    "POST /course/regrade": {"assignment": "small", "which": "latest"},
    "POST /course/people/{person_id}/assignments/{name}/decision": {"points": "3", "comment": "so"},
    "POST /course/attempts/{public}/exclusion": {"reason": "so"},
    "POST /attempts/{public}/request": {"text": "Why?"},
    "POST /course/people/{person_id}/assignments/{name}/extension": {"attempts": "1", "reason": "ill"},
    "POST /course/extensions": {"students": "ada", "assignment": "small", "attempts": "1", "reason": "ill"},
    "POST /course/people/{person_id}/assignments/{name}/attempts": {
        "form_key": "staff's",
        "file": ("kernels.cl", b"kernel"),
        "reason": "by mail",
    },
    "POST /course/people/roster": {"file": ("roster.csv", b"key,name\ncleo,Cleo\n")},
}


def test_every_route_is_in_the_table(service):
    """Each route of the application is in the table, so a new route must state who may use it."""
    assert routes(service.app) == set(TABLE)


def test_each_role_gets_what_the_table_says(service):
    """On each route, each role gets the status in the table. All forms are valid, and each role has its own browser.
    Pages come first, because they do not change anything. Routes that sign a person out come last, with a new sign-in
    for each.
    """
    address = _addresses(service)
    service.person(ASSISTANT, CourseRole.ASSISTANT)
    browsers = {role: _signed_in(service, role) for role in ROLES}

    def asked(route, role):
        method = route.partition(" ")[0]
        client, token = _signed_in(service, role) if route.endswith(ENDINGS) else browsers[role]
        if method == "GET" or ("/api/" in route and "/device/" not in route and "/jobs/" not in route):
            return client.request(method, address(route)).status_code
        return client.post(address(route), files=parts(form_token=token, **FIELDS.get(route, {}))).status_code

    in_order = sorted(TABLE, key=lambda route: (not route.startswith("GET "), route.endswith(ENDINGS), route == LAST))
    assert {route: tuple(asked(route, role) for role in ROLES) for route in in_order} == TABLE


@pytest.mark.parametrize("role", [OWNER, *(pytest.param(role, marks=pytest.mark.whole) for role in (ASSISTANT, STAFF))])
def test_no_page_leads_to_one_that_its_reader_may_not_see(service, role):
    """Every page that a reader can reach from the first page has only links and forms that this reader may use."""
    service.graded(service.hand_in())
    service.graded(service.hand_in(), graded(service.course, passed=False))
    service.person(ASSISTANT, CourseRole.ASSISTANT)
    board = "/assignments/small/leaderboard"
    assert post(service.browser(OWNER), f"{board}/pseudonym", board, pseudonym="Night Owl").status_code == 303
    client, seen, ahead, column = service.browser(role), set(), {"/"}, ROLES.index(role)
    while ahead:
        page = ahead.pop()
        seen.add(page)
        said = client.get(page)
        assert (page, said.status_code) == (page, 200)
        if said.headers["content-type"].startswith("text/html") and not page.endswith(("/report", "/overview")):
            links = {unescape(each) for each in re.findall('<a [^>]*href="([^"#]*)', said.text)}
            ahead |= {urljoin(page, each) for each in links if "//" not in each} - seen
            forms = re.findall('<form [^>]*method="post" action="([^"]*)"', said.text)
            refused = [each for each in forms if TABLE[_route(each)][column] == 404]
            assert (page, refused) == (page, [])
    assert len(seen) > 10


def _route(path):
    """Return the name of a form's route in the table."""
    (found,) = [each for each in TABLE if each.startswith("POST ") and _pattern(each).fullmatch(path)]
    return found


def _pattern(route):
    return re.compile(re.sub(r"\\{\w+\\}", "[^/]+", re.escape(route.partition(" ")[2])))


def _signed_in(service, role):
    """Return a browser in which this role is signed in, and its form token."""
    if role == NOBODY:
        return service.browser(), ""
    client = service.browser(role)
    return client, field(client.get("/"), "form_token")


def _addresses(service):
    """Return a function that returns the address of a route for one of two graded attempts."""
    first = service.graded(service.hand_in())
    attempt = service.graded(service.hand_in())
    service.tried()
    page = f"/course/people/{service.ada}/assignments/small"
    assert post(service.browser(STAFF), f"{page}/extension", page, attempts="1", reason="ill").status_code == 303

    public, grading = service.attempt(attempt).public, service.gradings(first)[0].id

    def address(route):
        path = route.partition(" ")[2]
        path = path.format(
            name=_name(path),
            token="t",
            public=public,
            person_id=service.ada,
            grading_id=grading,
            token_id=1,
            request_id=9,
            regrading_id=1,
            extension_id=1,
            context_id=9,
            override_id=1,
            webhook_id=1,
            row_id=1,
            delivery_id=1,
            kind="moodle.zip" if "upload" in path else "grades.csv",
        )
        return path + QUERIES.get(path.rpartition("/")[2], "")

    return address


def _name(path):
    """Return a value for `{name}` in the address of a route: a file name, or the name of an assignment."""
    return "style.css" if "static" in path else "result.json" if "download" in path or "/results/" in path else "small"


READ, SUBMIT = (200, 401), (401, 200)
TOKENS = {
    "GET /api/v1/me": ((200, 200),) * 3,
    "DELETE /api/v1/token": ((204, 204),) * 3,
    "GET /api/v1/assignments": (READ,) * 3,
    "GET /api/v1/assignments/{name}/attempts": (READ,) * 3,
    "POST /api/v1/assignments/{name}/attempts": ((401, 201),) * 3,
    "GET /api/v1/attempts/{public}": ((404, 401), READ, READ),
    "GET /api/v1/attempts/{public}/events": ((404, 401), READ, READ),
    "GET /api/v1/attempts/{public}/report": ((404, 401), READ, READ),
    "GET /api/v1/attempts/{public}/file": ((404, 401), READ, READ),
    "GET /api/v1/attempts/{public}/download/{name}": ((404, 401), READ, READ),
    "GET /api/v1/assignments/{name}/leaderboard": (READ,) * 3,
    "POST /api/v1/attempts/{public}/cancel": ((401, 404), SUBMIT, (401, 409)),
}
"""Status for a token that may only read and one that may only hand in. In each row, the tokens belong to another
student, the owner and an instructor.
"""


def test_every_route_of_the_api_is_in_the_table_of_tokens(service):
    """The tables of tokens have every API route except those that issue tokens."""
    found = {
        each for each in routes(service.app) if "/api/v1/" in each and "/device/" not in each and "/jobs/" not in each
    }
    assert found == {*TOKENS, *STAFF_TOKENS}


def test_each_scope_gets_what_the_table_says(service):
    """Each scope gets the status in the table. Every request has a new token and no cookie."""
    attempt = service.attempt(service.graded(service.hand_in()))

    def asked(route, person, scope):
        method, _, path = route.partition(" ")
        path = path.format(name=_name(path), public=attempt.public)
        path += f"?key={person}" if method == "POST" else ""
        body = b"kernel" if method == "POST" else None
        bearer = {"authorization": f"Bearer {service.token(person, scope)}"}
        return service.browser().request(method, path, headers=bearer, content=body).status_code

    people = service.ben, service.ada, service.staff
    found = {
        route: tuple((asked(route, each, "read"), asked(route, each, "submit")) for each in people) for route in TOKENS
    }
    assert found == TOKENS


EXTENSION = {"student": "ben", "assignment": "small", "attempts": 1, "reason": "ill"}
OVERRIDE = {"student": "ada", "assignment": "small", "points": "1", "comment": "so"}
STAFF_TOKENS = {
    "GET /api/v1/course/people": ("roster:read", 200, 200),
    "GET /api/v1/course/assignments": ("assignments:read", 200, 200),
    "GET /api/v1/course/attempts": ("attempts:read", 200, 200),
    "GET /api/v1/course/attempts/{public}": ("attempts:read", 200, 200),
    "GET /api/v1/course/attempts/{public}/file": ("attempts:read", 200, 200),
    "GET /api/v1/course/attempts/{public}/results/{name}": ("results:read", 200, 200),
    "GET /api/v1/course/grades": ("grades:read", 200, 200),
    "GET /api/v1/course/extensions": ("extensions:read", 200, 200),
    "POST /api/v1/course/extensions": ("extensions:write", 401, 201),
    "DELETE /api/v1/course/extensions/{extension_id}": ("extensions:write", 401, 204),
    "GET /api/v1/course/overrides": ("overrides:read", 200, 200),
    "POST /api/v1/course/overrides": ("overrides:write", 401, 201),
    "DELETE /api/v1/course/overrides/{override_id}": ("overrides:write", 401, 204),
    "GET /api/v1/course/regrades": ("regrades:read", 200, 200),
    "POST /api/v1/course/regrades": ("regrades:write", 201, 409),  # the attempts are waiting already
    "GET /api/v1/course/regrades/{regrading_id}": ("regrades:read", 200, 200),
}
"""Scope of each route for staff, and its status for a token of an assistant and of an instructor."""

BODIES = {
    "POST /api/v1/course/extensions": EXTENSION,
    "POST /api/v1/course/overrides": OVERRIDE,
    "POST /api/v1/course/regrades": {"assignment": "small", "which": "latest"},
}


def test_each_scope_for_staff_gets_what_the_table_says(service):
    """On each route for staff, a token with its scope gets the status in the table. Tokens with all other scopes and
    tokens of students, even with all scopes, are refused.
    """
    address = _addresses(service)
    tom = service.person(ASSISTANT, CourseRole.ASSISTANT)

    def asked(route, person, scopes):
        method, path = route.partition(" ")[0], address(route)
        path += "?comment=so" if "overrides/" in path else ""
        bearer = {"authorization": f"Bearer {service.token(person, scopes)}"}
        return service.browser().request(method, path, headers=bearer, json=BODIES.get(route)).status_code

    in_order = sorted(STAFF_TOKENS, key=lambda route: "POST GET DELETE".index(route.partition(" ")[0]))
    found = {}
    for route in in_order:
        scope = STAFF_TOKENS[route][0]
        others = " ".join(each for each in TokenScope if each != scope)
        refused = [asked(route, service.staff, others), asked(route, service.ada, " ".join(TokenScope))]
        assert (route, refused) == (route, [401, 401])
        found[route] = (scope, asked(route, tom, scope), asked(route, service.staff, scope))
    assert found == STAFF_TOKENS


def test_no_page_takes_a_bearer_token(service):
    """Pages ignore bearer tokens and accept only cookies."""
    bearer = {"authorization": f"Bearer {service.token(service.staff, 'read submit')}"}
    for page in ("/tokens", "/course", "/assignments/small"):
        assert service.browser().get(page, headers=bearer).status_code == 303


def test_a_token_that_may_only_hand_in_learns_no_points(service):
    """A token that may only hand in does not learn points by cancelling an attempt or by repeating a hand-in."""
    attempt = service.attempt(service.graded(service.hand_in(form_key="once")))
    for scope, told in (("submit", False), ("read submit", True)):
        client = service.browser()
        client.headers["authorization"] = f"Bearer {service.token(service.ada, scope)}"
        for path in (f"attempts/{attempt.public}/cancel", "assignments/small/attempts?key=once"):
            said = client.post(f"/api/v1/{path}", content=SOURCE).json()
            assert said["id"] == attempt.public
            assert [said[name] is not None for name in ("points", "max_points", "result")] == [told] * 3


def test_no_number_in_an_address_is_too_large(service):
    """A number out of range in any address is answered with 404."""
    client = service.browser("staff")
    numbered = [each for each in TABLE if "_id}" in each and "/api/v1/" not in each]
    token = field(client.get("/"), "form_token")
    for route in numbered:
        method, _, path = route.partition(" ")
        for number in (0, 2**31, 2**63, 10**30):
            there = path.format(name="small", public="x", **dict.fromkeys(NUMBERS, number))
            fields = parts(form_token=token, **FIELDS.get(route, {}))
            said = client.get(there) if method == "GET" else client.post(there, files=fields)
            assert (route, said.status_code) == (route, 404)


def test_anothers_attempt_is_answered_as_one_that_does_not_exist(service):
    """Another student's attempt is answered with the same 404 as a missing one, so that its existence stays secret."""
    client = service.browser("ben")
    public = service.attempt(service.graded(service.hand_in())).public
    for end in ("", "/events", "/report", "/file"):
        theirs, none = (client.get(f"/attempts/{name}{end}") for name in (public, "x" * len(public)))
        assert theirs.status_code == none.status_code == 404
        assert theirs.content == none.content
        assert theirs.headers == none.headers
