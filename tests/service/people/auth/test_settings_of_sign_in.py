"""Sign-in settings come from variables and files. Their secrets never appear on a command line or reach a station."""

import pytest
from services import Service

from grader.cli.commands.service import PlaceOptions, _station_spec
from grader.common.errors import InputError
from grader.common.secret import Secret
from grader.grading.settings import load_settings
from grader.service.people.auth.mail_links import LinkContext
from grader.service.people.auth.methods import sign_in_methods
from grader.service.web.server import WebRules

VARIABLES = {
    "GRADER_NOTICES__WEBHOOK__VALUE": "https://chat.example.org/hush",
    "GRADER_SIGN_IN__PASSWORDS": "true",
    "GRADER_SIGN_IN__MAIL__HOST": "mail.example.org",
    "GRADER_SIGN_IN__MAIL__SENDER": "course@example.org",
    "GRADER_SIGN_IN__MAIL__USER": "course",
    "GRADER_SIGN_IN__MAIL__PASSWORD__VALUE": "hush",
    "GRADER_SIGN_IN__UNIVERSITY__ISSUER": "https://login.example.org",
    "GRADER_SIGN_IN__UNIVERSITY__CLIENT_ID": "grader",
    "GRADER_SIGN_IN__PROXIES": '["10.0.0.1"]',
}


@pytest.fixture
def variables(monkeypatch, tmp_path):
    secret = tmp_path / "secret"
    secret.write_text("hush too\n")
    for name, value in {**VARIABLES, "GRADER_SIGN_IN__UNIVERSITY__CLIENT_SECRET__FILE": str(secret)}.items():
        monkeypatch.setenv(name, value)


@pytest.mark.usefixtures("variables")
def test_variables_and_files_say_how_people_sign_in(tmp_path):
    """Variables and a file with a secret configure sign-in by mail, by password and at the university."""
    rules = load_settings({}).sign_in
    assert (rules.passwords, rules.proxies, rules.mail.port) == (True, ("10.0.0.1",), 587)
    assert rules.university.client_secret.read("x") == "hush too"
    service = Service(tmp_path)
    context = LinkContext(database=service.database, origin=service.origin, now=lambda: service.now)
    entry = sign_in_methods(rules, context, print)
    assert entry.mail.send.password == "hush"
    assert entry.passwords is not None
    assert entry.university is not None


@pytest.mark.usefixtures("variables")
def test_other_web_processes_are_told_all_of_it():
    """Other web processes get all settings, including secrets, on standard input. Every other dump of the settings
    hides the secrets.
    """
    rules = load_settings({}).sign_in
    line = WebRules(sign_in=rules).handed_over()
    assert "\n" not in line
    assert WebRules.model_validate_json(line).sign_in == rules
    assert "hush" in line
    assert "hush" not in rules.model_dump_json() + str(rules.model_dump())


def test_one_setting_opens_private_networks_for_all_web_processes(monkeypatch):
    """Webhooks and learning platforms use the same list of private networks, and every web process gets this list."""
    monkeypatch.setenv("GRADER_PRIVATE_NETWORKS", '["10.1.0.0/16", "192.168.0.1"]')
    networks = load_settings({}).private_networks
    assert [str(each) for each in networks] == ["10.1.0.0/16", "192.168.0.1/32"]
    line = WebRules(private_networks=networks).handed_over()
    assert WebRules.model_validate_json(line).private_networks == networks
    monkeypatch.setenv("GRADER_PRIVATE_NETWORKS", '["intern.example.org"]')
    with pytest.raises(InputError, match="private_networks"):
        load_settings({})


@pytest.mark.usefixtures("variables")
def test_stations_are_not_told(tmp_path):
    """The environment of a station has no sign-in settings, because a submission in the sandbox `process` could read
    them.
    """
    _, spec = _station_spec(PlaceOptions(course=tmp_path), 1)
    assert not [each for each in spec.variables if each.startswith(("GRADER_SIGN_IN", "GRADER_NOTICES"))]
    assert "hush" not in str(spec)


def test_a_secret_that_is_missing_is_one_line(tmp_path):
    """If a secret is missing, a one-line error names the setting and the places where it can be set."""
    for secret in (Secret(), Secret(file=tmp_path / "none")):
        with pytest.raises(InputError, match=r"sign_in\.mail\.password.*file"):
            secret.read("sign_in.mail.password")
