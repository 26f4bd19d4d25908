"""health.py: live stations and their work, and the queue of each device class."""

from datetime import timedelta

import pytest

from grader.service.db.tables.submissions import AttemptRow
from grader.service.submissions.accept import cancel
from grader.service.submissions.claims import LEASE
from grader.service.submissions.health import (
    STATION_TIMEOUT,
    PlaceInQueue,
    QueueSnapshot,
    StationFacts,
    able_devices,
    note_station,
    queues_of,
    station_leaves,
    stations_of,
)
from grader.service.submissions.queue import renew


def facts(name="one", device_class="cpu", **more):
    return StationFacts(name=name, host="box", device="PoCL", device_class=device_class, grader="0.1.0", **more)


def noted(service, *stations):
    with service.database.writing() as session:
        for each in stations:
            note_station(session, each, service.now)


def health(service, classes):
    with service.database.reading() as session:
        return stations_of(session, service.now), queues_of(session, classes, service.now)


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


def place(service, attempt, classes=dict):
    with service.database.reading() as session:
        return QueueSnapshot().place(session, service.gradings(attempt)[-1], classes, service.now)


def took(service, seconds, assignment="other"):
    """Complete a grading that took this many seconds."""
    service.hand_in(assignment=assignment)
    claimed = service.claim()
    service.passes(seconds=seconds)
    service.finish(claimed)


def stations(service, *classes):
    """Report one live station for each of these device classes."""
    with service.database.writing() as session:
        for number, device_class in enumerate(classes):
            facts = StationFacts(name=f"{device_class} {number}", host="box", device_class=device_class)
            note_station(session, facts, service.now)


def crowd(service, size):
    return [service.hand_in(person=service.person(f"p{number}", "student")) for number in range(size)]


@pytest.mark.whole
def test_the_wait_is_the_median_by_place_over_stations(service):
    """The estimated wait is the median time of gradings times the place in the queue, divided by the number of
    stations. A single slow grading does not affect it.
    """
    for seconds in (10, 12, 500):
        took(service, seconds)
    attempts = crowd(service, 4)
    stations(service, "cpu")
    service.claim("one")
    assert place(service, attempts[3]) == PlaceInQueue(ahead=3, wait=timedelta(seconds=36))
    stations(service, "cpu", "gpu")
    assert place(service, attempts[3]) == PlaceInQueue(ahead=3, wait=timedelta(seconds=18))
    assert place(service, attempts[0]) == PlaceInQueue(ahead=0, wait=None)


def test_nothing_is_estimated_where_nothing_tells(service):
    """Without a finished grading or a live station, the place in the queue is shown without an estimate of the wait."""
    second = crowd(service, 2)[1]
    stations(service, "cpu")
    claimed = service.claim()
    assert place(service, second) == PlaceInQueue(ahead=1, wait=None)
    service.passes(seconds=5)
    service.finish(claimed)
    third = service.hand_in()
    assert place(service, third) == PlaceInQueue(ahead=1, wait=timedelta(seconds=5))
    service.passes(seconds=STATION_TIMEOUT.total_seconds() + 1)
    assert place(service, third) == PlaceInQueue(ahead=1, wait=None)


CLASSES = {"small": "gpu", "other": "cpu"}


@pytest.mark.whole
def test_each_class_of_device_has_its_own_queue(service):
    """Gradings for another device class do not delay a grading and do not affect the estimate of its wait."""
    took(service, 4, "small")
    for seconds in (30, 31, 32):
        took(service, seconds)
    stations(service, "gpu", "gpu", "cpu")
    asked = ("other", "other", "other", "small", "third", "small")
    people = [service.person(f"p{number}", "student") for number, _ in enumerate(asked)]
    *slow, quick, free, last = [
        service.hand_in(person=each, assignment=name) for each, name in zip(people, asked, strict=True)
    ]
    told = [place(service, each, lambda: CLASSES) for each in (slow[2], quick, free, last)]
    assert told == [
        PlaceInQueue(ahead=2, wait=timedelta(seconds=62)),
        PlaceInQueue(ahead=0, wait=timedelta(0)),
        PlaceInQueue(ahead=4, wait=timedelta(seconds=30.5 * 4 / 3)),
        PlaceInQueue(ahead=2, wait=timedelta(seconds=4)),
    ]


def test_a_grading_that_a_station_lost_is_no_measure(service):
    """A grading that a station lost does not count for the estimate, because its time includes the wait for the next
    station.
    """
    took(service, 10)
    third = crowd(service, 3)[2]
    service.claim()
    service.passes(seconds=LEASE.total_seconds() + 300)
    service.finish(service.claim("two"))
    claimed = service.claim("two")
    with service.database.writing() as session:
        renew(session, claimed, service.now)
    stations(service, "cpu")
    assert place(service, third) == PlaceInQueue(ahead=1, wait=timedelta(seconds=10))


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (None, ""),
        (0, "less than a minute"),
        (60, "about 1 minute"),
        (61, "about 2 minutes"),
        (3600, "about 60 minutes"),
        (3601, "about 2 hours"),
    ],
)
def test_a_wait_is_told_in_round_words(seconds, words):
    """A wait is given in words and rounded up to minutes or hours. If it is unknown, the text is empty."""
    wait = None if seconds is None else timedelta(seconds=seconds)
    assert PlaceInQueue(ahead=1, wait=wait).wait_in_words == words


def test_the_queue_is_read_once_for_all_who_wait(service):
    """All readers share one snapshot of the queue. It is read again for a newer attempt or when it has become old."""
    one, two = crowd(service, 2)
    seldom, always = QueueSnapshot(fresh=1000), QueueSnapshot(fresh=0)

    def seen(snapshot, attempt):
        with service.database.reading() as session:
            return snapshot.place(session, service.gradings(attempt)[-1], dict, service.now).ahead

    assert [seen(each, two) for each in (seldom, always)] == [1, 1]
    with service.database.writing() as session:
        cancel(session, session.get_one(AttemptRow, one), service.now)
    assert [seen(each, two) for each in (seldom, always)] == [1, 0]
    assert seen(seldom, service.hand_in()) == 1
    assert seen(seldom, two) == 0


def test_the_page_tells_the_wait(service):
    """The page of an attempt shows the estimated wait next to the place in the queue."""
    took(service, 90)
    crowd(service, 2)
    service.claim()
    stations(service, "cpu")
    own = service.hand_in()
    page = service.browser("ada").get(service.page_of(own)).text
    assert "2 gradings before this one; it starts in about 3 minutes." in page
