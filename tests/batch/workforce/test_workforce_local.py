"""stations.py: the facilities, the devices and the processor shares of the stations on this machine."""

import os
from contextlib import closing

import pytest
from project import importable
from samples import DEVICE

from grader.batch.station import Facilities
from grader.batch.workforce import local as module
from grader.batch.workforce.local import Stations
from grader.common.errors import DeviceError, InputError
from grader.execution.sandbox.limits import spare_processors
from grader.grading.settings import load_settings
from grader.protocol.messages import DeviceFacts

ORDERS = load_settings({}).as_json({"sandbox": "process"})


@pytest.fixture(autouse=True)
def _importable(monkeypatch):
    """Let stations import the functions below."""
    monkeypatch.setenv("PYTHONPATH", importable(__file__))


@pytest.mark.whole
def test_what_a_station_grades_with_is_that_of_this_machine():
    """Stations report the facilities of this machine. The index that distinguishes identical devices is left out."""
    with closing(Stations(2, ORDERS)) as two:
        facilities = two.facilities()
        assert two.capacity == 2
    assert isinstance(facilities.device, DeviceFacts)
    assert facilities.device.index == 0


def place(_):
    return os.environ["GRADER_DEVICE"], os.environ.get("GRADER_DOCKER__GPU")


def spare(_):
    return int(os.environ["GRADER_SPARE"])


@pytest.mark.whole
def test_stations_share_the_processors(monkeypatch):
    """With 16 processors, each of four gradings has two spare processors, and each of eight has none."""
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(16)))
    for jobs, left in ((1, 14), (4, 2), (8, 0), (32, 0)):
        assert spare_processors(jobs) == left
        with closing(Stations(jobs, ORDERS)) as workforce:
            assert workforce._processes.call(spare, None) == left
    monkeypatch.setenv("GRADER_SPARE", "1")
    with closing(Stations(1, ORDERS)) as workforce:
        assert workforce._processes.call(spare, None) == 1, "the settings of the machine take precedence"


def pretend(_):
    """Return facilities as if every device of the machine were of a different kind."""
    device = DEVICE.model_copy(update={"name": f"Device {os.environ['GRADER_DEVICE']}"})
    return Facilities(grader="0", device=device, simulated=True, sandbox="process")


@pytest.mark.whole
def test_stations_get_their_places_in_turn(monkeypatch):
    """Five stations are assigned to three places in turn. Where a place sets no device or GPU, this process's settings
    apply.
    """
    monkeypatch.setenv("GRADER_DEVICE", "7")
    places = [{"device": 0, "docker": None}, {"device": 0, "docker": {"gpu": "nvidia:1"}}, {"docker": {"gpu": "amd"}}]
    with closing(Stations(5, ORDERS, places)) as workforce:
        found = [workforce._processes.call(place, None) for _ in range(5)]
    assert found == [("0", None), ("0", "nvidia:1"), ("7", "amd"), ("0", None), ("0", "nvidia:1")]


@pytest.mark.whole
def test_devices_that_differ_are_refused_before_anything_is_graded(monkeypatch):
    """Stations with different devices raise InputError before any grading.

    Otherwise, half of the gradings could fail, or the results would not be comparable.
    """
    monkeypatch.setattr(module, "look_around", pretend)
    with (
        closing(Stations(4, ORDERS, [{"device": 0}, {"device": 1}])) as workforce,
        pytest.raises(
            InputError, match=r"differ: grader 0 on Device 0, with the simulator, and .* Device 1, .* one kind"
        ),
    ):
        workforce.facilities()


@pytest.mark.whole
def test_devices_that_are_alike_are_one_batch():
    """Two stations with identical devices can share a batch; the test uses the same device twice.

    A missing device raises DeviceError.
    """
    with closing(Stations(2, ORDERS, [{"device": 0}, {"device": 0}])) as workforce:
        assert workforce.facilities().device.index == 0
    with (
        closing(Stations(2, ORDERS, [{"device": 0}, {"device": 99}])) as workforce,
        pytest.raises(DeviceError, match="no OpenCL device 99"),
    ):
        workforce.facilities()


def test_settings_that_cannot_be_used_are_the_callers_error():
    """If a station detects an invalid setting, InputError is raised, which has the exit code for invalid settings."""
    with closing(Stations(1, '{"timing": {"min_pairs": "many"}}')) as workforce, pytest.raises(InputError) as caught:
        workforce.facilities()
    assert "timing.min_pairs" in str(caught.value)
