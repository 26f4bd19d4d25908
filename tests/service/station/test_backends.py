"""backends.py: a station without a cluster grades in its own process, one submission at a time."""

import threading
from contextlib import closing

import pytest
from processes import wait_for

from grader.batch import station
from grader.service.station.backends import IN_TURN, Backend, SideBySide, say

SETTINGS = '{"sandbox": "process", "timing": {"min_pairs": 10, "noise_limit": 100}}'


def test_one_device_grades_one_submission_at_a_time():
    """A device that runs two submissions at once would time both wrongly."""
    backend = Backend("{}")
    assert (backend.devices, backend.gradings()) == (1, IN_TURN)


def test_a_submission_is_graded_by_the_batchs_station(monkeypatch):
    """The job and its listener go to the station of a batch with the settings of the backend, and its outcome comes
    back. The station is closed with the backend.
    """
    asked = []
    monkeypatch.setattr(station, "grade", lambda *given: asked.append(given) or "outcome")
    monkeypatch.setattr(station, "look_around", lambda settings: ("facilities", settings))
    monkeypatch.setattr(station, "leave", lambda: asked.append("left"))
    backend = Backend(SETTINGS)
    assert backend.grade("job", print) == "outcome"
    assert backend.facilities == ("facilities", SETTINGS)
    backend.close()
    assert asked == [("job", print), "left"]


def test_a_grading_in_turn_ends_before_the_next_one_begins():
    """`begin` returns at the end of the grading and passes on its exception."""
    done = []
    IN_TURN.begin(lambda: done.append(threading.current_thread()))
    assert done == [threading.main_thread()]
    assert IN_TURN.has_room()
    with pytest.raises(ZeroDivisionError):
        IN_TURN.begin(lambda: 1 / 0)


def test_as_many_gradings_run_side_by_side_as_are_allowed_now():
    """There is room for as many gradings as there are devices now. A grading that ends makes room."""
    most, ends = [2], [threading.Event() for _ in range(3)]
    with closing(SideBySide(lambda: most[0])) as gradings:
        for end in ends[:2]:
            assert gradings.has_room()
            gradings.begin(end.wait)
        assert not gradings.has_room()
        most[0] = 3
        assert gradings.has_room()
        gradings.begin(ends[2].wait)
        most[0] = 1
        for end in ends[:2]:
            end.set()
        assert wait_for(lambda: not gradings.has_room() and len(gradings._under_way) == 1)
        ends[2].set()
        gradings.wait()
        assert wait_for(gradings.has_room)


def test_an_unexpected_error_of_a_grading_is_not_lost():
    """An exception that ends a grading in its thread is raised when the station looks for room."""
    with closing(SideBySide(lambda: 2)) as gradings:
        gradings.begin(lambda: 1 / 0)
        gradings.wait()
        with pytest.raises(ZeroDivisionError):
            gradings.has_room()


def test_a_station_ends_only_after_its_gradings():
    """`close` waits until every grading has ended, because each still stores its result."""
    done, may_end = [], threading.Event()
    gradings = SideBySide(lambda: 2)
    gradings.begin(lambda: done.append(may_end.wait(20)))
    threading.Timer(0.05, may_end.set).start()
    gradings.close()
    assert done == [True]


def test_a_line_goes_to_standard_error_at_once(capfd):
    """The line is complete on standard error when `say` returns, and standard output stays empty."""
    say("grading on 2 workers")
    assert capfd.readouterr() == ("", "grading on 2 workers\n")
