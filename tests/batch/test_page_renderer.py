"""page_renderer.py: pages made in other processes during grading equal the pages that this process makes."""

import os
import signal
import zlib
from contextlib import closing, suppress
from pathlib import Path

import pytest
from batches import waited
from samples import BUILD, DEVICE, ROOFLINE, SPEED, UNGRADED, result

from grader.batch.page_renderer import PageRenderer, PoolRenderer, source_of
from grader.grading.device_lock import exclusive
from grader.results.gradebook import Gradebook

GRADED = result(BUILD, SPEED.model_copy(update={"performance": ROOFLINE}))


@pytest.fixture
def beside(tmp_path):
    with closing(PoolRenderer(tmp_path)) as renderer:
        yield renderer


@pytest.fixture(scope="module")
def lasting(tmp_path_factory):
    """A renderer shared by all tests that only request pages, because its processes take seconds to start."""
    with closing(PoolRenderer(tmp_path_factory.mktemp("lasting"))) as renderer:
        yield renderer


@pytest.mark.whole
@pytest.mark.parametrize("told", [GRADED, UNGRADED], ids=["graded", "ungraded"])
def test_a_page_is_the_same_wherever_it_is_made(lasting, told):
    """A page from another process is identical to the byte, with its figures, whether or not it was begun early."""
    page = PageRenderer().page(told)
    assert lasting.page(told) == page
    lasting.begin(told)
    assert lasting.page(told) == page


def test_a_page_that_was_begun_is_made_once(lasting, monkeypatch):
    """Identical hand-ins share one page, which is kept compressed until the batch needs it."""
    asked = []
    real = lasting._processes.submit
    monkeypatch.setattr(lasting._processes, "submit", lambda *call: asked.append(call) or real(*call))
    for _ in range(3):
        lasting.begin(GRADED)
    packed = lasting._begun[source_of(GRADED)].result().text
    assert len(packed) < len(zlib.decompress(packed)) / 2
    assert lasting.page(GRADED) == PageRenderer().page(GRADED)
    assert len(asked) == 1


def running(renderer):
    """Wait until a process of the renderer runs, and return it."""
    return waited(lambda: next((each._process for each in renderer._processes._all if each._process is not None), None))


def has_open(process, path):
    """Return True if a process has the file open."""
    for each in Path("/proc", str(process.pid), "fd").iterdir():
        with suppress(FileNotFoundError):  # the process has closed it in the meantime
            if each.readlink() == path:
                return True
    return False


def test_pages_wait_until_nobody_is_timed_on_the_processor(beside, tmp_path):
    """Pages wait while a kernel is timed on the same processor, because drawing takes a whole core."""
    with exclusive(DEVICE, tmp_path):
        beside.begin(GRADED)
        process = running(beside)
        waited(lambda: has_open(process, tmp_path / "grader-cpu.gate"))
        assert not beside._begun[source_of(GRADED)].done()
    assert beside.page(GRADED) == PageRenderer().page(GRADED)


def test_a_process_that_dies_costs_no_page(beside, tmp_path):
    """If a process is killed, for example for lack of memory, this process makes the page instead."""
    with exclusive(DEVICE, tmp_path):
        beside.begin(GRADED)
        os.kill(running(beside).pid, signal.SIGKILL)
        assert beside.page(GRADED) == PageRenderer().page(GRADED)


@pytest.mark.whole
def test_the_overview_is_made_there_too(beside):
    """The overview is made in another process, or in this one if the other processes have ended."""
    book = Gradebook(
        shape="a folder",
        assignments=("small",),
        titles={"small": "Adding"},
        maxima={"small": 5},
        skeletons={"small": ""},
        parts={"small": ("",)},
        rows=(),
    )
    page = PageRenderer().overview(book, {})
    assert beside.overview(book, {}) == page
    beside.close()
    assert beside.overview(book, {}) == page


def test_all_processes_start_when_they_are_told_to(beside):
    """All processes start together before the first timing, because starting a process takes processor time."""
    beside.start()
    waited(lambda: all(each._process is not None for each in beside._processes._all))


@pytest.mark.whole
def test_no_process_is_left(tmp_path):
    """All processes end with the batch."""
    renderer = PoolRenderer(tmp_path)
    renderer.page(UNGRADED)
    process = running(renderer)
    renderer.close()
    assert process.returncode is not None
