"""The page of a person's data: it counts them, and sends one zip at a time."""

import asyncio
from tempfile import TemporaryFile

import pytest

from grader.service.submissions.progress import ProgressNote, keep_note
from grader.service.web.routes.account import personal_data
from grader.service.web.routes.account.personal_data import ZipSlots


def watched(service, **more):
    """Return a graded attempt with one progress note."""
    attempt = service.hand_in(**more)
    claimed = service.claim()
    with service.database.writing() as session:
        keep_note(session, claimed, ProgressNote(words="building"), service.now)
    service.finish(claimed)
    return attempt


def test_the_page_counts_what_there_is_and_leads_to_the_zip(service):
    """The page counts the person's data, here one sign-in and three attempts, and links to the zip."""
    for _ in range(3):
        watched(service)
    page = service.browser("ada").get("/data").text
    assert 'href="/data.zip"' in page
    assert 'Attempts, with the files that you handed in</th><td data-name="how many">3<' in page
    assert 'Browsers that you signed in</th><td data-name="how many">1<' in page


def test_each_person_has_one_zip_until_it_is_sent_and_there_are_few_in_all(service, monkeypatch):
    """Each person can request only one zip at a time, and all people together only a few. A refused request can be
    repeated later.
    """
    monkeypatch.setattr(personal_data, "zip_slots", ZipSlots())
    monkeypatch.setattr(personal_data, "MAX_ZIPS", 2)
    ada, ben = service.browser("ada"), service.browser("ben")
    personal_data.zip_slots.enter(service.ada)
    assert "Your data" in ada.get("/data.zip").text
    for _ in range(2):
        assert ben.get("/data.zip").status_code == 200
    personal_data.zip_slots.enter(service.staff)
    assert "of several other people" in ben.get("/data.zip").text
    personal_data.zip_slots.leave(service.ada)
    assert ada.get("/data.zip").status_code == 200


class _GoneError(Exception):
    """Raised when the client has disconnected."""


@pytest.mark.parametrize("at", ["http.response.start", "http.response.body"])
def test_a_zip_is_removed_however_its_sending_ends(service, monkeypatch, at):
    """The temporary zip is removed even if the client disconnects or takes too long."""
    monkeypatch.setattr(personal_data, "SEND_SECONDS", 0.05)
    made = []
    monkeypatch.setattr(personal_data, "TemporaryFile", lambda: made.append(TemporaryFile()) or made[-1])  # noqa: SIM115

    async def hang():
        await asyncio.sleep(60)

    async def gone(message):
        if message["type"] == at:
            raise _GoneError

    async def stuck(message):
        if message["type"] == at:
            await hang()

    for send in (gone, stuck):
        personal_data.zip_slots.enter(service.ada)
        answer = personal_data.PersonalDataZip(service.database, service.ada)
        with pytest.raises((_GoneError, TimeoutError, ExceptionGroup)):
            asyncio.run(answer({"type": "http"}, hang, send))
        personal_data.zip_slots.enter(service.ada)
        personal_data.zip_slots.leave(service.ada)
    assert [each.closed for each in made] == [True, True]
