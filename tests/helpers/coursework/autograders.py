"""An image with an installed autograder, as Gradescope or a GitLab project would install it (`installed`).

Debian replaces Gradescope's own base image. Without an engine, the base image or a mirror of Debian's packages such a
test is skipped with a reason. With GRADER_TEST_ENGINE=required it fails.
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
"""Settings for busy machines, with few pairs and without a search for lines. A separate test checks the report of
noise.
"""

PATIENTLY = {f"GRADER_DEADLINES__{step}": "60" for step in ("BUILD", "FIRST_LAUNCH", "LAUNCH")}
BRISK = {**QUICK, **PATIENTLY}
"""For slow attacks, such as a search of a whole machine. A busy machine builds for 15 s and more."""


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
    """Return files by name as a tar archive, the format that engines accept."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        for name, data in files.items():
            entry = tarfile.TarInfo(name)
            entry.size, entry.mode = len(data), mode
            archive.addfile(entry, io.BytesIO(data))
    return buffer.getvalue()


def unzipped(path):
    """Return the files of a zip by name."""
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def put(container, folder, files, mode=0o666):
    """Put files into a folder of a container that all users may write to, like the platforms' folders."""
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
    """Yield the name of an image with Gradescope's folders, in which setup.sh was run. It is removed afterwards."""
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
    """Return the users of living processes of workers, one for each process."""
    return run(container, WORKERS_LEFT)[1].split()


TRACES = r"""
rm -f /tmp/outlived; sleep 0.2
find / /dev/shm /dev/mqueue -xdev '(' -name mark -o -name '*-moved' -o -name outlived ')'
awk 'FNR > 1' /proc/sysvipc/*
"""


def traces(container):
    """Return the files and objects that an attack has written, moved or left, and a sign that it still writes."""
    return run(container, TRACES)[1].split()


def kernels(folder):
    """Return the submission in a folder of the corpus, as a file by its name."""
    return {"kernels.cl": Path(folder / "kernels.cl").read_bytes()}


@pytest.fixture(scope="session")
def installed(request, tmp_path_factory):
    """The image of this module. It takes a minute, so it is made once for all modules."""
    with installation(request.getfixturevalue("engine"), tmp_path_factory.mktemp("export")) as name:
        yield name
