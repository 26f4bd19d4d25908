"""`grader export gitlab`: the pipelines run as GitLab's runner would run them, in a container of their image."""

import re
import shlex
from contextlib import contextmanager

import junitparser
import pytest
import yaml
from autograders import (
    ASSIGNMENT,
    ATTACKS,
    BRISK,
    PATIENT,
    RIGHT,
    WRONG,
    container_of,
    export,
    hostile_course,
    kernels,
    left_of_workers,
    put,
    run,
    traces,
)

pytestmark = [pytest.mark.long, pytest.mark.xdist_group("platforms")]  # in one process: the image is built once

BUILDS = "/builds"
PROJECT = f"{BUILDS}/course/grading"

PREDEFINED = {"CI_BUILDS_DIR": BUILDS, "CI_PROJECT_DIR": PROJECT, "CI_REGISTRY_IMAGE": "registry.example.org/grading"}
"""GitLab's predefined variables that the pipelines use."""

GLOBAL = {"stages", "variables", "include", "default", "workflow"}
"""Keys of a pipeline that are not jobs."""


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    """The folder that becomes the course's project."""
    return export("gitlab", tmp_path_factory.mktemp("gitlab") / "grading")


@pytest.fixture(scope="module")
def image(engine, installed, project):
    """The image that the job `image` builds. Its base already has most of the content, which saves two minutes."""
    built, _ = engine.images.build(path=str(project), buildargs={"BASE": installed}, rm=True)
    yield built.id
    engine.images.remove(built.id, force=True)


def pipeline(path):
    """Return the variables of a pipeline, and its jobs by name."""
    fields = yaml.safe_load(path.read_text(encoding="utf-8"))
    return fields.get("variables", {}), {name: job for name, job in fields.items() if name not in GLOBAL}


def expanded(text, variables):
    """Return the text with its variables replaced, as GitLab does outside scripts."""
    return re.sub(r"\$(\w+)", lambda found: variables[found.group(1)], text)


@contextmanager
def checked_out(client, image, files):
    """A container of a job's image with the project, checked out as by the runner's helper.

    The files belong to root and are writable for all users.
    """
    with container_of(client, image) as container:
        for name, data in files.items():
            folder, _, file = f"{PROJECT}/{name}".rpartition("/")
            put(container, folder, {file: data})
        run(container, f"chmod -R a+rwX {BUILDS}")
        yield container


def run_job(container, job, variables):
    """Return the exit code and the log of the job. As in the runner, one shell runs all lines and ends at the first
    failure.
    """
    lines = [*job.get("before_script", []), *job["script"]]
    script = "\n".join(
        ["set -eo pipefail", "set +o noclobber", *(f"echo {shlex.quote('$ ' + line)}\n{line}" for line in lines)]
    )
    return run(container, script, workdir=PROJECT, environment={**PREDEFINED, **variables, **job.get("variables", {})})


def artifacts(container, job):
    """Return the JUnit reports that the runner uploads, regardless of the outcome. Every path must exist."""
    assert job["artifacts"]["when"] == "always"
    for path in job["artifacts"]["paths"]:
        assert run(container, f"test -e {path}", workdir=PROJECT)[0] == 0, path
    pattern = job["artifacts"]["reports"]["junit"]
    listed = run(container, f"shopt -s globstar nullglob; ls {pattern}", workdir=PROJECT)[1].split()
    assert listed, pattern
    return {
        path: junitparser.JUnitXml.fromstring(run(container, f"cat {path}", workdir=PROJECT)[1].encode())
        for path in listed
    }


def failed_tests(report):
    """Return the names of the tests that GitLab shows as failed."""
    suites = [report] if isinstance(report, junitparser.TestSuite) else report
    return [case.name for suite in suites for case in suite if case.result]


# --- what GitLab must accept ----------------------------------------------------------------------


def test_the_folder_holds_what_the_pipelines_use(project):
    """The folder contains all files that the pipelines use.

    Secrets are only below `course`, and the first line says that the project is private.
    """
    files = {str(path.relative_to(project)) for path in project.rglob("*") if path.is_file()}
    assert {".gitlab-ci.yml", "grade.yml", "Dockerfile", "setup.sh", "constraints.txt"} <= files
    assert f"course/reference/{ASSIGNMENT}/kernels.cl" in files
    copied = re.findall(r"^COPY (.*) \S+$", (project / "Dockerfile").read_text(), re.MULTILINE)
    for name in " ".join(copied).split():
        assert list(project.glob(name)), name
    assert "private" in (project / ".gitlab-ci.yml").read_text().splitlines()[0]


@pytest.mark.parametrize("file", [".gitlab-ci.yml", "grade.yml"])
def test_every_job_has_what_gitlab_asks_of_one(project, file):
    """Each job has a script of strings, an image and a declared stage. All variables are strings."""
    variables, jobs = pipeline(project / file)
    stages = yaml.safe_load((project / file).read_text()).get("stages", ["test"])
    assert jobs
    for job in jobs.values():
        assert all(isinstance(line, str) for line in job["script"])
        assert all(isinstance(value, str) for value in (*variables.values(), *job.get("variables", {}).values()))
        assert expanded(job["image"], {**variables, **PREDEFINED})
        assert job.get("stage", "test") in stages
        assert set(job) <= {"stage", "image", "services", "rules", "variables", "script", "retry", "artifacts"}


def test_the_image_is_built_when_what_is_in_it_changes(project):
    """A change to any file that the Dockerfile copies starts the job `image`. Each pattern matches a file."""
    _, jobs = pipeline(project / ".gitlab-ci.yml")
    (rule,) = jobs["image"]["rules"]
    assert rule["if"] == '$CI_PIPELINE_SOURCE == "push"'
    for pattern in rule["changes"]:
        assert list(project.glob(pattern)), pattern
    named = {path for pattern in rule["changes"] for path in project.glob(pattern)}
    assert {path for path in project.rglob("*") if path.is_file()} - named == {
        project / name for name in (".gitlab-ci.yml", "grade.yml")
    }


# --- a student's project --------------------------------------------------------------------------


@pytest.mark.whole
@pytest.mark.parametrize(("submission", "fails"), [(RIGHT, False), (WRONG, True)], ids=["right", "wrong"])
def test_a_push_is_graded_and_its_report_kept(engine, image, project, submission, fails):
    """The job fails if a check fails. In both cases, its reports with the failures are uploaded."""
    variables, jobs = pipeline(project / "grade.yml")
    with checked_out(engine, image, kernels(submission)) as container:
        code, log = run_job(container, jobs["grade"], {**variables, **PATIENT})
        (report,) = artifacts(container, jobs["grade"]).values()
    failures = [name for name in failed_tests(report) if not name.startswith("performance")]
    assert bool(failures) is fails, log
    assert code == 1 if fails else code in {0, 1}  # the speed check may fail on a busy machine
    assert "the model solution's speed" in log or fails


@pytest.mark.whole
def test_what_is_not_graded_is_tried_again(engine, image, project):
    """If a submission cannot be graded, the job ends with the exit code for which GitLab repeats it, and uploads its
    reports.
    """
    variables, jobs = pipeline(project / "grade.yml")
    with checked_out(engine, image, kernels(WRONG)) as container:
        code, _ = run_job(container, jobs["grade"], {**variables, "GRADER_DEVICE": "7"})
        artifacts(container, jobs["grade"])
    assert code == jobs["grade"]["retry"]["exit_codes"] == 3


# --- the course's project -------------------------------------------------------------------------


def batch_of(submissions, course):
    """Return the files of a project with a folder of submissions by student name."""
    files = {str(path.relative_to(course.parent)): path.read_bytes() for path in course.rglob("*") if path.is_file()}
    return files | {f"autumn/{name}/kernels.cl": kernels(folder)["kernels.cl"] for name, folder in submissions.items()}


@pytest.mark.whole
def test_a_folder_of_submissions_is_graded_and_the_results_kept(engine, image, project, tmp_path):
    """The right submission passes, the wrong one fails, and the attacks gain nothing. Every submission has a report."""
    _, jobs = pipeline(project / ".gitlab-ci.yml")
    submissions = {"ada": RIGHT, "bob": WRONG, **{attack.name: attack for attack in ATTACKS}}
    files = batch_of(submissions, hostile_course(tmp_path / "course"))
    with checked_out(engine, image, files) as container:
        code, log = run_job(container, jobs["batch"], {"SUBMISSIONS": "autumn", **BRISK})
        reports = artifacts(container, jobs["batch"])
        assert left_of_workers(container) == []
        assert traces(container) == []
    assert code == 1, log
    (report,) = reports.values()
    for name in submissions:
        (suite,) = [suite for suite in report if suite.name == f"{name} coalsTransp"]
        failures = [test for test in failed_tests(suite) if "performance" not in test]
        assert bool(failures) is (name == "bob"), f"{name}: {failures}\n{log}"


def test_the_batch_runs_only_when_it_is_asked_for(project):
    """A push does not grade any student. The job `batch` starts only if the variable with the submissions is set."""
    _, jobs = pipeline(project / ".gitlab-ci.yml")
    assert jobs["batch"]["rules"] == [{"if": "$SUBMISSIONS"}]
    assert '"$SUBMISSIONS"' in jobs["batch"]["script"][-1]
