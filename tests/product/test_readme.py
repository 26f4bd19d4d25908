"""README.md and docs/: every command works, and together they describe every command, package and dependency."""

import inspect
import re
import subprocess
import sys
import tomllib
from itertools import chain

import pytest
from documents import commands_in, run_all
from project import ROOT

from grader.cli.app import COMMANDS as VERBS

pytestmark = pytest.mark.long

README = (ROOT / "README.md").read_text(encoding="utf-8")
GUIDES = [
    README,
    *((ROOT / "docs" / f"{name}.md").read_text(encoding="utf-8") for name in ("students", "instructors", "operators")),
]
COMMANDS = [command for text in GUIDES for command in commands_in(text)]
MAKE = [command for command in COMMANDS if command.startswith("make ")]
GRADER = [command for command in COMMANDS if command.startswith("grader ")]

IN_SIMULATOR = [command for command in GRADER if command.startswith("grader profile")]
IN_CONTAINERS = [command for command in GRADER if "docker" in command or command.startswith("grader batch")]
OF_SERVICE = {"serve", "station", "migrate", "login", "submit", "status", "logout"}
SERVING = [command for command in GRADER if command.split()[1] in OF_SERVICE]
"""Commands that start a service or need a running one. tests/service and tests/cli/remote run them."""

TIMED = [command for command in GRADER if command.split()[1] in {"run", "calibrate", "selftest"}]


def test_every_command_is_one_of_ours():
    """Every command in a sh block starts with `make` or `grader`, which are the commands that these tests cover."""
    assert sorted(COMMANDS) == sorted(MAKE + GRADER)


def test_the_make_commands_are_what_ci_runs():
    """.ci/run runs `make demo` and `make test`, and every documented target exists. The targets run these tests, so no
    test can run them.
    """
    makefile = (ROOT / "Makefile").read_text()
    ci = (ROOT / ".ci" / "run").read_text().splitlines()
    assert MAKE == ["make demo", "make test", "make images"]
    assert [line for line in ci if "make " in line and "command" not in line] == [
        "make demo",
        "make test",
    ]
    for command in MAKE:
        assert re.search(rf"^{command.removeprefix('make ')}:", makefile, re.MULTILINE)
    assert re.search(r"^test: .*\bimages\b", makefile, re.MULTILINE)


@pytest.mark.whole
def test_the_grader_commands_work_in_the_order_they_stand(tmp_path, locks):
    """The commands without timing work for a new user, in the order of the documents and in an empty folder. The first
    three lead to the first grading, which grades a skeleton.
    """
    commands = [command for command in GRADER if command not in {*IN_CONTAINERS, *IN_SIMULATOR, *SERVING, *TIMED}]
    assert [command.split()[1] for command in commands[:3]] == ["list", "init", "grade"]
    run_all(commands, tmp_path, locks)
    assert (tmp_path / "report.xml").is_file()
    assert (tmp_path / "result.json").is_file()
    assert (tmp_path / "report.html").is_file()


@pytest.mark.whole
@pytest.mark.timed
def test_the_commands_that_time_kernels_work(tmp_path, locks):
    """The commands that time kernels work with a skeleton."""
    assert {command.split()[1] for command in TIMED} == {"run", "calibrate", "selftest"}
    run_all(["grader init blockMMM my-solution", *TIMED], tmp_path, locks)


@pytest.mark.whole
def test_the_simulator_commands_work(tmp_path, locks, simulator):  # noqa: ARG001 - it is installed
    """`grader profile` works with a skeleton, although its results are wrong."""
    assert len(IN_SIMULATOR) == 1
    run_all(["grader init blockMMM my-solution", *IN_SIMULATOR], tmp_path, locks)


@pytest.mark.whole
def test_the_container_commands_work_in_the_order_they_stand(tmp_path, locks, worker_image):
    """The container commands work with a folder that contains one submission. The submission is a skeleton with wrong
    results, so it is not timed. `make images` has built the image.
    """
    assert worker_image == "grader-worker"
    assert len(IN_CONTAINERS) >= 3
    run_all(["grader init blockMMM my-solution", "grader init blockMMM submissions/ada"], tmp_path, locks)
    run_all(IN_CONTAINERS, tmp_path, locks)
    told = {path.name for path in (tmp_path / "results").iterdir()}
    assert {"index.html", "grades.csv", "batch.xml", "students"} <= told
    assert (tmp_path / "results" / "students" / "ada" / "blockMMM.html").is_file()


def test_every_verb_of_the_command_line_is_mentioned():
    """The README and the guides mention every command of `grader`."""
    found = subprocess.run(
        [sys.executable, "-m", "grader.cli.main", "--help"], capture_output=True, text=True, check=True
    )
    verbs = re.findall(r"^  ([a-z]+)  ", found.stdout.partition("Commands:")[2], re.MULTILINE)
    assert len(verbs) >= 8
    assert {verb for verb in verbs if not any(f"grader {verb}" in text for text in GUIDES)} == set()


def test_students_are_told_which_commands_do_not_work_in_a_kit():
    """docs/students.md marks exactly the commands that need model solutions with "not in a kit"."""
    text = (ROOT / "docs" / "students.md").read_text(encoding="utf-8")
    commands = re.findall(r"^grader ([a-z]+).*", text, re.MULTILINE)
    told = re.findall(r"^grader ([a-z]+) .*not in a kit$", text, re.MULTILINE)
    refused = [verb for verb in commands if "require_solutions" in inspect.getsource(VERBS[verb])]
    assert told == refused == ["selftest"]


def test_every_dependency_has_a_reason():
    """docs/dependencies.md has exactly one row for each package in pyproject.toml, with its purpose and the reason for
    the choice.
    """
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    lines = [*project["dependencies"], *chain(*project["optional-dependencies"].values())]
    names = {re.match(r"[\w-]+", line)[0].lower() for line in lines} - {"grader"}
    assert len(names) >= 40
    text = (ROOT / "docs" / "dependencies.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (`.+?) \| (.+?) \| (.+?) \|$", text, re.MULTILINE)
    assert {name.lower() for packages, *_ in rows for name in re.findall(r"`([\w-]+)`", packages)} == names
    assert "(docs/dependencies.md)" in README


def test_every_link_leads_somewhere():
    """Every relative link in a document leads to an existing file."""
    documents = [
        *(path for pattern in ("*.md", "docs/**/*.md", "assignments/*/README.md") for path in ROOT.glob(pattern)),
        ROOT / "reference" / "README.md",
        ROOT / "tests" / "README.md",
    ]
    links = [
        (path, link)
        for path in documents
        for link in re.findall(r"\]\(([^)#]+)", path.read_text(encoding="utf-8"))
        if not link.startswith("http")
    ]
    assert len(links) >= 15
    assert [(path.name, link) for path, link in links if not (path.parent / link).exists()] == []


def test_the_table_of_packages_names_what_is_there():
    """The table in CONTRIBUTING.md lists all packages, each with an existing module."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    section = text.partition("## Packages\n")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| `(\w+)/` \| .+ \| `([\w/.]+)` \|$", section, re.MULTILINE)
    packages = [path.parent.name for path in (ROOT / "grader").glob("*/__init__.py")]
    assert sorted(package for package, _ in rows) == sorted(packages)
    assert [each for each in rows if not (ROOT / "grader").joinpath(*each).is_file()] == []


def test_the_documents_about_the_service_name_what_is_there():
    """docs/development.md lists all packages of the service. The files, names and tests that it and CONTRIBUTING.md
    mention exist.
    """
    design = (ROOT / "docs" / "development.md").read_text(encoding="utf-8")
    recipes = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    section = design.partition("## The service\n")[2].partition("\n## ")[0]
    section += recipes.partition("**Changing a table.**")[2].partition("**Adding a dependency.**")[0]
    folder = ROOT / "grader" / "service"
    rooms = {f"{path.parent.name}/" for path in folder.glob("*/__init__.py")}
    assert set(re.findall(r"^\| `(\w+/)` \|", section, re.MULTILINE)) == rooms
    files = set(re.findall(r"`([\w/]+\.py)`", section))
    assert len(files) >= 12
    assert {name for name in files if not (folder / name).is_file() and not (ROOT / name).is_file()} == {NEW_MIGRATION}
    texts = [path.read_text(encoding="utf-8") for where in (folder, ROOT / "tests") for path in where.rglob("*.py")]
    names = set(re.findall(r"`([A-Za-z_]{5,})(?:\(\))?`", section))
    assert [name for name in names if not any(name in text for text in texts)] == []


NEW_MIGRATION = "db/migrations/versions/vN_what.py"


def test_the_readme_is_short():
    """The README has at most 120 lines, which is two screens for a newcomer. All other text is in docs/."""
    assert len(README.splitlines()) <= 120
