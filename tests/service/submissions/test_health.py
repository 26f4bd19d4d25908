"""health.py, device_classes.py and presence.py: live stations and their work, and the queue of each device class."""

import time
from datetime import timedelta

import pytest
from project import ROOT
from services import Service

from grader.service.course.assignments import AssignmentCache
from grader.service.course.device_classes import classes_of, elsewhere
from grader.service.db.clock import utc_now
from grader.service.station.presence import Presence
from grader.service.submissions.estimates import STATION_TIMEOUT, able_devices
from grader.service.submissions.health import StationFacts, note_station, queues_of, station_leaves, stations_of
from grader.service.submissions.queue import claim


def facts(name="one", device_class="cpu", **more):
    return StationFacts(name=name, host="box", device="PoCL", device_class=device_class, grader="0.1.0", **more)


def noted(service, *stations):
    with service.database.writing() as session:
        for each in stations:
            note_station(session, each, service.now)


def health(service, classes):
    with service.database.reading() as session:
        stations = stations_of(session, service.now)
        return stations, queues_of(session, classes, stations)


def test_a_station_is_there_until_it_is_silent(service):
    """A station is live until it has been silent for too long. It is listed with the attempts that it is grading."""
    noted(service, facts())
    attempt = service.hand_in()
    service.claim("one")
    ((station,), _) = health(service, {"small": ""})
    assert (station.gone, [each.id for each in station.work]) == (False, [attempt])
    service.passes(seconds=STATION_TIMEOUT.total_seconds() + 1)
    assert [each.gone for each in health(service, {"small": ""})[0]] == [True]
    noted(service, facts())
    assert [each.gone for each in health(service, {"small": ""})[0]] == [False]
    service.passes(days=2)
    noted(service, facts("two"))
    assert [each.row.name for each in health(service, {})[0]] == ["two"]


def test_a_dry_run_keeps_a_station_busy(service):
    """A station that grades dry runs shows their number, but not whose they are."""
    noted(service, facts(devices=3), facts("two"))
    attempt = service.hand_in()
    service.dry_run()
    service.dry_run(person=service.ben)
    assert [service.claim("one").is_dry_run for _ in range(3)] == [False, True, True]
    (station, other), _ = health(service, {"small": ""})
    assert ([each.id for each in station.work], station.dry_runs) == ([attempt], 2)
    assert (other.work, other.dry_runs) == ((), 0)


def test_a_station_of_a_cluster_counts_as_often_as_it_has_workers(service):
    """A station of a cluster counts as one device per worker, possibly as none. It is listed with all attempts that it
    is grading.
    """
    attempts = [service.hand_in(), service.hand_in(person=service.ben)]
    service.hand_in(person=service.person("eve", "student"))
    noted(service, facts(devices=2), facts("two", device_class="gpu"))
    assert [service.claim("one").turn for _ in attempts] == [1, 1]
    (station, other), queues = health(service, {"small": ""})
    assert ([each.id for each in station.work], other.work) == (attempts, ())
    assert [(each.device_class, each.devices) for each in queues] == [("", 3), ("cpu", 2), ("gpu", 1)]
    with service.database.reading() as session:
        assert able_devices(session, service.now) == {"cpu": 2, "gpu": 1}
    noted(service, facts(devices=0))
    with service.database.writing() as session:
        station_leaves(session, "two")
    assert [(each.devices, each.stuck) for each in health(service, {"small": ""})[1]] == [(0, True), (0, False)]


def test_one_line_says_why_the_stations_of_a_machine_cannot_begin(service):
    """If stations on one machine cannot start, a single line shows the fault, no matter how many tried."""
    for name in ("one", "two", "three"):
        noted(service, facts(name, fault="no device"))
    ((station,), (queue, *_)) = health(service, {})
    assert (station.row.name, station.row.fault, queue.devices) == ("three", "no device", 0)


def test_each_class_has_its_queue(service):
    """Each device class has a queue for the assignments that require it. Stations of any class grade the other
    assignments.
    """
    service.hand_in()
    service.hand_in(person=service.ben, assignment="large")
    noted(service, facts())
    _, queues = health(service, {"small": "", "large": "gpu"})
    assert [(each.device_class, each.waiting, each.devices, each.stuck) for each in queues] == [
        ("", 1, 1, False),
        ("cpu", 0, 1, False),
        ("gpu", 1, 0, True),
    ]
    assert queues[0].since == service.now


def test_a_station_passes_over_what_is_graded_elsewhere(service):
    """A station skips gradings for another device class and takes the next one. A station of that class takes the
    first.
    """
    first, second = service.hand_in(assignment="large"), service.hand_in(person=service.ben)
    left = elsewhere({"small": "cpu", "large": "gpu", "other": ""}, "cpu")
    assert left == {"large"}
    with service.database.writing() as session:
        taken = claim(session, "one", service.now, left)
        assert claim(session, "one", service.now, left) is None
        other = claim(session, "two", service.now, elsewhere({"small": "cpu", "large": "gpu"}, "gpu"))
    assert [taken.grading_id, other.grading_id] == [service.gradings(each)[0].id for each in (second, first)]


@pytest.mark.parametrize(("text", "found"), [("device_class: gpu\n", "gpu"), ("", "")])
def test_the_class_is_what_the_course_says(tmp_path, text, found):
    """An assignment that has become unreadable keeps its last device class. If it could never be read, it has none, so
    a station of any class takes its gradings and reports the error.
    """
    service = Service(tmp_path, policies=f"{text}counts: best\n")
    assert classes_of(service.app_state.cache) == {"small": found}
    (service.course.assignments / "small" / "assignment.yaml").write_text("title: [\n")
    assert classes_of(service.app_state.cache) == {"small": found}
    assert classes_of(AssignmentCache(service.course, ROOT / "docs" / "reading-your-report.md")) == {"small": ""}


def test_a_presence_is_told_again_and_ends_with_the_station(service):
    """A live station renews its presence and removes it when it ends. If it ends with a fault, its presence stays
    visible.
    """

    def seen():
        with service.database.reading() as session:
            return [each.row.seen for each in stations_of(session, utc_now())]

    with Presence(service.database, facts(), beat=0.01):
        (first,) = seen()
        until = utc_now() + timedelta(seconds=30)
        while seen() == [first] and utc_now() < until:
            time.sleep(0.01)
        assert seen() > [first]
    assert seen() == []
    with Presence(service.database, facts(fault="no device"), beat=0.01):
        pass
    assert len(seen()) == 1
