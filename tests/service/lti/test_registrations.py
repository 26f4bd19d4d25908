"""registrations.py and the page Learning platforms: the operator registers platforms, instructors connect courses."""

import pytest
from commandline import grader
from lti_platforms import CLIENT, registered
from services import post, visible

from grader.service.db.tables.lti import LtiContextRow, LtiScoreRow
from grader.service.errors import RefusedError
from grader.service.lti.registrations import platforms, register


@pytest.fixture
def platform(running, service):
    running.__init__(running.address)
    registered(service, running)
    running.tool_keys = lambda: service.browser().get("/lti/keys").json()
    running.answers = {"/lti/keys": lambda *_: (200, {}, running.tool_keys())}
    return running


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
