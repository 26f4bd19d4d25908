"""errors.py: errors keep their words and fields when a process passes them to another one."""

import pickle

import pytest

from grader.common.errors import DeviceError, InputError, NoContainersError
from grader.course.places import InvalidFieldError
from grader.execution.sandbox.docker.engine import NoEngineError
from grader.service.errors import FieldError


@pytest.mark.parametrize(
    "error",
    [
        InputError("the file is empty."),
        DeviceError("there is no device."),
        NoContainersError("no engine answers.", command="dockerd"),
        NoEngineError("no engine answers.", command="dockerd"),
        InvalidFieldError("memory.checks", "there is no such measure."),
        FieldError("title", "The title is empty."),
    ],
    ids=lambda error: type(error).__name__,
)
def test_an_error_can_be_passed_to_another_process(error):
    """An error from a process for gradings is raised in the batch with its class, its words and its fields. With
    Python's own way, an error whose constructor has other arguments ended the batch with a traceback.
    """
    passed = pickle.loads(pickle.dumps(error))
    assert (type(passed), str(passed), vars(passed)) == (type(error), str(error), vars(error))
