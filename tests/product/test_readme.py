"""README.md and docs/: every command in them works, and together they name all there is."""

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
"""They are a service, or need one that runs: tests/service has them, and tests/cli/remote."""

TIMED = [command for command in GRADER if command.split()[1] in {"run", "calibrate", "selftest"}]


def test_every_command_is_one_of_ours():
    """Nothing in a sh block escapes the tests below."""
    assert sorted(COMMANDS) == sorted(MAKE + GRADER)


def test_the_make_commands_are_what_ci_runs():
    """`make demo` and `make test` cannot be run by a test that they run; .ci/run runs both, and they exist."""
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
    """Those of the README and the guides that time nothing, typed one after the other into an empty folder, as a new
    user would: the first three are up to the first grading, of a solution that was just started.
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
    """The rest of them, on a solution that was just started."""
    assert {command.split()[1] for command in TIMED} == {"run", "calibrate", "selftest"}
    run_all(["grader init blockMMM my-solution", *TIMED], tmp_path, locks)


def test_the_simulator_commands_work(tmp_path, locks, simulator):  # noqa: ARG001 - it is installed
    """On a freshly started solution, whose results are wrong."""
    assert len(IN_SIMULATOR) == 1
    run_all(["grader init blockMMM my-solution", *IN_SIMULATOR], tmp_path, locks)


@pytest.mark.whole
def test_the_container_commands_work_in_the_order_they_stand(tmp_path, locks, worker_image):
    """With a folder of one submission, whose results are wrong, so that it is not timed; `make images` has built the
    image.
    """
    assert worker_image == "grader-worker"
    assert len(IN_CONTAINERS) >= 3
    run_all(["grader init blockMMM my-solution", "grader init blockMMM submissions/somebody"], tmp_path, locks)
    run_all(IN_CONTAINERS, tmp_path, locks)
    told = {path.name for path in (tmp_path / "results").iterdir()}
    assert {"index.html", "grades.csv", "batch.xml", "students"} <= told
    assert (tmp_path / "results" / "students" / "somebody" / "blockMMM.html").is_file()


def test_every_verb_of_the_command_line_is_mentioned():
    """Who has read the README and the guides has seen all there is."""
    found = subprocess.run(
        [sys.executable, "-m", "grader.cli.main", "--help"], capture_output=True, text=True, check=True
    )
    verbs = re.findall(r"^  ([a-z]+)  ", found.stdout.partition("Commands:")[2], re.MULTILINE)
    assert len(verbs) >= 8
    assert {verb for verb in verbs if not any(f"grader {verb}" in text for text in GUIDES)} == set()


def test_students_are_told_which_commands_do_not_work_in_a_kit():
    """Those of docs/students.md that ask for model solutions, and no others."""
    text = (ROOT / "docs" / "students.md").read_text(encoding="utf-8")
    commands = re.findall(r"^grader ([a-z]+).*", text, re.MULTILINE)
    told = re.findall(r"^grader ([a-z]+) .*not in a kit$", text, re.MULTILINE)
    refused = [verb for verb in commands if "require_solutions" in inspect.getsource(VERBS[verb])]
    assert told == refused == ["selftest"]


def test_every_dependency_has_a_reason():
    """In docs/dependencies.md, each package of pyproject.toml and no other has a row: what for, and why this one."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    lines = [*project["dependencies"], *chain(*project["optional-dependencies"].values())]
    names = {re.match(r"[\w-]+", line)[0].lower() for line in lines} - {"grader"}
    assert len(names) >= 40
    text = (ROOT / "docs" / "dependencies.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (`.+?) \| (.+?) \| (.+?) \|$", text, re.MULTILINE)
    assert {name.lower() for packages, *_ in rows for name in re.findall(r"`([\w-]+)`", packages)} == names
    assert "(docs/dependencies.md)" in README


def test_every_link_leads_somewhere():
    """From each document, to a file that is there."""
    documents = [
        *(path for pattern in ("*.md", "docs/**/*.md", "assignments/*/README.md") for path in ROOT.glob(pattern)),
        ROOT / "reference" / "README.md",
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
    """In CONTRIBUTING.md: all packages, each with a module that exists."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    section = text.partition("## Packages\n")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| `(\w+)/` \| .+ \| `([\w/.]+)` \|$", section, re.MULTILINE)
    packages = [path.parent.name for path in (ROOT / "grader").glob("*/__init__.py")]
    assert sorted(package for package, _ in rows) == sorted(packages)
    assert [each for each in rows if not (ROOT / "grader").joinpath(*each).is_file()] == []


def test_the_documents_about_the_service_name_what_is_there():
    """In docs/development.md: all rooms; there and in the recipes of CONTRIBUTING.md: files, names and tests that
    exist.
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
    """What a newcomer reads first fits on two screens; the rest stands in docs/."""
    assert len(README.splitlines()) <= 120
