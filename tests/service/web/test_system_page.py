"""The page System shows the stations, their work and the queue."""

import pytest
from open_service import driving, opened
from project import ROOT
from services import Service

from grader.service.db.session import Database
from grader.service.submissions.health import StationFacts, note_station


def test_the_page_says_what_waits_and_that_nobody_can_grade_it(tmp_path):
    """If no station can grade the waiting gradings, the page says so and shows the command that helps. Names of devices
    are escaped.
    """
    service = Service(tmp_path, policies="device_class: gpu\n")
    service.hand_in()
    with service.database.writing() as session:
        for name, more in (("one", {"device_class": "cpu", "device": "<b>"}), ("two", {"fault": "no device"})):
            note_station(session, StationFacts(name=name, host="box", **more), service.now)
    page = service.browser("staff").get("/course/system").text
    assert "1 grading waiting for a GPU, and no station can take them" in page
    assert '<th scope="row">GPU</th>' in page
    assert '<td data-name="kind">CPU</td>' in page
    assert "--class gpu" in page
    assert "&lt;b&gt;" in page
    assert "no device" in page
    assert "idle" in page


def test_the_page_has_one_name(service):
    """The page has one name in links, in its heading and in both guides."""
    staff = service.browser("staff")
    assert '<a href="/course/system">System</a>' in staff.get("/course").text
    assert "<h1>System</h1>" in staff.get("/course/system").text
    for guide in ("instructors.md", "operators.md"):
        text = (ROOT / "docs" / guide).read_text(encoding="utf-8")
        assert "- **System**" in text
        assert "Stations and queue" not in text


HELPS = {True: "<code>grader serve</code> runs the stations itself", False: "Start <code>grader station</code>"}


@pytest.mark.parametrize("embedded", HELPS, ids=["SQLite", "PostgreSQL"])
def test_what_helps_is_the_command_that_runs_stations_on_this_database(tmp_path, monkeypatch, embedded):
    """The page advises `grader serve` for SQLite, and `grader station` on any machine for PostgreSQL."""
    service = Service(tmp_path)
    service.hand_in()
    staff = service.browser("staff")
    monkeypatch.setattr(Database, "embedded", embedded)
    page = staff.get("/course/system").text
    assert [words in page for words in HELPS.values()] == [each is embedded for each in HELPS]


def test_a_station_at_work_leads_to_what_it_grades(service):
    """A station that is grading links to its attempt. The page says that all gradings ended without a fault."""
    attempt = service.hand_in()
    with service.database.writing() as session:
        note_station(session, StationFacts(name="one", host="box", device_class="cpu"), service.now)
    service.claim("one")
    page = service.browser("staff").get("/course/system").text
    assert service.page_of(attempt) in page
    assert "worker" not in page
    assert "All gradings ended without a fault" in page


def test_a_station_that_grades_a_dry_run_is_busy(service):
    """A station that grades a dry run is busy, and the page does not say whose dry run it is."""
    service.dry_run()
    with service.database.writing() as session:
        note_station(session, StationFacts(name="one", host="box"), service.now)
    service.claim("one")
    page = service.browser("staff").get("/course/system").text
    assert '<td data-name="state">grading 1 dry run</td>' in page
    assert "Ada" not in page


def test_a_station_of_a_cluster_leads_to_all_that_it_grades(service):
    """A station of a cluster links to all attempts that it is grading and shows how many workers it has."""
    attempts = [service.hand_in(), service.hand_in(person=service.ben)]
    with service.database.writing() as session:
        note_station(session, StationFacts(name="one", host="box", device="H100", devices=2), service.now)
    for _ in attempts:
        service.claim("one")
    page = service.browser("staff").get("/course/system").text
    assert all(service.page_of(each) in page for each in attempts)
    assert "H100 (2 workers)" in page


def test_headings_stay_in_one_piece_and_buttons_in_one_line(tmp_path, browser):
    """At 1280 pixels, no heading of the stations' table breaks inside a word, and the buttons for a person are in one
    line.
    """
    with opened(tmp_path) as service, driving(browser, service, "staff") as driven:
        host, device = "a-machine-with-a-long-name", "pthread-skylake-avx512-AMD EPYC"
        with service.database.writing() as session:
            note_station(session, StationFacts(name=f"{host}-28789-94906420", host=host, device=device), service.now)
        driven.looks(1280)
        driven.open(f"{service.origin}/course/system")
        heights = "[...document.querySelectorAll('#stations ~ table thead th')].map(each => each.clientHeight)"
        assert len(set(driven.say(heights))) == 1
        assert driven.say("document.querySelector('#stations ~ table thead').clientHeight") < 40
        driven.open(f"{service.origin}/course/people")
        tops = (
            "[...document.querySelectorAll('tbody tr:first-child td :is(button, .button)')].map(each => each.offsetTop)"
        )
        assert len(driven.say(tops)) == 3
        assert len(set(driven.say(tops))) == 1
