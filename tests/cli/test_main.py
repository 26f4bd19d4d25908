"""main.py: the real command line, from invalid arguments to exit codes. The fork server starts before the commands are
imported, but only for certain arguments.
"""

import re
import shutil
from importlib.metadata import version

import pytest
import typer
from commandline import MODEL, complaint, grader, output_of, python
from project import ROOT

from grader.cli.app import app
from grader.cli.help import HELD, HYPHEN
from grader.cli.main import fork_server_for
from grader.grading.trust import note_started
from grader.protocol.text import UNSHOWABLE

COMMANDS = (
    *("grade", "batch", "explain", "profile", "run", "init", "list", "show", "new", "validate"),
    *("serve", "invite", "station", "migrate", "login", "submit", "status", "logout"),
    *("devices", "calibrate", "setup", "doctor", "selftest", "schema", "export", "lti"),
)


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("nonsense",), "there is no command nonsense; see `grader --help`."),
        (("export", "kitt"), "there is no command kitt; did you mean kit?"),
        (("grade", "--seed", "many"), "--seed many is not a whole number; write a number, such as `--seed 1`."),
        (("grade", "--device", "-1"), "--device -1 is out of range; write 0 or more."),
        (("grade", "--search", "x"), "--search x is not a number; write 0 or more."),
        (("grade", "--seed"), "--seed needs a value; see `grader grade --help`."),
        (("grade", "--watch=3"), "--watch takes no value; see `grader grade --help`."),
        (("grade", "a", "b"), "there is one argument too many, b; see `grader grade --help`."),
        (("grade", "--assigment", "coalsTransp"), "there is no option --assigment; did you mean --assignment?"),
        (("serve", "--port", "99999"), "--port 99999 is out of range; write a number from 1 to 65535."),
        (("schema", "submission"), "WHICH submission does not exist; choose result, assignment or course."),
        (("init",), "the argument NAME is missing; see `grader init --help`."),
        (("schema",), "the argument WHICH is missing, one of result, assignment, course; see `grader schema --help`."),
        (("lti", "add"), "the option --issuer is missing; see `grader lti add --help`."),
        (("export", "--"), "the command is missing; see `grader export --help`."),
        (("--version=3",), "--version takes no value; see `grader --help`."),
    ],
)
def test_a_usage_error_is_exit_code_2_and_says_what_is_wrong(tmp_path, args, said):
    """A usage error leads to exit code 2, and one line names the value, the reason and the next step."""
    assert complaint(grader(tmp_path, *args)) == f"grader: {said}\n"


NEEDS_A_NAME = ("grade", "explain", "profile", "run", "submit", "show")


@pytest.mark.parametrize("command", NEEDS_A_NAME)
def test_without_a_name_a_command_says_how_to_give_one(tmp_path, command):
    """In a folder without an assignment, each command that needs one says in one line how to select it."""
    line = complaint(grader(tmp_path, command))
    assert line.startswith("grader: this folder has no submission.yaml with the name of the assignment: ")
    assert ("grader show NAME" if command == "show" else "-a NAME") in line
    assert "`grader init NAME`" in line


def test_a_setting_that_cannot_be_used_is_one_line_and_exit_code_2(tmp_path):
    """An invalid setting leads to exit code 2 and one line that contains the setting and where it comes from."""
    line = complaint(grader(tmp_path, "list", GRADER_TIMING__MIN_PAIRS="many"))
    assert "timing.min_pairs" in line
    assert "GRADER_" in line


@pytest.mark.parametrize(
    "name",
    [
        "\x1b[2J\x1b]0;graded\x07.cl",
        "a.cl\ngrader: every check passed.cl",
        "a\u2028b.cl",
        "\u202elc.a",
        "\udcff.cl",
        "--\x1b[31m",
    ],
    ids=ascii,
)
def test_a_file_can_be_called_anything_and_an_error_is_one_line_of_text_even_so(tmp_path, name):
    """Control characters in a file name never reach the terminal, and no name makes an error longer than one line."""
    done = grader(tmp_path, "grade", name, "--assignment", "coalsTransp")
    assert done.returncode == 2
    assert not UNSHOWABLE.search(done.stderr)
    assert "\u2028" not in done.stderr
    assert name.startswith("--") or done.stderr.count("\n") == 1


def test_a_fault_in_grader_itself_is_exit_code_3_with_its_traceback(tmp_path):
    """A fault in grader leads to exit code 3, not to the exit code of a failed check. A traceback is printed for
    developers.
    """
    shutil.copy(MODEL, tmp_path / "kernels.cl")
    (tmp_path / "fault.py").write_text(
        "import grader.cli.main\n"
        "from grader.grading import grade\n"
        "def fault(*_):\n"
        "    raise RuntimeError('a wheel came off')\n"
        "grade.grade_coursework = fault\n"
        "grader.cli.main.main()\n"
    )
    done = python(tmp_path, "fault.py", "grade", "kernels.cl", "--assignment", "coalsTransp")
    assert (done.returncode, done.stdout) == (3, "")
    assert "Traceback (most recent call last)" in done.stderr
    assert "RuntimeError: a wheel came off" in done.stderr
    assert done.stderr.splitlines()[-1].startswith("grader: this is a fault in grader itself")


HEAVY = ("docker", "matplotlib", "rapidfuzz", "distributed", "pyopencl", "jinja2", "fastapi", "sqlalchemy")
"""Packages that only a few commands need. Loading one of them takes longer than most commands run."""


def test_the_program_loads_nothing_heavy_before_it_knows_what_is_asked(tmp_path):
    """`python -m grader.cli.main list` does not load any of the heavy packages."""
    (tmp_path / "sitecustomize.py").write_text(
        "import atexit, sys\n"
        f"atexit.register(lambda: print(sorted(set({HEAVY}) & set(sys.modules)), file=sys.stderr))\n"
    )
    done = python(tmp_path, "-m", "grader.cli.main", "list", PYTHONPATH=str(tmp_path))
    assert (done.returncode, done.stderr) == (0, "[]\n")
    assert "coalsTransp" in done.stdout


@pytest.mark.parametrize("args", [["--version"], ["--help"], ["grade", "--help"]], ids=" ".join)
def test_version_and_help_answer_before_anything_is_loaded(tmp_path, args):
    """--version and --help load only the options, the errors and their display, and the lists of reports and platforms.

    Everything else is loaded when a command is called.
    """
    (tmp_path / "sitecustomize.py").write_text(
        "import atexit, sys\n"
        "def loaded():\n"
        "    ours = {name.removeprefix('grader.') for name in sys.modules if name.startswith('grader.')}\n"
        "    others = {name for name in ours if name.split('.')[0] not in {'cli', 'common', 'protocol'}}\n"
        "    print(sorted(others), sorted({'numpy', 'rich', 'yaml'} & set(sys.modules)), file=sys.stderr)\n"
        "atexit.register(loaded)\n"
    )
    done = python(tmp_path, "-m", "grader.cli.main", *args, PYTHONPATH=str(tmp_path))
    assert (done.returncode, done.stderr) == (0, "['lms', 'lms.platforms', 'reports'] []\n")


@pytest.mark.whole
def test_the_first_worker_starts_before_numpy_is_loaded(tmp_path):
    """The first worker starts before numpy is loaded, so that the two happen in parallel."""
    (tmp_path / "started.py").write_text(
        "import sys\n"
        "from grader.cli.main import main\n"
        "from grader.execution import pool\n"
        "start_next = pool.WorkerPool._start_next\n"
        "def told(self, programs):\n"
        "    start_next(self, programs)\n"
        '    sys.exit(f\'loaded: {sorted({"numpy", "pyopencl"} & set(sys.modules))}\')\n'
        "pool.WorkerPool._start_next = told\n"
        "main()\n"
    )
    source = ROOT / "reference" / "coalsTransp" / "kernels.cl"
    words = ("grade", source, "--assignment", "coalsTransp", "--sandbox", "process", "--course", ROOT)
    done = python(tmp_path, tmp_path / "started.py", *words)
    assert done.stderr.splitlines()[-1] == "loaded: []"


def test_version_is_that_of_the_package(tmp_path):
    """--version prints the version of the package and nothing else."""
    assert output_of(tmp_path, "--version") == version("grader") + "\n"


@pytest.mark.parametrize("command", [None, *COMMANDS])
def test_help_is_there_for_every_command(tmp_path, command):
    """The help of every command leads to exit code 0, starts with a usage line and fits into 80 columns."""
    text = output_of(tmp_path, *([command] if command else []), "--help")
    assert text.startswith(f"Usage: grader {command or '[OPTIONS] COMMAND'}")
    assert max(map(len, text.splitlines())) <= 80


def every_command():
    """Yield each command with the words that call it, including the subcommands of `export`."""
    group = typer.main.get_command(app)
    yield from ((name, each) for name, each in group.commands.items() if not hasattr(each, "commands"))
    yield from ((f"export {name}", each) for name, each in group.commands["export"].commands.items())


@pytest.mark.parametrize("width", [60, 80])
def test_help_fits_and_names_everything_in_full(tmp_path, width):
    """At 60 and at 80 columns, the help does not break words or cut sentences, and shows all names of each option."""
    listing = output_of(tmp_path, "--help", COLUMNS=str(width))
    for words, command in every_command():
        text = output_of(tmp_path, *words.split(), "--help", COLUMNS=str(width))
        assert max(map(len, text.splitlines())) <= width
        told = [command.help, *(option.help for option in command.params)]
        told = " ".join(filter(None, told)).replace(HELD, HYPHEN).split()
        assert set(told) <= set(text.split())
        assert {name for option in command.params for name in option.opts if name[0] == "-"} <= set(
            text.replace(",", "").split()
        )
        if " " not in words:
            short = command.short_help.replace(HELD, HYPHEN)
            assert short in " ".join(listing.split())
            assert len(f"  {'':9}  {short}") <= 78, f"the list of commands has two lines for {words}"
    assert max(map(len, listing.splitlines())) <= width
    assert not re.search(r"\w\.\.\.$", listing, re.MULTILINE)


def test_help_lists_every_command(tmp_path):
    """The help lists exactly the commands that these tests cover."""
    listed = output_of(tmp_path, "--help").partition("Commands:\n")[2]
    assert tuple(line.split()[0] for line in listed.splitlines() if re.match(r"  \S", line)) == COMMANDS


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder that was not created by `grader init`, and settings without a sandbox."""
    monkeypatch.delenv("GRADER_SANDBOX", raising=False)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    (tmp_path / "kernels.cl").touch()
    monkeypatch.chdir(tmp_path)
    return tmp_path


def begins(*words):
    with fork_server_for(words) as server:
        return server is not None and server._process._running is not None


GRADE = ("grade", "kernels.cl", "--assignment", "vectorAdd")


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("option", [("--sandbox", "process"), ("--sandbox=user",)], ids=" ".join)
def test_it_starts_where_processes_are_named(option):
    """The last --sandbox option of `grade` decides. No server starts for --help or for other commands."""
    assert begins(*GRADE, *option)
    assert not begins(*GRADE, *option, "--sandbox", "docker"), "the last one counts"
    assert not begins(*GRADE, *option, "--help")
    assert not begins("batch", *option)


@pytest.mark.usefixtures("folder")
def test_it_starts_where_the_environment_names_them(monkeypatch):
    """GRADER_SANDBOX decides unless there is a --sandbox option."""
    monkeypatch.setenv("GRADER_SANDBOX", "process")
    assert begins(*GRADE)
    assert not begins(*GRADE, "--sandbox", "docker")


def test_it_starts_for_a_file_in_a_folder_of_the_users_own(folder, monkeypatch):
    """The server starts for a file in the user's own folder, which can be graded in a process without containers."""
    assert not begins(*GRADE)
    note_started(folder)
    assert begins(*GRADE)
    assert begins("grade", str(folder), "--assignment", "vectorAdd")
    monkeypatch.chdir(folder.parent)
    assert not begins(*GRADE)
    assert begins("grade", str(folder / "kernels.cl"), "--assignment", "vectorAdd")


@pytest.mark.parametrize("words", [(), ("grade",), ("grade", "x" * 5000), ("grade", "--sandbox"), (*GRADE, "ring/x")])
def test_words_that_mean_nothing_start_nothing(folder, words):
    """For invalid arguments, no server starts and no error is raised. The command reports them later."""
    (folder / "ring").symlink_to("ring")
    assert not begins(*words)


@pytest.mark.usefixtures("folder")
def test_it_ends_with_the_block():
    """The server ends with the block, even after an exception."""
    processes = []

    def fail():
        with fork_server_for((*GRADE, "--sandbox", "process")) as server:
            processes.append(server._process._running[0])
            raise KeyError

    with pytest.raises(KeyError):
        fail()
    assert processes[0].poll() is not None
