"""Accessibility of pages that a browser cannot open by an address: pages of learning platforms, refused forms, and
reports in files.

test_every_page.py visits the pages that have an address. Here, a simulated browser fetches each page. Chromium then
shows its text without the scripts, because some scripts submit a form at once.
"""

import re
from itertools import cycle

import pytest
from full_service import POLICIES, Eventful
from gradebooks import grade, gradebook, mark, missed, row, speed
from lti_platforms import CLAIM, SELECTION, TEACHER, platform_at_work, registered
from open_service import driving, opened
from page_checks import LOOKS, OTHER_LOOKS, problems
from samples import BARS, BUILD, ERROR_MAP, RACE, ROOFLINE, SOURCE, UNGRADED, check, failed, result
from services import parts, post

from grader.course.rubric import Kind
from grader.reports import overview_page, page
from grader.reports.bare import bare_overview, bare_page
from grader.service.db.tables.people import CourseRole
from grader.service.lti.registrations import registration_link

pytestmark = pytest.mark.whole  # these tests take half a minute together

SCRIPT = re.compile(r"<script\b.*?</script>", re.DOTALL)


@pytest.fixture
def course(tmp_path):
    with opened(tmp_path, policies=POLICIES) as service:
        yield Eventful(service)


def faults(driven, pages, looks):
    """Return the problems of pages, which are given as texts by name. Each page is tried in one look, and the looks
    take turns.
    """
    found = []
    for (name, text), look in zip(pages.items(), cycle(looks), strict=False):
        frame = driven.ask("Page.getFrameTree")["frameTree"]["frame"]["id"]
        driven.ask("Page.setDocumentContent", frameId=frame, html=SCRIPT.sub("", text))
        driven.wait("document.readyState === 'complete'")
        found += [f"{name}: {each}" for each in problems(driven, (look,))]
    return found


def pages_of_a_platform(service, platform):
    """Return the pages that browsers from a learning platform get, by a name for each."""
    registered(service, platform)
    wish = {f"{CLAIM}message_type": "LtiDeepLinkingRequest", f"{CLAIM}resource_link": None}
    wish |= {SELECTION: {"deep_link_return_url": f"{platform.address}/return", "accept_multiple": True}}
    client = service.browser()
    asked = {"iss": platform.address, "client_id": "client-1", "login_hint": "x", "target_link_uri": service.origin}
    framed = client.get("/lti/login", params=asked, headers={"sec-fetch-dest": "iframe"})
    launched = client.post("/lti/launch", data={"state": "s", "id_token": "t"})
    choosing = platform.launch(service, client, sub="sub-dora", role=TEACHER, **wish)
    token = choosing.text.split('name="token" value="')[1].split('"')[0]
    missing = client.post("/lti/deep-linking", files=parts(token=token))
    returned = client.post("/lti/deep-linking", files=parts(token=token, assignment="small"))
    refused = client.post("/lti/launch", data={"error": "access_denied"})
    stranger = {f"{CLAIM}context": {"id": "another", "title": "Another course"}}
    unknown = platform.launch(service, service.browser(), **stranger)
    made = {"window": framed, "launch": launched, "selection": choosing, "nothing chosen": missing, "return": returned}
    return {**made, "refused": refused, "not connected": unknown, **registration(service, platform)}


def registration(service, platform):
    """Return the pages on which the administrator of a platform registers the service."""
    made = {"client_id": "client-9", "https://purl.imsglobal.org/spec/lti-tool-configuration": {"deployment_id": 5}}
    config = {"issuer": platform.address, "registration_endpoint": f"{platform.address}/reg"}
    config |= {"authorization_endpoint": f"{platform.address}/a", "token_endpoint": f"{platform.address}/t"}
    config["jwks_uri"] = f"{platform.address}/keys"
    platform.answers |= {"/config": lambda *_: (200, {}, config), "/reg": lambda *_: (200, {}, made)}
    with service.database.writing() as session:
        token = registration_link(session, service.now)
    fields = {"openid_configuration": f"{platform.address}/config", "registration_token": "r"}
    client = service.browser()
    asking = client.get(f"/lti/register/{token}", params=fields)
    registering = client.post("/lti/register", files=parts(**fields, token=token))
    return {"register": asking, "registered": registering, "used up": client.get("/lti/register/forged")}


def refused_forms(service):
    """Return pages that show a refused form with a message at the wrong field."""
    staff, ada = service.browser("staff"), service.browser("ada")
    extension = f"/course/people/{service.ada}/assignments/small/extension"
    return {
        "webhook": post(staff, "/course/webhooks", "/course/webhooks", url="http://x"),
        "scores": post(staff, "/course/platforms/scores", "/course/platforms"),
        "extension": post(staff, extension, extension.removesuffix("/extension"), until="soon", reason="ill"),
        "token": post(ada, "/tokens", "/tokens", name=""),
    }


REFUSALS = ("webhook", "scores", "extension", "token", "nothing chosen")
"""Names of the pages with a refused form."""


def test_pages_of_a_platform_and_refused_forms_are_accessible(course, browser):
    """axe finds no fault in the pages for browsers from a learning platform, nor in refused forms."""
    service = course.service
    with platform_at_work() as platform:
        answers = pages_of_a_platform(service, platform) | refused_forms(service)
    wanted = {**dict.fromkeys(answers, 200), **dict.fromkeys(REFUSALS, 422), "refused": 409}
    wanted |= {"not connected": 403, "used up": 403}
    assert {name: answer.status_code for name, answer in answers.items()} == wanted
    driven = browser.shared()
    driven.open(f"{service.origin}/sign-in")
    said = faults(driven, {name: answer.text for name, answer in answers.items()}, LOOKS)
    assert not said, "\n".join(said)


RACING = failed("sanitizer (n 7)", kind=Kind.SANITIZER, findings=(RACE,), message=RACE.message)
WRONG = failed("correctness: one (n 1)", error_map=ERROR_MAP)
FAST = check("performance: cpu (n 2)", kind=Kind.PERFORMANCE, performance=BARS)
FASTER = check("performance: cpu (n 2)", kind=Kind.PERFORMANCE, performance=ROOFLINE)


def reports():
    """Return reports of gradings and overviews of batches, by their contents."""
    good, bad = grade(mark(), timed=speed()), grade(missed(), source="__kernel void j() { int x; }\n")
    book = gradebook(row("ada", good), row("ben", bad), row("cleo"), row("dora", fault="the device is gone."))
    return {
        "race": page(result(BUILD, RACING, WRONG, source=SOURCE)).text,
        "full points": page(result(BUILD, check("correctness: one"), FAST)).text,
        "roofline": page(result(BUILD, check("correctness: one"), FASTER)).text,
        "ungraded": page(UNGRADED).text,
        "bare": bare_page(result(BUILD, RACING)),
        "overview": overview_page(book, {("ada", "coalsTransp"): "ada.html"}).text,
        "empty overview": overview_page(gradebook(row("ada")), {}).text,
        "bare overview": bare_overview(book, {}),
    }


def test_reports_in_files_are_accessible(browser):
    """axe finds no fault in the report of a grading, nor in the overview of a batch."""
    driven = browser.shared()
    driven.ask("Page.setBypassCSP", enabled=True)
    driven.open("about:blank")
    said = faults(driven, reports(), LOOKS)
    driven.ask("Page.setBypassCSP", enabled=False)
    assert not said, "\n".join(said)


def test_what_an_assistant_sees_is_accessible(course, browser):
    """axe finds no fault in the pages for assistants, who see fewer columns and buttons than instructors."""
    course.service.person("tara", CourseRole.ASSISTANT)
    said, looks = [], cycle((*LOOKS, *OTHER_LOOKS))
    with driving(browser, course.service, "tara") as driven:
        for address in course.pages("tara"):
            if address.startswith("/course") and address != "/course/overview":
                driven.open(f"{course.service.origin}{address}")
                said += [f"{address}: {each}" for each in problems(driven, (next(looks),))]
    assert not said, "\n".join(said)
