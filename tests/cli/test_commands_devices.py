"""devices.py: the device for each station of a batch."""

import pytest

from grader.cli.devices import places
from grader.common.errors import InputError
from grader.grading.settings import as_variables


@pytest.mark.parametrize(
    ("device", "gpu", "variables"),
    [
        (None, None, [{}]),
        ("1", None, [{"GRADER_DEVICE": "1"}]),
        ("0,1", None, [{"GRADER_DEVICE": "0"}, {"GRADER_DEVICE": "1"}]),
        (None, "amd", [{"GRADER_DOCKER__GPU": "amd"}]),
        (None, "nvidia:2", [{"GRADER_DOCKER__GPU": "nvidia:2"}]),
        (None, "nvidia:0,1", [{"GRADER_DOCKER__GPU": "nvidia:0"}, {"GRADER_DOCKER__GPU": "nvidia:1"}]),
        (
            "0",
            "nvidia:0,1",
            [
                {"GRADER_DEVICE": "0", "GRADER_DOCKER__GPU": "nvidia:0"},
                {"GRADER_DEVICE": "0", "GRADER_DOCKER__GPU": "nvidia:1"},
            ],
        ),
    ],
)
def test_every_device_that_is_named_is_a_place(device, gpu, variables):
    """Each device in the options gives one station its settings. Settings that the options omit stay unset."""
    assert [as_variables(place) for place in places(device, gpu, 2, None)] == variables


@pytest.mark.parametrize(
    ("device", "gpu", "jobs", "scheduler", "words"),
    [
        ("0,", None, 8, None, r"--device 0,: use the numbers that `grader devices` lists"),
        ("", None, 8, None, "use the numbers that `grader devices` lists"),
        ("-1", None, 8, None, "use the numbers that `grader devices` lists"),
        ("0 1", None, 8, None, "such as 0 or 0,1"),
        ("0,00", None, 8, None, "listed twice"),
        (None, "nvidia:1,1", 8, None, "listed twice"),
        ("0,1", "nvidia:0,1", 8, None, "give only --gpu"),
        ("0,1", None, 1, None, "2 devices need --jobs 2 or more, one grading for each device"),
        ("0,1", None, 8, "tcp://10.0.0.1:8786", "in a cluster, start a worker for each"),
    ],
)
def test_a_list_that_makes_no_sense_is_refused(device, gpu, jobs, scheduler, words):
    """An invalid list of devices is refused with a message that says how to correct it."""
    with pytest.raises(InputError, match=words):
        places(device, gpu, jobs, scheduler)
