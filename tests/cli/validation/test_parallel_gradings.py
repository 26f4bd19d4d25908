"""parallel_gradings.py: the gradings of a validation run in several processes."""

import os
import time
from contextlib import closing
from pathlib import Path

import pytest

from grader.authoring.extent import FULL
from grader.cli.validation.parallel_gradings import ParallelGradings
from grader.common.errors import InputError
from grader.grading.settings import load_settings

SLEEP = 0.5
"""Seconds that a grading takes here if it is not the last one."""


def slept(seconds, assignment, environment, progress, extent):
    """Return facts about a grading that takes some seconds and has no result."""
    progress("sleeping")
    time.sleep(seconds)
    return seconds, assignment.name, environment.sandbox_name, extent == FULL, os.getpid()


def refused(message, *_):
    """Raise the error of a grading."""
    raise InputError(message)


def noted(path, *_):
    """Take some time, then write a file, or raise an error at once if there is no path."""
    if path is None:
        raise InputError("a fault of the oracle")
    time.sleep(SLEEP)
    path.touch()


@pytest.fixture
def gradings(monkeypatch):
    """Two processes that can import this module."""
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parent))
    with closing(ParallelGradings(load_settings({}).as_json({"sandbox": "process"}), 2)) as opened:
        yield opened


def test_outcomes_keep_their_order(gradings, transposition):
    """Outcomes keep the order of their kernels, even if a later grading ends first. Two processes make the gradings."""
    told, kernels = [], [(seconds, transposition) for seconds in (SLEEP, 0, 0)]
    outcomes = list(gradings.each(slept, kernels, FULL, told.append))
    assert [outcome[:4] for outcome in outcomes] == [(each, "coalsTransp", "process", True) for each in (SLEEP, 0, 0)]
    assert len({process for *_, process in outcomes} - {os.getpid()}) == 2
    assert told == [f"grading: {number} of 3 kernels done" for number in range(3)]


def test_an_error_of_a_grading_is_raised(gradings, transposition):
    """An error about the assignment is raised in the process that validates."""
    with pytest.raises(InputError, match="a fault of the oracle"):
        list(gradings.each(refused, [("a fault of the oracle", transposition)], FULL, lambda _: None))


def test_after_an_error_no_further_grading_begins(gradings, transposition, tmp_path):
    """After an error, only gradings that have already begun are finished."""
    kernels = [(None, transposition), *((tmp_path / str(number), transposition) for number in range(9))]
    with pytest.raises(InputError):
        list(gradings.each(noted, kernels, FULL, lambda _: None))
    list(gradings.each(slept, [(0, transposition)] * 2, FULL, lambda _: None))
    assert len(list(tmp_path.iterdir())) < 9


def test_the_processes_end(gradings, transposition):
    """The processes and their environments have ended after `close`."""
    ((*_, process),) = gradings.each(slept, [(0, transposition)], FULL, lambda _: None)
    gradings.close()
    with pytest.raises(ProcessLookupError):
        os.kill(process, 0)
