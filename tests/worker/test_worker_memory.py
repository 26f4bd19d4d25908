"""memory.py: both versions of cgroups count the processes that were killed because of their memory use."""

import json
import os
import signal

import pytest

from grader.worker import memory
from grader.worker.fork import Fork
from grader.worker.memory import COUNTERS, kills_for_memory

VERSION_2 = "low 0\nhigh 0\nmax 71\noom 9\noom_kill {}\noom_group_kill 5\n"
VERSION_1 = "oom_kill_disable 0\nunder_oom 0\noom_kill {}\n"


@pytest.fixture
def counters(tmp_path, monkeypatch):
    """Paths of the two files with the counts, which do not exist yet."""
    paths = (tmp_path / "memory.events", tmp_path / "memory.oom_control")
    monkeypatch.setattr(memory, "COUNTERS", paths)
    return paths


@pytest.mark.parametrize("kills", [0, 3, 12345])
@pytest.mark.parametrize(("version", "text"), [(2, VERSION_2), (1, VERSION_1)], ids=["version 2", "version 1"])
def test_kills_are_counted_by_either_version(counters, version, text, kills):
    """Kills are counted with either version of cgroups. Other lines in the files are not mistaken for kills."""
    counters[2 - version].write_text(text.format(kills))
    assert kills_for_memory() == kills


def test_where_nothing_is_counted_nothing_was_killed(counters):
    """Without a readable file, the number of kills is 0. This is the case on a host without cgroups, or if the path is
    a folder.
    """
    assert kills_for_memory() == 0
    counters[0].mkdir()
    assert kills_for_memory() == 0


def test_the_first_file_that_counts_is_believed(counters):
    """If a hybrid host has both files, the first one that contains the line counts."""
    counters[1].write_text(VERSION_1.format(4))
    assert kills_for_memory() == 4
    counters[0].write_text("low 0\nhigh 0\nmax 0\n")
    assert kills_for_memory() == 4
    counters[0].write_text(VERSION_2.format(7))
    assert kills_for_memory() == 7


@pytest.mark.parametrize(
    "text",
    [
        "",
        "oom_kill\n",
        "oom_kill many\n",
        "oom_kill -1\n",
        "xoom_kill 3\n",
        "oom_kill_disable 1\n",
        "oom_group_kill 2\n",
    ],
)
def test_a_file_without_the_line_counts_nothing(counters, text):
    """A file without a valid line counts as no kills. OS kernels before 4.13 do not write the line."""
    counters[0].write_text(text)
    counters[1].write_text(text)
    assert kills_for_memory() == 0


def test_the_files_are_those_of_this_machine():
    """The paths are those of cgroups versions 2 and 1, in the folder in which Linux mounts them."""
    assert [str(path) for path in COUNTERS] == [
        "/sys/fs/cgroup/memory.events",
        "/sys/fs/cgroup/memory/memory.oom_control",
    ]


@pytest.mark.parametrize(("before", "after", "out_of_memory"), [(0, 1, True), (1, 1, False), (2, 4, True)])
def test_a_session_that_was_killed_is_said_to_have_died_of_it_only_if_the_count_rose(
    counters, before, after, out_of_memory
):
    """A session ran out of memory only if the count increased during the session. An earlier kill does not count."""
    counters[0].write_text(VERSION_2.format(before))

    def die(channel):
        channel.receive()
        counters[0].write_text(VERSION_2.format(after))
        os.kill(os.getpid(), signal.SIGKILL)

    judge, other_end = os.pipe()
    with os.fdopen(judge, "rb") as requests, os.fdopen(other_end, "wb"):
        (died,) = Fork.start(die, inherited=()).ask(b"{}\n", requests)
    assert json.loads(died) == {
        "kind": "died",
        "signal": signal.SIGKILL,
        "exit_code": None,
        "out_of_memory": out_of_memory,
    }
