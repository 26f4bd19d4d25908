"""backends.py: a station without a cluster grades in its own process, one submission at a time."""

from grader.batch import station
from grader.service.station.backends import LocalBackend
from grader.service.station.gradings import IN_TURN

SETTINGS = '{"sandbox": "process", "timing": {"min_pairs": 10, "noise_limit": 100}}'


def test_one_device_grades_one_submission_at_a_time():
    """A device that runs two submissions at once would time both wrongly."""
    backend = LocalBackend("{}")
    assert (backend.devices, backend.gradings()) == (1, IN_TURN)


def test_a_submission_is_graded_by_the_batchs_station(monkeypatch):
    """The job and its listener go to the station of a batch with the settings of the backend, and its outcome comes
    back. The station is closed with the backend.
    """
    asked = []
    monkeypatch.setattr(station, "grade", lambda *given: asked.append(given) or "outcome")
    monkeypatch.setattr(station, "look_around", lambda settings: ("facilities", settings))
    monkeypatch.setattr(station, "leave", lambda: asked.append("left"))
    backend = LocalBackend(SETTINGS)
    assert backend.grade("job", print) == "outcome"
    assert backend.facilities == ("facilities", SETTINGS)
    backend.close()
    assert asked == [("job", print), "left"]
