"""events.py: a browser receives the progress of a grading, even after it reconnects."""

import asyncio
import json
import re
from datetime import timedelta

import pytest
from courses import KERNEL
from hidden_parts import right
from services import graded

from grader.grading.progress import Decided
from grader.service.db.session import utc_now
from grader.service.db.tables.grading_states import State
from grader.service.db.tables.people import PersonRow
from grader.service.people.auth.sessions import end_all_access
from grader.service.submissions.claims import LEASE
from grader.service.submissions.health import NO_PLACE, PlaceInQueue
from grader.service.submissions.progress import ProgressNote, keep_note, note_of
from grader.service.web.http.events import MAX_STREAMS, GradingProgress, events


def tell(service, claimed, *told):
    with service.database.writing() as session:
        for each in told:
            keep_note(session, claimed, note_of(each), utc_now())


def heard(said):
    """Return the events in a response as name, number and data."""
    found = []
    for block in said.text.split("\n\n"):
        lines = dict(re.findall(r"^(\w+): (.*)$", block, re.MULTILINE))
        if "event" in lines:
            found.append((lines["event"], lines.get("id"), json.loads(lines["data"])))
    return found


def watched(service, **more):
    """Return the response with the events of an attempt that is graded after three notes."""
    attempt = service.hand_in(data=KERNEL.encode())
    claimed = service.claim()
    first = graded(service.course)
    assert first.points
    tell(service, claimed, "building", _decided(service), "timing")
    service.finish(claimed)
    return service.browser("ada").get(f"{service.page_of(attempt)}/events", **more)


def _decided(service):
    return Decided(check=right(service.course.load("small")).checks[1])


def test_every_note_and_the_end_are_heard(service):
    """Events are sent in order with their numbers. The last one reports the end."""
    said = watched(service)
    assert said.headers["content-type"].startswith("text/event-stream")
    names = [(name, data.get("words") or data.get("check") or data.get("state")) for name, _, data in heard(said)]
    assert names == [("note", "building"), ("note", "correctness: one (n 1)"), ("note", "timing"), ("over", "done")]


@pytest.mark.whole
def test_a_browser_that_comes_back_hears_what_it_missed(service):
    """A browser that reconnects gets all events after the last one that it received. The header takes precedence over
    the address.
    """
    everything = heard(watched(service))
    second = everything[1][1]
    client, path = service.browser("ada"), service.page_of(1) + "/events"
    for said in (
        client.get(f"{path}?after={second}"),
        client.get(f"{path}?after=0", headers={"last-event-id": second}),
    ):
        assert [data.get("words") for _, _, data in heard(said)] == ["timing", None]
    for nonsense in ("-1", "x", "9" * 30, "²"):
        assert len(heard(client.get(path, headers={"last-event-id": nonsense.encode()}))) == len(everything)


def test_a_grading_that_was_begun_again_tells_only_of_its_present_turn(service):
    """A grading that starts again reports only its current try, because the notes of a dead station are no
    longer true.
    """
    service.hand_in()
    tell(service, service.claim(), "building")
    service.passes(seconds=LEASE.total_seconds() + 1)
    claimed = service.claim("two")
    tell(service, claimed, "timing")
    service.finish(claimed)
    said = heard(service.browser("ada").get(service.page_of(1) + "/events"))
    assert [(data.get("words"), data.get("turn")) for _, _, data in said] == [("timing", 2), (None, None)]


def test_a_page_that_is_loaded_again_shows_all_that_was_told(service):
    """A reloaded page shows all notes so far, escaped. It also has the number of the last one, after which its script
    continues.
    """
    attempt = service.hand_in()
    claimed = service.claim()
    tell(service, claimed, "building", _decided(service), "timing <b>")
    page = service.browser("ada").get(service.page_of(attempt)).text
    assert "correctness: one (n 1)" in page
    assert "timing &lt;b&gt;" in page
    assert 'data-after="3"' in page


def told_by(look, person=1):
    async def collect():
        return [each async for each in events(look, 0, person)]

    return "".join(asyncio.run(collect()))


def test_the_place_in_the_queue_is_told_when_it_changes(monkeypatch):
    """The place in the queue is sent only when it changes."""
    monkeypatch.setattr("grader.service.web.http.events.POLL_SECONDS", {State.WAITING: 0.0, State.RUNNING: 0.0})
    looks = iter([2, 2, 1, 1, 0])

    def look(_):
        ahead = next(looks, None)
        state = State.CANCELLED if ahead is None else State.WAITING
        return GradingProgress(state=state, turn=0, place=PlaceInQueue(ahead=ahead or 0, wait=None), notes=())

    assert re.findall(r'"ahead": (\d)', told_by(look)) == ["2", "1", "0"]


def test_the_wait_is_told_when_its_words_change(monkeypatch):
    """The estimated wait is sent again when its rounded words change, even if the place in the queue does not."""
    monkeypatch.setattr("grader.service.web.http.events.POLL_SECONDS", {State.WAITING: 0.0, State.RUNNING: 0.0})
    waits = iter([150, 160, 100])

    def look(_):
        wait = next(waits, None)
        place = NO_PLACE if wait is None else PlaceInQueue(ahead=3, wait=timedelta(seconds=wait))
        return GradingProgress(state=State.CANCELLED if wait is None else State.WAITING, turn=0, place=place, notes=())

    assert re.findall('"wait": "([^"]*)"', told_by(look)) == ["about 3 minutes", "about 2 minutes"]


@pytest.mark.parametrize("by", ["token", "cookie"])
def test_a_stream_ends_with_the_sign_in_that_it_was_asked_by(service, monkeypatch, by):
    """A stream ends when its token is revoked or its browser is signed out."""
    monkeypatch.setattr("grader.service.web.http.events.POLL_SECONDS", {State.RUNNING: 0.0, State.WAITING: 0.0})
    attempt = service.hand_in()
    claimed = service.claim()
    tell(service, claimed, "building")
    client = service.browser("ada" if by == "cookie" else None)
    path = f"{service.page_of(attempt)}/events"
    if by == "token":
        client.headers["authorization"] = f"Bearer {service.token(service.ada, 'read')}"
        path = f"/api/v1{path}"
    seen = []

    def note_and_end(session, grading, classes, now):
        seen.append(grading)
        with service.database.writing() as ending:
            end_all_access(ending, ending.get_one(PersonRow, service.ada), "staff", now)
        return place(session, grading, classes, now)

    place = service.app_state.snapshot.place
    monkeypatch.setattr(service.app_state.snapshot, "place", note_and_end)
    assert [data["words"] for _, _, data in heard(client.get(path))] == ["building"]
    assert len(seen) == 1


def test_a_stream_ends_by_itself_and_says_that_it_lives(monkeypatch):
    """A stream ends after a limited time, and the browser then reconnects. Until then, comments show proxies that it is
    alive.
    """
    monkeypatch.setattr("grader.service.web.http.events.POLL_SECONDS", {State.RUNNING: 0.01})
    monkeypatch.setattr("grader.service.web.http.events.STREAM_SECONDS", 0.2)
    monkeypatch.setattr("grader.service.web.http.events.KEEP_ALIVE_SECONDS", 0.05)
    told = told_by(lambda _: GradingProgress(state=State.RUNNING, turn=1, place=NO_PLACE, notes=()))
    assert 1 <= told.count(": still here") <= 5


def test_a_note_cannot_end_its_event():
    """A note cannot end its event, because line breaks in it are escaped."""
    note = ProgressNote(words="a\n\nevent: over\ndata: {}")
    looks = iter([GradingProgress(state=State.DONE, turn=1, place=NO_PLACE, notes=((1, note),))])
    assert re.findall("^event: (.*)$", told_by(lambda _: next(looks)), re.MULTILINE) == ["note", "over"]


def test_one_person_has_so_many_streams_at_most():
    """The number of a person's streams is limited. A further one must try again later and does not affect
    the others.
    """

    async def run():
        look = GradingProgress(state=State.RUNNING, turn=1, place=NO_PLACE, notes=())
        open_ones = [events(lambda _: look, 0, 7) for _ in range(MAX_STREAMS)]
        for each in open_ones:
            await anext(each)
        more = [each async for each in events(lambda _: look, 0, 7)]
        for each in open_ones:
            await each.aclose()
        again = events(lambda _: look, 0, 7)
        first = await anext(again)
        await again.aclose()
        return more, first

    more, first = asyncio.run(run())
    assert (more, first) == (["retry: 30000\n\n"], "retry: 2000\n\n")
