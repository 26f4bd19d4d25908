"""interrupts.py: a signal raises an exception, but not while something is being created or removed."""

import threading
import time
from contextlib import suppress

import pytest

from grader.common.errors import InterruptedGradingError, SavedAgainError
from grader.common.interrupts import interrupted_when, pause, stop_if_told, uninterrupted


def test_a_signal_is_raised_at_once(tell):
    """A signal immediately raises the error that the caller creates from the signal's number."""
    with pytest.raises(InterruptedGradingError, match="SIGUSR1"):
        tell()


def test_an_uninterrupted_stretch_runs_to_its_end(tell):
    """An uninterrupted section runs to its end, even if it is nested in another one. The signal is then raised once."""
    done = []

    def work():
        with uninterrupted():
            with uninterrupted():
                tell()
                done.append("inner")
            done.append("outer")

    with pytest.raises(InterruptedGradingError):
        work()
    assert done == ["inner", "outer"]
    with uninterrupted():
        done.append("cleaning up")


def test_an_error_within_a_stretch_is_not_forgotten(tell):
    """An error raised in an uninterrupted section becomes the context of the interrupt."""

    def work():
        with uninterrupted():
            tell()
            raise OSError("full")

    with pytest.raises(InterruptedGradingError) as caught:
        work()
    assert isinstance(caught.value.__context__, OSError)


def test_a_lost_exception_is_raised_again_before_something_new_begins(tell):
    """An interrupt that a library has caught by mistake is raised again before new work begins."""
    stop_if_told()
    with suppress(BaseException):
        tell()
    with pytest.raises(InterruptedGradingError):
        stop_if_told()


def test_a_stretch_of_another_thread_holds_nothing_up(tell):
    """An uninterrupted section in another thread does not delay signals, because they reach only the main thread."""
    inside, leave = threading.Event(), threading.Event()

    def stretch():
        with uninterrupted():
            inside.set()
            leave.wait(10)

    thread = threading.Thread(target=stretch)
    thread.start()
    inside.wait(10)
    try:
        with pytest.raises(InterruptedGradingError):
            tell()
    finally:
        leave.set()
        thread.join()


def test_a_stretch_that_is_over_is_interrupted_and_what_comes_after_it_is_not():
    """`interrupted_when` raises its error once in the block. Code that catches the error is not interrupted again."""
    over = SavedAgainError("again")
    for _ in range(2):
        with pytest.raises(SavedAgainError), interrupted_when(lambda: True, over, 0.01):
            time.sleep(20)
        stop_if_told()
        with uninterrupted():
            time.sleep(0.05)


def test_a_stretch_that_ends_before_it_is_over_is_left_alone():
    """After the block of `interrupted_when`, its condition is no longer checked."""
    looks = []
    with interrupted_when(lambda: looks.append(1) is not None, SavedAgainError("again"), 0.01):
        time.sleep(0.1)
    seen = len(looks)
    time.sleep(0.1)
    assert 0 < seen == len(looks)


def test_what_must_not_be_interrupted_is_finished_first():
    """Like signals, `interrupted_when` raises its error only after an uninterrupted section has ended."""
    done = []

    def work():
        with interrupted_when(lambda: True, SavedAgainError("again"), 0.01), uninterrupted():
            time.sleep(0.1)
            done.append("removed")

    with pytest.raises(SavedAgainError):
        work()
    assert done == ["removed"]


def ended(work):
    """Run a function in a new thread. Return its value, or the interrupt that ended it."""
    ends = []

    def run():
        try:
            ends.append(work())
        except InterruptedGradingError as error:
            ends.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join(10)
    return ends[0]


def test_a_stretch_of_another_thread_is_over_when_that_thread_looks():
    """In another thread, `interrupted_when` raises its error when that thread checks for interrupts.

    Neither a third thread nor code after the block is interrupted.
    """
    over, seen = SavedAgainError("again"), []

    def work():
        with suppress(SavedAgainError), interrupted_when(lambda: True, over, 60):
            seen.append(ended(stop_if_told))
            pause(60)
        stop_if_told()
        with interrupted_when(lambda: True, over, 60):
            pass

    assert ended(work) is over
    assert seen == [None]
    stop_if_told()


def test_a_pause_of_another_thread_ends_when_the_main_one_is_told(tell):
    """A signal ends the pause of another thread, although signals reach only the main thread."""
    ends = []
    thread = threading.Thread(target=lambda: ends.append(ended(lambda: pause(60))))
    thread.start()
    with suppress(InterruptedGradingError):
        tell()
    thread.join(10)
    assert isinstance(ends[0], InterruptedGradingError)
    pause(0)
