"""registrations.py, dynamic_registration.py, check.py and the page Learning platforms."""

import pytest
from commandline import grader
from lti_platforms import CLIENT, platform_at_work, registered
from services import parts, post, visible

from grader.service.db.tables.lti import LtiContextRow, LtiPlatformRow, LtiScoreRow
from grader.service.errors import RefusedError
from grader.service.lti.check import findings
from grader.service.lti.registrations import platforms, register, registration_link

TOOL = "https://purl.imsglobal.org/spec/lti-tool-configuration"


@pytest.fixture(scope="module")
def running():
    with platform_at_work() as made:
        yield made


@pytest.fixture
def platform(running, service):
    running.__init__(running.address)
    registered(service, running)
    running.tool_keys = lambda: service.browser().get("/lti/keys").json()
    running.answers = {"/lti/keys": lambda *_: (200, {}, running.tool_keys())}
    return running


def checked(service, platform):
    with service.database.reading() as session:
        (row,) = platforms(session)
    found = findings(service.database, service.app_state.lti, row, platform.address, service.now)
    return [each.words for each in found if each.is_fault]


def test_a_check_says_in_words_what_is_wrong(service, platform):
    """A check finds each fault of a registration, and says the next step."""
    platform.answers["/token"] = lambda *_: (200, {"date": "Mon, 23 Nov 2026 12:00:30 GMT"}, {"access_token": "a"})
    assert [each for each in checked(service, platform) if "clock" not in each] == []
    refusal = {"error": "invalid_client"}
    platform.answers["/token"] = lambda *_: (401, {}, refusal)
    platform.answers["/keys"] = lambda *_: (200, {}, {"keys": []})
    platform.answers["/lti/keys"] = lambda *_: (200, {}, {"keys": [platform.key.as_dict(private=False)]})
    words = " ".join(checked(service, platform))
    assert "does not contain usable keys. Correct the address." in words
    assert "does not show the key of this database" in words
    assert "enter this service's address of keys" in words
    assert "clock is" in words  # the platform has the time of today, and the service that of November 2026


def test_a_platform_registers_itself_with_a_link_of_the_operator(service, platform):
    """A platform registers itself by a link, which works once. It cannot name an issuer on another server, and cannot
    change a registration that exists.
    """
    made = {"client_id": "client-9", TOOL: {"deployment_id": 5}}
    config = {"issuer": platform.address, "registration_endpoint": f"{platform.address}/reg"}
    config |= {"authorization_endpoint": f"{platform.address}/a", "token_endpoint": f"{platform.address}/t"}
    config["jwks_uri"] = f"{platform.address}/keys"
    platform.answers |= {"/config": lambda *_: (200, {}, config), "/reg": lambda *_: (200, {}, made)}

    def registers():
        with service.database.writing() as session:
            token = registration_link(session, service.now)
        fields = {"openid_configuration": f"{platform.address}/config", "registration_token": "r"}
        client = service.browser()
        assert client.get(f"/lti/register/{token}", params=fields).status_code == 200
        return client, {**fields, "token": token}, client.post("/lti/register", files=parts(**fields, token=token))

    client, fields, said = registers()
    assert said.status_code == 200, visible(said)
    assert client.post("/lti/register", files=parts(**fields)).status_code == 409
    with service.database.reading() as session:
        row = session.query(LtiPlatformRow).filter_by(client_id="client-9").one()
        assert (row.issuer, row.token_url) == (platform.address, f"{platform.address}/t")
    assert "exists already" in visible(registers()[2])
    config["issuer"] = "https://canvas.instructure.com"
    assert "issuer on another server" in visible(registers()[2])
    assert client.get("/lti/register/forged").status_code == 403


def test_an_instructor_connects_a_course_and_sends_scores_again(service, platform):
    """An instructor connects and disconnects a course, asks for its roster, and sends one, some or all scores again. An
    assistant only looks.
    """
    staff, page = service.browser("staff"), "/course/platforms"
    assert f'href="{page}"' in staff.get("/course").text
    with service.database.writing() as session:
        context = session.query(LtiContextRow).one()
        about = {
            "points": 1.0,
            "most": 2.0,
            "comment": "",
            "changed": service.now,
            "not_before": service.now,
            "tries": 9,
        }
        for person, state in ((service.ada, "refused"), (service.ben, "sent")):
            fields = {
                "person_id": person,
                "assignment": "small",
                "state": state,
                "sent_value": "",
                "words": "<b>no</b>",
            }
            session.add(LtiScoreRow(context_id=context.id, **fields, **about))
    shown = staff.get(page)
    assert ("&lt;b&gt;no&lt;/b&gt;" in shown.text, "<b>no" in shown.text) == (True, False)
    missing = post(staff, f"{page}/scores", page, state="sent")
    assert (missing.status_code, 'id="score-error">No score is ticked' in missing.text) == (422, True)
    assert 'platforms?state=sent" aria-current' in missing.text
    for how in ({"all": "yes"}, {"score": "2"}):
        assert post(staff, f"{page}/scores", page, **how).status_code == 303
    with service.database.reading() as session:
        assert [(each.state, each.tries) for each in session.query(LtiScoreRow)] == [("to send", 0)] * 2
    assert post(staff, f"{page}/{context.id}/roster", page).status_code == 303
    assert post(staff, f"{page}/{context.id}/connection", page, ends="yes").status_code == 303
    assert "not connected" in visible(platform.launch(service, service.browser()))
    assert post(staff, f"{page}/{context.id}/connection", page).status_code == 303
    assert platform.launch(service, service.browser()).status_code == 303


def test_a_wrong_registration_changes_nothing(service, platform):
    """A registration with an invalid address is refused as a whole. A valid one replaces the addresses of the same
    issuer and client.
    """
    client = service.app_state.lti
    with (
        pytest.raises(RefusedError, match="address of the keys must begin with https"),
        service.database.writing() as s,
    ):
        register(s, platform.registration(name="New", jwks_url="http://x.example"), client, service.now)
    with service.database.writing() as session:
        register(session, platform.registration(name="New", deployments=("8",)), client, service.now)
    with service.database.reading() as session:
        (row,) = platforms(session)
    assert (row.name, row.client_id) == ("New", CLIENT)


@pytest.mark.whole
def test_the_operator_registers_checks_and_rotates_by_commands(service, tmp_path):
    """`grader lti` registers a platform, lists it, says what is wrong, makes a link, and rotates the key once."""
    embedded = service.database.embedded
    where = ("--data", service.data) if embedded else ("--database", service.database.url)
    lms = "https://lms.example"
    fields = ("--issuer", lms, "--client-id", "1", "--sign-in-url", lms, "--token-url", lms, "--keys-url", lms)
    done = grader(tmp_path, "lti", "add", *fields, "--deployment", "7", "--name", "Moodle", *where)
    assert (done.returncode, "http://127.0.0.1:8000/lti/keys" in done.stdout) == (0, True), done.stderr
    assert (
        "Moodle: issuer https://lms.example, client 1, deployments 7" in grader(tmp_path, "lti", "list", *where).stdout
    )
    said = grader(tmp_path, "lti", "add", *(each.replace("https", "http") for each in fields), *where)
    assert (said.returncode, "must begin with https://" in said.stderr) == (2, True)
    assert "/lti/register/" in grader(tmp_path, "lti", "invite", *where).stdout
    checked = grader(tmp_path, "lti", "check", *where)
    assert (
        checked.returncode,
        "WRONG The platform's keys at https://lms.example cannot be read" in checked.stdout,
    ) == (
        1,
        True,
    )
    assert grader(tmp_path, "lti", "rotate", *where).returncode == 0
    again = grader(tmp_path, "lti", "rotate", *where)
    assert (again.returncode, "keys are being rotated" in again.stderr) == (2, True)
