"""job_sign_in.py and result_files.py: a CI job signs in by its environment, and writes reports about the file in its
repository.
"""

import json

import pytest
from faulty_results import OUTCOMES
from schemas.code_quality import Report
from schemas.sarif import Log

from grader.cli.remote import job_sign_in, result_files
from grader.cli.remote.job_sign_in import commit_key, current_sign_in
from grader.cli.remote.result_files import repository_path, with_path, write_results
from grader.cli.remote.sign_in_file import SignIn
from grader.common.errors import InputError
from grader.reports import REPORTS

HERE = "http://localhost:8000"
VARIABLES = (
    *(job_sign_in.SERVICE, job_sign_in.TOKEN, job_sign_in.ID_TOKEN, job_sign_in.STUDENT),
    *(job_sign_in.GITHUB_ADDRESS, job_sign_in.GITHUB_TOKEN, *job_sign_in.COMMITS),
)


@pytest.fixture(autouse=True)
def empty(monkeypatch, tmp_path):
    """Remove the variables of a CI job, and any stored sign-in."""
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "settings"))
    job_sign_in._exchanged.cache_clear()


class Asked:
    """A service that records requests, and answers each with the same JSON."""

    def __init__(self, monkeypatch, told):
        self.requests = []

        def post_form(service, path, **fields):
            self.requests.append((service._url, path, fields))
            return told

        def ask(service, method, path, _data=None):
            self.requests.append((service._url, method, path))
            return told

        monkeypatch.setattr(job_sign_in.Service, "post_form", post_form)
        monkeypatch.setattr(job_sign_in.Service, "ask", ask)


def test_a_token_in_the_environment_needs_no_sign_in(monkeypatch):
    """A token of the service in a variable is used unchanged, but only with the address of an encrypted service."""
    monkeypatch.setenv("GRADER_TOKEN", "secret")
    with pytest.raises(InputError, match="GRADER_SERVICE is not set"):
        current_sign_in()
    monkeypatch.setenv("GRADER_SERVICE", "http://grader.example.org")
    with pytest.raises(InputError, match="not encrypted"):
        current_sign_in()
    monkeypatch.setenv("GRADER_SERVICE", "https://grader.example.org/")
    assert current_sign_in() == SignIn(url="https://grader.example.org", token="secret")


def test_an_id_token_of_gitlab_is_exchanged_once(monkeypatch):
    """The ID token of the job is exchanged once for a token of the service."""
    asked = Asked(monkeypatch, {"access_token": "t"})
    for name, value in {"GRADER_SERVICE": HERE, "GRADER_ID_TOKEN": "a.b.c", "GRADER_STUDENT": "ada"}.items():
        monkeypatch.setenv(name, value)
    assert current_sign_in() == current_sign_in() == SignIn(url=HERE, token="t")
    ((address, path, fields),) = asked.requests
    assert (address, path, fields["subject_token"], fields["student"]) == (HERE, "/api/v1/jobs/token", "a.b.c", "ada")


def test_a_job_of_github_asks_for_its_id_token(monkeypatch):
    """On GitHub, the ID token is requested for the service as its audience. Without the permission, a hint follows."""
    monkeypatch.setenv("GRADER_SERVICE", HERE)
    with pytest.raises(InputError, match="id-token: write"):
        current_sign_in()
    asked = Asked(monkeypatch, {"access_token": "t", "value": "a.b.c"})
    monkeypatch.setenv("ACTIONS_ID_TOKEN_REQUEST_URL", "https://token.example.com/x?api=2")
    assert current_sign_in().token == "t"
    assert asked.requests[0][2] == "&audience=http%3A%2F%2Flocalhost%3A8000"
    assert asked.requests[1][2]["subject_token"] == "a.b.c"


def test_a_job_that_runs_again_does_not_hand_in_twice(monkeypatch):
    """The key of a hand-in is the commit and the assignment in a CI job, and empty outside one."""
    monkeypatch.setenv("GITHUB_SHA", "4f2a")
    assert commit_key("small") == ""
    monkeypatch.setenv("GRADER_SERVICE", HERE)
    assert commit_key("small") == "4f2a-small"


@pytest.mark.parametrize("name", ["race", "non-ASCII"])
def test_marks_are_at_the_lines_of_the_file_in_the_repository(name):
    """SARIF and Code Quality stay valid, name the file by its path, and mark the same lines as the original."""
    outcome = OUTCOMES[name]
    logs = [REPORTS["sarif"](outcome), with_path("sarif", REPORTS["sarif"](outcome), "hw 1/kernels.cl")]
    old, new = (Log.model_validate_json(each).runs[0].results for each in logs)
    places = [[place.physicalLocation for one in each for place in one.locations] for each in (old, new)]
    assert {each.artifactLocation.uri for each in places[1]} == {"hw%201/kernels.cl"}
    assert [each.region for each in places[1]] == [each.region for each in places[0]] != []
    text = with_path("code_quality", REPORTS["code_quality"](outcome), "hw 1/kernels.cl")
    issues = json.loads(Report.model_validate_json(text).model_dump_json())
    assert {each["location"]["path"] for each in issues} == {"hw 1/kernels.cl"}


def test_the_path_of_the_file_is_relative_to_the_working_directory(tmp_path, monkeypatch):
    """CI systems start jobs in the root of the repository, so marks use paths from there."""
    (tmp_path / "repository" / "small").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "repository")
    assert repository_path(tmp_path / "repository" / "small") == "small/kernels.cl"
    (tmp_path / "other.cl").touch()
    assert repository_path(tmp_path / "other.cl") == "other.cl"


def test_without_a_result_the_files_contain_the_reason(tmp_path, monkeypatch):
    """A cancelled attempt and a result that is held back lead to valid files without results."""
    monkeypatch.setattr(result_files, "current_sign_in", lambda: SignIn(url=HERE, token="t"))
    told = {"assignment": "small", "number": 1, "result": None, "held_back": True}
    for state, words in (("cancelled", "is cancelled"), ("done", "held back")):
        Asked(monkeypatch, {**told, "state": state})
        files = {"sarif": tmp_path / "x.sarif", "code_quality": tmp_path / "x.json"}
        write_results("x", tmp_path, files)
        run = Log.model_validate_json(files["sarif"].read_text()).runs[0]
        assert (run.results, run.invocations[0].executionSuccessful) == ([], False)
        assert words in files["code_quality"].read_text()
