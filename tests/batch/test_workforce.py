"""workforce/: whole batches in which processes are killed or interrupted."""

import os
import signal

import pytest
from batches import (
    WRONG,
    batch,
    done,
    essences,
    left_in,
    processes,
    run,
    scheduler,
    small_batch,
    start,
    stations,
    waited,
    workers,
)

from grader.execution.sandbox.docker.sweeping import LABEL

pytestmark = pytest.mark.long

GRADED = 1
"""Exit code of a batch with at least one failed check."""


@pytest.mark.whole
def test_three_kills_change_no_result(tmp_path):
    """Killing a station, the batch, and then a worker of the cluster that continues it does not change any result."""
    small_batch(tmp_path, 6, kinds=(*WRONG, "padded-by-two"))
    assert run(batch(tmp_path, tmp_path / "calm", "--jobs", "2"), tmp_path / "calm.log") == GRADED
    out = tmp_path / "out"
    first = start(batch(tmp_path, out, "--jobs", "2"), tmp_path / "first.log")
    waited(lambda: done(out) >= 1)
    os.kill(stations(first)[0], signal.SIGKILL)
    waited(lambda: done(out) >= 2)
    first.kill()
    first.wait()
    waited(lambda: not any("grader.w" in line for line in left_in(tmp_path)), 30)
    before = done(out)
    with scheduler(tmp_path) as address, workers(address, tmp_path, 1) as (nanny,):
        second = start(batch(tmp_path, out, "--scheduler", address), tmp_path / "second.log")
        waited(lambda: done(out) > before)
        (worker,) = (number for number, parent, words in processes() if parent == nanny.pid and "spawn_main" in words)
        os.kill(worker, signal.SIGKILL)
        assert second.wait(120) == GRADED
    said = (tmp_path / "first.log").read_text(), (tmp_path / "second.log").read_text()
    assert "will be tried again: its process ended with SIGKILL" in said[0]
    assert f"{before} of them made before" in said[1]
    assert "has left; other workers take over its jobs" in said[1]
    assert "distributed" not in said[1]
    assert essences(out) == essences(tmp_path / "calm")
    assert left_in(tmp_path) == []


@pytest.mark.whole
@pytest.mark.parametrize("number", [signal.SIGINT, pytest.param(signal.SIGTERM, marks=pytest.mark.whole)])
def test_an_interrupted_batch_leaves_nothing_and_says_how_to_go_on(tmp_path, number):
    """An interrupted batch leaves no process or temporary file behind, and says how to continue.

    Ctrl-C reaches the whole process group, other signals only one process. Neither ends a station directly.
    """
    small_batch(tmp_path, 6)
    process = start(batch(tmp_path, tmp_path / "out", "--jobs", "2"), tmp_path / "log")
    waited(lambda: done(tmp_path / "out") >= 1)
    (os.killpg if number == signal.SIGINT else os.kill)(process.pid, number)
    assert process.wait(60) == 130
    *_, last = (tmp_path / "log").read_text().splitlines()
    kept, by = done(tmp_path / "out"), "Ctrl-C" if number == signal.SIGINT else number.name
    assert last == (
        f"grader: interrupted by {by}. {kept} of 6 gradings are done and kept in {tmp_path / 'out'}; "
        "the same command continues from there (without --regrade)."
    )
    assert left_in(tmp_path) == []


@pytest.mark.whole
def test_no_container_outlives_a_killed_batch(tmp_path, engine, worker_image):
    """The stations of a killed batch notice that it has ended, and stop their containers."""
    small_batch(tmp_path, 4)
    arrays = tmp_path / "arrays"
    arrays.mkdir()
    more = {"GRADER_DOCKER__FOLDER": str(arrays), "GRADER_DOCKER__IMAGE": worker_image}
    command = batch(tmp_path, tmp_path / "out", "--jobs", "2", sandbox=("--sandbox", "docker"))
    process = start(command, tmp_path / "log", **more)

    def containers():
        ours = engine.api.containers(all=True, filters={"label": LABEL})
        return [each["Id"] for each in ours if each["Labels"][LABEL].startswith(str(arrays))]

    waited(lambda: done(tmp_path / "out") >= 1)
    assert containers()
    process.kill()
    process.wait()
    waited(lambda: not containers() and not left_in(tmp_path), 60)
    assert list(arrays.iterdir()) == []
