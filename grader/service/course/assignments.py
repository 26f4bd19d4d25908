"""The assignments of the course in the form that pages show: handouts, and the rules for handing in.

The class of a station is the class of its device, `cpu` or `gpu`, unless the operator sets another one. If the course
sets a class for an assignment, its gradings wait for a station of that class. Any free station grades the other
assignments.
"""

import math
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, tzinfo
from functools import lru_cache
from pathlib import Path

from grader.common.errors import InputError
from grader.common.record import replace
from grader.course.catalogue import Course
from grader.course.folders import (
    ASSIGNMENT_FILE,
    BASELINE_FILE,
    KIT_FILE,
    MODEL_FILE,
    ORACLE_FILE,
    RULES_FILE,
    read_text,
)
from grader.course.policies.rules import POLICIES, Policies
from grader.course.submissions.submission import FILE_NAME
from grader.results.withholding import hidden_checks
from grader.service.course.assignment_view import AssignmentView, LastGoodState, version_of
from grader.service.course.handouts import render_handout
from grader.service.errors import NotFoundError

HANDOUT = "README.md"


Stamp = tuple[int, int]
"""Time of the last change of a file or of its permissions, and its size, because two changes may have the same time."""


NO_LAST_STATE = LastGoodState()

NO_RULES = (
    "{} is missing. Assignments keep its dates and limits until it is back. To remove these rules, create the file "
    "with the line `hints: line`."
)
NO_FILE = "{} is missing."
NO_ASSIGNMENTS = "{} has no assignments."


@dataclass(frozen=True, kw_only=True)
class _Reading:
    """Result of reading all files: the assignments as shown, the problem of each assignment by name ("" for the
    course), the names of unknown assignments that have attempts, and the course's time zone.
    """

    shown: Mapping[str, AssignmentView]
    problems: Mapping[str, str]
    lost: tuple[str, ...]
    zone: tzinfo

    def problem(self, name: str) -> str:
        """Reason why an assignment is not shown as in its files; empty if it is."""
        return self.problems.get(name) or self.problems.get("", "")


class AssignmentCache:
    """The assignments, which are read again when their files change. A course has about a hundred files, so they are
    checked only every `fresh` seconds. An assignment that can no longer be read keeps its last good state, because a
    typing error must neither close an assignment nor open a closed one. An assignment whose folder is gone is kept if
    it has attempts, but does not accept new ones. `recall` reads the last good states of earlier processes from the
    database.
    """

    def __init__(
        self,
        course: Course,
        guide: Path,
        fresh: float = 0.0,
        recall: Callable[[], LastGoodState] = lambda: NO_LAST_STATE,
    ) -> None:
        self.course, self._guide, self._fresh = course, guide, fresh
        self._read = lru_cache(maxsize=1000)(self._try_to_load)
        self._rendered = lru_cache(maxsize=1)(lambda _changed: render_handout(read_text(guide)))
        self._zone = lru_cache(maxsize=1)(self._zone_of)
        self._saved = lru_cache(maxsize=1)(lambda _readable, _names: recall())
        self._read_at, self._reading = -math.inf, _Reading(shown={}, problems={}, lost=(), zone=UTC)
        self._last: dict[str, AssignmentView] = {}

    @property
    def zone(self) -> tzinfo:
        """The time zone of the course."""
        return self._current().zone

    def names(self) -> list[str]:
        """Names of all assignments, sorted. Includes assignments that cannot be read."""
        reading = self._current()
        return sorted({*reading.shown, *reading.problems} - {""})

    def assignment(self, name: str) -> AssignmentView:
        """The assignment with this name. Raises NotFoundError if it does not exist or could never be read."""
        shown = self._current().shown.get(name)
        if shown is None:
            raise NotFoundError
        return shown

    def all(self) -> list[AssignmentView]:
        """All assignments, sorted by name."""
        return list(self._current().shown.values())

    def problems(self) -> list[str]:
        """Reasons why assignments are not shown as in their files, one sentence each."""
        return list(dict.fromkeys(self._current().problems.values()))

    def gone(self) -> list[AssignmentView]:
        """Assignments that are kept although their folders are gone."""
        return [each for each in self.all() if each.gone]

    def lost(self) -> tuple[str, ...]:
        """Names of assignments that have attempts but neither a folder nor a stored state."""
        return self._current().lost

    def readable(self) -> list[AssignmentView]:
        """Assignments that are shown as in their files."""
        reading = self._current()
        return [each for each in reading.shown.values() if not each.gone and not reading.problem(each.name)]

    def require_readable(self, name: str) -> None:
        """Raise InputError if an assignment is not shown as in its files."""
        if why := self._current().problem(name):
            raise InputError(why)

    def guide(self) -> str:
        """The page that explains reports, as markup."""
        return self._rendered(self._guide.stat().st_mtime_ns)

    def _current(self) -> _Reading:
        if (now := time.monotonic()) - self._read_at >= self._fresh:
            self._read_at, self._reading = now, self._read_all()
        return self._reading

    def _read_all(self) -> _Reading:
        """Read all assignments, and keep the last good state of those that cannot be read. Sorted by order and name."""
        names, problems = self._names()
        models = tuple(_stamp(self.course.reference / name / MODEL_FILE) for name in names)
        read = {name: self._read_one(name, models) for name in names}
        good = {name: each for name, each in read.items() if isinstance(each, AssignmentView)}
        problems |= {name: str(each) for name, each in read.items() if isinstance(each, InputError)}
        saved = self._saved(frozenset(good), frozenset(names))
        last = {**saved.states, **self._last}
        rules = self.course.assignments.parent / RULES_FILE
        if not rules.is_file() and any(each.ruled for each in last.values()):
            problems |= dict.fromkeys(good, NO_RULES.format(rules))
            good = {}
        self._last |= good
        others = {name: each for name, each in last.items() if name not in good}
        shown = dict(self._last_good(saved, others, problems)) | good
        return _Reading(
            shown=dict(sorted(shown.items(), key=lambda each: (each[1].order or math.inf, each[0]))),
            problems=problems,
            lost=tuple(sorted(saved.used - shown.keys() - problems.keys())),
            # if course.yaml cannot be read, the zone of an assignment
            zone=self._zone(_stamp(rules)) or next((each.policies.zone for each in shown.values()), UTC),
        )

    def _names(self) -> tuple[list[str], dict[str, str]]:
        """Names of the assignments that have an assignment file, and the problem of the course if no assignment has
        one.
        """
        try:
            names = self.course.names()
        except InputError as error:
            return [], {"": str(error)}
        return names, {} if names else {"": NO_ASSIGNMENTS.format(self.course.assignments)}

    def _last_good(
        self, saved: LastGoodState, last: Mapping[str, AssignmentView], problems: dict[str, str]
    ) -> Iterator[tuple[str, AssignmentView]]:
        """The last good states of assignments that cannot be read or are gone. If the folder exists but the assignment
        file is missing, adds this to `problems`.
        """
        for name, each in last.items():
            folder = self.course.assignments / name
            if name in problems or "" in problems:
                yield name, each
            elif folder.is_dir():
                problems[name] = NO_FILE.format(folder / ASSIGNMENT_FILE)
                yield name, each
            elif name in saved.used:
                yield name, replace(each, gone=True)

    def _zone_of(self, _stamp: Stamp | None) -> tzinfo | None:
        try:
            return self.course.rules().zone
        except InputError:
            return None

    def _read_one(self, name: str, models: tuple[Stamp | None, ...]) -> AssignmentView | InputError:
        """Read an assignment, which may fail. The result is cached until one of the files on which it depends changes.
        The model solutions of all assignments are among them, because some assignments use those of others.
        """
        folder, reference = self.course.assignments / name, self.course.reference / name
        files = (
            *(folder / each for each in (ASSIGNMENT_FILE, HANDOUT, FILE_NAME)),
            *(reference / each for each in (BASELINE_FILE, ORACLE_FILE)),
            *(self.course.assignments.parent / each for each in (RULES_FILE, KIT_FILE)),
        )
        return self._read(name, (*map(_stamp, files), *models))

    def _try_to_load(self, name: str, _stamps: tuple[Stamp | None, ...]) -> AssignmentView | InputError:
        try:
            return self._loaded(name)
        except InputError as error:
            return error

    def _loaded(self, name: str) -> AssignmentView:
        coursework = self.course.load(name)
        path, skeleton = coursework.folder / HANDOUT, coursework.folder / FILE_NAME
        return AssignmentView(
            name=name,
            title=coursework.title,
            points=coursework.points,
            handout=render_handout(read_text(path)) if path.is_file() else "",
            skeleton=read_text(skeleton) if skeleton.is_file() else "",
            hidden=hidden_checks(coursework),
            policies=Policies.model_validate({name: getattr(coursework, name) for name in POLICIES}),
            version=version_of(coursework),
            timed=any(part.performance for part in coursework.parts),
            order=coursework.order,
            ruled=(self.course.assignments.parent / RULES_FILE).is_file(),
        )


def _stamp(path: Path) -> Stamp | None:
    """The stamp of a file; None if the file does not exist."""
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_ctime_ns, status.st_size


def classes_of(cache: AssignmentCache) -> dict[str, str]:
    """The device class of each assignment; empty if any station may grade it. It is also empty if the assignment could
    never be read, so that a station takes its gradings and reports the reason.
    """
    return {name: _class_of(cache, name) for name in cache.names()}


def elsewhere(classes: Mapping[str, str], own: str) -> frozenset[str]:
    """The assignments that a station of this class does not grade."""
    return frozenset(name for name, wanted in classes.items() if wanted not in {"", own})


def _class_of(cache: AssignmentCache, name: str) -> str:
    try:
        return cache.assignment(name).policies.device_class or ""
    except NotFoundError:
        return ""
