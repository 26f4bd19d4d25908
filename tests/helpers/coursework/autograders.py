"""A container image in which an autograder is installed as Gradescope or a GitLab project would install it
(`installed`).

Plain Debian replaces Gradescope's own base image. Tests that need the image are skipped with a reason if the container
engine, the base image or a mirror of Debian's packages is missing. With GRADER_TEST_ENGINE=required they fail instead.
"""

import io
import tarfile
import uuid
import zipfile
from contextlib import contextmanager
from pathlib import Path

import pytest
from attacks import QUICK, at_any_speed, small_course
from commandline import output_of
from docker.errors import APIError, ImageNotFound
from engine import do_without
from project import ROOT

BASE = "debian:bookworm-slim"
ASSIGNMENT = "coalsTransp"
CORPUS = ROOT / "tests" / "submissions"
RIGHT, WRONG = CORPUS / ASSIGNMENT / "flat-tile-turned-on-load", CORPUS / ASSIGNMENT / "block-not-moved"
ATTACKS = sorted((CORPUS / "autograder").iterdir())

PATIENT = {"GRADER_TIMING__NOISE_LIMIT": "100", "GRADER_TIMING__MIN_PAIRS": "9", "GRADER_SEARCH__SECONDS": "0"}
"""Settings for busy machines: few pairs, and no search for lines. A separate test checks the report about noise."""

PATIENTLY = {f"GRADER_DEADLINES__{step}": "60" for step in ("BUILD", "FIRST_LAUNCH", "LAUNCH")}
BRISK = {**QUICK, **PATIENTLY}
"""Settings for slow attacks, such as a search through the whole machine. A build may take 15 s or more on a busy
machine.
"""


def export(platform, out, *options):
    """Return the file that `grader export` writes."""
    output_of(out.parent, "export", platform, ASSIGNMENT, "--out", out, *options)
    return out


def hostile_course(folder):
    """Return a course with one assignment that has few cases and allows native code."""
    small_course(folder, ASSIGNMENT, ("asm",), watched=False)
    at_any_speed(folder, ASSIGNMENT)
    return folder


def archived(files, mode=0o666):
    """Return files, given by name, as a tar archive. Container engines accept this format."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        for name, data in files.items():
            entry = tarfile.TarInfo(name)
            entry.size, entry.mode = len(data), mode
            archive.addfile(entry, io.BytesIO(data))
    return buffer.getvalue()


def unzipped(path):
    """Return the files in a zip archive by name."""
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def put(container, folder, files, mode=0o666):
    """Put files into a folder of a container. All users may write to the folder, as on the platforms."""
    run(container, f"mkdir -p {folder} && chmod 777 {folder}")
    assert container.put_archive(folder, archived(files, mode))


def run(container, script, **options):
    """Return the exit code and the output of a script in a container."""
    code, output = container.exec_run(["bash", "-c", script], **options)
    return code, output.decode(errors="replace")


@contextmanager
def container_of(engine, image):
    """Yield a new container that waits for commands."""
    container = engine.containers.run(image, ["sleep", "600"], entrypoint=[], detach=True, init=True)
    try:
        yield container
    finally:
        container.remove(force=True, v=True)


@contextmanager
def installation(engine, folder):
    """Yield the name of an image that has Gradescope's folders and in which setup.sh ran. The image is removed
    afterwards.
    """
    files = unzipped(export("gradescope", folder / "autograder.zip"))
    try:
        engine.images.get(BASE)
    except ImageNotFound:
        try:
            engine.images.pull(BASE)
        except APIError as error:
            do_without(f"there is no image {BASE}: {error.explanation}")
    name = f"grader-test-autograder-{uuid.uuid4().hex[:8]}"
    with container_of(engine, BASE) as container:
        if run(container, "apt-get update")[0] != 0:
            do_without("no mirror of Debian's packages answers")
        put(container, "/autograder/source", files)
        run(container, "cp /autograder/source/run_autograder /autograder/ && chmod +x /autograder/run_autograder")
        code, output = run(container, "bash /autograder/source/setup.sh")
        assert code == 0, output
        container.commit(name)
    try:
        yield name
    finally:
        engine.images.remove(name, force=True)


WORKERS_LEFT = r"""
for process in /proc/[0-9]*; do
    grep -qs '^State:.Z' "$process/status" || stat -c %u "$process" 2>/dev/null
done | awk '61184 <= $1 && $1 < 65520'
"""


def left_of_workers(container):
    """Return the users of worker processes that are still alive, one entry for each process."""
    return run(container, WORKERS_LEFT)[1].split()


TRACES = r"""
rm -f /tmp/outlived; sleep 0.2
find / /dev/shm /dev/mqueue -xdev '(' -name mark -o -name '*-moved' -o -name outlived ')'
awk 'FNR > 1' /proc/sysvipc/*
"""


def traces(container):
    """Return the files and objects that an attack has written, moved or left behind. A file that reappears shows that
    the attack is still writing.
    """
    return run(container, TRACES)[1].split()


def kernels(folder):
    """Return the submission in a folder of the corpus, by its file name."""
    return {"kernels.cl": Path(folder / "kernels.cl").read_bytes()}


@pytest.fixture(scope="session")
def installed(request, tmp_path_factory):
    """The image of this module. It takes a minute to make, so all test modules share it."""
    with installation(request.getfixturevalue("engine"), tmp_path_factory.mktemp("export")) as name:
        yield name
