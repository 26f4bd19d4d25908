"""The course as its pages show it: assignments with their handouts, and the rules for handing in."""

import math
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, tzinfo
from functools import lru_cache
from pathlib import Path

from grader.common.errors import InputError
from grader.common.record import Record, replace
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
from grader.course.policies.deadlines import Extension
from grader.course.policies.rules import POLICIES, Policies
from grader.course.submissions.submission import FILE_NAME
from grader.course.suite import Coursework
from grader.results.withholding import hidden_checks
from grader.service.course.handouts import rendered
from grader.service.course.limits import HandInRules, rules_of
from grader.service.errors import NotFoundError

HANDOUT = "README.md"


class Version(Record):
    """Hashes of an assignment's files. Gradings with the same `measured` can be scored again without a run; gradings
    with the same `scored` have the same points and reports.
    """

    measured: str
    scored: str


def version_of(coursework: Coursework) -> Version:
    """The version of the present files."""
    return Version(measured=coursework.measured_sha256, scored=coursework.scored_sha256)


class AssignmentView(Record):
    """An assignment as its page shows it; `handout` is markup that rendered() has made, `skeleton` the text to start
    from; each is empty if there is none. `hidden` is how many checks it hides from students until they are released.
    `ruled` says whether there was a course.yaml, `gone` whether its folder is no longer there, and `timed` whether it
    checks speed, as a leaderboard needs.
    """

    name: str
    title: str
    points: float
    handout: str
    skeleton: str
    hidden: int
    policies: Policies
    version: Version
    ruled: bool
    gone: bool = False
    timed: bool = True

    @property
    def rules(self) -> HandInRules:
        """Those for everybody."""
        return self.rules_for()

    def rules_for(self, *extensions: Extension) -> HandInRules:
        """Those for a student who has these extensions."""
        return replace(rules_of(self.policies, *extensions), gone=self.gone)


@dataclass(frozen=True)
class _Unreadable:
    """An assignment that cannot be read."""

    why: str


Stamp = tuple[int, int]
"""When a file or the rights to it were last changed, and its size: two changes may have the same time."""


class LastGoodState(Record):
    """State of the course in the database: each assignment as it was last read, and the names of all assignments that
    have attempts.
    """

    states: Mapping[str, AssignmentView] = {}
    used: frozenset[str] = frozenset()


NO_LAST_STATE = LastGoodState()

UNRULED = (
    "{} is missing. Assignments keep its dates and limits until it is back. To remove these rules, create the file "
    "with the line `hints: line`."
)
NO_FILE = "{} is missing."
NO_FOLDERS = "{} has no assignments."


@dataclass(frozen=True, kw_only=True)
class _Look:
    """Result of one look at the files: the assignments as shown, the problems by name of an assignment (or "" for the
    course), the names of unknown assignments that have attempts, and the course's time zone.
    """

    shown: Mapping[str, AssignmentView]
    problems: Mapping[str, str]
    lost: tuple[str, ...]
    zone: tzinfo

    def problem(self, name: str) -> str:
        """Why an assignment differs from its files; empty if it does not."""
        return self.problems.get(name) or self.problems.get("", "")


class AssignmentCache:
    """The assignments, read again when their files change. A look at the files is reused for `fresh` seconds, since
    there are a hundred of them. An assignment that can no longer be read keeps its last good state: a typing error must
    not close the course, nor open what is closed. An assignment whose folder is gone is kept if it has attempts, but
    accepts no more. `recall` reads the last good states of earlier processes from the database.
    """

    def __init__(
        self,
        course: Course,
        guide: Path,
        fresh: float = 0.0,
        recall: Callable[[], LastGoodState] = lambda: NO_LAST_STATE,
    ) -> None:
        self.course, self._guide, self._fresh = course, guide, fresh
        self._read = lru_cache(maxsize=1000)(self._tried)
        self._rendered = lru_cache(maxsize=1)(self._guide_of)
        self._zone = lru_cache(maxsize=1)(self._zone_of)
        self._recalled = lru_cache(maxsize=1)(lambda _readable, _names: recall())
        self._looked, self._found = -math.inf, _Look(shown={}, problems={}, lost=(), zone=UTC)
        self._last: dict[str, AssignmentView] = {}

    @property
    def zone(self) -> tzinfo:
        """The course's."""
        return self._look().zone

    def names(self) -> list[str]:
        """All assignments, sorted, also those that cannot be read."""
        look = self._look()
        return sorted({*look.shown, *look.problems} - {""})

    def assignment(self, name: str) -> AssignmentView:
        """The assignment of this name; raises NotFoundError if there is none, or none that could ever be read."""
        shown = self._look().shown.get(name)
        if shown is None:
            raise NotFoundError
        return shown

    def all(self) -> list[AssignmentView]:
        """Each of them, by name."""
        return list(self._look().shown.values())

    def problems(self) -> list[str]:
        """Why assignments differ from their files, a sentence for each reason."""
        return list(dict.fromkeys(self._look().problems.values()))

    def gone(self) -> list[AssignmentView]:
        """Assignments that are kept although their folders are gone."""
        return [each for each in self.all() if each.gone]

    def lost(self) -> tuple[str, ...]:
        """Names of assignments that have attempts but neither a folder nor a stored state."""
        return self._look().lost

    def readable(self) -> list[AssignmentView]:
        """Assignments that match their files."""
        look = self._look()
        return [each for each in look.shown.values() if not each.gone and not look.problem(each.name)]

    def require_readable(self, name: str) -> None:
        """Raise InputError if an assignment differs from its files."""
        if why := self._look().problem(name):
            raise InputError(why)

    def guide(self) -> str:
        """The page that explains reports, as markup."""
        return self._rendered(self._guide.stat().st_mtime_ns)

    def _look(self) -> _Look:
        if (now := time.monotonic()) - self._looked >= self._fresh:
            self._looked, self._found = now, self._as_they_are()
        return self._found

    def _as_they_are(self) -> _Look:
        """Readable assignments and kept ones, sorted by name."""
        names, problems = self._names()
        models = tuple(_stamp(self.course.reference / name / MODEL_FILE) for name in names)
        read = {name: self._as_it_is(name, models) for name in names}
        good = {name: each for name, each in read.items() if isinstance(each, AssignmentView)}
        problems |= {name: each.why for name, each in read.items() if isinstance(each, _Unreadable)}
        memory = self._recalled(frozenset(good), frozenset(names))
        last = {**memory.states, **self._last}
        rules = self.course.assignments.parent / RULES_FILE
        if not rules.is_file() and any(each.ruled for each in last.values()):
            problems |= dict.fromkeys(good, UNRULED.format(rules))
            good = {}
        self._last |= good
        others = {name: each for name, each in last.items() if name not in good}
        shown = dict(self._kept(memory, others, problems)) | good
        return _Look(
            shown=dict(sorted(shown.items())),
            problems=problems,
            lost=tuple(sorted(memory.used - shown.keys() - problems.keys())),
            zone=self._zone_now(rules, shown),
        )

    def _names(self) -> tuple[list[str], dict[str, str]]:
        """Names of the assignments that have their file, and the reason if there are none."""
        try:
            names = self.course.names()
        except InputError as error:
            return [], {"": str(error)}
        return names, {} if names else {"": NO_FOLDERS.format(self.course.assignments)}

    def _kept(
        self, memory: LastGoodState, last: Mapping[str, AssignmentView], problems: dict[str, str]
    ) -> Iterator[tuple[str, AssignmentView]]:
        """The last good states of assignments that cannot be read or are gone. Notes a problem if only a file is
        missing.
        """
        for name, each in last.items():
            folder = self.course.assignments / name
            if name in problems or "" in problems:
                yield name, each
            elif folder.is_dir():
                problems[name] = NO_FILE.format(folder / ASSIGNMENT_FILE)
                yield name, each
            elif name in memory.used:
                yield name, replace(each, gone=True)

    def _zone_now(self, rules: Path, shown: Mapping[str, AssignmentView]) -> tzinfo:
        """The time zone of course.yaml; if that file cannot be read, the zone of an assignment."""
        return self._zone(_stamp(rules)) or next((each.policies.zone for each in shown.values()), UTC)

    def _zone_of(self, _stamp: Stamp | None) -> tzinfo | None:
        try:
            return self.course.rules().zone
        except InputError:
            return None

    def _as_it_is(self, name: str, models: tuple[Stamp | None, ...]) -> AssignmentView | _Unreadable:
        """Read an assignment once, with or without success, until a file changes that it depends on. Some depend on
        the model solutions of others.
        """
        folder, reference = self.course.assignments / name, self.course.reference / name
        files = (
            *(folder / each for each in (ASSIGNMENT_FILE, HANDOUT, FILE_NAME)),
            *(reference / each for each in (BASELINE_FILE, ORACLE_FILE)),
            *(self.course.assignments.parent / each for each in (RULES_FILE, KIT_FILE)),
        )
        return self._read(name, (*map(_stamp, files), *models))

    def _guide_of(self, _changed: int) -> str:
        return rendered(read_text(self._guide))

    def _tried(self, name: str, _stamps: tuple[Stamp | None, ...]) -> AssignmentView | _Unreadable:
        try:
            return self._shown(name)
        except InputError as error:
            return _Unreadable(str(error))

    def _shown(self, name: str) -> AssignmentView:
        coursework = self.course.load(name)
        path, skeleton = coursework.folder / HANDOUT, coursework.folder / FILE_NAME
        return AssignmentView(
            name=name,
            title=coursework.title,
            points=coursework.points,
            handout=rendered(read_text(path)) if path.is_file() else "",
            skeleton=read_text(skeleton) if skeleton.is_file() else "",
            hidden=hidden_checks(coursework),
            policies=Policies.model_validate({name: getattr(coursework, name) for name in POLICIES}),
            version=version_of(coursework),
            timed=any(part.performance for part in coursework.parts),
            ruled=(self.course.assignments.parent / RULES_FILE).is_file(),
        )


def _stamp(path: Path) -> Stamp | None:
    """What changes with a file; None if there is none."""
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_ctime_ns, status.st_size
