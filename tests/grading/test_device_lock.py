"""device_lock.py: a timed section excludes all other work on its device."""

import os
import stat
import subprocess
import sys
import tempfile
import threading
from contextlib import contextmanager
from pathlib import Path

import pytest
from samples import DEVICE

from grader.common.errors import WorkerError
from grader.grading.device_lock import SharedCpu, also_shared, exclusive, shared, shared_cpu

NOBODY = 65534

only_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can temporarily become another user")

GRADER = """
import sys
from pathlib import Path
from grader.grading.device_lock import exclusive, shared, shared_cpu
from grader.protocol.messages import DeviceFacts
print("waits", flush=True)
with exclusive(DeviceFacts.model_validate_json(sys.argv[1]), Path(sys.argv[2])):
    print("times", flush=True)
    sys.stdin.readline()
"""

MOMENT = 0.2
"""Seconds after which a grader that has not got the device is taken to be waiting for it."""

ENOUGH = 10
"""Seconds within which a grader that need not wait gets the device, even if the machine is busy."""


def device(**changes):
    return DEVICE.model_copy(update=changes)


def gpu(bus=None, name="GeForce", **changes):
    return device(type="gpu", bus=bus, name=name, **changes)


@contextmanager
def grader(facts, folder):
    """Start another grader in a process. It prints one line before it waits for the device and another line when it has
    the device. It ends when it reads a line of input.
    """
    process = subprocess.Popen(
        [sys.executable, "-c", GRADER, facts.model_dump_json(), folder],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    with process:
        try:
            yield process
        finally:
            process.kill()


def waits_for(one, other, folder, seconds=MOMENT):
    """Return True if a grader for device `one` is still waiting after `seconds` while this thread has device `other`.
    Assert that it gets its device afterwards.
    """
    has_it = threading.Event()

    def wait():
        with exclusive(one, folder):
            has_it.set()

    thread = threading.Thread(target=wait, daemon=True)
    with exclusive(other, folder):
        thread.start()
        waited = not has_it.wait(seconds)
    assert has_it.wait(ENOUGH)
    thread.join()
    return waited


def descriptors():
    return len(list(Path("/proc/self/fd").iterdir()))


@contextmanager
def as_nobody():
    """Run the block as an unprivileged user."""
    os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(0)


@pytest.mark.parametrize("end", ["leaves", "is killed"])
def test_the_second_grader_waits_until_the_first_is_gone(tmp_path, end):
    """A grader waits until a grader in another process leaves the device. The lock of a process is released when the
    process ends, even if it is killed.
    """
    with grader(DEVICE, tmp_path) as first:
        assert [first.stdout.readline() for _ in range(2)] == ["waits\n", "times\n"]
        with grader(DEVICE, tmp_path) as second:
            assert second.stdout.readline() == "waits\n"
            said = []
            thread = threading.Thread(target=lambda: said.append(second.stdout.readline()))
            thread.start()
            thread.join(MOMENT)
            assert said == []
            if end == "leaves":
                first.stdin.write("\n")
                first.stdin.flush()
            else:
                first.kill()
            thread.join(10)
            assert said == ["times\n"]


def test_an_error_while_timing_gives_the_device_back(tmp_path):
    """An error in a timed section releases the device and does not leave a descriptor open."""
    before = descriptors()
    with pytest.raises(ZeroDivisionError), exclusive(DEVICE, tmp_path):
        raise ZeroDivisionError
    assert descriptors() == before
    assert not waits_for(gpu(), DEVICE, tmp_path, ENOUGH)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (device(name="pthread-EPYC", platform="PoCL"), device(name="AMD EPYC", platform="Intel")),
        (gpu("0000:1b:00.0", name="gfx90a"), gpu("0000:1b:00.0", name="Instinct", index=3)),
        (gpu("0000:1B:00.0"), gpu("0000:1b:00.0")),
        (gpu(name="Iris"), gpu(name="Iris", driver="2")),
    ],
    ids=["two drivers of the CPU", "two drivers of a GPU", "an address in two spellings", "a GPU without an address"],
)
def test_one_device_is_timed_by_one_grader(tmp_path, one, other):
    """Only one grader at a time times a device, even if drivers and sandboxes have different names for it."""
    assert waits_for(one, other, tmp_path)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (gpu("0000:1b:00.0"), gpu("0000:3d:00.0")),
        (gpu("0000:1b:00.0"), DEVICE),
        (gpu(name="Iris"), gpu(name="Arc")),
        (gpu(name="cpu"), gpu("0000:00:02.0", name="cpu")),
    ],
    ids=["two GPUs of one kind", "GPU and CPU", "two GPUs without addresses", "one with an address"],
)
def test_two_devices_do_not_wait_for_each_other(tmp_path, one, other):
    """Graders on two different devices do not wait for each other, so a host with eight GPUs can time eight submissions
    at once.
    """
    assert not waits_for(one, other, tmp_path, ENOUGH)


@pytest.mark.parametrize("name", ["../../etc/passwd", "/dev/null", "a/b", "", "GeForce \u202e\n"])
def test_a_device_names_no_file_outside_the_folder(tmp_path, name):
    """A device name from a driver becomes only a part of the lock's file name, so it cannot lead to a file outside the
    folder.
    """
    folder = tmp_path / "locks"
    folder.mkdir()
    for facts in (gpu(name=name), gpu(bus=name or None)):
        with exclusive(facts, folder):
            pass
    assert [path.name for path in tmp_path.iterdir()] == ["locks"]
    for path in folder.iterdir():
        assert path.name.startswith("grader-")
        assert path.name.isprintable()


@pytest.mark.parametrize(
    ("place", "reason"), [("none", "No such file or directory"), ("file", "Not a directory")], ids=["none", "file"]
)
def test_a_place_where_no_lock_can_be_is_our_error(tmp_path, place, reason):
    """If the lock file cannot be created, WorkerError names the file, the reason and the setting for another folder."""
    (tmp_path / "file").touch()
    with pytest.raises(WorkerError) as caught, exclusive(DEVICE, tmp_path / place):
        pass
    assert f"{tmp_path / place / 'grader-cpu.gate'}: {reason}" in str(caught.value)
    assert "set GRADER_LOCKS to a folder" in str(caught.value)


@only_root
def test_a_folder_that_is_not_ours_to_write_to_is_our_error():
    """Creating a lock in a folder without write permission raises WorkerError. An existing lock need only be
    readable.
    """
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        denied = pytest.raises(WorkerError, match="Permission denied; set GRADER_LOCKS")
        with as_nobody(), denied, exclusive(DEVICE, Path(folder)):
            pass
        with exclusive(DEVICE, Path(folder)):
            pass
        with as_nobody(), exclusive(DEVICE, Path(folder)):
            assert {path.stat().st_uid for path in Path(folder).iterdir()} == {0}


@only_root
def test_another_users_lock_serves_in_a_folder_for_all():
    """A lock that another user has created can be used in a sticky folder for all users, such as /run/lock. There,
    Linux does not let a user open files of other users with O_CREAT.
    """
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o1777)
        with as_nobody(), exclusive(DEVICE, Path(folder)):
            pass
        assert waits_for(DEVICE, DEVICE, Path(folder))


def test_everybody_can_open_a_lock_whatever_the_umask(tmp_path):
    """Every user can read a lock, regardless of the umask that it was created with. Otherwise, a second user of the
    host could not wait for the first.
    """
    before = os.umask(0o077)
    try:
        with exclusive(DEVICE, tmp_path):
            pass
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "grader-cpu.lock").stat().st_mode) == 0o444


def test_two_graders_that_make_the_lock_at_once_share_it(tmp_path, monkeypatch):
    """If another grader creates the lock file at the same moment, both graders use that file."""
    path = tmp_path / "grader-cpu.lock"
    real = os.open

    def overtaken(name, flags, *mode):
        if flags & os.O_CREAT and not path.exists():
            os.close(real(path, os.O_CREAT))
        return real(name, flags, *mode)

    monkeypatch.setattr(os, "open", overtaken)
    with exclusive(DEVICE, tmp_path):
        assert sorted(entry.name for entry in tmp_path.iterdir()) == ["grader-cpu.gate", path.name]


def test_a_link_that_leads_nowhere_is_our_error(tmp_path):
    """If the lock file is a broken link, which any user can put into a folder for all users, WorkerError is raised. The
    grader does not try again for ever, and it does not create the target of the link.
    """
    (tmp_path / "grader-cpu.lock").symlink_to(tmp_path / "nowhere")
    with pytest.raises(WorkerError, match="GRADER_LOCKS"), exclusive(DEVICE, tmp_path):
        pass
    assert not (tmp_path / "nowhere").exists()


# --- sharing ----------------------------------------------------------------------------------


def enters(block, seconds=MOMENT):
    """Start a thread that enters the block and leaves it at an event or after 10 s. Return four values: True if the
    thread entered within `seconds`, the event that it has entered, the event that makes it leave, and the thread.
    """
    inside, leave = threading.Event(), threading.Event()

    def run():
        with block:
            inside.set()
            leave.wait(10)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    return inside.wait(seconds), inside, leave, thread


def test_work_that_is_not_timed_shares_a_device(tmp_path):
    """Work that is not timed can share a device. For example, the cases of two gradings and the simulator run on the
    CPU at the same time.
    """
    with shared(DEVICE, tmp_path), shared(DEVICE, tmp_path), shared_cpu(tmp_path):
        assert not waits_for(gpu(), gpu("0000:3d:00.0"), tmp_path, ENOUGH)


def test_who_times_waits_for_those_who_share_and_they_for_it(tmp_path):
    """A timed section waits for the work that shares its device, and work that comes later waits for the timed section.
    On the CPU, this includes the simulator.
    """
    with shared_cpu(tmp_path):
        at_once, inside, leave, thread = enters(exclusive(DEVICE, tmp_path))
        assert not at_once
    assert inside.wait(ENOUGH)
    at_once, other, leave_other, other_thread = enters(shared(DEVICE, tmp_path))
    assert not at_once
    leave.set()
    assert other.wait(ENOUGH)
    leave_other.set()
    thread.join()
    other_thread.join()


def test_newcomers_wait_behind_somebody_who_waits_to_time(tmp_path):
    """New untimed work waits behind a grader that is waiting for its timed section. Otherwise, the submissions of a
    class could always keep the device busy, and no submission would ever be timed.
    """
    with shared(DEVICE, tmp_path):
        at_once, timing, leave, _ = enters(exclusive(DEVICE, tmp_path))
        assert not at_once
        at_once, newcomer, leave_newcomer, _ = enters(shared(DEVICE, tmp_path))
        assert not at_once
    assert timing.wait(ENOUGH)
    assert not newcomer.is_set()
    leave.set()
    assert newcomer.wait(ENOUGH)
    leave_newcomer.set()


def test_all_that_is_timed_comes_together(tmp_path):
    """All waiting timed sections run before any waiting untimed work. If the two kinds alternated, each timed section
    would have to wait for untimed work again.
    """
    with shared(DEVICE, tmp_path):
        _, first, leave_first, _ = enters(exclusive(DEVICE, tmp_path))
        newcomers = [enters(shared(DEVICE, tmp_path)) for _ in range(2)]
        _, second, leave_second, _ = enters(exclusive(DEVICE, tmp_path))
    for inside, leave in ((first, leave_first), (second, leave_second)):
        assert inside.wait(ENOUGH)
        assert not any(newcomer.is_set() for _, newcomer, _, _ in newcomers)
        leave.set()
    for _, newcomer, _, _ in newcomers:
        assert newcomer.wait(ENOUGH), "both share the device at the same time"
    for _, _, leave, _ in newcomers:
        leave.set()


def test_a_gpu_that_is_timed_leaves_the_cpu_to_the_simulator(tmp_path):
    """While a GPU is timed, the simulator can use the CPU."""
    with exclusive(gpu(), tmp_path):
        at_once, _, leave, _ = enters(shared_cpu(tmp_path), ENOUGH)
        assert at_once
        leave.set()


def test_work_on_both_takes_the_processor_and_then_the_gpu(tmp_path):
    """Work that needs the processor and a GPU acquires the processor first and then the GPU. If the device is the
    processor, it is not acquired a second time, because this would wait for a grader that waits for the first share to
    end.
    """
    with shared_cpu(tmp_path), also_shared(gpu(), tmp_path):
        at_once, inside, leave, _ = enters(exclusive(gpu(), tmp_path))
        assert not at_once
    assert inside.wait(ENOUGH)
    leave.set()
    with shared_cpu(tmp_path):
        at_once, inside, leave, _ = enters(exclusive(device(type="cpu"), tmp_path))
        assert not at_once
        with also_shared(device(type="cpu"), tmp_path):
            leave.set()
    assert inside.wait(ENOUGH)


def test_parts_of_a_grading_have_one_share_of_the_processor(tmp_path):
    """The parts of one grading share the processor. A second part can enter while another grader waits for a timed
    section, and that grader gets the processor when the last part has left.
    """
    cpu = SharedCpu(tmp_path)
    with cpu:
        at_once, inside, leave, _ = enters(exclusive(device(type="cpu"), tmp_path))
        assert not at_once
        at_once, _, second, thread = enters(cpu, ENOUGH)
        assert at_once
    assert not inside.wait(MOMENT)
    second.set()
    thread.join()
    assert inside.wait(ENOUGH)
    leave.set()
