"""Settings come from defaults, a file, GRADER_* variables and the command line. Each source overrides those before it.

The file is the user's own ~/.config/grader/grader.yaml, or the file whose path is in GRADER_CONFIG. Files in the
working directory are not read because that directory may belong to a student. The judge runs code of the course.
Therefore the course can be set only in the user's own file, a variable or an option, but not in a file from
GRADER_CONFIG. The variable of a nested setting contains a double underscore, as in GRADER_TIMING__MIN_PAIRS=50.
"""

import json
import os
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, closing, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import Field, IPvAnyNetwork, ValidationError
from pydantic_settings import (
    BaseSettings,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    SettingsError,
    YamlConfigSettingsSource,
)

from grader.common.errors import InputError
from grader.common.files import data_folder
from grader.common.notices import NoticeRules
from grader.common.sign_in import SignInRules
from grader.course.catalogue import Course
from grader.execution.sandbox import SANDBOXES, Sandbox, containers_are_ready
from grader.execution.sandbox.docker.gpu import NO_GPU
from grader.execution.sandbox.forkserver import ForkServer
from grader.execution.sandbox.limits import ContainerRules, Rules, WorkerLimits, spare_processors
from grader.execution.sandbox.users import roots_own
from grader.execution.timeouts import Timeouts
from grader.grading.installation import CONFIG_VARIABLE, config_file, own_config_file, own_course, shipped
from grader.grading.rules import SearchRules, TimingRules, WatchingRules
from grader.grading.setting_errors import file_settings, wrong_setting, wrong_variable
from grader.grading.trust import was_started
from grader.protocol.messages import Limits

if TYPE_CHECKING:
    from grader.execution.pool import SpareProcess, WorkerPool
    from grader.grading.grading_environment import GradingEnvironment


def _profile_folder() -> Path:
    try:
        return data_folder() / "devices"
    except InputError as error:
        raise InputError(f"{error} Or set GRADER_PROFILES to a folder for device profiles.") from error


class Settings(BaseSettings):
    """All settings of grader."""

    model_config = SettingsConfigDict(env_prefix="GRADER_", env_nested_delimiter="__", extra="forbid", frozen=True)

    sandbox: str | None = None
    device: int = Field(default=0, ge=0)
    spare: int | None = Field(default=None, ge=0)
    course: Path | None = Field(default_factory=own_course)
    deadlines: Timeouts = Timeouts()
    limits: WorkerLimits = WorkerLimits()
    docker: ContainerRules = Field(default_factory=ContainerRules)
    locks: Path | None = None
    profiles: Path = Field(default_factory=_profile_folder)
    timing: TimingRules = TimingRules()
    watching: WatchingRules = WatchingRules()
    search: SearchRules = SearchRules()
    sign_in: SignInRules = SignInRules()
    notices: NoticeRules = NoticeRules()
    private_networks: tuple[IPvAnyNetwork, ...] = ()
    """Networks inside the firewall to which the service may send requests for instructors and learning platforms."""

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """The sources in decreasing priority: the command line, the environment, the file."""
        return init_settings, env_settings, _FileSource(settings_cls, yaml_file=config_file())

    @property
    def constraints(self) -> Path:
        """The file with the package versions with which this grader was tested. It is shipped with grader; in a kit, it
        is in the course.
        """
        ours = shipped() / "constraints.txt"
        return ours if ours.is_file() else self.course_folder / ours.name

    @property
    def course_folder(self) -> Path:
        """The folder of the course. Raises InputError if no course is set."""
        if self.course is None:
            raise InputError(
                "no course is set: give the folder that contains assignments/ and reference/ with --course DIR, or in "
                "the variable GRADER_COURSE. If you have a kit of your course, run the `./grader` in it."
            )
        return self.course

    @property
    def places(self) -> Course:
        """The folders of the assignments and of the reference in the course."""
        return Course(assignments=self.course_folder / "assignments", reference=self.course_folder / "reference")

    @property
    def student_template(self) -> Path:
        """The folder from which students start. It is the template of the course, or grader's own if the course does
        not have one.
        """
        own = self.course_folder / "student_template"
        return own if own.is_dir() else shipped() / own.name

    @property
    def report_guide(self) -> Path:
        """The page that explains reports to students. It is the page of the course, or grader's own if the course does
        not have one.
        """
        page = Path("docs") / "reading-your-report.md"
        own = self.course_folder / page
        return own if own.is_file() else shipped() / page

    @property
    def _named_sandbox(self) -> str | None:
        """Name of the sandbox in the settings. A GPU implies `docker` because only containers can use a GPU."""
        return "docker" if not self.sandbox and self.docker.gpu != NO_GPU else self.sandbox

    def sandbox_for_ours(self) -> str:
        """Name of the sandbox for the course's own kernels."""
        return self._named_sandbox or "process"

    def sandbox_for_others(self) -> str:
        """Name of the sandbox for code that other people have written."""
        return self._named_sandbox or "docker"

    def sandbox_for(self, submission: Path) -> str:
        """Name of the sandbox for a submission. If containers are not available, a user's own file is graded in a
        process.
        """
        alone = not self._named_sandbox and was_started(submission.resolve().parent) and not self.has_containers()
        return "process" if alone else self.sandbox_for_others()

    def has_containers(self) -> bool:
        """True if containers are available."""
        return containers_are_ready(self._rules)

    def make_sandbox(self, name: str, server: ForkServer | None = None) -> Sandbox:
        """Create the sandbox with this name, with these settings; the caller closes it. If a server is given, it starts
        the processes of the sandbox. Raises InputError if the name is unknown, or if the settings give a GPU to a
        sandbox other than `docker`.
        """
        if name not in SANDBOXES:
            raise InputError(f"there is no sandbox {name!r}; there are: {', '.join(SANDBOXES)}.")
        if name != "docker" and self.docker.gpu != NO_GPU:
            raise InputError("only containers can use a GPU: omit --gpu, or use --sandbox docker.")
        return SANDBOXES[name](replace(self._rules, server=server))

    @property
    def _rules(self) -> Rules:
        return Rules(limits=Limits(**self.limits.model_dump()), container=self.docker)

    def environment(self, sandbox_name: str, workers: "WorkerPool") -> "GradingEnvironment":
        """Create the environment of gradings that use these workers."""
        from grader.grading.grading_environment import GradingEnvironment

        return GradingEnvironment(
            sandbox_name=sandbox_name,
            workers=workers,
            timing=self.timing,
            locks=self.lock_folder(sandbox_name),
            profiles=self.profiles,
            watching=self.watching,
            search=self.search,
            spare=self.spare or 0,
        )

    def lock_folder(self, sandbox_name: str) -> Path:
        """The folder of the locks with which all graders share the devices of this host. Every grader can create files
        there, but submissions cannot hold a lock forever.
        """
        if self.locks is not None:
            return self.locks
        if sandbox_name == "user":
            return roots_own()
        shared = Path("/run/lock")
        return shared if os.access(shared, os.W_OK) else Path(tempfile.gettempdir())

    def as_json(self, given: dict[str, Any]) -> str:
        """The settings that a station on another machine must use, as JSON. These are the settings `given` for this
        batch, and every rule that can change a verdict. The station chooses the rest, which are the image, the folders,
        the locks, and the device unless it is given.
        """
        rules = self.model_dump(mode="json", include={"deadlines", "limits", "timing", "watching", "search"})
        return json.dumps(
            {**{name: value for name, value in given.items() if value is not None}, **rules}, sort_keys=True
        )

    def open_environment(
        self, sandbox_name: str, server: ForkServer | None = None
    ) -> AbstractContextManager["GradingEnvironment"]:
        """Open an environment with a sandbox. Both are closed at the end of the block."""
        return self._open(sandbox_name, self.make_sandbox(sandbox_name, server))

    @contextmanager
    def open_for_user(
        self, sandbox_name: str, server: ForkServer | None, submissions: float
    ) -> Iterator["GradingEnvironment"]:
        """Open an environment for this many submissions, for whose results a user waits. Each part of a suite counts as
        one submission. The grading code is imported after the pool of workers has been created.
        """
        with closing(self.make_sandbox(sandbox_name, server)) as sandbox:
            from grader.execution.pool import GRADINGS, WorkerPool

            idle = spare_processors()
            workers = WorkerPool(
                sandbox,
                self.device,
                self.deadlines,
                expected=submissions,
                idle_processors=idle,
                gradings=min(submissions, GRADINGS),
            )
            with closing(workers):
                environment = replace(self.environment(sandbox_name, workers), spare=idle)
                environment.start_own()
                yield environment

    def open_batch(self, sandbox_name: str) -> AbstractContextManager["GradingEnvironment"]:
        """Open an environment for many gradings, in which a spare process is always starting."""
        from grader.execution.pool import SpareProcess

        sandbox = self.make_sandbox(sandbox_name)
        return self._open(sandbox_name, sandbox, SpareProcess(sandbox))

    @contextmanager
    def _open(
        self, sandbox_name: str, sandbox: Sandbox, spare: "SpareProcess | None" = None
    ) -> Iterator["GradingEnvironment"]:
        with ExitStack() as opened:
            opened.enter_context(closing(sandbox))
            from grader.execution.pool import WorkerPool

            if spare is not None:
                opened.enter_context(closing(spare))
            workers = WorkerPool(sandbox, self.device, self.deadlines, starter=spare)
            opened.enter_context(closing(workers))
            yield self.environment(sandbox_name, workers)


class _FileSource(YamlConfigSettingsSource):
    """Settings from the settings file. Raises InputError if the file cannot be read, or if a file from GRADER_CONFIG
    sets the course.
    """

    def _read_file(self, file_path: Any) -> dict[str, Any]:
        return file_settings(Path(file_path))

    def __call__(self) -> dict[str, Any]:
        fields = super().__call__()
        if "course" in fields and os.environ.get(CONFIG_VARIABLE):
            raise InputError(
                f"{os.environ[CONFIG_VARIABLE]} sets a course, whose code would run. Set it with --course DIR, in "
                f"GRADER_COURSE, or in {own_config_file() or 'your own settings'}."
            )
        return fields


def as_variables(given: Mapping[str, Any], prefix: str = "GRADER_") -> dict[str, str]:
    """Environment variables that pass these settings to another process. Settings that are None are omitted."""
    variables: dict[str, str] = {}
    for name, value in given.items():
        if isinstance(value, Mapping):
            variables |= as_variables(value, f"{prefix}{name.upper()}__")
        elif value is not None:
            variables[prefix + name.upper()] = str(value)
    return variables


def load_settings(given: dict[str, Any]) -> Settings:
    """Load the settings. `given` comes from the command line, where None means that an option was not given.

    Raises InputError if a setting, a variable or the settings file cannot be used.
    """
    try:
        return Settings(**{name: value for name, value in given.items() if value is not None})
    except ValidationError as error:
        raise InputError(wrong_setting(error, Settings, given)) from error
    except SettingsError as error:
        raise InputError(wrong_variable(error)) from error
