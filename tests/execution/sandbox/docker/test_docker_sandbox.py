"""sandbox.py: a worker's limits, as the engine reports them and as they apply inside, and the removal of workers."""

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import time
from contextlib import closing, nullcontext
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from container_engines import LIMITS, MEGABYTE, SMALL, make_worker, rules, settle
from docker.errors import ImageNotFound, NotFound
from project import ASSIGNMENTS, ROOT, importable
from small_jobs import ARRAYS, is_right, plan

from grader.common.errors import DeviceError, NoContainersError, WorkerError
from grader.execution.outcome import Garbled, OutOfMemory
from grader.execution.plan import NOTHING
from grader.execution.sandbox.docker import gpu
from grader.execution.sandbox.docker.container import LAST_WORDS, UNREAD_FRAMES
from grader.execution.sandbox.docker.engine import engine_trouble
from grader.execution.sandbox.docker.sandbox import ContainerSandbox
from grader.execution.sandbox.docker.sweeping import LABEL
from grader.execution.sandbox.folder import PREFIX
from grader.protocol.messages import Opened

MOMENT = 10
"""Seconds. A call that does not wait takes far less than this, even on a busy machine. A call that waited here would
never return.
"""


def descriptors():
    return len(list(Path("/proc/self/fd").iterdir()))


def complaint(tmp_path, kind=WorkerError, **container):
    with pytest.raises(kind) as caught:
        ContainerSandbox(rules(tmp_path, **container))
    assert "\n" not in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize(
    ("host", "reason"),
    [
        ("unix:///nowhere/docker.sock", "No such file or directory"),
        ("tcp://127.0.0.1:1", "Connection refused"),
        ("pigeon://home", "Invalid bind address protocol: pigeon://home"),
    ],
)
def test_without_an_engine_it_is_said_what_to_do(tmp_path, monkeypatch, host, reason):
    """Without an engine, the message gives the reason and three remedies in a few lines of a terminal, one of them the
    variable DOCKER_HOST. No folder is created.
    """
    monkeypatch.setenv("DOCKER_HOST", host)
    said = complaint(tmp_path)
    assert said.startswith("no container engine answers: start Docker")
    assert f"The connection failed with: {reason}." in said
    assert "start Docker, join its group, or set DOCKER_HOST" in said
    assert "--sandbox process runs it with your rights" in said
    assert len(f"grader: not graded: {said}") <= 4 * 80
    assert list(tmp_path.iterdir()) == []


def test_without_the_image_it_is_said_how_to_build_it(fake, tmp_path):
    """If the image is missing, the message contains the configured name and the command that builds the image."""
    fake.failures["inspect_image"] = ImageNotFound("404", explanation="No such image: mine:2")
    said = complaint(tmp_path, image="mine:2")
    assert "there is no image mine:2" in said
    assert "run `docker build --target worker --tag mine:2 .`. If you trust the code" in said


@pytest.mark.parametrize(
    ("error", "host", "program", "command"),
    [
        (
            PermissionError(13, "Permission denied"),
            None,
            "/usr/bin/docker",
            "sudo usermod -aG docker $USER && newgrp docker",
        ),
        (ConnectionRefusedError(111, "refused"), None, "/usr/bin/docker", "sudo systemctl start docker"),
        (FileNotFoundError(2, "No such file or directory"), None, None, "sudo apt install docker.io"),
        (ConnectionRefusedError(111, "refused"), "tcp://127.0.0.1:1", "/usr/bin/docker", "unset DOCKER_HOST"),
    ],
)
def test_without_an_engine_there_is_a_command_to_copy(monkeypatch, error, host, program, command):
    """The error has the shell command that fits its cause: an engine that is missing, ends, refuses the user, or is not
    where DOCKER_HOST says.
    """
    monkeypatch.delenv("DOCKER_HOST", raising=False)
    if host is not None:
        monkeypatch.setenv("DOCKER_HOST", host)
    monkeypatch.setattr(shutil, "which", lambda _: program)
    with pytest.raises(NoContainersError) as caught, engine_trouble():
        raise error
    assert caught.value.command == command


def test_a_gpu_that_is_not_there_is_told_before_any_engine_is_asked(tmp_path, monkeypatch):
    """A missing GPU is reported before grader contacts the engine."""
    monkeypatch.setattr(gpu, "DEV", tmp_path)
    monkeypatch.setenv("DOCKER_HOST", "unix:///nowhere/docker.sock")
    assert "install NVIDIA's driver" in complaint(tmp_path, DeviceError, gpu="nvidia")


def test_a_gpu_is_passed_on_with_its_groups_and_its_only_driver(fake, tmp_path, monkeypatch):
    """Device nodes keep their names inside the container, and groups are passed by number."""
    (tmp_path / "dri").mkdir()
    node = tmp_path / "dri" / "renderD128"
    node.touch()
    monkeypatch.setattr(gpu, "DEV", tmp_path)
    with closing(ContainerSandbox(rules(tmp_path / "dri", gpu="intel"))) as sandbox:
        sandbox.start().stop()
    (options,) = fake.created
    devices = options["host_config"]["Devices"]
    assert devices == [{"PathOnHost": str(node), "PathInContainer": str(node), "CgroupPermissions": "rw"}]
    assert options["host_config"]["GroupAdd"] == [str(node.stat().st_gid)]
    assert options["environment"]["OCL_ICD_VENDORS"] == "/etc/OpenCL/vendors/intel.icd"


# --- a real engine ------------------------------------------------------------------------------

PYTHON = "/opt/grader/bin/python3"

LOOK = """
import json, os
seen = {}
for pid in filter(str.isdigit, os.listdir("/proc")):
    if int(pid) != os.getpid():
        seen[pid] = {name: open(f"/proc/{pid}/{name}").read()
                     for name in ("status", "limits", "mountinfo", "environ", "cmdline", "net/dev")}
print(json.dumps(seen))
"""

TRY = """
import ctypes, errno, json, os, resource, socket, sys
FILE, TMP, SHM = map(int, sys.argv[1:])
libc = ctypes.CDLL(None, use_errno=True)

def call(name, *args):
    if getattr(libc, name)(*args) < 0:
        raise OSError(ctypes.get_errno(), "")

def write(path, size=1):
    with open(path, "r+b" if os.path.exists(path) else "wb") as file:
        file.write(bytes(size))

def cut(path, size):
    with open(path, "r+b") as file:
        file.truncate(size)

attempts = {
    "write out.bin": lambda: write("/arrays/out.bin"),
    "write to /tmp": lambda: write("/tmp/file"),
    "write in.bin": lambda: write("/arrays/in.bin"),
    "cut in.bin": lambda: cut("/arrays/in.bin", 0),
    "loosen in.bin": lambda: os.chmod("/arrays/in.bin", 0o666),
    "remove in.bin": lambda: os.remove("/arrays/in.bin"),
    "move out.bin": lambda: os.rename("/arrays/out.bin", "/arrays/other"),
    "make a file beside them": lambda: write("/arrays/new"),
    "change the worker": lambda: write("/opt/grader/lib/new"),
    "change a library": lambda: write("/etc/passwd"),
    "a file that is too large": lambda: cut("/arrays/out.bin", FILE + 1),
    "too much in /tmp": lambda: write("/tmp/much", TMP),
    "too much in /dev/shm": lambda: write("/dev/shm/much", SHM + 4096),
    "a network": lambda: socket.create_connection(("1.1.1.1", 53), 1),
    "a name": lambda: socket.getaddrinfo("example.org", 80),
    "a socket to the host": lambda: socket.socket(socket.AF_UNIX),
    "a raw socket": lambda: socket.socket(socket.AF_PACKET, socket.SOCK_RAW),
    "root": lambda: os.setuid(0),
    "another group": lambda: os.setgroups([0]),
    "a user namespace": lambda: call("unshare", 0x10000000),
    "a mount": lambda: call("mount", b"none", b"/tmp", b"tmpfs", 0, None),
    "a root of its own": lambda: os.chroot("/tmp"),
    "a device": lambda: os.mknod("/tmp/disk", 0o60600, os.makedev(8, 0)),
    "the worker's memory": lambda: call("ptrace", 16, 1, 0, 0),
    "another name for the host": lambda: call("sethostname", b"x", 1),
    "the clock": lambda: call("adjtimex", ctypes.create_string_buffer(b"\\1", 512)),
    "a personality": lambda: call("personality", 0x0040000),
    "a terminal": lambda: os.open("/dev/ptmx", os.O_RDWR),
    "a terminal to read": lambda: os.open("/dev/ptmx", os.O_RDONLY),
    "the controlling terminal": lambda: os.open("/dev/tty", os.O_RDWR),
    "a timer": lambda: call("timer_create", 1, None, ctypes.create_string_buffer(8)),
    "a timer in a file": lambda: call("timerfd_create", 1, 0),
    "an interval": lambda: call("setitimer", 0, ctypes.create_string_buffer(32), None),
    "a watch": lambda: call("inotify_init1", 0),
    "a filter": lambda: call("prctl", 22, 2, None),
    "a filter by its number with higher bits": lambda: call("syscall", 157, ctypes.c_ulong(1 << 32 | 22), 2, None),
    "a filter by the other call": lambda: call("syscall", 317, 2, 0, ctypes.create_string_buffer(4)),
    "an owner of signals": lambda: call("fcntl", 1, 8, os.getpid()),
    "a signal": lambda: call("fcntl", 1, 10, 18),
    "a signal with higher bits": lambda: call("syscall", 72, 1, ctypes.c_ulong(1 << 32 | 10), 18),
    "a lease": lambda: call("fcntl", os.open("/tmp/leased", os.O_CREAT), 1024, 0),
    "a notice of changes": lambda: call("fcntl", os.open("/tmp", os.O_RDONLY), 1026, 1),
    "memory that is compared": lambda: call("syscall", 28, 0, 0, 12),
    "memory that is written out": lambda: call("syscall", 28, 0, 0, 21),
    "a limit of a core dump": lambda: resource.setrlimit(resource.RLIMIT_CORE, (0, 0)),
    "a message queue": lambda: call("mq_open", b"/queue", 0o102, 0o600, None),
}

def outcome(attempt):
    try:
        attempt()
    except OSError as error:
        return errno.errorcode.get(error.errno, type(error).__name__)
    except ValueError:  # of the module `resource`, which has no other word for EPERM
        return "EPERM"
    return "done"

print(json.dumps({name: outcome(attempt) for name, attempt in attempts.items()}))
"""

WRITABLE = """
import json, os
found = []
for folder, folders, names in os.walk("/"):
    if folder == "/":
        folders.remove("proc")
    if os.access(folder, os.W_OK):
        folders.clear()
        found.append(folder)
    else:
        paths = [os.path.join(folder, name) for name in names]
        found += [path for path in paths if os.path.isfile(path) and os.access(path, os.W_OK)]
print(json.dumps(sorted(found)))
"""

COUNT_PROCESSES = """
import os, signal, time
children = []
try:
    while len(children) < 500:
        pid = os.fork()
        if not pid:
            time.sleep(30)
            os._exit(0)
        children.append(pid)
except OSError:
    pass
for pid in children:
    os.kill(pid, signal.SIGKILL)
for pid in children:
    os.waitpid(pid, 0)
print(len(children))
"""

FLOOD = """
for name in ("/proc/1/fd/1", "/proc/1/fd/2"):
    with open(name, "wb", buffering=0) as stream:
        for _ in range(768):
            stream.write(b"x" * 65536)
"""

HALT = """
import os, signal
for pid in filter(str.isdigit, os.listdir("/proc")):
    if int(pid) not in (1, os.getpid()):
        os.kill(int(pid), signal.SIGSTOP)
"""

OFFER = """
import os
for pid in filter(str.isdigit, os.listdir("/proc")):
    if int(pid) not in (1, os.getpid()):
        try:
            with open(f"/proc/{pid}/oom_score_adj", "w") as file:
                file.write("1000")
        except PermissionError:
            pass
"""

EAT = """
food = []
while True:
    food.append(b"x" * (16 << 20))
"""

FILES = """
import grader, hashlib, json, os, pathlib, sys
package = pathlib.Path(grader.__file__).parent
sizes = set(json.loads(sys.argv[1]))
found = {"ours": {}, "of such a size": {}, "setuid": [], "paths": []}
for folder, folders, names in os.walk("/"):
    if folder == "/":
        folders[:] = set(folders) - {"proc", "sys", "dev"}
    for name in names:
        path = pathlib.Path(folder, name)
        if path.is_symlink() or not path.is_file():
            continue
        status = path.stat()
        found["paths"].append(str(path))
        if status.st_mode & 0o6000:
            found["setuid"].append(str(path))
        if package in path.parents and path.suffix != ".pyc":
            found["ours"][str(path.relative_to(package.parent))] = hashlib.sha256(path.read_bytes()).hexdigest()
        elif status.st_size in sizes and os.access(path, os.R_OK):
            found["of such a size"][hashlib.sha256(path.read_bytes()).hexdigest()] = str(path)
print(json.dumps(found))
"""

JUDGE = """
import sys
from pathlib import Path
sys.path[:0] = sys.argv[1].split(":")
import docker
import test_docker_sandbox as t
worker = t.make_worker(t.ContainerSandbox(t.rules(Path(sys.argv[2]), image=sys.argv[3])))
worker.open(t.NOTHING)
exec(sys.argv[4], {**vars(t), "docker": docker, "worker": worker})
print(t.container_id(worker), flush=True)
sys.stdin.readline()
"""


def container_id(worker):
    return worker._connection.process._started.result(30)


def looked_at(engine, worker):
    """Return what LOOK prints in a second container with the same processes. The worker's own user, and root without
    capabilities, cannot inspect a worker.
    """
    return engine.containers.run(
        "grader-worker",
        ["-I", "-c", LOOK],
        entrypoint=PYTHON,
        user="root",
        pid_mode=f"container:{container_id(worker)}",
        cap_add=["SYS_PTRACE"],
        network_mode="none",
        remove=True,
    )


def inside(engine, worker, script, *args):
    """Return what a script prints when it runs in the worker's container as the worker's user."""
    code, output = engine.containers.get(container_id(worker)).exec_run([PYTHON, "-I", "-c", script, *args])
    assert code == 0, output.decode()
    return output.decode()


def states(engine, folder):
    """Return the states of the containers whose arrays are below a folder."""
    found = engine.api.containers(all=True, filters={"label": LABEL})
    return [each["State"] for each in found if each["Labels"][LABEL].startswith(f"{folder}/")]


def nothing_is_left(engine, folder):
    return states(engine, folder) == [] and list(folder.iterdir()) == []


@pytest.fixture(scope="module")
def live(worker_image, tmp_path_factory):
    """A worker with an open session, for tests that do not change it."""
    folder = tmp_path_factory.mktemp("live")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GRADER_SECRET_FOR_TEST", "hidden")
        with closing(ContainerSandbox(rules(folder, image=worker_image))) as sandbox, make_worker(sandbox) as worker:
            assert isinstance(worker.open(NOTHING), Opened)
            yield worker


@pytest.fixture
def fresh(worker_image, tmp_path):
    """A sandbox for workers that a test damages."""
    with closing(ContainerSandbox(rules(tmp_path, image=worker_image))) as sandbox:
        yield sandbox


@pytest.fixture(scope="module")
def processes(live, engine):
    """Information that the OS kernel reports about each process in the container: init, worker, and session."""
    seen = json.loads(looked_at(engine, live))
    assert len(seen) == 3
    return list(seen.values())


def fields(text):
    """Return the fields of a file like /proc/PID/status."""
    return {name: value.split() for name, _, value in (line.partition(":") for line in text.splitlines())}


def test_every_limit_is_one_that_the_engine_knows(live, engine, worker_image):
    """`docker inspect` shows each limit that is set for a worker."""
    shown = engine.api.inspect_container(container_id(live))
    host, config = shown["HostConfig"], shown["Config"]
    assert host["NetworkMode"] == "none"
    assert config["NetworkDisabled"]
    assert host["ReadonlyRootfs"]
    assert host["Init"]
    assert not host["Privileged"]
    assert host["CapDrop"] == ["ALL"]
    assert not host["CapAdd"]
    assert host["SecurityOpt"][0] == "no-new-privileges"
    assert json.loads(host["SecurityOpt"][1].removeprefix("seccomp="))["defaultAction"] == "SCMP_ACT_ERRNO"
    assert len(host["SecurityOpt"]) == 2
    assert host["PidsLimit"] == LIMITS.processes + os.cpu_count()
    assert host["Memory"] == host["MemorySwap"] == LIMITS.memory_bytes
    assert host["NanoCpus"] == 1_500_000_000
    assert host["ShmSize"] == SMALL["shm_bytes"]
    assert host["Tmpfs"] == {
        "/tmp": f"rw,exec,nosuid,nodev,size={SMALL['tmp_bytes']},mode=1777",
        "/dev/pts": "ro,noexec,nosuid,nodev,size=4k,mode=0555",
    }
    assert host["LogConfig"] == {"Type": "none", "Config": {}}
    assert not host["OomKillDisable"]
    assert not host["Devices"]
    assert not host["DeviceRequests"]
    assert host["RestartPolicy"]["Name"] in {"", "no"}
    assert host["PidMode"] == host["UsernsMode"] == host["UTSMode"] == ""
    assert host["IpcMode"] in {"", "private"}
    assert {each["Name"]: (each["Soft"], each["Hard"]) for each in host["Ulimits"]} == {
        "core": (1, 1),
        "nofile": (200, 200),
        "fsize": (LIMITS.file_bytes, LIMITS.file_bytes),
    }
    assert config["User"] == "65534:65534"
    assert shown["Image"] == engine.images.get(worker_image).id


def test_every_limit_is_in_force_inside(processes):
    """The OS kernel applies each limit to each process, and all processes have equally few rights."""
    for process in processes:
        status = fields(process["status"])
        assert status["Uid"] == status["Gid"] == ["65534"] * 4
        assert status["Groups"] in ([], ["65534"])
        for name in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"):
            assert int(status[name][0], 16) == 0
        assert (status["NoNewPrivs"], status["Seccomp"]) == (["1"], ["2"])
        rows = {line[:26].strip(): line[26:].split()[:2] for line in process["limits"].splitlines()}
        assert rows["Max core file size"] == ["1", "1"]
        assert rows["Max open files"] == ["200", "200"]
        assert rows["Max file size"] == [str(LIMITS.file_bytes)] * 2
        assert [line.split(":")[0].strip() for line in process["net/dev"].splitlines()[2:]] == ["lo"]


def test_worker_and_session_have_put_the_other_limits_on_themselves(processes):
    """Worker and session limit their own memory and processor time, because containers limit these only for all
    processes together or not at all.
    """
    for process in processes:
        if "docker-init" not in process["cmdline"].split("\0")[0]:
            rows = {line[:26].strip(): line[26:].split()[:2] for line in process["limits"].splitlines()}
            assert rows["Max data size"] == [str(LIMITS.memory_bytes)] * 2
            assert rows["Max cpu time"] == [str(LIMITS.cpu_seconds), str(LIMITS.cpu_seconds + 1)]


def test_its_file_systems_are_small_and_the_rest_cannot_be_written_to(processes):
    """All mounts are read-only except the container's own, which have the configured sizes."""
    for process in processes:
        options = {}
        for line in process["mountinfo"].splitlines():
            mount, _, system = line.partition(" - ")
            place, of_mount = mount.split()[4:6]
            options[place] = {*of_mount.split(","), *system.split(" ", 2)[2].split(",")}
        assert "ro" in options["/"]
        assert "ro" in options["/arrays/in.bin"]
        assert "rw" in options["/arrays/out.bin"]
        assert {"nosuid", "nodev", f"size={SMALL['tmp_bytes'] // 1024}k"} <= options["/tmp"]
        assert {"nosuid", "nodev", "noexec", f"size={SMALL['shm_bytes'] // 1024}k"} <= options["/dev/shm"]
        assert [place for place in options if "docker.sock" in place] == []


def test_there_is_one_file_and_little_else_to_write_to(live, engine):
    """Only the output file, two small file systems and message queues can be written to, and the filter of system calls
    makes the message queues unusable.
    """
    assert json.loads(inside(engine, live, WRITABLE)) == ["/arrays/out.bin", "/dev/mqueue", "/dev/shm", "/tmp"]


def test_the_environment_holds_nothing_of_the_judges(processes):
    """The environment does not contain anything of the judge or of another worker. All its folders are below /tmp,
    which is removed with the container.
    """
    for process in processes:
        variables = dict(item.split("=", 1) for item in process["environ"].split("\0") if item)
        path = variables.pop("PATH").split(":")
        assert all(folder.startswith(("/usr/", "/bin", "/sbin")) for folder in path)
        assert len(variables.pop("HOSTNAME")) == 12
        variables.pop("LC_CTYPE", None)  # Python sets it when it starts
        assert variables == {
            "HOME": "/tmp",
            "TMPDIR": "/tmp",
            "XDG_CACHE_HOME": "/tmp",
            "POCL_CACHE_DIR": "/tmp",
            "POCL_AFFINITY": "1",
            "PYOPENCL_NO_CACHE": "1",
            "CUDA_DEVICE_MAX_CONNECTIONS": "1",
            "OPENBLAS_NUM_THREADS": "1",
        }


def test_proxies_of_the_judge_are_not_passed_on(worker_image, engine, tmp_path, monkeypatch):
    """The judge's proxies are not passed on. Docker's own client adds them from its settings, and they may contain a
    password.
    """
    (tmp_path / "client").mkdir()
    proxies = {"proxies": {"default": {"httpProxy": "http://me:secret@proxy:3128"}}}
    (tmp_path / "client" / "config.json").write_text(json.dumps(proxies))
    monkeypatch.setenv("DOCKER_CONFIG", str(tmp_path / "client"))
    with closing(ContainerSandbox(rules(tmp_path, image=worker_image))) as sandbox:
        worker = sandbox.start()
        config = engine.api.inspect_container(worker._started.result(30))["Config"]
        worker.stop()
    assert [variable for variable in config["Env"] if "secret" in variable] == []


def test_a_container_is_labelled_with_its_folder(live, engine):
    """A container's only label of grader is the path of its folder. With it, a later judge finds the container of a
    killed judge.
    """
    labels = engine.api.inspect_container(container_id(live))["Config"]["Labels"]
    folder = Path(labels.pop(LABEL))
    assert folder == live._connection.process._folder.path
    assert folder.name.startswith(PREFIX)
    assert not any("grader" in name for name in labels)


def test_nothing_that_is_forbidden_can_be_done_inside(live, engine):
    """Each forbidden action fails for the worker's user under the filter, and each necessary action succeeds."""
    sizes = (LIMITS.file_bytes, SMALL["tmp_bytes"], SMALL["shm_bytes"])
    done = json.loads(inside(engine, live, TRY, *map(str, sizes)))
    assert [done.pop(name) for name in ("write out.bin", "write to /tmp")] == ["done", "done"]
    assert done.pop("a file that is too large") == "EFBIG"
    assert {done.pop("too much in /tmp"), done.pop("too much in /dev/shm")} == {"ENOSPC"}
    assert {done.pop("a terminal"), done.pop("a terminal to read")} == {"ENOENT"}
    assert done.pop("the controlling terminal") == "ENXIO"
    refusals = {"EPERM", "EACCES", "EROFS", "ENETUNREACH", "ENOSYS", "gaierror", "EBUSY"}
    assert {name: outcome for name, outcome in done.items() if outcome not in refusals} == {}


def test_processes_are_counted_for_all_of_the_container(live, engine):
    """The limit on processes counts init, the worker, its session, and all processes that they start."""
    started = int(inside(engine, live, COUNT_PROCESSES))
    assert LIMITS.processes - 16 < started < LIMITS.processes


def test_a_kernel_computes_in_there(fresh):
    """A kernel works under all limits: in.bin is read, the kernel is built, linked and run, and out.bin is written."""
    with make_worker(fresh) as worker:
        assert is_right(worker.run_once(plan("twice"), "run", ARRAYS))
        other = {"in": np.ones(len(ARRAYS["in"]), dtype=np.float32)}
        assert (worker.run_once(plan("twice"), "run", other)["out"].payload.view(np.float32) == 2).all()


NAMESAKE = re.compile(r"/(pyopencl|multiprocessing)/(reduction\.py|__pycache__/reduction\.[\w-]+\.pyc)$|/mkfs\.bfs$")
"""Files in libraries that happen to have the name of an assignment."""


def test_the_image_holds_the_worker_and_nothing_else_of_ours(live, engine):
    """The image does not contain an assignment, reference, oracle or test under any name. It contains those of grader's
    modules that a worker imports, and the simulator's plugin with its source, which identifies the plugin.
    """
    code = (
        "import json, sys, grader.worker.__main__, grader.worker.session;"
        "print(json.dumps([m.__file__ for name, m in sys.modules.items() if name.partition('.')[0] == 'grader']))"
    )
    shown = subprocess.run([sys.executable, "-I", "-c", code], capture_output=True, text=True, check=True).stdout
    package = next(path.parent for path in map(Path, json.loads(shown)) if path.parent.name == "grader")
    worker = {
        str(Path(path).relative_to(package.parent)): hashlib.sha256(Path(path).read_bytes()).hexdigest()
        for path in json.loads(shown)
    }
    simulator = ROOT / "grader" / "worker" / "simulator"
    for plugin in (*(simulator / "observer").iterdir(), simulator / "observer.so"):
        worker[str(plugin.relative_to(ROOT))] = hashlib.sha256(plugin.read_bytes()).hexdigest()
    secret = [
        path
        for folder in ("assignments", "reference", "student_template", "tests", "grader")
        for path in (ROOT / folder).rglob("*")
        if path.is_file() and path.stat().st_size and "__pycache__" not in path.parts
    ]
    hashes = {hashlib.sha256(path.read_bytes()).hexdigest(): path for path in secret}
    found = json.loads(inside(engine, live, FILES, json.dumps(sorted({path.stat().st_size for path in secret}))))
    assert found["ours"] == worker
    assert {hashes[each]: there for each, there in found["of such a size"].items() if each in hashes} == {}
    named = [path for path in found["paths"] if any(name in path for name in ASSIGNMENTS)]
    assert [path for path in named if not NAMESAKE.search(path)] == []
    assert found["setuid"] == []


def test_what_confines_a_worker_is_on_record(fresh, engine, worker_image):
    """The recorded facts contain the limits and the id of the image, but no path on this host."""
    facts = fresh.facts()
    assert facts["image_id"] == engine.images.get(worker_image).id
    assert {name: facts[name] for name in SMALL} == SMALL
    for name, value in LIMITS.model_dump().items():
        assert facts[name] == value
    assert fresh.limits() == LIMITS.model_copy(update={"processes": None})
    assert all(isinstance(value, int | float | str) for value in facts.values())
    assert str(fresh._rules.container.folder) not in facts.values()


# --- remains of workers -------------------------------------------------------------------------


@pytest.mark.parametrize("broken", [False, True], ids=["as it should", "by an exception"])
def test_nothing_is_left_of_a_worker_that_ended(fresh, engine, tmp_path, broken):
    """After a worker has ended, its container, folder and descriptors are gone."""
    before = descriptors()
    with pytest.raises(ZeroDivisionError) if broken else nullcontext(), make_worker(fresh) as worker:
        worker.ready()
        assert states(engine, tmp_path) == ["running"]
        assert 1 / (not broken)
    del worker
    fresh.close()
    assert nothing_is_left(engine, tmp_path)
    assert settle(lambda: descriptors() <= before, wanted=True)


@pytest.mark.parametrize(
    "code",
    [
        pytest.param("", id="as it is", marks=pytest.mark.whole),
        pytest.param("inside(docker.from_env(), worker, HALT)", id="halted"),
    ],
)
def test_after_kill_9_of_the_judge_nothing_is_left(code, worker_image, engine, tmp_path):
    """After a judge was killed, its container and folder are removed, even if the worker had been stopped by the code
    in it. The container of a running judge is left alone.
    """
    command = [sys.executable, "-c", JUDGE, importable(__file__), tmp_path, worker_image, code]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as judge:
        container = judge.stdout.readline().strip()
        with closing(ContainerSandbox(rules(tmp_path, image=worker_image))):
            assert states(engine, tmp_path) == ["running"], "a living judge's is left alone"
        judge.kill()
    assert settle(lambda: nothing_is_left(engine, tmp_path), wanted=True)
    with pytest.raises(NotFound):
        engine.containers.get(container)


@pytest.mark.whole
def test_a_container_that_somebody_removes_is_our_error(fresh, engine):
    """If another program removes the container, this is an error of grader, and not a crash of the kernel."""
    with make_worker(fresh) as worker:
        worker.open(NOTHING)
        engine.api.remove_container(container_id(worker), force=True)
        with pytest.raises(WorkerError, match="another program removed"):
            worker.open(plan("twice"))


@pytest.mark.whole
def test_a_stopped_worker_blocks_nobody(fresh, engine, tmp_path):
    """Untrusted code can halt its worker (SIGSTOP) while the judge sends data. Even so, `stop` returns at once, and
    everything is removed.
    """
    with make_worker(fresh) as worker:
        worker.open(NOTHING)
        inside(engine, worker, HALT)
        worker._connection.process.send(b"x" * MEGABYTE)
        start = time.monotonic()
        worker.stop()
        assert time.monotonic() - start < MOMENT
    fresh.close()
    assert time.monotonic() - start < 15
    assert nothing_is_left(engine, tmp_path)


@pytest.mark.whole
def test_a_real_flood_fills_no_memory(fresh, engine, tmp_path):
    """After 48 MiB on each stream, the engine can pass on everything, and the worker can still be removed."""
    with make_worker(fresh) as worker:
        worker.open(NOTHING)
        inside(engine, worker, FLOOD)
        process = worker._connection.process
        kept = list(process._output.queue)
        assert len(kept) <= UNREAD_FRAMES
        assert sum(map(len, kept)) <= UNREAD_FRAMES * 32768
        assert len(process._errors) <= LAST_WORDS
        assert isinstance(worker.open(plan("twice")), Garbled)
    fresh.close()
    assert nothing_is_left(engine, tmp_path)


@pytest.mark.whole
def test_a_container_that_ran_out_of_memory_is_known_as_such(fresh, engine):
    """If memory runs out, the OS kernel kills the worker itself. The engine reports the reason, and the next session
    runs in a new container.
    """
    with make_worker(fresh) as worker:
        assert isinstance(worker.open(plan("twice")), Opened)
        first = container_id(worker)
        for user, script in (("root", OFFER), ("65534", OFFER + EAT)):  # root may change only the worker
            engine.containers.get(first).exec_run([PYTHON, "-I", "-c", script], user=user)
        assert worker.session.stage("run", ARRAYS) == OutOfMemory()
        assert is_right(worker.run_once(plan("twice"), "run", ARRAYS))
        assert container_id(worker) != first


def test_a_drivers_threads_do_not_count(worker_image, tmp_path):
    """The limit on processes allows for a driver's threads, one per processor. Apart from these, a kernel needs only
    init, the worker and its session.
    """
    few = replace(rules(tmp_path, image=worker_image), limits=LIMITS.model_copy(update={"processes": 4}))
    with closing(ContainerSandbox(few)) as sandbox, make_worker(sandbox) as worker:
        assert is_right(worker.run_once(plan("twice"), "run", ARRAYS))


def test_a_folder_that_the_engine_does_not_see_is_our_error(fresh, monkeypatch, tmp_path):
    """If the judge runs in a container with its own /dev/shm, the engine does not see the folder. This is not blamed on
    the student, and the engine does not create any folders.
    """
    options = fresh._options
    elsewhere = tmp_path / "elsewhere"
    monkeypatch.setattr(
        fresh,
        "_options",
        lambda folder: options(SimpleNamespace(path=elsewhere / folder.path.name, rounds=folder.rounds)),
    )
    with make_worker(fresh) as worker, pytest.raises(WorkerError):
        worker.run_once(plan("twice"), "run", ARRAYS)
    assert not elsewhere.exists()


@pytest.mark.whole
def test_an_image_of_another_version_is_refused(fresh, monkeypatch):
    """A worker from an image of another version is stopped, and the message asks the user to build the image again."""
    monkeypatch.setattr("grader.execution.connection.fingerprint", lambda: "of another worker")
    with make_worker(fresh) as worker:
        with pytest.raises(WorkerError, match="built from another version of grader: build it again"):
            worker.ready()
        assert not worker.is_there
