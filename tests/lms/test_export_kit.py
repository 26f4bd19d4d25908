"""`grader export kit`: students can set up a kit and grade with it."""

import json
import re
import shutil
import subprocess

import pytest
from commandline import QUICK, complaint, environment, grader
from leaks import folder_of, secret_passages, secrets_in
from project import ROOT

from grader.results.result import Result
from grader.results.verdicts import Reason, Verdict

# All tests run in one process, so that the kit is set up only once.
pytestmark = [pytest.mark.long, pytest.mark.whole, pytest.mark.xdist_group("kit")]

CORPUS = ROOT / "tests" / "submissions" / "coalsTransp"
SPEED = 20


@pytest.fixture(scope="module")
def kit(tmp_path_factory):
    """A kit of two assignments that has been set up."""
    folder = tmp_path_factory.mktemp("export")
    done = grader(folder, "export", "kit", "blockMMM", "coalsTransp", "--out", "kit")
    assert (done.returncode, done.stderr) == (0, "")
    assert (folder / "kit" / "grader").stat().st_mode & 0o111 == 0o111
    done = command(folder / "kit", "setup")
    assert done.returncode == 0, done.stdout + done.stderr
    return folder / "kit"


def command(kit, *args):
    """Run the kit's command as students do."""
    variables = environment(**QUICK, GRADER_PROFILES=str(kit.parent / "profiles"))
    call = [kit / "grader", *map(str, args)]
    return subprocess.run(call, cwd=kit, env=variables, capture_output=True, text=True, timeout=600, check=False)


def graded(kit, submission, folder):
    """Grade a submission, and return the finished process and the result."""
    shutil.copy(CORPUS / submission / "kernels.cl", folder)
    report = folder / "result.json"
    options = ("--assignment", "coalsTransp", "--require-sanitizer", "--json", report, "--html", folder / "report.html")
    done = command(kit, "grade", folder / "kernels.cl", *options)
    assert "Traceback" not in done.stderr
    return done, Result.model_validate_json(report.read_text())


def test_a_right_kernel_earns_everything_but_what_the_courses_machine_decides(kit, tmp_path):
    """A right kernel leads to exit code 4. It earns all points except those for speed, which stay in the total."""
    done, result = graded(kit, "course-style-lmem", tmp_path)
    assert done.returncode == 4, done.stdout + done.stderr
    *others, speed = result.checks
    assert {check.verdict for check in others} == {Verdict.PASSED}
    assert (speed.reason, speed.max_points) == (Reason.DECIDED_ELSEWHERE, SPEED)
    assert speed.performance.speed_up_over_baseline.median > 0
    assert (result.points, result.max_points) == (100 - SPEED, 100)
    assert "decided on the course's machine" in " ".join(done.stdout.split())


def test_a_kernel_with_a_missing_barrier_fails_with_its_line(kit, tmp_path):
    """The kit's simulator finds the missing barrier and its line, with exit code 1."""
    done, result = graded(kit, "no-barrier", tmp_path)
    assert done.returncode == 1
    (race,) = [check for check in result.checks if check.reason is Reason.DATA_RACE]
    line = re.search(r"line (\d+)", race.message).group(1)
    assert re.search(rf"^ *{line} \| ", done.stdout, re.MULTILINE)


def test_every_command_of_its_readme_works(kit):
    """Every command in the kit's README works in the kit's folder. Grading the skeleton fails."""
    text = (kit / "README.md").read_text()
    blocks = re.findall(r"```sh\n(.*?)```", text, re.DOTALL)
    lines = [line.partition("    #")[0].split() for block in blocks for line in block.splitlines()]
    assert [line[1] for line in lines] == ["setup", "init", "grade", "grade", "profile", "doctor"]
    for _, *args in lines:
        done = command(kit, *args)
        assert done.returncode == (1 if args[0] in {"grade", "profile"} else 0), done.stdout + done.stderr
    assert (kit.parent / "my-solution" / "HANDOUT.md").is_file()


def test_its_environment_knows_the_kit_without_being_told(kit, tmp_path):
    """The `grader` in the kit's virtual environment finds the kit's assignments, because handouts use that command."""
    ours = [kit / ".venv" / "bin" / "grader", "list"]
    done = subprocess.run(ours, cwd=tmp_path, env=environment(), capture_output=True, text=True, check=True)
    assert [line.split()[0] for line in done.stdout.partition("\n\n")[0].splitlines()] == ["coalsTransp", "blockMMM"]


def test_what_is_installed_gives_nothing_away(kit):
    """No file of the kit or of its installed grader contains a secret passage."""
    (installed,) = (kit / ".venv").glob("lib/python3*/site-packages/grader")
    files = {name: data for name, data in folder_of(kit).items() if not name.startswith(".venv")}
    assert secrets_in({**files, **folder_of(installed)}, secret_passages()) == {}


def test_an_update_of_the_kit_asks_for_setup_again(kit):
    """After the kit's wheel was updated, each command ends with exit code 2 and asks for `setup`."""
    (wheel,) = kit.glob("*.whl")
    kept = wheel.read_bytes()
    try:
        wheel.write_bytes(kept + b"new")
        done = command(kit, "list")
        assert (done.returncode, "was updated since" in done.stderr) == (2, True)
    finally:
        wheel.write_bytes(kept)
    assert command(kit, "list").returncode == 0


@pytest.mark.parametrize("args", [("export", "kit", "--out", "again"), ("selftest",), ("validate",)], ids=" ".join)
def test_what_needs_the_model_solution_says_so(kit, tmp_path, args):
    """Commands that need the model solution end with exit code 2 and one line."""
    line = complaint(grader(tmp_path, *args, "--course", kit / "course"))
    assert "is a student kit without model solutions" in line


def test_the_total_of_a_kit_tells_of_hidden_checks(kit, tmp_path):
    """A kit's total includes the points for hidden checks, which the kit itself cannot check."""
    course = tmp_path / "course"
    shutil.copytree(kit / "course", course)
    (course / "kit.yaml").write_text("grader: 1.2.3\nhidden: {coalsTransp: {correctness: 7}}\n")
    shutil.copy(CORPUS / "no-barrier" / "kernels.cl", tmp_path)
    options = ("--assignment", "coalsTransp", "--course", "course", "--json", "result.json")
    assert grader(tmp_path, "grade", "kernels.cl", *options, **QUICK).returncode == 1
    fields = json.loads((tmp_path / "result.json").read_text())
    (hidden,) = [check for check in fields["checks"] if check["name"] == "correctness: hidden"]
    assert (hidden["reason"], hidden["max_points"]) == ("DECIDED_ELSEWHERE", 7)
    assert fields["max_points"] == 107
