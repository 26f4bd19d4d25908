"""`grader export gradescope`: the zip is installed and run as on Gradescope, with submissions of all kinds."""

import json
from contextlib import contextmanager

import pytest
from autograders import (
    ATTACKS,
    BRISK,
    PATIENT,
    RIGHT,
    WRONG,
    archived,
    container_of,
    export,
    hostile_course,
    kernels,
    left_of_workers,
    put,
    run,
    traces,
    unzipped,
)

pytestmark = [pytest.mark.long, pytest.mark.xdist_group("platforms")]  # in one process: the image is built once

METADATA = {
    "submission_metadata.json": b'{"id": 1, "users": [{"sid": "7", "name": "Ada"}], "previous_submissions": []}'
}
RESULTS = "/autograder/results/results.json"


@pytest.fixture(scope="module")
def hostile_source(tmp_path_factory):
    """The files of an autograder for a course that allows attacks."""
    folder = tmp_path_factory.mktemp("hostile")
    return unzipped(export("gradescope", folder / "autograder.zip", "--course", str(hostile_course(folder / "course"))))


@contextmanager
def handed_in(client, image, submission, source=None):
    """A container with a submission, laid out as on Gradescope. `source` replaces the autograder's files."""
    with container_of(client, image) as container:
        put(container, "/autograder/source", source or {})
        put(container, "/autograder/submission", submission)
        put(container, "/autograder/results", {})
        assert container.put_archive("/autograder", archived(METADATA, 0o644))
        yield container


def grade(container, **environment):
    """Run run_autograder, and return the content of results.json and the output."""
    code, output = run(container, "/autograder/run_autograder", workdir="/autograder", environment=environment)
    assert code == 0, output
    return json.loads(run(container, f"cat {RESULTS}")[1]), output


@pytest.fixture
def shortcut(engine, grader_image):
    """Return a function that runs the autograder in the grader's image, because setup.sh would take minutes."""

    def graded(submission, source):
        with handed_in(engine, grader_image, kernels(submission), source) as container:
            run(container, "cp /autograder/source/run_autograder /autograder/ && chmod +x /autograder/run_autograder")
            results, output = grade(container, **BRISK)
            return results, output, left_of_workers(container) + traces(container)

    return graded


@pytest.mark.whole
def test_what_is_exported_grades_a_wrong_submission_and_holds_an_attack(shortcut, hostile_source):
    """The exported autograder grades a wrong submission and stops one attack, even without a full installation.

    Other tests install everything and try every attack.
    """
    results, output, left = shortcut(WRONG, hostile_source)
    assert "score" in results, output
    assert 0 < results["score"] < 48
    assert any(test["output"] for test in results["tests"] if test["score"] < test["max_score"])
    assert left == []
    (attack,) = (folder for folder in ATTACKS if folder.name == "writes-what-is-the-judges")
    results, output, left = shortcut(attack, hostile_source)
    lost = [test["name"] for test in results["tests"] if test["score"] < test["max_score"]]
    assert [name for name in lost if not name.startswith("performance")] == [], output
    assert left == []


@pytest.mark.whole
def test_a_right_submission_gets_its_points_and_each_check_its_line(engine, installed):
    """A right submission earns all points except those for speed, which depend on the load. The simulator runs."""
    with handed_in(engine, installed, kernels(RIGHT)) as container:
        results, _ = grade(container, **PATIENT)
    assert results["score"] >= 80
    points = {test["name"].partition(":")[0].partition(" (")[0]: test for test in results["tests"]}
    for name in ("correctness", "sanitizer", "memory"):
        assert points[name]["score"] == points[name]["max_score"] > 0
    assert results["score"] == pytest.approx(sum(test["score"] for test in results["tests"]))


@pytest.mark.whole
def test_a_wrong_submission_is_told_what_is_wrong(engine, installed):
    """A wrong submission earns some points, and failed checks have an explanation."""
    with handed_in(engine, installed, {f"my work/{name}": data for name, data in kernels(WRONG).items()}) as container:
        results, _ = grade(container, **PATIENT)
    assert 0 < results["score"] < 48
    assert any(test["output"] for test in results["tests"] if test["score"] < test["max_score"])


@pytest.mark.whole
@pytest.mark.parametrize(
    ("submission", "words"),
    [
        ({"notes.txt": b"later"}, "there are 0"),
        ({"a/kernels.cl": b"x", "b/kernels.cl": b"y"}, "there are 2"),
    ],
    ids=["none", "two"],
)
def test_without_one_file_there_are_no_points_and_a_line_that_says_so(engine, installed, submission, words):
    """A submission with no kernels.cl, or with two, gets zero points and a line that gives the reason."""
    with handed_in(engine, installed, submission) as container:
        results, _ = grade(container)
    assert results["score"] == 0
    assert "one file kernels.cl" in results["output"]
    assert words in results["output"]


@pytest.mark.whole
def test_a_link_to_the_model_solution_is_no_submission(engine, installed):
    """A symbolic link to the model solution is not a submission.

    The grader runs as root, so it could read the target of the link.
    """
    with handed_in(engine, installed, {}) as container:
        run(container, "ln -s /autograder/source/course/reference/coalsTransp/kernels.cl /autograder/submission/")
        run(container, "ln -s /autograder/source/course/reference/coalsTransp /autograder/submission/work")
        results, _ = grade(container)
    assert results["score"] == 0
    assert "there are 0" in results["output"]


@pytest.mark.whole
def test_what_cannot_be_graded_has_no_score_and_a_reason(engine, installed):
    """For an empty file there is no score, and the student reads the error message of the command line."""
    with handed_in(engine, installed, {"kernels.cl": b"\n"}) as container:
        results, output = grade(container)
    assert set(results) == {"output"}
    assert "is empty; write your kernel in it" in results["output"]
    assert "is empty" in output


@pytest.mark.whole
def test_a_fault_of_the_machine_has_no_score_and_says_whose_it_is(engine, installed):
    """Exit code 3 leads to no score rather than to zero, and to a text that the student is not at fault."""
    with handed_in(engine, installed, kernels(WRONG)) as container:
        results, output = grade(container, GRADER_DEVICE="7")
    assert "score" not in results
    assert "not your fault" in results["output"].lower()
    assert "no OpenCL device 7" in output


@pytest.mark.whole
@pytest.mark.parametrize(
    "accident", ["rm /opt/grader/bin/grader", "printf '#!/bin/sh\nkill -9 $$' >/opt/grader/bin/grader"]
)
def test_a_crash_of_ours_still_says_that_nothing_was_graded(engine, installed, accident):
    """After a crash of the grader, the results have a reason and no score, because they are written before grading."""
    with handed_in(engine, installed, kernels(WRONG)) as container:
        run(container, accident)
        results, _ = grade(container)
    assert set(results) == {"output"}
    assert "not your fault" in results["output"]
    assert "again" in results["output"]


@pytest.mark.whole
@pytest.mark.parametrize("attack", ATTACKS, ids=lambda folder: folder.name)
def test_an_attack_gets_nothing(engine, installed, hostile_source, attack):
    """An attack gains nothing and spoils at most its own result. No process is left, and the results are genuine."""
    with handed_in(engine, installed, kernels(attack), hostile_source) as container:
        results, output = grade(container, **BRISK)
        assert "tests" in results, output
        lost = [test["name"] for test in results["tests"] if test["score"] < test["max_score"]]
        assert [name for name in lost if not name.startswith("performance")] == [], output
        assert left_of_workers(container) == []
        assert json.loads(run(container, f"sleep 0.2; cat {RESULTS}")[1]) == results
        assert traces(container) == []


@pytest.mark.whole
def test_the_attacks_would_succeed_without_the_wall(engine, installed, hostile_source):
    """In the sandbox `process`, with the grader's rights, the attacks succeed. This shows that
    test_an_attack_gets_nothing can fail.

    Attacks that only leave processes behind are left out, because the warden ends those there too (see
    test_sandbox_process.py).
    """
    for attack in (each for each in ATTACKS if each.name != "outlives-its-grading"):
        with handed_in(engine, installed, kernels(attack), hostile_source) as container:
            source = "/autograder/source"
            script = (
                f"cd {source} && /opt/grader/bin/grader grade ../submission --assignment coalsTransp --course course"
            )
            _, output = run(container, f"{script} --sandbox process", environment=BRISK)
            assert "WRONG_OUTPUT" in output or traces(container), f"{attack.name}: {output}"
