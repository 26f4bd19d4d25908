"""members.py and its pages: staff add, change, deactivate and remove single people, and replace lost links."""

import re
from contextlib import closing

import pytest
from commandline import complaint, grader
from services import Service, field, parts, post, told, visible
from sqlalchemy import func, select

from grader.common.errors import InputError
from grader.service.db.tables import METADATA
from grader.service.db.tables.audit import AuditRow
from grader.service.db.tables.people import CourseRole, PersonRow
from grader.service.errors import RefusedError
from grader.service.people.auth.sessions import invite, mail_link, start_session
from grader.service.serve.run import ADDRESS_FILE, invitation_lines

PEOPLE = "/course/people"


@pytest.fixture
def staff(service):
    return service.browser("staff")


def person(service, key):
    with service.database.reading() as session:
        return session.scalar(select(PersonRow).where(PersonRow.key == key))


def change(staff, number, **fields):
    page = f"{PEOPLE}/{number}/edit"
    return post(staff, page, page, **{"key": "ada", "name": "Ada", "role": "student", **fields})


def act(staff, number, what):
    """Open a page that asks for confirmation, and send its form."""
    page = f"{PEOPLE}/{number}/{what}"
    return post(staff, page, page)


def audit(staff):
    return staff.get("/course/audit").text


def test_one_person_is_added_and_gets_a_link(service, staff):
    """A person can be added without a roster, gets a sign-in link and has an entry in the audit trail."""
    said = post(staff, PEOPLE, PEOPLE, key="cleo@x", name="Cleo Ärmel", role="assistant", group="")
    number = person(service, "cleo@x").id
    assert said.headers["location"] == f"{PEOPLE}#person-{number}"
    assert f'<tr id="person-{number}">' in staff.get(PEOPLE).text
    link = post(staff, f"{PEOPLE}/{number}/invitation").text
    (token,) = re.findall(r"/join/([\w-]+)</code>", link)
    client = service.browser()
    assert client.post("/join", files={"token": (None, token)}).status_code == 303
    assert "Cleo Ärmel" in client.get("/course/points").text
    assert "added cleo@x: Cleo Ärmel, assistant" in audit(staff)


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"key": "ADA", "name": "X"}, "The key ADA belongs to Ada (ada)."),
        ({"key": "\u212aate", "name": "X"}, "is invisible or looks like another one. Write the key as kate."),
        ({"key": "x\u202ey", "name": "X"}, "is invisible or looks like another one. Write the key as xy."),
        ({"key": "x\x00y", "name": "X"}, "is invisible or looks like another one. Write the key as xy."),
        ({"key": "", "name": "X"}, "The key is empty. Write 200 characters at most."),
        ({"key": "x", "name": "X" * 201}, "The name has 201 characters. Write 200 characters at most."),
        ({"key": "x", "name": "X", "role": "king"}, "not king"),
    ],
)
def test_a_person_who_cannot_be_is_refused(service, staff, fields, words):
    """Invalid fields are refused with the reason, both when a person is added and when one is changed."""
    before = person(service, "ben")
    for said in (post(staff, PEOPLE, PEOPLE, **fields), change(staff, service.ben, **fields)):
        assert (said.status_code, words in said.text) == (422, True)
    with service.database.reading() as session:
        assert session.scalar(select(func.count(PersonRow.id))) == 3
    assert (person(service, "ben").name, person(service, "ben").role) == (before.name, before.role)


@pytest.mark.whole
def test_a_person_is_renamed_and_keeps_everything(service, staff):
    """A person whose name, key, role or group changes keeps all attempts and sessions. Lines in the audit trail follow
    the new key.
    """
    attempt = service.graded(service.hand_in())
    page = f"{PEOPLE}/{service.ada}/assignments/small"
    post(staff, f"{page}/decision", page, points="+1", comment="so")
    ada = service.browser("ada")
    assert change(staff, service.ada, key="ada@x", name="Ada Lovelace", group="7").status_code == 303
    renamed = person(service, "ada@x")
    assert (renamed.id, renamed.name, renamed.team, renamed.folded) == (service.ada, "Ada Lovelace", "7", "ada@x")
    assert "Ada Lovelace" in ada.get(service.page_of(attempt)).text
    assert "ada: Ada, student -&gt; Ada Lovelace, student, group 7, key ada@x" in audit(staff)
    with service.database.reading() as session:
        about = session.scalars(select(AuditRow.about).where(AuditRow.what.contains("decided"))).all()
    assert about == ["ada@x"]
    assert change(staff, service.ada, key="Ada@X", name="Ada", group="").status_code == 303
    assert (person(service, "Ada@X").team, person(service, "Ada@X").folded) == (None, "ada@x")


def test_a_dash_means_no_group_in_the_roster_and_in_both_forms(service, staff):
    """A dash means "no group" in the roster and in both forms. Otherwise, all people with a dash would form a group."""
    post(staff, PEOPLE, PEOPLE, key="cleo", name="Cleo", role="student", group="-")
    post(staff, f"{PEOPLE}/roster", PEOPLE, file=("roster.csv", b"key,name,group\ndan,Dan,-\n"))
    assert change(staff, service.ada, group="7").status_code == 303
    assert person(service, "ada").team == "7"
    assert change(staff, service.ada, group="-").status_code == 303
    assert [person(service, key).team for key in ("ada", "cleo", "dan")] == [None] * 3


def test_nobody_changes_their_own_role_or_leaves_by_themselves(service, staff):
    """Instructors cannot change their own role, deactivate themselves or remove themselves, so that a course always has
    an instructor.
    """
    refused = [
        change(staff, service.staff, key="staff", name="Staff", role="student"),
        post(staff, f"{PEOPLE}/{service.staff}/deactivation"),
        post(staff, f"{PEOPLE}/{service.staff}/removal"),
    ]
    assert [each.status_code for each in refused] == [422, 409, 409]
    page = staff.get(f"{PEOPLE}/{service.staff}/edit").text
    assert "/deactivation" not in page
    assert "/removal" not in page


@pytest.mark.whole
def test_a_deactivated_person_cannot_sign_in_by_any_way_and_keeps_grades(service, staff):
    """A deactivated person loses all sessions and tokens and cannot get new ones, not even from staff. All grades are
    kept.
    """
    attempt = service.graded(service.hand_in())
    ada, row = service.browser("ada"), person(service, "ada")
    token = service.token(service.ada, "read")
    seen = told(service, attempt)
    points = staff.get("/course/points.csv").content
    assert "Attempts and grades stay" in staff.get(f"{PEOPLE}/{service.ada}/deactivation").text
    assert act(staff, service.ada, "deactivation").status_code == 303
    assert ada.get("/").headers["location"] == "/sign-in"
    bearer = {"authorization": f"Bearer {token}"}
    assert service.browser().get("/api/v1/me", headers=bearer).status_code == 401
    with service.database.writing() as session:
        with pytest.raises(RefusedError, match="ended your access"):
            start_session(session, service.ada, service.now)
        with pytest.raises(RefusedError, match="is deactivated"):
            invite(session, session.get_one(PersonRow, service.ada), "staff", service.now)
        assert mail_link(session, service.ada, service.now) is None
    assert post(staff, f"{PEOPLE}/{service.ada}/invitation").status_code == 409
    assert "a new link for each of 1 student." in staff.get("/course/invitations").text
    page = staff.get(PEOPLE).text
    assert '"signed in">deactivated<' in page
    assert f"{PEOPLE}/{service.ada}/invitation" not in page
    assert staff.get("/course/points.csv").content == points
    assert staff.get(service.page_of(attempt)).status_code == 200
    assert "deactivated ada" in audit(staff)

    edit = f"{PEOPLE}/{service.ada}/edit"
    assert "Deactivated since" in staff.get(edit).text
    assert post(staff, f"{PEOPLE}/{service.ada}/activation", edit).status_code == 303
    assert "activated ada" in audit(staff)
    assert service.browser("ada").get("/").status_code == 200
    assert len(told(service, attempt)) == len(seen)
    assert row.deactivated is None


def test_only_a_person_who_handed_in_nothing_is_removed_with_all_that_is_theirs(service, staff):
    """A person without own or shared attempts can be removed. The page lists everything that will be deleted, and no
    row of the person remains.
    """
    service.graded(service.hand_in())
    address, edit = f"{PEOPLE}/{service.ada}/removal", f"{PEOPLE}/{service.ada}/edit"
    for said in (staff.get(address), post(staff, address, edit)):
        assert (said.status_code, "1 attempt of Ada is kept" in said.text) == (409, True)
    assert "Ada has 1 attempt" in staff.get(edit).text
    assert address not in staff.get(edit).text
    page = f"{PEOPLE}/{service.ben}/assignments/small"
    post(staff, f"{page}/decision", page, points="3", comment="so")
    post(staff, f"{page}/extension", page, attempts="1", reason="ill")
    post(
        service.browser("ben"),
        "/assignments/small/leaderboard/pseudonym",
        "/assignments/small/leaderboard",
        pseudonym="Owl",
    )
    service.token(service.ben, "read")
    asked = staff.get(f"{PEOPLE}/{service.ben}/removal").text
    for words in ("1 extension", "1 decision by hand", "1 pseudonym", "1 browser that is signed in", "1 token"):
        assert words in asked
    assert person(service, "ben") is not None
    assert act(staff, service.ben, "removal").status_code == 303
    assert person(service, "ben") is None
    with service.database.reading() as session:
        for table in METADATA.sorted_tables:
            if "person_id" in table.columns:
                left = session.scalar(select(func.count()).where(table.c.person_id == service.ben))
                assert (table.name, left) == (table.name, 0)
    assert "removed ben: Ben, student" in audit(staff)
    assert "Ben" not in visible(staff.get(PEOPLE))


def test_a_page_about_somebody_who_was_removed_acts_on_nobody_else(service, staff):
    """A page about a removed person never affects the person who is added next, because numbers are not reused."""
    removed = service.person("cleo", CourseRole.STUDENT)
    page = f"{PEOPLE}/{removed}/deactivation"
    form_token = field(staff.get(page), "form_token")
    act(staff, removed, "removal")
    added = service.person("dan", CourseRole.STUDENT)
    assert added > removed
    assert staff.post(page, files=parts(form_token=form_token)).status_code == 404
    assert person(service, "dan").deactivated is None


def test_a_member_of_a_group_that_handed_in_is_not_removed(tmp_path):
    """A member of a group that has handed in cannot be removed, because the attempt counts for every member."""
    service = Service(tmp_path, policies="groups: 2\n")
    staff = service.browser("staff")
    post(staff, f"{PEOPLE}/roster", file=("roster.csv", b"key,name,group\nada,Ada,7\nben,Ben,7\n"))
    service.graded(service.hand_in(service.app_state.cache.assignment("small").rules))
    assert post(staff, f"{PEOPLE}/{service.ben}/removal").status_code == 409
    assert person(service, "ben") is not None
    service.database.close()


def test_an_instructors_link_is_printed_again_while_the_service_runs(service):
    """While the service runs, a new link for an instructor can be printed, which ends the lost one. Without a key, the
    command lists the instructors.
    """
    with service.database.writing() as session:
        lost = invite(session, session.get_one(PersonRow, service.staff), "grader serve", service.now)
    (line,) = invitation_lines(service.database, ["STAFF"], "https://grader.example.org")
    words, _, token = line.rpartition("/")
    assert words == "sign in as Staff (staff), once: https://grader.example.org/join"
    joined = [service.browser().post("/join", files={"token": (None, each)}).status_code for each in (lost, token)]
    assert joined == [403, 303]
    with pytest.raises(InputError, match="Instructors of this course: staff"):
        invitation_lines(service.database, [], "http://x")
    with pytest.raises(InputError, match="no person with the key 'who'"):
        invitation_lines(service.database, ["who"], "http://x")
    service.person("gone", CourseRole.INSTRUCTOR)
    number = person(service, "gone").id
    act(service.browser("staff"), number, "deactivation")
    with pytest.raises(InputError, match="is deactivated"):
        invitation_lines(service.database, ["gone"], "http://x")


def test_the_command_prints_a_link(tmp_path):
    """The command `invite` prints a link if the folder of the service exists. It never creates a missing folder.
    Without `--url`, the link has the address that `serve` has stored. If no address is stored, a line asks for it.
    """
    with closing(Service(tmp_path).database):
        done = grader(tmp_path, "invite", "staff", "--data", tmp_path / "data", "--url", "https://grader.example.org")
    assert re.fullmatch(r"sign in as Staff \(staff\), once: https://grader.example.org/join/[\w-]+\n", done.stdout)
    (tmp_path / "data" / ADDRESS_FILE).write_text("http://127.0.0.1:8123\n")
    assert (
        "once: http://127.0.0.1:8123/join/" in grader(tmp_path, "invite", "staff", "--data", tmp_path / "data").stdout
    )
    (tmp_path / "data" / ADDRESS_FILE).unlink()
    link, advice = grader(tmp_path, "invite", "staff", "--data", tmp_path / "data").stdout.splitlines()
    assert "once: http://127.0.0.1:8000/join/" in link
    assert advice.endswith("run this command again with --url ADDRESS.")
    assert "has no service database" in complaint(grader(tmp_path, "invite", "staff", "--data", tmp_path / "none"))
    assert not (tmp_path / "none").exists()
    assert "--data" in complaint(grader(tmp_path, "invite", "staff"))
