"""Packs an assignment with its secrets for a grader on another machine, which checks that the files are unchanged.

assignments/NAME/FILE   reference/NAME/FILE   reference/OTHER/kernels.cl   if NAME's launches run OTHER's solution
course.yaml             the rules of the course that a grading depends on

A student kit has kit.yaml instead of solutions.
"""

import hashlib
import shutil
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

import yaml

from grader.common.errors import UngradedError
from grader.course.catalogue import Course
from grader.course.folders import KIT_FILE, MODEL_FILE, RULES_FILE
from grader.course.suite import Coursework

Files = tuple[tuple[str, bytes], ...]


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
        if _found(root) != dict(bundle.files):
            _write(bundle, root)
    except OSError as error:
        raise UngradedError(f"cannot write the files of {bundle.name} to {root}: {error.strerror}.") from error
    return Course(assignments=root / "assignments", reference=root / "reference").load(bundle.name)


def _found(root: Path) -> dict[str, bytes]:
    """Return the files on disk. Some may be missing, for example after the disk was full."""
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in root.rglob("*") if path.is_file()}


def _write(bundle: Bundle, root: Path) -> None:
    if root.exists():
        shutil.rmtree(root)
    for name, content in bundle.files:
        path = root / PurePosixPath(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
