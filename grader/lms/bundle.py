"""Packs what a grader on another machine needs: an assignment with its secrets, whose files are checked there, and this
installed grader as a wheel without a course, for machines that cannot access the source of its installation.

assignments/NAME/FILE   reference/NAME/FILE   reference/OTHER/kernels.cl   if NAME's launches run OTHER's solution
course.yaml             the rules of the course that a grading depends on

A student kit has kit.yaml instead of solutions. `grader export` packs an autograder, with which another system grades
an assignment on its own:

setup.sh  constraints.txt  grader-VERSION.whl     to install grader in an image
course/assignments/NAME/  course/reference/NAME/  the assignment, with its secrets

Gradescope's zip also contains run_autograder; GitLab's folder also contains a Dockerfile and two pipelines.
"""

import base64
import hashlib
import io
import shutil
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from importlib.metadata import distribution
from pathlib import Path, PurePosixPath

import yaml

from grader.common.errors import InputError, UngradedError
from grader.common.files import read_bytes
from grader.course.catalogue import Course
from grader.course.folders import KIT_FILE, MODEL_FILE, RULES_FILE
from grader.course.suite import Coursework
from grader.grading.installation import PACKAGE

Files = tuple[tuple[str, bytes], ...]

LEFT_OUT = {"__pycache__", "shipped", "template"}
"""Folders of the package that such a wheel never needs. `shipped` is packed separately, in the course. `template` is
the start of an instructor's assignment, with a model solution.
"""

PLUGIN = "grader/worker/simulator/observer.so"
"""Grader's own plugin for the simulator, which is native code."""

TAG = "py3-none-linux_x86_64"
"""Tag for any Python 3 on machines like the one for which the plugin is built. It is not `manylinux`, which is a
promise to all users of PyPI and which pip requires only there.
"""

WHEEL = f"Wheel-Version: 1.0\nGenerator: grader\nRoot-Is-Purelib: false\nTag: {TAG}\n"


EPOCH = (1980, 1, 1, 0, 0, 0)
"""The earliest date in a zip file, so that equal files give an equal archive."""

PLACEHOLDER = "@ASSIGNMENT@"
TEMPLATES = Path(__file__).parent / "templates"
SETUP = "setup.sh"
RUN = "run_autograder"
CONSTRAINTS = "constraints.txt"


@dataclass(frozen=True, kw_only=True)
class Bundle:
    """The files of an assignment by their path in a course, with the hash that they had when they were packed."""

    name: str
    files: Files
    sha256: str


def hash_of(files: Files) -> str:
    """Return a hash of the names and contents."""
    digest = hashlib.sha256()
    for path, content in files:
        digest.update(f"{path}\0{len(content)}\0".encode())
        digest.update(content)
    return digest.hexdigest()


def pack(assignment: Coursework) -> Bundle:
    """Pack the files of the assignment as they are on disk now."""
    paths = {
        **_files_of("assignments", assignment.folder),
        **_files_of("reference", assignment.reference),
        **({KIT_FILE: assignment.folder.parent.parent / KIT_FILE} if assignment.kit else _others_solutions(assignment)),
    }
    contents = {name: path.read_bytes() for name, path in paths.items()}
    files = tuple(sorted({**contents, **_rules_of(assignment)}.items()))
    return Bundle(name=assignment.name, files=files, sha256=hash_of(files))


def _rules_of(assignment: Coursework) -> dict[str, bytes]:
    """Return the course's rules on which a grading depends, if they differ from the defaults. They include the time
    zone, without which the dates in assignment.yaml cannot be read.
    """
    course = Course(assignments=assignment.folder.parent, reference=assignment.reference.parent)
    fields = course.rules().model_dump(include={"hints", "timezone"}, exclude_defaults=True)
    return {RULES_FILE: yaml.safe_dump(fields).encode()} if fields else {}


def _others_solutions(assignment: Coursework) -> dict[str, Path]:
    others = {each.solution_of for part in assignment.parts for each in part.launches if each.solution_of}
    return {
        f"reference/{other}/{MODEL_FILE}": assignment.reference.parent / other / MODEL_FILE
        for other in others
        if other != assignment.name
    }


def _files_of(kind: str, folder: Path) -> dict[str, Path]:
    return {f"{kind}/{folder.name}/{path.name}": path for path in folder.iterdir() if path.is_file()}


def unpack(bundle: Bundle, folder: Path) -> Coursework:
    """Return the assignment as read from its own folder below `folder`. Files that are missing there are written first.

    Raises UngradedError if the files differ from the packed ones or cannot be written.
    """
    if hash_of(bundle.files) != bundle.sha256:
        raise UngradedError(f"the files of {bundle.name} were changed on their way here.")
    root = folder / bundle.sha256
    try:
        found = {path.relative_to(root).as_posix(): path.read_bytes() for path in root.rglob("*") if path.is_file()}
        if found != dict(bundle.files):  # some may be missing, for example after the disk was full
            _write(bundle, root)
    except OSError as error:
        raise UngradedError(f"cannot write the files of {bundle.name} to {root}: {error.strerror}.") from error
    return Course(assignments=root / "assignments", reference=root / "reference").load(bundle.name)


def _write(bundle: Bundle, root: Path) -> None:
    if root.exists():
        shutil.rmtree(root)
    for name, content in bundle.files:
        path = root / PurePosixPath(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


def own_wheel() -> tuple[str, bytes]:
    """Return the wheel's file name and content. Raises InputError if the plugin has not been built."""
    ours = distribution("grader")
    info = f"grader-{ours.version}.dist-info"
    sources = sorted(path.relative_to(PACKAGE) for path in PACKAGE.rglob("*") if path.is_file())
    kept = (path for path in sources if LEFT_OUT.isdisjoint(path.parts))
    files = {f"grader/{path}": (PACKAGE / path).read_bytes() for path in kept}
    if PLUGIN not in files:
        raise InputError(f"{PACKAGE.parent / PLUGIN} is missing: build it with `make observer`.")
    headers, _, _ = (ours.read_text("METADATA") or "").partition(
        "\n\n"
    )  # the README follows the headers, and is for instructors
    files[f"{info}/METADATA"] = f"{headers}\n".encode()
    files[f"{info}/WHEEL"] = WHEEL.encode()
    files[f"{info}/entry_points.txt"] = (ours.read_text("entry_points.txt") or "").encode()
    record = "".join(f"{name},sha256={_digest(data)},{len(data)}\n" for name, data in files.items())
    files[f"{info}/RECORD"] = f"{record}{info}/RECORD,,\n".encode()
    return f"grader-{ours.version}-{TAG}.whl", zipped(files)


def zipped(files: Mapping[str, bytes], executable: frozenset[str] = frozenset()) -> bytes:
    """Return a zip archive of these files by name. It depends on nothing else."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in sorted(files.items()):
            entry = zipfile.ZipInfo(name, EPOCH)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.create_system = 3  # Unix, so that the permissions are read
            entry.external_attr = (0o100755 if name in executable else 0o100644) << 16
            archive.writestr(entry, data)
    return buffer.getvalue()


def _digest(data: bytes) -> str:
    """Return a hash in the form that RECORD uses, which is base64 for URLs without padding."""
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()


class Platform(StrEnum):
    """The systems for which there is an autograder."""

    GRADESCOPE = "gradescope"
    GITLAB = "gitlab"


def autograder(platform: Platform, assignment: Coursework, constraints: Path) -> dict[str, bytes]:
    """Return the files of an autograder by name. `constraints` is the file with the versions of packages to install."""
    wheel, content = own_wheel()
    return {
        SETUP: read_bytes(TEMPLATES / SETUP),
        CONSTRAINTS: read_bytes(constraints),
        wheel: content,
        **{f"course/{path}": data for path, data in pack(assignment).files},
        **{
            name: data.replace(PLACEHOLDER.encode(), assignment.name.encode())
            for name, data in _folder(TEMPLATES / platform).items()
        },
    }


def _folder(folder: Path) -> dict[str, bytes]:
    """Return the files below a folder, by their relative paths."""
    paths = sorted(path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): read_bytes(path) for path in paths}
