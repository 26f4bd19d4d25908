"""kit.py: a kit contains the right files and no secrets, and can grade. test_export_kit.py installs one."""

import os
import shutil
import subprocess

import pytest
import yaml
from hidden_parts import PLACES, hiding_course
from leaks import opened
from project import ASSIGNMENTS, ROOT
from samples import DEVICE
from timing_setups import MS, RULES, at_sizes, begun, fake_setup

from grader.authoring.scaffold import TEMPLATE_FILES
from grader.common.errors import InputError
from grader.common.files import write_new
from grader.common.record import replace
from grader.course.catalogue import Course
from grader.course.folders import Kit
from grader.course.policies.rules import read_date
from grader.execution.assignment_plans import baseline_is_comparable, control_plan, reference_plan
from grader.execution.plan import BASELINE, NAIVE, STUDENT, WHOLE
from grader.grading.settings import load_settings
from grader.grading.timing.digest_verifier import ByReference
from grader.grading.timing.measurement import measure
from grader.grading.timing.oracle_verifier import ByOracle
from grader.grading.timing.performance import check_performance, judge, summarise, unmeasured
from grader.grading.timing.rounds import Role
from grader.grading.timing.timing_setup import verifier_for
from grader.grading.timing.verifiers import TimingTask
from grader.lms.bundle import pack, unpack
from grader.lms.kit import COMMAND, TEMPLATE, student_kit
from grader.results.verdicts import Reason, Verdict

pytestmark = pytest.mark.usefixtures("still_kernel")

CONSTRAINTS, STARTERS = ROOT / "constraints.txt", ROOT / "student_template"
GUIDE = ROOT / "docs" / "reading-your-report.md"
GPU = DEVICE.model_copy(update={"type": "gpu", "name": "NVIDIA H200"})
NOTE = Kit(grader="1.2.3")


def files_of(*courseworks, address=""):
    return student_kit(courseworks, STARTERS, GUIDE, CONSTRAINTS, address)


def kit_course(folder, files):
    """Write a kit to a folder, and return the course in it."""
    write_new(files, folder)
    return Course(assignments=folder / "course" / "assignments", reference=folder / "course" / "reference")


def in_kit(assignment, yardstick=None):
    """Return the assignment in the form for a kit, with a yardstick for both classes of devices."""
    classes = {
        kind: goal.model_copy(update={"yardstick": yardstick}) for kind, goal in assignment.performance.classes.items()
    }
    performance = assignment.performance.model_copy(update={"classes": classes})
    return assignment.model_copy(update={"kit": NOTE, "performance": performance})


# --- what is in it ----------------------------------------------------------------------------


@pytest.fixture(scope="module")
def whole(course, tmp_path_factory):
    """The files of a kit for the whole course, and the course in it."""
    files = files_of(*map(course.load, ASSIGNMENTS), address="https://git.example.org/kit.git")
    return files, kit_course(tmp_path_factory.mktemp("kit"), files)


def test_it_holds_these_files_and_no_other(whole):
    """A kit contains exactly the public files of each assignment and those needed to grade without solutions."""
    files, _ = whole
    public, reference = ("README.md", "assignment.yaml", "kernels.cl"), ("baseline.cl", "oracle.py")
    (wheel,) = (name for name in files if name.endswith(".whl"))
    assert set(files) == {
        *("README.md", "grader", ".gitignore", wheel, "course/kit.yaml", "course/constraints.txt"),
        f"course/docs/{GUIDE.name}",
        *(f"course/student_template/{name}" for name in TEMPLATE_FILES),
        *(f"course/assignments/{name}/{file}" for name in ASSIGNMENTS for file in public),
        *(f"course/reference/{name}/{file}" for name in ASSIGNMENTS for file in reference),
    }


@pytest.mark.sampled
@pytest.mark.parametrize("name", ASSIGNMENTS)
def test_an_assignment_of_which_nothing_is_hidden_asks_for_the_same(course, whole, name):
    """In a kit, an assignment without hidden parts equals the course's assignment, except for its location.

    Handout, skeleton, oracle and baseline are identical to the byte.
    """
    files, kit = whole
    ours, theirs = course.load(name), kit.load(name)
    for part, other in zip(ours.parts, theirs.parts, strict=True):
        there = {"kit": None, "folder": part.folder, "reference": part.reference}
        if part.has_surroundings:  # timed differently on a GPU, which a test below covers
            there["performance"] = part.performance
        assert other.model_copy(update=there) == part
    assert theirs.kit == Kit(grader=theirs.kit.grader)
    for file in ("README.md", "kernels.cl"):
        assert files[f"course/assignments/{name}/{file}"] == (ours.folder / file).read_bytes()
    for file in ("baseline.cl", "oracle.py"):
        assert files[f"course/reference/{name}/{file}"] == (ours.reference / file).read_bytes()


def test_a_kit_has_no_dates(transposition):
    """A kit has no due dates, because a kit does not apply them and extensions may be granted later."""
    dated = replace(transposition, timezone="Europe/Berlin", due=read_date("2026-12-01T23:59"), late="refused")
    place = "course/assignments/coalsTransp/assignment.yaml"
    assert files_of(dated)[place] == files_of(transposition)[place]


@pytest.mark.parametrize("name", ASSIGNMENTS)
def test_a_handout_of_a_kit_links_to_the_page_that_explains_reports(whole, name):
    """The link in a handout leads to the page about reports, which `init` copies."""
    files, kit = whole
    assert f"](../../docs/{GUIDE.name})" in files[f"course/assignments/{name}/README.md"].decode()
    assert load_settings({"course": kit.assignments.parent}).report_guide.read_bytes() == GUIDE.read_bytes()


def test_comments_of_an_assignment_stay_with_the_instructors(course):
    """A kit omits comments in assignment.yaml, because they describe model solutions and may reveal hidden values."""
    text = files_of(course.load("blockMMM"))["course/assignments/blockMMM/assignment.yaml"].decode()
    assert "PoCL makes a tiled kernel" in (course.load("blockMMM").folder / "assignment.yaml").read_text()
    assert [line for line in text.splitlines() if "#" in line] == [text.splitlines()[0]]


def test_no_placeholder_is_left(whole):
    """The README lists the assignments, and pipelines clone from the address. `init` inserts the assignment's name."""
    files, _ = whole
    readme = files["README.md"].decode()
    assert "@" not in readme
    assert "- `blockMMM`: Block-tiled matrix multiplication" in readme
    for name in TEMPLATE_FILES:
        assert b"KIT_URL@" not in files[f"course/student_template/{name}"]
    assert b'KIT_URL: "https://git.example.org/kit.git"' in files["course/student_template/.gitlab-ci.yml"]


@pytest.mark.parametrize("address", ['"; rm -rf ~; "', "https://example.org/a kit.git", "'"])
def test_an_address_that_a_script_would_misread_is_refused(transposition, address):
    """An address that a shell or YAML would misread is refused."""
    with pytest.raises(InputError, match="a pipeline cannot clone from"):
        files_of(transposition, address=address)


def test_a_course_without_solutions_is_an_error_unless_it_is_a_kit(whole, tmp_path):
    """A course without a model solution is an error, unless kit.yaml marks it as a kit."""
    _, kit = whole
    folder = kit.assignments.parent
    shutil.copytree(folder, tmp_path / "course")
    broken = Course(assignments=tmp_path / "course" / "assignments", reference=tmp_path / "course" / "reference")
    broken.load("blockMMM")
    (tmp_path / "course" / "kit.yaml").unlink()
    with pytest.raises(InputError, match=r"blockMMM/kernels\.cl is missing; every assignment needs it"):
        broken.load("blockMMM")


def test_what_needs_solutions_is_refused_in_a_kit(whole, course):
    """In a kit, work that needs solutions is refused. The error says which folder to use instead."""
    course.require_solutions()
    with pytest.raises(InputError, match="is a student kit without model solutions: give the folder of the course"):
        whole[1].require_solutions()


def test_an_assignment_of_a_kit_can_be_sent_to_another_machine(whole, tmp_path):
    """An assignment from a kit is still marked as such after it was sent and unpacked."""
    sent = whole[1].load("coalsProgrm")
    assert unpack(pack(sent), tmp_path).model_copy(update={"folder": sent.folder, "reference": sent.reference}) == sent


# --- hidden checks ----------------------------------------------------------------------------

MARK = "71771771"
"""A size that does not occur anywhere else, also not in a hash or as the size of a file."""


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("place", "left_out"),
    [
        ("case", {"correctness": 5}),
        ("practice", {}),
        ("sanitizer", {"sanitizer": 3}),
        ("memory", {"memory": 2}),
        ("performance", {}),
    ],
)
def test_what_is_hidden_does_not_travel_and_its_points_are_told(tmp_path, place, left_out):
    """No file of the kit contains a hidden part. The remaining and the omitted points add up to the course's."""
    ours = hiding_course(tmp_path / "course", place).load("small")
    _mark(tmp_path / "course" / "assignments" / "small" / "assignment.yaml", place)
    ours = Course(assignments=tmp_path / "course" / "assignments", reference=tmp_path / "course" / "reference").load(
        "small"
    )
    (ours.folder / "README.md").write_text("A handout.")
    files = files_of(ours)
    assert [name for outer, data in files.items() for name, text in opened(outer, data) if MARK in text] == []
    theirs = kit_course(tmp_path / "kit", files).load("small")
    assert theirs.left_out == left_out
    assert theirs.points + sum(left_out.values()) == pytest.approx(ours.points)
    assert not yaml.safe_load(files["course/kit.yaml"]).keys() - {"grader", "hidden"}


def _mark(path, place):
    """Put the mark into a hidden check only: as a size, a limit or a goal for speed."""
    fields = yaml.safe_load(path.read_text())
    found = fields
    for step in PLACES[place]:
        found = found[step]
    match place:
        case "memory":
            found["at_most"] = int(MARK)
        case "performance":
            found["classes"]["cpu"]["minimum"] = {"pthread": int(MARK)}
            found["classes"]["cpu"]["bands"] = [{"fraction": float(f"0.{MARK}"), "points": 5}]
        case _:
            found["sizes"] = {"n": int(MARK)}
    path.write_text(yaml.safe_dump(fields) + f"# {MARK} is hidden\n")


# --- how it is graded with --------------------------------------------------------------------


@pytest.fixture
def small(transposition):
    """A transposition of a few words, so that rounds are quick."""
    return at_sizes(transposition, height=7, width=5)


def rounds_of(assignment, submission_ms, naive_ms):
    step_ms = {role: {STUDENT: naive_ms, NAIVE: naive_ms} for role in Role}
    step_ms[Role.SUBMISSION] = {STUDENT: submission_ms}
    return begun(fake_setup(assignment, step_ms=step_ms))


def test_the_baseline_is_timed_where_the_model_solution_is_missing(small):
    """In a kit, the reference and control workers time the baseline.

    The whole program is left out, because it would need solutions.
    """
    sizes = {"height": 7, "width": 5}
    for plan in (reference_plan(in_kit(small), sizes), control_plan(in_kit(small), DEVICE)):
        assert {step.program for step in plan.scripts[STUDENT].kernels} == {BASELINE}
    assert WHOLE not in control_plan(in_kit(small), DEVICE).scripts


def test_the_program_around_a_kernel_is_not_run_in_a_kit(course):
    """A kit does not run the program around a kernel, because it would need another assignment's solution."""
    assignment = course.load("coalsProgrm")
    assert WHOLE in control_plan(assignment, DEVICE).scripts
    plan = control_plan(in_kit(assignment), DEVICE)
    assert {step.program for script in plan.scripts.values() for step in script.kernels} == {BASELINE}


def test_speed_is_told_and_decided_elsewhere(small):
    """A kit reports the measured speed, and leaves the decision to the course's machine.

    The points for speed stay in the total.
    """
    check = check_performance(rounds_of(in_kit(small), submission_ms=2, naive_ms=6), RULES)
    assert (check.verdict, check.reason) == (Verdict.SKIPPED, Reason.DECIDED_ELSEWHERE)
    assert (check.points, check.max_points) == (0, small.performance.classes["cpu"].points)
    assert "decided on the course's machine" in check.message
    assert "3.0 times the naive kernel's speed" in check.message
    assert check.performance.fraction_of_reference is None
    assert check.performance.speed_up_over_baseline.median == pytest.approx(3)
    assert (check.performance.samples.reference, check.performance.samples.control) == ((), ())
    assert check.performance.samples.baseline == pytest.approx((6 * MS,) * 6)


@pytest.mark.parametrize(
    ("submission_ms", "verdict", "points"), [(5, Verdict.PASSED, 20), (11, Verdict.FAILED, 0), (6, Verdict.PASSED, 20)]
)
def test_with_a_yardstick_speed_is_decided(small, submission_ms, verdict, points):
    """With a yardstick, a kit decides about speed.

    The naive kernel takes 8 ms. With yardstick 4, the model solution would take 2 ms, so 0.4 of its speed allows 5 ms.
    The case with 6 ms has yardstick 3.2.
    """
    factor = 3.2 if submission_ms == 6 else 4
    check = check_performance(rounds_of(in_kit(small, factor), submission_ms, naive_ms=8), RULES)
    assert (check.verdict, check.points) == (verdict, points)
    assert check.performance.fraction_of_reference.median == pytest.approx(8 / factor / submission_ms)
    assert check.performance.yardstick == factor


def test_in_the_course_itself_a_yardstick_decides_nothing(small):
    """The course itself ignores a yardstick, because it has the model solution."""
    stated = in_kit(small, 4).model_copy(update={"kit": None})
    setup = fake_setup(stated)
    assert setup.thresholds == fake_setup(small).thresholds == (0.4,)
    assert summarise(stated, DEVICE, measure(begun(setup), RULES)).yardstick is None


def test_thresholds_are_those_of_what_is_timed(small):
    """With yardstick 4, the threshold 0.4 means 1.6 times the speed of the naive kernel.

    Without a yardstick, a kit has no threshold.
    """
    assert fake_setup(in_kit(small, 4)).thresholds == pytest.approx((1.6,))
    assert fake_setup(in_kit(small)).thresholds == ()


def test_a_noisy_machine_leaves_open_only_what_is_decided_there(small):
    """Noise leaves a speed open only if the kit decides about speed.

    Otherwise, a noisy laptop would cost the student the rest of the report.
    """
    noisy = {Role.REFERENCE: {STUDENT: 6}, Role.CONTROL: {STUDENT: 3}}
    brief = RULES.model_copy(update={"max_seconds": 0.1})
    assert len(measure(begun(fake_setup(in_kit(small), step_ms=noisy)), brief)) >= 6
    problem = measure(begun(fake_setup(in_kit(small, 4), step_ms=noisy)), brief)
    assert problem.reason is Reason.NOT_MEASURED
    assert "the naive kernel ran at 2.00 times its own speed" in problem.message


def test_on_a_gpu_the_baseline_is_the_verifier_if_it_makes_the_same(course, whole):
    """On a GPU, the baseline verifies a kernel if both compute the same arrays. Otherwise, the oracle does.

    The naive program computes B from A, and the student's kernel computes Btr from Atr. Only the oracle knows Btr, and
    it needs data that can be sent.
    """

    def verifier(name):
        assignment = whole[1].load(name)
        sizes = assignment.performance.classes["gpu"].sizes
        return verifier_for(TimingTask(assignment=assignment, oracle=None, sizes=sizes, device=GPU, seed=1))

    assert isinstance(verifier("coalsTransp"), ByReference)
    found = verifier("coalsProgrm")
    assert isinstance(found, ByOracle)
    ours = course.load("coalsProgrm").performance.classes
    assert found.task.sizes == ours["cpu"].sizes != ours["gpu"].sizes
    assert found.task.assignment.performance.classes["gpu"].points == ours["gpu"].points


@pytest.mark.sampled
@pytest.mark.parametrize("name", ASSIGNMENTS)
def test_the_baseline_makes_what_the_students_kernels_do_where_those_are_all(course, name):
    """A baseline can replace the model solution if there is no program around the student's kernel.

    Data made by oracle.py are always judged by oracle.py.
    """
    for part in course.load(name).parts:
        assert baseline_is_comparable(part) == (not part.has_surroundings) or part.performance.verifier == "oracle"


def test_a_speed_that_was_decided_elsewhere_stays_so_when_it_is_scored_again(small):
    """Rescoring a speed that was measured in a kit still leaves the decision to the course's machine."""
    measured = summarise(in_kit(small), DEVICE, measure(rounds_of(in_kit(small), 2, 6), RULES))
    goal = small.performance.classes["cpu"]
    assert judge(unmeasured(small, DEVICE), measured, goal, DEVICE).reason is Reason.DECIDED_ELSEWHERE


# --- the command ------------------------------------------------------------------------------


@pytest.fixture
def command(tmp_path):
    """Return a function that runs a kit's command with these programs first in PATH."""
    folder, programs = tmp_path / "kit", tmp_path / "programs"
    folder.mkdir()
    programs.mkdir()
    shutil.copy(TEMPLATE / COMMAND, folder / COMMAND)
    (folder / "grader-1.2.3-py3-none-linux_x86_64.whl").write_bytes(b"")

    def run(*args, **scripts):
        for name, script in scripts.items():
            (programs / name).write_text(f"#!/bin/sh\n{script}\n")
            (programs / name).chmod(0o755)
        environment = {"PATH": f"{programs}:{os.environ['PATH']}"}
        return subprocess.run(
            ["sh", folder / COMMAND, *args], env=environment, capture_output=True, text=True, check=False
        )

    return run


def told(done):
    """Return the only line that a command prints if it cannot continue."""
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1
    return done.stderr


def test_before_it_is_set_up_a_kit_says_how_to(command):
    """Before `setup`, every command says how to set up the kit."""
    assert "this kit is not set up, or was updated since: run " in told(command("grade", "kernels.cl"))


def test_what_a_machine_lacks_is_said_before_anything_is_installed(command):
    """A missing system, processor type, Python or venv module is reported before anything is installed."""
    on = "this kit needs Linux on an x86-64 processor, and this is "
    assert f"{on}Linux on aarch64" in told(command("setup", uname='[ "$1" = -m ] && echo aarch64 || echo Linux'))
    assert f"{on}Darwin on arm64" in told(command("setup", uname='[ "$1" = -m ] && echo arm64 || echo Darwin'))
    here = {"uname": '[ "$1" = -m ] && echo x86_64 || echo Linux'}
    olds = dict.fromkeys(("python3", "python3.14", "python3.13", "python3.12", "python3.11"), "exit 1")
    assert "Python 3.11 or newer is missing" in told(command("setup", **here, **olds))
    bare = {"python3": 'case "$2" in *venv*) exit 1 ;; esac'}
    assert "Python's venv module is missing" in told(command("setup", **here, **bare))


def test_a_set_up_that_fails_says_so_and_is_not_taken_for_done(command):
    """A failed setup is reported, and the next command asks for it again."""
    failing = 'case "$*" in *"-m venv"*) mkdir -p "$3/bin"; ln -sf /bin/false "$3/bin/python" ;; esac'
    done = command("setup", python3=failing)
    assert done.returncode == 2
    assert "the packages could not be installed" in done.stderr
    assert "this kit is not set up" in told(command("doctor"))
    done = command("setup", python3='case "$*" in *"-m venv"*) exit 1 ;; esac')  # as on a full disk
    assert done.returncode == 2
    assert "600 MB free in " in done.stderr


@pytest.mark.whole
def test_a_dry_run_installs_nothing(command):
    """A dry run prints the planned steps and does not install anything."""
    done = command("setup", "--dry-run")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("would install ")
    assert "this kit is not set up" in told(command("doctor"))
