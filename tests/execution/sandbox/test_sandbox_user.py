"""user.py and users.py: the rights of a worker that runs as a separate user, and the removal of all that it leaves."""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from processes import is_gone
from worker_rules import RULES, TIMEOUTS

from grader.common.errors import WorkerError
from grader.execution.client import Worker
from grader.execution.plan import NOTHING
from grader.execution.sandbox.process import ProcessSandbox
from grader.execution.sandbox.user import NEEDED, PACKAGE, UserSandbox
from grader.execution.sandbox.users import OPEN_PLACES, USERS, BorrowedUser
from grader.grading.settings import load_settings

NOBODY = 65534


def become(user):
    """Return the command prefix that runs another command as this user."""
    return ("setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups", "--no-new-privs")


def others_can_start_a_worker():
    """True if another user can read this Python and this checkout."""
    command = [*become(NOBODY), sys.executable, "-I", "-c", "import grader.worker.session"]
    return subprocess.run(command, stderr=subprocess.DEVNULL, check=False).returncode == 0


pytestmark = pytest.mark.skipif(
    os.geteuid() != 0 or not others_can_start_a_worker(),
    reason="only root can be other users, and they must be able to read this Python and this checkout",
)

BOMB = """
import os, signal, sys, time
for number in range(1, 65):
    if number not in (signal.SIGKILL, signal.SIGSTOP, 32, 33):
        signal.signal(number, signal.SIG_IGN)
os.setsid()
print("ready", flush=True)
while True:
    if os.fork() == 0: os.setsid()
    else: os._exit(0)
"""
"""Code that moves from process to process, so that a list of processes is always outdated."""


@pytest.fixture(autouse=True)
def few_files(monkeypatch):
    """Use shared folders with few files. Giving back a user searches all shared folders, and a machine's /tmp may
    contain a million files. The test of that search uses the real folders.
    """
    with TemporaryDirectory() as folder:
        Path(folder).chmod(0o1777)
        monkeypatch.setattr(tempfile, "tempdir", folder)
        monkeypatch.setattr("grader.execution.sandbox.users.OPEN_PLACES", ("/dev/shm",))
        yield
        monkeypatch.undo()


@pytest.fixture
def worker():
    with closing(UserSandbox(RULES)) as sandbox, Worker(sandbox, 0, TIMEOUTS).load({}) as running:
        running.open(NOTHING)
        yield running


def fields(pid):
    """Return the fields of a process's status in /proc, as lists of words."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return {name: value.split() for name, _, value in (line.partition(":") for line in lines)}


def alive(user):
    """Return the ids of the user's processes that are alive."""
    found = []
    for path in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if path.stat().st_uid == user and fields(path.name)["State"][0] != "Z":
                found.append(int(path.name))
    return found


def as_user(user, code, *, args=(), **options):
    command = [*become(user), sys.executable, "-I", "-c", code, *args]
    return subprocess.Popen(command, stdout=subprocess.PIPE, **options)


def test_a_worker_has_no_right_but_those_of_its_own_user(worker):
    """A worker has one user, one group and no capabilities, and cannot gain more by running a program."""
    pid = worker._connection.process.group
    found = fields(pid)
    (user,) = set(found["Uid"])
    assert int(user) in USERS
    assert set(found["Gid"]) == {user}
    assert found["Groups"] == []
    assert found["NoNewPrivs"] == ["1"]
    assert [int(found[name][0], 16) for name in ("CapInh", "CapPrm", "CapEff", "CapAmb")] == [0] * 4
    assert len(alive(int(user))) == 2


def test_two_workers_are_two_users(worker):
    """Each worker has its own user, so that it can neither read another worker's results nor stop that worker."""
    sandbox = UserSandbox(RULES)
    other = sandbox.start()
    try:
        users = {process.group: fields(process.group)["Uid"][0] for process in (worker._connection.process, other)}
        assert len(set(users.values())) == 2
        neighbour = users[worker._connection.process.group]
        folder = other._folder.path
        code = f"import os; os.listdir({str(folder)!r})"
        assert as_user(int(neighbour), code, stderr=subprocess.DEVNULL).wait() == 1
        code = f"open('{folder}/in.bin')"
        assert as_user(int(neighbour), code, stderr=subprocess.DEVNULL).wait() == 1
    finally:
        sandbox.close()


REACHES = """
import os, signal, sys
reached = []
def attempt(what):
    try:
        what()
        reached.append(what)
    except OSError:
        pass
for pid in sys.argv[1:]:
    attempt(lambda: os.kill(int(pid), signal.SIGKILL))
    attempt(lambda: os.kill(int(pid), signal.SIGCONT))
    attempt(lambda: os.listdir(f"/proc/{pid}/fd"))
    for name in ("mem", "environ", "maps"):
        attempt(lambda: open(f"/proc/{pid}/{name}", "rb").read(1))
print(len(reached))
"""


def test_a_worker_reaches_neither_its_warden_nor_the_fork_server(worker):
    """A worker cannot send signals to its warden or to the fork server, and cannot read their memory, variables or
    descriptors. Attempts on another process of the worker's own user succeed.
    """
    user = int(fields(worker._connection.process.group)["Uid"][0])
    warden = fields(worker._connection.process.group)["PPid"][0]
    server = fields(warden)["PPid"][0]
    assert fields(warden)["Uid"] == fields(server)["Uid"] == ["0"] * 4
    assert as_user(user, REACHES, args=(warden, server)).communicate()[0] == b"0\n"
    own = as_user(user, "import time; print(flush=True); time.sleep(60)")
    own.stdout.readline()
    assert int(as_user(user, REACHES, args=(str(own.pid),)).communicate()[0]) > 0
    own.wait()


def test_a_worker_ends_with_its_warden(worker):
    """A worker ends when its warden ends for any reason, because only the warden would end the worker's processes."""
    pid = worker._connection.process.group
    os.kill(int(fields(pid)["PPid"][0]), signal.SIGKILL)
    assert is_gone(pid)


def test_of_its_folder_a_worker_owns_its_home_alone(worker):
    """A worker can read in.bin and write out.bin, but cannot replace them."""
    folder = worker._connection.process._folder.path
    user = int(fields(worker._connection.process.group)["Uid"][0])
    seen = {path.name: (path.stat().st_uid, path.stat().st_mode & 0o777) for path in (folder, *folder.iterdir())}
    assert seen == {
        folder.name: (0, 0o710),
        "in.bin": (0, 0o644),
        "out.bin": (0, 0o666),
        "errors.txt": (0, 0o644),
        "home": (user, 0o700),
        "link": (0, 0o755),
        "rounds": (0, 0o711),
    }


def test_nothing_is_left_of_a_stopped_worker(worker):
    """A stopped worker does not leave any process behind, not even one in a hidden session, because the next worker may
    get the same user.
    """
    folder, pid = worker._connection.process._folder.path, worker._connection.process.group
    user = int(fields(pid)["Uid"][0])
    hidden = as_user(user, "import time; print(flush=True); time.sleep(60)", start_new_session=True)
    hidden.stdout.readline()
    worker.stop()
    assert hidden.wait() == -9
    assert alive(user) == []
    assert not folder.exists()


def test_no_process_of_a_user_outruns_its_end():
    """Processes that continuously replace each other are killed as well. Processes of other users live on."""
    user, neighbour = BorrowedUser.borrow(), BorrowedUser.borrow()
    bystander = as_user(neighbour.number, "import time; print(flush=True); time.sleep(60)")
    bystander.stdout.readline()
    as_user(user.number, BOMB).stdout.readline()
    user.give_back()
    time.sleep(0.2)
    assert alive(user.number) == []
    assert bystander.poll() is None
    neighbour.give_back()
    assert bystander.wait() == -9


LEFT = """
import ctypes, os, sys
for folder in sys.argv[1:]:
    os.close(os.open(folder + "/mark-of-a-worker", os.O_CREAT | os.O_WRONLY, 0o666))
os.mkdir(sys.argv[1] + "/nested-by-a-worker")
at = os.open(sys.argv[1] + "/nested-by-a-worker", os.O_RDONLY)
for name in "n" * 2000:
    os.mkdir(name, dir_fd=at)
    below = os.open(name, os.O_RDONLY, dir_fd=at)
    os.close(at)
    at = below
os.chmod(sys.argv[1] + "/nested-by-a-worker", 0)
libc = ctypes.CDLL(None)
print(libc.shmget(0, 4096, 0o1666), libc.semget(0, 1, 0o1666), libc.msgget(0, 0o1666))
"""
"""Code that leaves objects after the end of all processes: files, closed folders that are nested too deeply, and shared
memory.
"""


def test_no_process_of_a_user_runs_on_when_all_are_told_to_stop():
    """A stop signal reaches all processes of a user, even those that have left their group, session or parent. They
    continue after SIGCONT.
    """
    user = BorrowedUser.borrow()
    try:
        process = as_user(user.number, BOMB)
        assert process.stdout.readline() == b"ready\n"
        user.signal(0, signal.SIGSTOP)
        before = alive(user.number)
        time.sleep(0.2)
        assert alive(user.number) == before
        user.signal(0, signal.SIGCONT)
        end = time.monotonic() + 20
        while alive(user.number) == before and time.monotonic() < end:
            time.sleep(0.01)
        assert alive(user.number) != before
    finally:
        user.give_back()


def outliving():
    """Return the kind and number of each shared memory, semaphore and message queue, which outlive processes."""
    return {
        (path.name, line.split()[1])
        for path in Path("/proc/sysvipc").iterdir()
        for line in path.read_text().splitlines()[1:]
    }


@pytest.fixture
def open_place():
    """A folder in which every user may create files, inside a shared folder of the machine."""
    with TemporaryDirectory(dir="/tmp") as folder:
        Path(folder).chmod(0o1777)
        yield Path(folder)


@pytest.mark.whole
def test_what_a_user_has_left_is_removed_and_nothing_of_others(open_place, monkeypatch):
    """A user's files in all shared folders are removed, as well as its objects in the OS kernel's memory. Those of
    other users stay.
    """
    shared = ("/tmp", "/var/tmp", "/dev/shm")
    assert {*shared} <= {*OPEN_PLACES}
    monkeypatch.setattr("grader.execution.sandbox.users.OPEN_PLACES", OPEN_PLACES)
    (open_place / "ours").touch()
    user, neighbour = BorrowedUser.borrow(), BorrowedUser.borrow()
    before = outliving()
    assert as_user(user.number, LEFT, args=(open_place, *shared)).wait() == 0
    assert as_user(neighbour.number, f"open('{open_place}/neighbour', 'w')").wait() == 0
    assert len(outliving() - before) == 3
    assert all(Path(folder, "mark-of-a-worker").exists() for folder in shared)
    user.give_back()
    assert outliving() == before
    assert sorted(path.name for path in open_place.iterdir()) == ["neighbour", "ours"]
    assert not any(Path(folder, "mark-of-a-worker").exists() for folder in shared)
    neighbour.give_back()
    assert [path.name for path in open_place.iterdir()] == ["ours"]


def test_a_user_is_lent_to_one_worker_at_a_time(monkeypatch):
    """A user is lent to one worker at a time, and never while a process runs as this user. A user can be given back
    twice without affecting a later borrower.
    """
    monkeypatch.setattr("grader.execution.sandbox.users.USERS", range(59_990, 59_992))
    first, second = BorrowedUser.borrow(), BorrowedUser.borrow()
    assert first.number != second.number
    with pytest.raises(WorkerError, match="every user from"):
        BorrowedUser.borrow()
    first.give_back()
    again = BorrowedUser.borrow()
    assert again.number == first.number
    process = as_user(again.number, "import time; print(flush=True); time.sleep(60)")
    process.stdout.readline()
    first.give_back()
    assert process.poll() is None
    again.give_back()
    process.wait()
    busy = as_user(first.number, "import time; print(flush=True); time.sleep(60)")
    busy.stdout.readline()
    with pytest.raises(WorkerError):
        BorrowedUser.borrow()
    busy.kill()
    busy.wait()
    second.give_back()


def test_no_submission_can_hold_a_lock_for_which_judges_wait(tmp_path, monkeypatch):
    """Anyone who can read a file can lock it. Therefore, the locks for timed sections are in a folder that only root
    can enter.

    The folder exists before the first worker starts, because a start waits for a lock, too.
    """
    monkeypatch.setattr("grader.execution.sandbox.users.ROOTS_OWN", tmp_path / "grader")
    with load_settings({}).open_environment("user") as environment:
        assert environment.locks == tmp_path / "grader"
        found = environment.locks.stat()
    assert (found.st_uid, found.st_mode & 0o777) == (0, 0o700)


def test_without_the_program_that_it_needs_it_is_our_error(monkeypatch):
    """The message contains the name of the package with the missing program."""
    which = shutil.which
    monkeypatch.setattr(shutil, "which", lambda wanted: None if wanted == NEEDED else which(wanted))
    with pytest.raises(WorkerError, match=f"install {PACKAGE}"):
        UserSandbox(RULES)


def test_without_root_it_is_our_error(monkeypatch):
    """The message tells the user which sandbox does not need root."""
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    with pytest.raises(WorkerError, match="only root can do: use --sandbox docker"):
        UserSandbox(RULES)


@pytest.mark.parametrize("sandbox", [ProcessSandbox, UserSandbox])
def test_the_last_words_are_those_of_the_worker_whatever_is_in_their_place(sandbox, tmp_path):
    """If a worker replaces its error file by a link to a secret, the link is not followed, and the last words are
    empty.
    """
    (tmp_path / "secret").write_text("the model solution")
    opened = sandbox(RULES)
    worker = opened.start()
    errors = worker._folder.path / "errors.txt"
    errors.unlink()
    errors.symlink_to(tmp_path / "secret")
    assert worker.last_words() == ""
    opened.close()
    assert worker.last_words() == ""


@pytest.mark.whole
def test_users_are_ended_side_by_side():
    """Many users can be ended at the same time, as by two batches or two stations. The process that ends one user's
    processes does not end the one that ends another's.
    """
    with ThreadPoolExecutor(8) as pool:
        for _ in range(3):
            for ended in [pool.submit(user.give_back) for user in [BorrowedUser.borrow() for _ in range(8)]]:
                ended.result()
