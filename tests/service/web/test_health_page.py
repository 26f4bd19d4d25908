"""The page about stations and the queue."""

from services import Service

from grader.service.health import StationFacts, note_station


def test_the_page_says_what_waits_and_that_nobody_can_grade_it(tmp_path):
    """With the command that helps; what a station says of itself is text."""
    service = Service(tmp_path, policies="device_class: gpu\n")
    service.hand_in()
    with service.database.writing() as session:
        for name, more in (("one", {"device_class": "cpu", "device": "<b>"}), ("two", {"fault": "no device"})):
            note_station(session, StationFacts(name=name, host="box", **more), service.now)
    page = service.browser("staff").get("/course/health").text
    assert "1 grading waiting, and no station of class gpu" in page
    assert "--class gpu" in page
    assert "&lt;b&gt;" in page
    assert "no device" in page
    assert "idle" in page


def test_a_station_at_work_leads_to_what_it_grades(service):
    """And what failed by our fault is counted."""
    attempt = service.hand_in()
    with service.database.writing() as session:
        note_station(session, StationFacts(name="one", host="box", device_class="cpu"), service.now)
    service.claim("one")
    page = service.browser("staff").get("/course/health").text
    assert service.page_of(attempt) in page
    assert "Nothing has failed by our fault" in page
