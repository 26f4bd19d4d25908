"""launch.py and its routes: sign-in from a learning platform, and a hostile platform with every fault."""

import base64
import json
from urllib.parse import parse_qsl, urlencode, urlsplit

import pytest
from joserfc.jwk import OctKey
from lti_platforms import (
    CLAIM,
    CLIENT,
    LEARNER,
    OTHER_KEY,
    SELECTION,
    TEACHER,
    arrive,
    registered,
)
from pages import Reader
from services import parts, visible

from grader.service.db.tables.lti import LtiAccountRow, LtiContextRow
from grader.service.db.tables.people import CourseRole, PersonRow


@pytest.fixture
def platform(running):
    running.__init__(running.address)
    return running


def person(service, key):
    with service.database.reading() as session:
        return session.query(PersonRow).filter_by(key=key).one_or_none()


def test_a_student_and_an_instructor_arrive_signed_in(service, platform):
    """A student and an instructor arrive at the assignment with their roles, and return as the same people."""
    registered(service, platform)
    for sub, role, page, mine in (
        ("sub-cleo", LEARNER, "/assignments/small", CourseRole.STUDENT),
        ("sub-dora", TEACHER, "/course/assignments/small", CourseRole.INSTRUCTOR),
    ):
        client = service.browser()
        for _ in range(2):
            said = platform.launch(service, client, sub=sub, role=role)
            assert (said.status_code, said.headers.get("location")) == (303, page), said.text
        key = f"{sub.removeprefix('sub-')}@example.org"
        assert (person(service, key).role, client.get(page).status_code) == (mine, 200)
    with service.database.reading() as session:
        assert session.query(LtiAccountRow).count() == 2


CLOCKS = (
    (300, 600, "is 5 minutes ahead of the clock of this service"),
    (-300, 600, "is 5 minutes behind the clock of this service"),
    (-30, -70, "has expired"),
    (45, 600, ""),
    (-45, 600, ""),
    (0, -45, ""),
)
"""Seconds from now to the time and the end of a message, and words of the reason if it is refused."""


def test_a_clock_that_is_wrong_is_named_and_a_minute_is_allowed(service, platform):
    """A message from a clock that is 5 minutes off is refused with a sentence about the clock. 45 s are allowed."""
    registered(service, platform)
    now = int(service.now.timestamp())
    for issued, ends, words in CLOCKS:
        platform.claims = {"iat": now + issued, "exp": now + ends}
        said = platform.launch(service, service.browser())
        assert (issued, ends, said.status_code) == (issued, ends, 409 if words else 303)
        assert words in visible(said)


def test_a_message_that_the_platform_has_not_signed_signs_nobody_in(service, platform):
    """A message is refused if it is unsigned, signed with another key or a shared secret, or not a message at all."""
    registered(service, platform)
    client = service.browser()
    for key, header in (
        (OTHER_KEY, {"alg": "RS256", "kid": "one"}),
        (OctKey.import_key(CLIENT * 8), {"alg": "HS256", "kid": "one"}),
        (None, {"alg": "none"}),
        (None, {}),
    ):
        asked = platform.login(service, client)
        platform.signs_with, platform.header = key or platform.key, header if key else {"alg": "RS256", "kid": "one"}
        text = platform.message(service, asked["nonce"])
        if key is None:
            text = f"{part(header)}.{text.split('.')[1]}." if header else ""
        said = arrive(service, client, asked["state"], text)
        assert (header, said.status_code) == (header, 409)
        assert "does not come from Example LMS" in visible(said)
        assert client.get("/").status_code == 303


def part(value):
    return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")


def test_a_message_works_once_and_only_in_the_browser_that_began(service, platform):
    """A message works once, and only in the browser that began the sign-in, so that no one can sign a victim in to the
    attacker's account. A copied cookie does not help.
    """
    registered(service, platform)
    client = service.browser()
    asked = platform.login(service, client)
    text = platform.message(service, asked["nonce"])
    assert "did not send the cookie" in visible(arrive(service, service.browser(), asked["state"], text))
    copied = dict(client.cookies)
    other = service.browser()
    platform.login(service, other)
    assert arrive(service, other, asked["state"], text).status_code == 409
    assert arrive(service, client, asked["state"], text).status_code == 303
    thief = service.browser()
    thief.cookies.update(copied)
    said = arrive(service, thief, asked["state"], text)
    assert (said.status_code, "used before" in visible(said)) == (409, True)


def test_two_windows_may_sign_in_at_once(service, platform):
    """Two sign-ins that one browser begins at the same time both succeed."""
    registered(service, platform)
    client = service.browser()
    first, second = platform.login(service, client), platform.login(service, client)
    for asked in (first, second):
        text = platform.message(service, asked["nonce"])
        assert arrive(service, client, asked["state"], text).status_code == 303


def test_html_in_names_is_shown_as_text(service, platform):
    """Names and titles from a platform are text on every page, and invisible characters are replaced."""
    registered(service, platform)
    title = {f"{CLAIM}context": {"id": "course-2", "title": "<img src=x>\x00"}}
    said = platform.launch(service, service.browser(), **title)
    assert (said.status_code, "&lt;img src=x&gt;" in said.text, "<img" in said.text) == (403, True, False)
    client = service.browser()
    assert platform.launch(service, client, sub="sub-eve", name="<script>alert(1)</script>").status_code == 303
    assert "<script>alert" not in client.get("/assignments/small").text
    assert person(service, "eve@example.org").name == "<script>alert(1)</script>"


def test_a_course_of_the_platform_waits_until_an_instructor_connects_it(service, platform):
    """A teacher of another course of the same platform does not become an instructor here."""
    registered(service, platform)
    client = service.browser()
    said = platform.launch(
        service, client, sub="sub-mallory", role=TEACHER, **{f"{CLAIM}context": {"id": "elsewhere", "title": "Other"}}
    )
    assert (said.status_code, "Other of your learning platform is not connected" in visible(said)) == (403, True)
    assert (client.get("/").status_code, person(service, "mallory@example.org")) == (303, None)
    with service.database.reading() as session:
        row = session.query(LtiContextRow).filter_by(context="elsewhere").one()
        assert (row.title, row.connected) == ("Other", None)


def test_a_frame_offers_a_new_window(service, platform):
    """Inside a frame, a sign-in offers a window with the same sign-in. Only the choice of assignments stays in the
    frame, with a cookie that belongs to this frame.
    """
    registered(service, platform)
    asked = {"iss": platform.address, "client_id": CLIENT, "login_hint": "hint", "target_link_uri": service.origin}
    client, framed = service.browser(), {"sec-fetch-dest": "iframe"}
    said = client.get(f"/lti/login?{urlencode(asked)}", headers=framed)
    assert (said.status_code, "Open in a new window" in said.text, "set-cookie" in said.headers) == (200, True, False)
    assert "frame-ancestors *" in said.headers["content-security-policy"]
    assert "x-frame-options" not in said.headers
    asked["target_link_uri"] = f"{service.origin}/lti/deep-linking"
    said = client.get(f"/lti/login?{urlencode(asked)}", headers=framed)
    assert said.status_code == 303
    assert {"SameSite=none", "Secure", "Partitioned"} <= set(said.headers["set-cookie"].split("; "))
    assert client.get("/sign-in").headers["x-frame-options"] == "DENY"


def kept_in_storage(service, platform, target="_parent"):
    """Begin a sign-in in a frame of a platform that offers a storage, and return the page that stores the secret."""
    asked = {"iss": platform.address, "client_id": CLIENT, "login_hint": "hint", "lti_storage_target": target}
    asked["target_link_uri"] = f"{service.origin}/lti/deep-linking"
    return service.browser().get(f"/lti/login?{urlencode(asked)}", headers={"sec-fetch-dest": "iframe"})


def test_a_secret_from_the_storage_shows_a_choice_and_begins_no_session(service, platform):
    """Without the cookie, a secret from the platform's storage is enough to choose assignments, but only with the state
    of the same sign-in, and only once. It never signs a person in.
    """
    registered(service, platform)
    choosing = {f"{CLAIM}message_type": "LtiDeepLinkingRequest", f"{CLAIM}resource_link": None}
    choosing[SELECTION] = {"deep_link_return_url": f"{platform.address}/return"}
    answers = []
    for claims in ({}, choosing):
        (link,) = [
            dict(more)
            for _, more in Reader(kept_in_storage(service, platform).text).elements
            if ("data-target", "_parent") in more
        ]
        asked, secret = dict(parse_qsl(urlsplit(link["href"]).query)), link["data-value"]
        assert (link["data-origin"], link["data-key"]) == (platform.address, f"grader-{asked['state']}")
        message = platform.message(service, asked["nonce"], sub="sub-dora", role=TEACHER, **claims)
        for state, kept in (("1-other", secret), (asked["state"], ""), *((asked["state"], secret),) * 2):
            client = service.browser()
            form = parts(state=state, id_token=message, kept=kept)
            said = client.post("/lti/session", files=form, headers={"origin": service.origin})
            answers.append((said.status_code, visible(said)))
            assert client.get("/").status_code == 303
    assert [status for status, _ in answers] == [409] * 6 + [200, 409]
    words = ("did not begin", "did not send", "did not send", "did not send", "did not begin", "did not send")
    assert all(each in text for each, (_, text) in zip((*words, "Choose", "used before"), answers, strict=True))


@pytest.mark.parametrize("target", ["", "a b", "<b>", "x" * 101, "top.x"])
def test_a_storage_needs_the_name_of_a_frame(service, platform, target):
    """If a platform does not state a valid name of a frame, it does not get the secret, and the sign-in continues with
    the cookie.
    """
    registered(service, platform)
    assert kept_in_storage(service, platform, target).status_code == 303


@pytest.mark.parametrize("state", ["", "9-other", "other", "1" * 20])
def test_a_launch_of_an_unknown_registration_asks_no_storage(service, platform, state):
    """The page of a launch asks a storage for the secret only if the state contains the number of a registered
    platform.
    """
    registered(service, platform)
    form = {"state": state, "id_token": "x", "lti_storage_target": "_parent"}
    said = service.browser().post("/lti/launch", data=form, headers={"origin": "https://lms.example"})
    assert (said.status_code, "lti_storage.js" in said.text, "submit.js" in said.text) == (200, False, True)


def test_a_platform_posts_its_login_and_its_errors(service, platform):
    """A platform may begin a sign-in by a form. Its error is shown with the next step, and other forms from other sites
    are refused.
    """
    registered(service, platform)
    asked = {"iss": platform.address, "login_hint": "hint"}
    foreign = {"origin": "https://lms.example"}
    client = service.browser()
    assert client.post("/lti/login", data=asked, headers=foreign).status_code == 303
    unknown = client.post("/lti/login", data={**asked, "iss": "https://x.example"}, headers=foreign)
    assert "no registration of https://x.example" in visible(unknown)
    said = client.post("/lti/launch", data={"state": "s", "error": "login_required"}, headers=foreign)
    assert "did not sign you in: login_required" in visible(said)
    assert client.post("/lti/login", data={f"f{n}": "" for n in range(60)}, headers=foreign).status_code == 409
    assert client.post("/lti/session", files=parts(state="s"), headers=foreign).status_code == 403
