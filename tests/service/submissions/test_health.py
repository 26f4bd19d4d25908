"""health.py: live stations and their work, and the queue of each device class."""

from grader.service.submissions.estimates import STATION_TIMEOUT, able_devices
from grader.service.submissions.health import StationFacts, note_station, queues_of, station_leaves, stations_of


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
