"""settings.py: settings come from defaults, a file, the environment and the command line. Each source overrides the
ones before it.
"""

import json
import os
import sys
from pathlib import Path

import pytest
from project import ROOT

from grader.common.errors import InputError
from grader.execution.timeouts import Timeouts
from grader.grading.installation import CONFIG_FILE, CONFIG_VARIABLE, config_file
from grader.grading.rules import TimingRules, WatchingRules
from grader.grading.settings import Settings, as_variables, load_settings
from grader.grading.trust import note_started
from grader.protocol.messages import Limits, Simulation


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """An empty working directory. The environment contains no settings."""
    for name in os.environ:
        if name.startswith("GRADER_"):
            monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    return tmp_path


@pytest.fixture
def own(folder):
    """The path of the user's own settings file. Its folder exists."""
    path = folder / "config" / "grader" / CONFIG_FILE
    path.parent.mkdir(parents=True)
    return path


def make_sandbox(given):
    settings = load_settings(given)
    return settings.make_sandbox(settings.sandbox_for_ours())


def complaint(given=None):
    with pytest.raises(InputError) as caught:
        make_sandbox(given or {})
    message = str(caught.value)
    assert "\n" not in message
    return message


def test_without_any_setting_there_are_defaults():
    """The defaults suit the computer of a student: the first device, the sandbox that is available, and the course that
    comes with this grader.
    """
    settings = load_settings({})
    assert (settings.sandbox, settings.device, settings.course) == (None, 0, ROOT)
    assert settings.timing == TimingRules()
    assert settings.watching == WatchingRules(required=False)
    assert config_file() is None


def test_a_bench_has_what_the_settings_say():
    """Settings for deadlines, limits, the device, timing and simulation reach the environment in which submissions are
    graded.
    """
    given = {
        "device": 3,
        "spare": 1,
        "deadlines": {"launch": 1.5},
        "limits": {"processes": 7},
        "timing": {"max_pairs": 31},
        "watching": {"required": True, "simulation": {"warp": 64}},
    }
    with load_settings(given).open_environment("process") as environment:
        pass
    assert (environment.sandbox_name, environment.workers.device, environment.spare) == ("process", 3, 1)
    assert environment.workers.timeouts == Timeouts(
        start=30, build=30, first_launch=20, launch=1.5, transfer=30, simulation=120
    )
    assert environment.timing == TimingRules(max_pairs=31)
    assert environment.watching == WatchingRules(required=True, simulation=Simulation(warp=64))
    limits = environment.workers.sandbox.limits()
    assert limits.processes >= 7
    assert limits.model_copy(update={"processes": 7}) == Limits(
        memory_bytes=4 * 1024**3, cpu_seconds=300, file_bytes=2 * 1024**3, processes=7
    )


def test_places_are_the_two_folders_of_the_course(folder):
    """The folders with the assignments and with the reference are subfolders of the course, wherever the course is."""
    places = load_settings({"course": folder}).places
    assert (places.assignments, places.reference) == (folder / "assignments", folder / "reference")


def test_an_installed_grader_has_no_course_and_says_how_to_name_one(folder, monkeypatch):
    """A grader outside a clone or a kit has no course. Commands that need one say how to name it, and all other
    commands work.
    """
    monkeypatch.setattr("grader.grading.installation.PACKAGE", folder / "site-packages" / "grader")
    settings = load_settings({})
    assert settings.course is None
    settings.make_sandbox("process").close()
    for needed in ("places", "student_template", "course_folder"):
        with pytest.raises(InputError, match=r"no course is set: .* --course DIR, or in the variable GRADER_COURSE"):
            getattr(settings, needed)


def test_a_grader_that_was_installed_in_a_kit_knows_its_course(folder, monkeypatch):
    """A grader that is installed in the virtual environment of a kit finds the kit's course and constraints. A course
    in the settings takes precedence.
    """
    monkeypatch.setattr("grader.grading.installation.PACKAGE", folder / "kit" / ".venv" / "site-packages" / "grader")
    monkeypatch.setattr(sys, "prefix", str(folder / "kit" / ".venv"))
    (folder / "kit" / "course").mkdir(parents=True)
    assert load_settings({}).course is None
    (folder / "kit" / "course" / "kit.yaml").write_text("grader: 1.2.3\n")
    assert load_settings({}).course == folder / "kit" / "course"
    assert load_settings({}).constraints == folder / "kit" / "course" / "constraints.txt"
    assert load_settings({"course": folder}).course == folder


def test_what_comes_with_an_installed_grader_is_inside_it(folder, monkeypatch):
    """An installed grader finds the constraints, the student template and the guide to reports inside its package,
    where the wheel puts them.
    """
    monkeypatch.setattr("grader.grading.installation.PACKAGE", folder)
    (folder / "shipped").mkdir()
    (folder / "shipped" / "constraints.txt").touch()
    settings = load_settings({"course": folder / "course"})
    assert settings.constraints == folder / "shipped" / "constraints.txt"
    assert settings.student_template == folder / "shipped" / "student_template"
    assert settings.report_guide == folder / "shipped" / "docs" / "reading-your-report.md"


def test_what_students_start_from_is_the_courses_or_comes_with_the_grader(folder):
    """The student template and the guide to reports of the course take precedence. A course without them uses the
    grader's own.
    """
    settings = load_settings({"course": folder})
    assert settings.student_template == ROOT / "student_template"
    assert settings.report_guide == ROOT / "docs" / "reading-your-report.md"
    (folder / "student_template").mkdir()
    (folder / "docs").mkdir()
    (folder / "docs" / "reading-your-report.md").touch()
    assert settings.student_template == folder / "student_template"
    assert settings.report_guide == folder / "docs" / "reading-your-report.md"


def test_the_users_own_file_is_read(own, folder):
    """The user's own settings file changes only the settings that it contains. It may contain a course."""
    own.write_text(f"device: 2\ntiming: {{min_pairs: 50}}\ncourse: {folder}\n")
    assert load_settings({}).course == folder
    settings = load_settings({})
    assert settings.device == 2
    assert settings.timing == TimingRules(min_pairs=50)


def test_the_working_directory_sets_nothing(folder):
    """A settings file in the working directory has no effect. The directory may be a student's repository, and its file
    must not decide which code runs, or where.
    """
    (folder / CONFIG_FILE).write_text("device: 2\nsandbox: process\ncourse: evil\n")
    assert load_settings({}) == Settings()
    assert (load_settings({}).device, load_settings({}).sandbox) == (0, None)


def test_a_file_that_is_asked_for_sets_everything_but_a_course(folder, monkeypatch):
    """The file that GRADER_CONFIG names can contain all settings except a course, because the judge would run the
    oracle.py files of that course.
    """
    (folder / CONFIG_FILE).write_text("device: 2\ncourse: evil\n")
    monkeypatch.setenv(CONFIG_VARIABLE, CONFIG_FILE)
    assert f"{CONFIG_FILE} sets a course, whose code would run. Set it with --course" in complaint()
    (folder / CONFIG_FILE).write_text("device: 2\n")
    assert load_settings({"course": folder}).device == 2


def test_a_user_without_a_home_has_no_file(monkeypatch):
    """If a user has no home folder, there is no settings file, and everything else works."""
    monkeypatch.delenv("XDG_CONFIG_HOME")
    monkeypatch.setattr(Path, "home", lambda: (_ for _ in ()).throw(RuntimeError))
    assert load_settings({"profiles": "here"}).device == 0


STARTED, UNKNOWN = True, False


@pytest.mark.parametrize(
    ("chosen", "started", "ready", "found"),
    [
        (None, STARTED, True, "docker"),
        (None, STARTED, False, "process"),
        (None, UNKNOWN, True, "docker"),
        (None, UNKNOWN, False, "docker"),
        *((each, *of, each) for each in ("process", "user", "docker") for of in ((STARTED, False), (UNKNOWN, True))),
    ],
)
def test_a_submission_runs_in_a_container_unless_somebody_says_otherwise(chosen, started, ready, found, monkeypatch):
    """A submission runs in a container unless the settings name another sandbox. If the computer has no containers, the
    submission runs in a process, but only if `grader init` has made its folder. It does not matter who owns the file.
    """
    folder = Path.cwd()
    monkeypatch.setenv("XDG_STATE_HOME", str(folder / "state"))
    monkeypatch.setattr("grader.grading.settings.containers_are_ready", lambda _: ready)
    if started:
        note_started(folder)
    assert load_settings({"sandbox": chosen}).sandbox_for(folder / "kernels.cl") == found
    assert load_settings({"sandbox": chosen}).sandbox_for_others() == (chosen or "docker")


def test_a_link_to_somebody_elses_file_is_theirs(folder, monkeypatch):
    """If a submission is a link, the sandbox depends on the folder of the link's target, not on the folder of the
    link.
    """
    monkeypatch.setenv("XDG_STATE_HOME", str(folder / "state"))
    monkeypatch.setattr("grader.grading.settings.containers_are_ready", lambda _: False)
    (folder / "mine").mkdir()
    (folder / "theirs.cl").touch()
    (folder / "mine" / "kernels.cl").symlink_to(folder / "theirs.cl")
    note_started(folder / "mine")
    assert load_settings({}).sandbox_for(folder / "mine" / "kernels.cl") == "docker"


def test_a_gpu_is_for_containers(folder):
    """If the settings name a GPU, even the course's own kernels run in containers. Otherwise, they run in a process."""
    settings = load_settings({"docker": {"gpu": "nvidia"}})
    assert settings.sandbox_for(folder / "kernels.cl") == settings.sandbox_for_ours() == "docker"
    assert load_settings({}).sandbox_for_ours() == "process"


def test_a_file_that_the_environment_names_is_read_in_place_of_it(folder, own, monkeypatch):
    """If GRADER_CONFIG names a file, this file is read instead of the user's own file."""
    own.write_text("device: 2\nsandbox: other\n")
    (folder / "elsewhere.yaml").write_text("device: 3\n")
    monkeypatch.setenv(CONFIG_VARIABLE, "elsewhere.yaml")
    assert (load_settings({}).device, load_settings({}).sandbox) == (3, None)


def test_an_empty_file_sets_nothing(own):
    """A settings file that contains no settings, for example only comments, has no effect."""
    own.write_text("# device: 2\n")
    assert load_settings({}).device == 0


@pytest.mark.parametrize("name", ["nothing.yaml", "."])
def test_a_named_file_that_is_no_file_is_an_error(name, monkeypatch):
    """The file that GRADER_CONFIG names must exist, because a user who names a file expects it to be read."""
    monkeypatch.setenv(CONFIG_VARIABLE, name)
    message = complaint()
    assert f"{CONFIG_VARIABLE} is {name}, which is not a file" in message
    assert "Correct or unset the variable" in message


@pytest.mark.parametrize(
    ("name", "value", "found"),
    [
        ("GRADER_SPARE", "4", lambda settings: settings.spare == 4),
        ("GRADER_DEVICE", "4", lambda settings: settings.device == 4),
        ("GRADER_TIMING__MIN_PAIRS", "50", lambda settings: settings.timing.min_pairs == 50),
        ("GRADER_WATCHING__REQUIRED", "true", lambda settings: settings.watching.required),
        ("GRADER_WATCHING__SIMULATION__WARP", "64", lambda settings: settings.watching.simulation.warp == 64),
        ("GRADER_DEADLINES__SIMULATION", "40", lambda settings: settings.deadlines.simulation == 40),
        ("GRADER_DEADLINES__FIRST_LAUNCH", "2.5", lambda settings: settings.deadlines.first_launch == 2.5),
        ("GRADER_LIMITS__MEMORY_BYTES", "1000", lambda settings: settings.limits.memory_bytes == 1000),
        ("GRADER_TIMING", '{"max_pairs": 60}', lambda settings: settings.timing.max_pairs == 60),
    ],
)
def test_every_setting_has_a_variable(monkeypatch, name, value, found):
    """Each setting can be set by an environment variable, with a double underscore before a nested field. Other
    settings keep their defaults.
    """
    monkeypatch.setenv(name, value)
    settings = load_settings({})
    assert found(settings)
    assert settings.timing.max_seconds == TimingRules().max_seconds


def test_the_command_line_wins_over_the_environment_and_that_over_the_file(own, monkeypatch):
    """The command line overrides the environment, and the environment overrides the file. An option that is not given
    has no effect.
    """
    own.write_text("device: 1\n")
    assert load_settings({"device": None}).device == 1
    monkeypatch.setenv("GRADER_DEVICE", "2")
    assert load_settings({"device": None}).device == 2
    assert load_settings({"device": 0}).device == 0


def test_nested_settings_of_file_and_environment_are_joined(own, monkeypatch):
    """If the environment sets one field of a group, the other fields of the group keep their values from the file."""
    own.write_text("timing: {min_pairs: 40, max_pairs: 80}\n")
    monkeypatch.setenv("GRADER_TIMING__MIN_PAIRS", "50")
    assert load_settings({}).timing == TimingRules(min_pairs=50, max_pairs=80)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("devise: 1\n", "{}, line 1: devise: unknown key; did you mean device?"),
        ("device: 0\ndeadlines:\n  lunch: 1\n", "{}, line 3: deadlines.lunch: unknown key; did you mean launch?"),
        ("timing: {min_pair: 1}\n", "{}, line 1: timing.min_pair: unknown key; did you mean min_pairs?"),
        ("device: first\n", "{}, line 1: device: `first` is not a whole number."),
        ("device: -1\n", "{}, line 1: device: must be at least 0."),
        ("timing: 5\n", "{}, line 1: timing: must be a mapping; write it in braces, such as {{name: value}}."),
        ("timing: {1: 5}\n", "{}, line 1: timing.1: the name of a field must be text"),
        ("watching: {simulation: {warp: 0}}\n", "{}, line 1: watching.simulation.warp: must be "),
        ("watching: {require: true}\n", "{}, line 1: watching.require: unknown key; did you mean required?"),
        ("deadlines: {launch: 0}\n", "{}, line 1: deadlines.launch: must be more than 0."),
        ("limits: {memory_bytes: none}\n", "{}, line 1: limits.memory_bytes: `none` is not a whole number."),
        ("private_networks: inside\n", "{}, line 1: private_networks: must be a list; write it in brackets"),
        ("private_networks: [inside]\n", "{}, line 1: private_networks.0: must be a network, such as 10.0.0.0/8."),
        ("sign_in: {passwords: maybe}\n", "{}, line 1: sign_in.passwords: must be true or false."),
        ("sign_in: {mail: {host: a}}\n", "{}, line 1: sign_in.mail.sender: Field required; add it."),
        ("device: [\n", "{}: is not YAML: line 2, column 1: "),
        ("- device\n", "{}: must contain fields such as `device: 0`, but contains list."),
        ("42\n", "{}: must contain fields such as `device: 0`, but contains int."),
        ("null: 1\n", "{}: None is not the name of a setting; correct or remove it."),
        ("sandbox: sandpit\n", "there is no sandbox 'sandpit'; there are: process"),
    ],
)
def test_a_file_that_cannot_be_used_is_one_line(own, text, said):
    """The message about a settings file that cannot be used is one line. It names the file, the line and the setting,
    and says what is expected.
    """
    own.write_text(text)
    assert said.format(own) in complaint()


def test_a_file_that_is_no_text_is_one_line(own):
    """The message about a settings file that is not text is one line."""
    own.write_bytes(b"device: \xff\xfe\n")
    assert f"{own}: is not " in complaint()


def test_a_missing_setting_is_one_of_the_file(own, monkeypatch):
    """If the environment sets a part of a group, such as a secret, the file is named for the missing parts. The message
    does not quote the secret.
    """
    own.write_text("sign_in:\n  mail: {host: a}\n")
    monkeypatch.setenv("GRADER_SIGN_IN__MAIL__PASSWORD__VALUE", "hunter2")
    assert f"{own}, line 2: sign_in.mail.sender: Field required; add it." in complaint()
    assert "hunter2" not in complaint()


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("GRADER_DEVICE", "first", "the variable GRADER_DEVICE: device: `first` is not a whole number."),
        ("GRADER_TIMING__MIN_PAIRS", "many", "the variable GRADER_TIMING__MIN_PAIRS: timing.min_pairs: `many` is not"),
        ("GRADER_TIMING__MIN_PAIR", "3", "timing.min_pair: unknown key; did you mean min_pairs?"),
        ("GRADER_TIMING", '{"min_pairs": "x"}', "the variable GRADER_TIMING: timing.min_pairs: `x` is not"),
        ("GRADER_PRIVATE_NETWORKS", "x", "the variable GRADER_PRIVATE_NETWORKS: is not JSON; write a list"),
        ("GRADER_SANDBOX", "sandpit", "there is no sandbox 'sandpit'"),
        ("GRADER_TIMING", "{", "the variable GRADER_TIMING: "),
    ],
)
def test_a_variable_that_cannot_be_used_is_one_line(own, monkeypatch, name, value, said):
    """The message about an environment variable that cannot be used is one line. It names the variable, even if the
    file sets other settings of the same group.
    """
    own.write_text("timing: {max_pairs: 80}\n")
    monkeypatch.setenv(name, value)
    assert said in complaint()


@pytest.mark.parametrize(
    "rules",
    [
        {"min_pairs": 0},
        {"min_pairs": -5},
        {"session_pairs": 0},
        {"session_pairs": -1},
        {"noise_limit": -1},
    ],
    ids=str,
)
def test_timing_rules_that_cannot_be_followed_are_refused(rules):
    """Timing rules that cannot work are refused when they are read. With such rules, a grading would fail or never
    end.
    """
    assert "timing" in complaint({"timing": rules})


def test_settings_do_not_change():
    """Settings cannot be changed after they have been read."""
    settings = Settings()
    with pytest.raises(ValueError, match="frozen"):
        settings.device = 1


def test_device_profiles_are_among_the_users_data(folder, monkeypatch):
    """Device profiles are in the user's data folder according to the XDG specification, which requires an absolute
    path, or in the folder that GRADER_PROFILES names.
    """
    monkeypatch.setenv("HOME", str(folder))
    for named in (None, "", "relative"):
        monkeypatch.delenv("XDG_DATA_HOME", raising=False)
        if named is not None:
            monkeypatch.setenv("XDG_DATA_HOME", named)
        assert load_settings({}).profiles == folder / ".local" / "share" / "grader" / "devices"
    monkeypatch.setenv("XDG_DATA_HOME", str(folder / "data"))
    assert load_settings({}).profiles == folder / "data" / "grader" / "devices"
    monkeypatch.setenv("GRADER_PROFILES", str(folder / "mine"))
    with load_settings({}).open_environment("process") as environment:
        assert environment.profiles == folder / "mine"


def test_a_user_without_a_home_is_told_what_to_set(monkeypatch):
    """If there is no home folder, the error says to set XDG_DATA_HOME. If a setting names the folder of the profiles,
    no home folder is needed.
    """

    def nowhere():
        raise RuntimeError

    monkeypatch.delenv("XDG_DATA_HOME", raising=False)
    monkeypatch.setattr(Path, "home", nowhere)
    with pytest.raises(InputError, match="set XDG_DATA_HOME"):
        load_settings({})
    assert load_settings({"profiles": "here"}).profiles == Path("here")


def test_the_settings_of_a_batch_bring_every_rule_and_leave_a_machine_its_own(monkeypatch):
    """The settings of a batch include every rule, so that all machines of the batch use the same rules. Settings that a
    batch does not include, such as the device, keep the value of each machine.
    """
    monkeypatch.setenv("GRADER_TIMING__MIN_PAIRS", "5")
    monkeypatch.setenv("GRADER_DEVICE", "1")
    settings_json = load_settings({}).as_json({"sandbox": "docker", "docker": {"gpu": "nvidia"}, "device": None})
    monkeypatch.setenv("GRADER_TIMING__MIN_PAIRS", "77")
    monkeypatch.setenv("GRADER_DEADLINES__BUILD", "1")
    monkeypatch.setenv("GRADER_DEVICE", "3")
    monkeypatch.setenv("GRADER_DOCKER__IMAGE", "of-that-machine")
    there = load_settings(json.loads(settings_json))
    assert there.timing.min_pairs == 5
    assert there.deadlines.build == 30.0
    assert (there.device, there.docker.image, there.docker.gpu) == (3, "of-that-machine", "nvidia")
    assert there.sandbox == "docker"


def test_settings_can_be_made_variables_for_another_process(monkeypatch):
    """Settings that are passed to another process as environment variables have the same effect as options. A setting
    of None is not passed, so the other process uses its own value.
    """
    given = {"device": 3, "sandbox": None, "docker": {"gpu": "nvidia:1", "image": None}}
    variables = as_variables(given)
    assert variables == {"GRADER_DEVICE": "3", "GRADER_DOCKER__GPU": "nvidia:1"}
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    there = load_settings({})
    assert (there.device, there.docker.gpu, there.sandbox) == (3, "nvidia:1", None)
    assert there.docker.image == Settings().docker.image
