"""press.py: pages that are made beside gradings are the pages that this process would make."""

import os
import signal
import zlib
from contextlib import closing, suppress
from pathlib import Path

import pytest
from batches import waited
from samples import BUILD, DEVICE, ROOFLINE, SPEED, UNGRADED, result

from grader.batch.press import Beside, Here, source_of
from grader.grading.device_lock import exclusive
from grader.results.gradebook import Gradebook

GRADED = result(BUILD, SPEED.model_copy(update={"performance": ROOFLINE}))


@pytest.fixture
def beside(tmp_path):
    with closing(Beside(tmp_path)) as press:
        yield press


@pytest.mark.parametrize("told", [GRADED, UNGRADED], ids=["graded", "ungraded"])
def test_a_page_is_the_same_wherever_it_is_made(beside, told):
    """Begun or not: to the byte, figures included."""
    page = Here().page(told)
    assert beside.page(told) == page
    beside.begin(told)
    assert beside.page(told) == page


def test_a_page_that_was_begun_is_made_once(beside, monkeypatch):
    """Many have handed in the same; and what waits for its place in the batch is packed."""
    asked = []
    real = beside._processes.submit
    monkeypatch.setattr(beside._processes, "submit", lambda *call: asked.append(call) or real(*call))
    for _ in range(3):
        beside.begin(GRADED)
    packed = beside._begun[source_of(GRADED)].result().text
    assert len(packed) < len(zlib.decompress(packed)) / 2
    assert beside.page(GRADED) == Here().page(GRADED)
    assert len(asked) == 1


def running(press):
    """The first of its processes that runs."""
    return waited(lambda: next((each._process for each in press._processes._all if each._process is not None), None))


def has_open(process, path):
    """Whether a process has opened a file."""
    for each in Path("/proc", str(process.pid), "fd").iterdir():
        with suppress(FileNotFoundError):  # it was closed meanwhile
            if each.readlink() == path:
                return True
    return False


def test_pages_wait_until_nobody_is_timed_on_the_processor(beside, tmp_path):
    """Drawing takes all of a core, which a kernel on the same processor would feel."""
    with exclusive(DEVICE, tmp_path):
        beside.begin(GRADED)
        process = running(beside)
        waited(lambda: has_open(process, tmp_path / "grader-cpu.gate"))
        assert not beside._begun[source_of(GRADED)].done()
    assert beside.page(GRADED) == Here().page(GRADED)


def test_a_process_that_dies_costs_no_page(beside, tmp_path):
    """As when memory is short: it is made here."""
    with exclusive(DEVICE, tmp_path):
        beside.begin(GRADED)
        os.kill(running(beside).pid, signal.SIGKILL)
        assert beside.page(GRADED) == Here().page(GRADED)


def test_the_overview_is_made_there_too(beside):
    """And here, where no process can be started."""
    book = Gradebook(
        shape="a folder",
        assignments=("small",),
        titles={"small": "Adding"},
        maxima={"small": 5},
        skeletons={"small": ""},
        parts={"small": ("",)},
        rows=(),
    )
    page = Here().overview(book, {})
    assert beside.overview(book, {}) == page
    beside.close()
    assert beside.overview(book, {}) == page


def test_all_processes_start_when_they_are_told_to(beside):
    """Before a grading is timed, beside which they would take a processor."""
    beside.start()
    waited(lambda: all(each._process is not None for each in beside._processes._all))


def test_no_process_is_left(tmp_path):
    """They end with the batch."""
    press = Beside(tmp_path)
    press.page(UNGRADED)
    process = running(press)
    press.close()
    assert process.returncode is not None
