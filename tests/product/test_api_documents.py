"""docs/git.md and docs/api.md: the jobs hand in as they say, the settings can be read, and the signature is right."""

import hashlib
import hmac
import re
import shlex
import time

import pytest
import typer
import yaml
from project import ROOT

from grader.cli.app import app
from grader.common.sign_in import SignInRules
from grader.service.people.auth.api_tokens import OWN_SCOPES, TokenScope
from grader.service.serve.deliveries import signature

GIT, API = ((ROOT / "docs" / name).read_text(encoding="utf-8") for name in ("git.md", "api.md"))
GITLAB, GITHUB, SETTINGS = (yaml.safe_load(each) for each in re.findall(r"```yaml\n(.*?)```", GIT, re.DOTALL))


def submitted(script):
    """Return the options of the only `grader submit` in a script, as the command line reads them."""
    (line,) = [each for each in script if "grader submit" in each]
    command = typer.main.get_command(app).commands["submit"]
    return command.make_context("submit", shlex.split(line.partition("grader submit ")[2])).params


def test_the_job_of_gitlab_uses_an_id_token_for_the_service():
    """GitLab's job gets an ID token whose audience is the service, and publishes the files that it writes."""
    job = GITLAB["submit"]
    assert job["id_tokens"] == {"GRADER_ID_TOKEN": {"aud": job["variables"]["GRADER_SERVICE"]}}
    options = submitted(job["script"])
    written = {"junit": str(options["junit"]), "codequality": str(options["code_quality"])}
    assert (job["artifacts"]["reports"], options["wait"]) == (written, True)


def test_the_job_of_github_may_request_an_id_token():
    """GitHub's job may request an ID token, and uploads the SARIF file that it writes, also if a check has failed."""
    assert GITHUB["permissions"]["id-token"] == "write"
    assert GITHUB["env"]["GRADER_SERVICE"].startswith("https://")
    steps = GITHUB["jobs"]["submit"]["steps"]
    options = submitted([each.get("run", "") for each in steps])
    assert steps[-1]["with"] == {"sarif_file": str(options["sarif"])}
    assert steps[-1]["if"].startswith("always()")


def test_the_settings_for_providers_can_be_read():
    """The settings in docs/git.md list both kinds of providers."""
    rules = SignInRules.model_validate(SETTINGS["sign_in"])
    assert [each.provider for each in rules.ci_providers] == ["gitlab", "github"]


def test_the_document_names_every_scope():
    """docs/api.md explains each scope for the course."""
    assert set(re.findall(r"`(\w+:(?:read|write))`", API.partition("## Requests")[0])) == {*TokenScope} - {*OWN_SCOPES}


@pytest.mark.parametrize(("age", "body", "genuine"), [(0, b"{}", True), (0, b"{ }", False), (400, b"{}", False)])
def test_the_function_that_checks_a_signature_is_right(age, body, genuine):
    """The function in docs/api.md accepts a request of the service, and refuses a changed or an old one."""
    names = {}
    exec(re.search(r"```python\n(.*?)```", API, re.DOTALL)[1], names)
    timestamp = str(int(time.time()) - age)
    headers = {"x-grader-timestamp": timestamp, "x-grader-signature": signature("s", timestamp, b"{}")}
    assert names["is_genuine"]("s", headers, body) is genuine
    assert (
        headers["x-grader-signature"]
        == "sha256=" + hmac.new(b"s", timestamp.encode() + b".{}", hashlib.sha256).hexdigest()
    )
