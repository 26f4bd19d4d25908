"""personal_data.py: a person gets all stored data about them, and nothing hidden or about others."""

import io
import json
import zipfile
import zlib

import pytest
from hidden_parts import SECRET, failing, hiding_course, right
from services import Service, graded

from grader.service.db.tables import METADATA
from grader.service.db.tables.access import ApiTokenRow, InvitationRow, SessionRow
from grader.service.db.tables.outbox import MailRow
from grader.service.people.personal_data import FIELDS
from grader.service.station.grader import ready
from grader.service.submissions.progress import ProgressNote, keep_note


def exported(service, person="ada"):
    """Return the files in the zip by name."""
    said = service.browser(person).get("/data.zip")
    assert (said.status_code, said.headers["content-type"]) == (200, "application/zip")
    with zipfile.ZipFile(io.BytesIO(said.content)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def watched(service, **more):
    """Return a graded attempt with one progress note."""
    attempt = service.hand_in(**more)
    claimed = service.claim()
    with service.database.writing() as session:
        keep_note(session, claimed, ProgressNote(words="building"), service.now)
    service.finish(claimed)
    return attempt


def test_the_zip_has_all_rows_files_and_reports(service):
    """The zip contains all rows, files and reports of its owner."""
    for data in (b"first\n", b"second\n"):
        watched(service, data=data)
    service.token(service.ada, "read")
    found = exported(service)
    held = json.loads(found["data.json"])
    assert found["files/small-1.cl"] == b"first\n"
    assert found["files/small-2.cl"] == b"second\n"
    assert (
        found["reports/small-1-1.html"]
        == found["reports/small-2-2.html"]
        == zlib.decompress(graded(service.course).early_page)
    )
    assert len(found) == 5
    assert [each["key"] for each in held["people"]] == ["ada"]
    assert [each["shown_points"] for each in held["gradings"]] == [15, 15]
    assert [each["data"]["words"] for each in held["progress"]] == ["building", "building"]
    assert [each["name"] for each in held["api_tokens"]] == ["laptop"]
    assert all(len(held[name]) == 1 for name in ("sessions", "invitations", "audit"))


def test_nothing_of_another_person_is_in_it(service):
    """Data of another person do not affect the zip."""
    watched(service)
    before = exported(service)
    watched(service, person=service.ben, data=b"of-ben\n")
    service.token(service.ben, "read")
    service.browser("ben")
    after = exported(service)
    rows = [json.loads(each.pop("data.json")) for each in (before, after)]
    for held in rows:
        for name in ("sessions", "invitations", "audit"):  # each export signs in again, which adds rows
            held[name] = held[name][:1]
    assert rows[0] == rows[1]
    assert before == after


def test_every_table_about_a_person_is_in_it():
    """Every table that refers to a person, an attempt or a grading is exported, so a new table cannot be forgotten."""
    about = {"people.id", "attempts.id", "gradings.id"}
    personal = {
        table.name
        for table in METADATA.sorted_tables
        if any(key.target_fullname in about for key in table.foreign_keys)
    }
    assert personal | {"people", "audit"} == {each.__tablename__ for each in FIELDS}


@pytest.mark.sampled
@pytest.mark.parametrize("hidden", ["case", "performance"])
def test_nothing_hidden_is_exported(tmp_path, hidden):
    """Hidden checks and points that include them are not exported, even after a regrading with a line in the audit
    trail.
    """
    service = Service(tmp_path, course=hiding_course(tmp_path / "course", hidden))
    assignment = service.course.load("small")
    place = {"case": 2, "performance": 7}[hidden]
    seen = []
    for whole in (right(assignment), failing(right(assignment), place)):
        attempt = service.graded(service.hand_in(), ready(right(assignment), assignment))
        service.regrade(attempt)
        service.graded(attempt, ready(whole, assignment))
        found = exported(service)
        assert not any(SECRET in data.decode() for data in found.values())
        gradings = json.loads(found["data.json"])["gradings"][-1:]
        seen.append([{**each, "id": 0, "attempt_id": 0} for each in gradings])
    assert seen[0] == seen[1]
    assert "graded again" not in found["data.json"].decode()


def test_no_time_of_a_grading_is_exported(service):
    """Start, progress and end of a grading are not exported, because a failing hidden check takes longer. The mail
    about the grading and the next grading do not reveal these times either. Times of hand-ins are exported.
    """
    for data in (b"first\n", b"second\n"):
        received = service.now
        attempt = service.hand_in(data=data)
        times = []
        for step in ("begins", "tells", "ends"):
            service.passes(seconds=1.25)
            times.append(service.now.isoformat())
            if step == "begins":
                claimed = service.claim()
            elif step == "tells":
                with service.database.writing() as session:
                    keep_note(session, claimed, ProgressNote(words="building"), service.now)
            else:
                service.finish(claimed)
        with service.database.reading() as session:
            (mail,) = session.query(MailRow).filter_by(path=service.page_of(attempt))
        assert mail.at.isoformat() == times[-1]
        service.passes(seconds=1)
        told = exported(service)["data.json"].decode()
        assert received.isoformat() in told
        assert not [each for each in times if each in told]


def test_no_secret_is_exported(service):
    """Tokens, their hashes and form keys are not exported."""
    watched(service, form_key="the key of a form")
    token = service.token(service.ada, "read")
    told = exported(service)["data.json"].decode()
    with service.database.reading() as session:
        (sign_in,) = session.query(SessionRow)
        hashes = [
            each.token_sha256 for table in (SessionRow, ApiTokenRow, InvitationRow) for each in session.query(table)
        ]
    for secret in (token, sign_in.form_token, "the key of a form", *hashes):
        assert secret not in told
