"""Many submissions, one after another: find them, grade each, and let none stop the rest.

SUBMISSIONS/  NAME/kernels.cl  or  NAME.cl       RESULTS/  NAME.json  NAME.xml  NAME.html
"""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from grader.assignment import Assignment
from grader.errors import InputError, InterruptedGradingError
from grader.grading import Bench, Progress, grade_submission, ungraded
from grader.inputs import fresh_seed
from grader.result import Result, Ungraded
from grader.submission import FILE_NAME, read_submission
from grader.task import Task
from grader.text import showable

NAME_LIMIT = 240
"""Bytes: file systems take 255, and a report adds an ending."""


@dataclass(frozen=True, kw_only=True)
class Entry:
    """A submission in a folder of submissions, by the name that its reports get."""

    name: str
    path: Path


def find_submissions(folder: Path) -> tuple[Entry, ...]:
    """Every folder in it, which should hold a kernels.cl, and every file NAME.cl.

    Raises InputError if there are none, or if one has a name that its reports could not have.
    """
    if not folder.is_dir():
        raise InputError(f"{folder} is not a folder; name the one that holds the submissions.")
    folders = [Entry(name=path.name, path=path) for path in folder.iterdir() if path.is_dir() and _is_meant(path)]
    files = [Entry(name=path.stem, path=path) for path in folder.glob("*.cl") if not path.is_dir()]
    names = [entry.name for entry in (*folders, *files)]
    long = next((name for name in names if len(os.fsencode(name)) > NAME_LIMIT), None)
    if long is not None:
        raise InputError(f"the name {showable(long)} in {folder} is too long for its reports; shorten it.")
    double = next((name for name in names if names.count(name) > 1), None)
    if double is not None:
        raise InputError(f"{folder} holds both {double}.cl and {double}/{FILE_NAME}; keep one of them.")
    if not names:
        raise InputError(f"{folder} holds no submissions: neither NAME/{FILE_NAME} nor NAME.cl.")
    return tuple(sorted((*folders, *files), key=lambda entry: entry.name))


def _is_meant(folder: Path) -> bool:
    """A folder with a student's name but without a kernels.cl must not go unnoticed; one like .git need not be."""
    return not folder.name.startswith(".") or (folder / FILE_NAME).is_file()


def grade_all(
    entries: tuple[Entry, ...], assignment: Assignment, bench: Bench, progress: Progress
) -> Iterator[tuple[Entry, Result | Ungraded]]:
    """The outcome of each as it comes; what cannot be graded is a line in the list and no reason to stop."""
    for entry in entries:
        progress(entry.name)
        yield entry, _grade(entry, assignment, bench)


def _grade(entry: Entry, assignment: Assignment, bench: Bench) -> Result | Ungraded:
    try:
        task = Task(assignment=assignment, submission=read_submission(entry.path), seed=fresh_seed())
        return grade_submission(task, bench, progress=lambda _: None)
    except InterruptedGradingError:
        raise
    except Exception as error:  # noqa: BLE001 - a fault of ours in one grading is none of the others'
        return ungraded(assignment, entry.path, error)
