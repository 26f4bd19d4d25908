"""optional.py: a fault in optional work does not affect the grade, but an interrupt still ends everything."""

import logging

import pytest

from grader.common.errors import DeviceError, InterruptedGradingError, SavedAgainError, WorkerError
from grader.common.optional import TRACEBACK_CHARACTERS, Fault, OptionalWork, noting


def attempted(lost, make):
    """Return the value of the work, or the fault that ended it."""
    with OptionalWork(lost) as work:
        return make()
    return work.fault


def failing(error):
    def work():
        raise error

    return work


def test_what_the_work_makes_is_the_value():
    """Every value that the work returns is passed on, even None or a false value."""
    assert attempted("the explanation", lambda: None) is None
    assert attempted("the explanation", lambda: 0) == 0


@pytest.mark.parametrize("error", [IndexError("no"), WorkerError("died"), DeviceError("gone"), MemoryError()])
def test_a_fault_is_a_value_and_is_logged(error, caplog):
    """A fault is returned as a value that names the missing part, and is logged with its traceback.

    Even the loss of the device costs only an explanation, not the grade.
    """
    with caplog.at_level(logging.ERROR):
        fault = attempted("the explanation", failing(error))
    assert isinstance(fault, Fault)
    assert fault.sentence == "The explanation is missing: the grader failed. The grade is not affected."
    assert f"{type(error).__name__}" in fault.traceback
    assert [record.exc_info[1] for record in caplog.records] == [error]


@pytest.mark.parametrize("error", [InterruptedGradingError("Ctrl-C"), SavedAgainError("saved"), KeyboardInterrupt()])
def test_an_interrupt_ends_it(error):
    """An interrupt is raised, because a user who stops the grader wants to stop optional work, too."""
    with pytest.raises(type(error)):
        attempted("the explanation", failing(error))


def test_a_traceback_is_cut_where_it_begins():
    """A long traceback is cut at its beginning, because the fault is named at its end."""
    fault = attempted("the explanation", failing(ValueError("x" * 2 * TRACEBACK_CHARACTERS + "the end")))
    assert len(fault.traceback) == TRACEBACK_CHARACTERS
    assert fault.traceback.rstrip().endswith("the end")


def test_faults_within_a_block_are_noted_each_by_the_innermost():
    """A fault is noted only by the innermost block around it.

    For example, a fault of a page is not noted as one of the batch.
    """
    with noting() as outer:
        attempted("one", failing(ValueError()))
        with noting() as inner:
            attempted("two", failing(ValueError()))
        attempted("three", failing(ValueError()))
    attempted("four", failing(ValueError()))
    assert [fault.lost for fault in outer] == ["one", "three"]
    assert [fault.lost for fault in inner] == ["two"]
