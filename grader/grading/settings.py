"""Settings: defaults, then a file, then GRADER_* variables, then the command line; each overrides those before.

The file is the user's own, ~/.config/grader/grader.yaml, or the one that GRADER_CONFIG names in its place. The working
directory says nothing: it may be a student's. A course brings code that the judge runs, so no file but the user's own
names it: a variable or an option does. Nested settings have a double underscore in variables:
GRADER_TIMING__MIN_PAIRS=50.
"""

import json
import os
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml
from pydantic import Field, ValidationError
from pydantic_settings import (
    BaseSettings,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    SettingsError,
    YamlConfigSettingsSource,
)

import grader
from grader.common.errors import InputError
from grader.common.files import config_folder, data_folder
from grader.common.notices import NoticeRules
from grader.common.record import replace
from grader.common.sign_in import SignInRules
from grader.course.catalogue import Course
from grader.course.folders import KIT_FILE
from grader.execution.deadlines import Deadlines
from grader.execution.sandbox import SANDBOXES, Sandbox, containers_are_ready
from grader.execution.sandbox.docker.gpu import NO_GPU
from grader.execution.sandbox.forkserver import ForkServer
from grader.execution.sandbox.rules import ContainerRules, Rules, WorkerLimits
from grader.execution.sandbox.spare import EagerSandbox, SpareSandbox
from grader.execution.sandbox.users import roots_own
from grader.grading.rules import SearchRules, TimingRules, WatchingRules
from grader.grading.trust import was_started
from grader.protocol.messages import Limits

if TYPE_CHECKING:
    from grader.grading.grading_environment import GradingEnvironment

CONFIG_VARIABLE = "GRADER_CONFIG"
CONFIG_FILE = "grader.yaml"

PACKAGE = Path(grader.__file__).parent


def shipped() -> Path:
    """Where the files are that come with every grader: inside the package when installed, beside it in a clone."""
    inside = PACKAGE / "shipped"
    return inside if inside.is_dir() else PACKAGE.parent


def own_course() -> Path | None:
    """The course that this grader belongs to, if any: a clone of our repository has one beside the package, a student
    kit beside the environment in it. Installed elsewhere, there is none.
    """
    kits = Path(sys.prefix).parent / "course"
    if (kits / KIT_FILE).is_file():
        return kits
    return PACKAGE.parent if (PACKAGE.parent / "assignments").is_dir() else None


def _lock_folder(sandbox_name: str) -> Path:
    """A folder where every grader of the host may make lock files, and no submission can hold one for ever."""
    if sandbox_name == "user":
        return roots_own()
    shared = Path("/run/lock")
    return shared if os.access(shared, os.W_OK) else Path(tempfile.gettempdir())


def _profile_folder() -> Path:
    try:
        return data_folder() / "devices"
    except InputError as error:
        raise InputError(f"{error} Or set GRADER_PROFILES to a folder for device profiles.") from error


BUSY = 2
"""Processors that a grading keeps busy all the time: the submission's, and ours."""


def spare_processors(jobs: int = 1) -> int:
    """Those of this machine that so many gradings side by side would leave idle, for each of them."""
    return max(0, len(os.sched_getaffinity(0)) // jobs - BUSY)


class Settings(BaseSettings):
    """Everything that can be set."""

    model_config = SettingsConfigDict(env_prefix="GRADER_", env_nested_delimiter="__", extra="forbid", frozen=True)

    sandbox: str | None = None
    device: int = Field(default=0, ge=0)
    spare: int | None = Field(default=None, ge=0)
    course: Path | None = Field(default_factory=own_course)
    deadlines: Deadlines = Deadlines()
    limits: WorkerLimits = WorkerLimits()
    docker: ContainerRules = Field(default_factory=ContainerRules)
    locks: Path | None = None
    profiles: Path = Field(default_factory=_profile_folder)
    timing: TimingRules = TimingRules()
    watching: WatchingRules = WatchingRules()
    search: SearchRules = SearchRules()
    sign_in: SignInRules = SignInRules()
    notices: NoticeRules = NoticeRules()

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Highest first: the command line, the environment, the file."""
        return init_settings, env_settings, _FileSource(settings_cls, yaml_file=config_file())

    @property
    def constraints(self) -> Path:
        """The versions of packages that this grader was tested with: they come with it or, in a kit, in the course."""
        ours = shipped() / "constraints.txt"
        return ours if ours.is_file() else self.course_folder / ours.name

    @property
    def course_folder(self) -> Path:
        """The folder of the course; raises InputError if none is named."""
        if self.course is None:
            raise InputError(
                "no course is named: give the folder that holds assignments/ and reference/ with --course DIR, or in "
                "the variable GRADER_COURSE. If you have a kit of your course, run the `./grader` in it."
            )
        return self.course

    @property
    def places(self) -> Course:
        """The folders of the course."""
        return Course(assignments=self.course_folder / "assignments", reference=self.course_folder / "reference")

    @property
    def student_template(self) -> Path:
        """What students start from: that of the course, or the one that comes with the grader."""
        own = self.course_folder / "student_template"
        return own if own.is_dir() else shipped() / own.name

    @property
    def report_guide(self) -> Path:
        """The page that explains reports to students: that of the course, or the one that comes with the grader."""
        page = Path("docs") / "reading-your-report.md"
        own = self.course_folder / page
        return own if own.is_file() else shipped() / page

    @property
    def _named_sandbox(self) -> str | None:
        """The sandbox that is set; a GPU is for containers only."""
        return "docker" if not self.sandbox and self.docker.gpu != NO_GPU else self.sandbox

    def sandbox_for_ours(self) -> str:
        """Where the course's own kernels run."""
        return self._named_sandbox or "process"

    def sandbox_for_others(self) -> str:
        """Where code runs that others have written."""
        return self._named_sandbox or "docker"

    def sandbox_for(self, submission: Path) -> str:
        """The same for a file. A user's own file is also graded where there are no containers."""
        alone = (
            not self._named_sandbox
            and was_started(submission.resolve().parent)
            and not containers_are_ready(self._rules)
        )
        return "process" if alone else self.sandbox_for_others()

    def make_sandbox(self, name: str, server: ForkServer | None = None) -> Sandbox:
        """A sandbox by these settings, whose processes come from the server, if one is given; the caller closes it."""
        if name not in SANDBOXES:
            raise InputError(f"there is no sandbox {name!r}; there are: {', '.join(SANDBOXES)}.")
        if name != "docker" and self.docker.gpu != NO_GPU:
            raise InputError("a GPU is handed to containers only: leave --gpu out, or use --sandbox docker.")
        return SANDBOXES[name](replace(self._rules, server=server))

    @property
    def _rules(self) -> Rules:
        return Rules(limits=Limits(**self.limits.model_dump()), container=self.docker)

    def environment(self, sandbox_name: str, sandbox: Sandbox) -> "GradingEnvironment":
        """The environment that gradings run on."""
        from grader.grading.grading_environment import GradingEnvironment

        return GradingEnvironment(
            sandbox_name=sandbox_name,
            sandbox=sandbox,
            device=self.device,
            deadlines=self.deadlines,
            timing=self.timing,
            locks=self.lock_folder(sandbox_name),
            profiles=self.profiles,
            watching=self.watching,
            search=self.search,
            spare=self.spare or 0,
        )

    def lock_folder(self, sandbox_name: str) -> Path:
        """Where those lock who use the devices of this host, in such sandboxes or beside them."""
        return self.locks or _lock_folder(sandbox_name)

    def orders(self, given: dict[str, Any]) -> str:
        """The settings that a station elsewhere must grade by, as JSON: what was `given` for this batch, and every rule
        that can change a verdict. The rest (image, folders, locks, a device that was not named) is up to the station.
        """
        rules = self.model_dump(mode="json", include={"deadlines", "limits", "timing", "watching", "search"})
        return json.dumps(
            {**{name: value for name, value in given.items() if value is not None}, **rules}, sort_keys=True
        )

    def open_environment(
        self, sandbox_name: str, server: ForkServer | None = None
    ) -> AbstractContextManager["GradingEnvironment"]:
        """An environment with its own sandbox; both are closed at the end of the block."""
        return self._open(sandbox_name, self.make_sandbox(sandbox_name, server))

    @contextmanager
    def open_for_one(self, sandbox_name: str, server: ForkServer | None, parts: int) -> Iterator["GradingEnvironment"]:
        """The same for one submission for an assignment of so many parts. Its worker starts at once, while all that
        grades it is imported; so do our own where there are processors to spare.
        """
        with closing(self.make_sandbox(sandbox_name, server)) as plain, closing(EagerSandbox(plain)) as sandbox:
            from grader.execution.client import Worker
            from grader.execution.pool import Ahead, Early, OwnWorkers

            def worker() -> Worker:
                return Worker(sandbox, self.device, self.deadlines)

            ahead, own = Early(worker()) if parts == 1 else Ahead(worker, most=parts), OwnWorkers(parts)
            ahead.begin()
            with closing(ahead), closing(own):
                environment = self.environment(sandbox_name, sandbox)
                environment = replace(environment, own=own, ahead=ahead, spare=spare_processors())
                environment.begin_ours()
                yield environment

    def open_batch(self, sandbox_name: str) -> AbstractContextManager["GradingEnvironment"]:
        """The same for many gradings: a spare worker is always starting."""
        return self._open(sandbox_name, SpareSandbox(self.make_sandbox(sandbox_name)))

    @contextmanager
    def _open(self, sandbox_name: str, sandbox: Sandbox) -> Iterator["GradingEnvironment"]:
        with closing(sandbox):
            environment = self.environment(sandbox_name, sandbox)
            with closing(environment.own):
                yield environment


class _FileSource(YamlConfigSettingsSource):
    """The settings of the file that is in force."""

    def __call__(self) -> dict[str, Any]:
        fields = super().__call__()
        if "course" in fields and os.environ.get(CONFIG_VARIABLE):
            raise InputError(
                f"{os.environ[CONFIG_VARIABLE]} names a course, whose code would run: name it with --course DIR, in "
                f"GRADER_COURSE, or in {_own_file() or 'your own settings'}."
            )
        return fields


def config_file() -> Path | None:
    """The settings file that is in force, if any."""
    named = os.environ.get(CONFIG_VARIABLE)
    if named and not Path(named).is_file():
        raise InputError(f"{CONFIG_VARIABLE} names {named}, which is not there; correct or unset it.")
    path = Path(named) if named else _own_file()
    return path if path is not None and path.is_file() else None


def _own_file() -> Path | None:
    folder = config_folder()
    return None if folder is None else folder / CONFIG_FILE


def as_variables(given: Mapping[str, Any], prefix: str = "GRADER_") -> dict[str, str]:
    """Settings as the variables that set them in another process; None is not given."""
    variables: dict[str, str] = {}
    for name, value in given.items():
        if isinstance(value, Mapping):
            variables |= as_variables(value, f"{prefix}{name.upper()}__")
        elif value is not None:
            variables[prefix + name.upper()] = str(value)
    return variables


def load_settings(given: dict[str, Any]) -> Settings:
    """The settings in force; `given` are those of the command line, of which None means not given."""
    try:
        return Settings(**{name: value for name, value in given.items() if value is not None})
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        raise InputError(
            f"the setting {where} cannot be used: {first['msg']} (see your {CONFIG_FILE} and GRADER_* variables)."
        ) from error
    except SettingsError as error:
        raise InputError(f"a GRADER_* variable cannot be used: {' '.join(str(error).split())}.") from error
    except (yaml.YAMLError, OSError, TypeError, ValueError) as error:
        raise InputError(f"the settings in {config_file()} cannot be read: {' '.join(str(error).split())}") from error
