"""cli/remote: the commands that talk to a service, run against a real one on this machine."""

import socket
import threading
import time
from pathlib import Path

import pytest
import uvicorn
from hidden_parts import failing, right
from samples import RACE
from schemas.code_quality import Report
from schemas.sarif import Log
from services import Service, post

from grader.cli.exit_codes import FAILED, PASSED, UNGRADED
from grader.cli.remote import handing_in, sessions, sign_in_file
from grader.cli.remote.calls import origin_of
from grader.cli.remote.result_files import DOWNLOADS, write_results
from grader.cli.remote.sign_in_file import SignIn
from grader.common.errors import InputError, UngradedError
from grader.results.verdicts import Reason
from grader.service.station.storage import ready

FAILED_SPEED = {"check": "speed", "verdict": "failed", "reason": "DATA_RACE", "words": "it is slow."}


@pytest.fixture
def served(tmp_path, monkeypatch, free_port):
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "settings"))
    monkeypatch.setattr(sessions, "time", type("Hasty", (), {"sleep": staticmethod(lambda _: None)}))
    service = Service(tmp_path, origin=f"http://127.0.0.1:{free_port}")
    server = uvicorn.Server(uvicorn.Config(service.app, host="127.0.0.1", port=free_port, log_level="warning"))
    thread = threading.Thread(target=server.run)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    yield service
    server.should_exit = True
    thread.join()
    service.database.close()


@pytest.fixture
def free_port():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]


def test_a_terminal_signs_in_hands_in_watches_and_signs_out(served, tmp_path):
    """A terminal signs in, hands in, watches the grading, shows the points and signs out.

    Only the owner can read the file with the token, and signing out removes it. All lines except those with an address
    fit into the terminal.
    """
    said = []

    def say(words):
        said.append(words)
        if "the code " in words:
            code = words.partition("the code ")[2].partition(".")[0]
            post(served.browser("ada"), "/device", code=code, answer="allow")

    sessions.sign_in(served.origin, say)
    assert sign_in_file.path().stat().st_mode & 0o777 == 0o600
    (tmp_path / "kernels.cl").write_bytes(b"__kernel void add() {}\n")
    attempt = handing_in.hand_in(tmp_path, "small", say)
    served.finish(served.claim())
    assert handing_in.watch(attempt, say, 80) == PASSED
    sessions.standing(say)
    assert "15/15" in said[-1]
    with pytest.raises(InputError, match="grader status"):
        handing_in.hand_in(tmp_path, "nonsense", say)
    sessions.sign_out(say)
    assert not sign_in_file.path().exists()
    with pytest.raises(InputError, match="grader login URL"):
        sessions.standing(say)
    assert all(len(line) <= 80 for line in said if "http" not in line)


@pytest.mark.whole
def test_a_job_with_a_token_hands_in_once_and_writes_reports(served, tmp_path, monkeypatch):
    """A CI job with a token in a variable hands in a commit once, although it runs twice. It writes reports that mark
    the lines of the file in the repository.
    """
    token = served.token(served.ada, "read submit")
    variables = {"GRADER_SERVICE": served.origin, "GRADER_TOKEN": token, "CI_COMMIT_SHA": "4f2a"}
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(tmp_path)
    Path("hw").mkdir()
    Path("hw/kernels.cl").write_bytes(b"__kernel void add() {}\n")
    attempt, again = (handing_in.hand_in(Path("hw"), "small", str) for _ in range(2))
    assert attempt == again
    assignment = served.course.load("small")
    racing = failing(right(assignment), 1, message="line 3 is wrong.", findings=(RACE,))
    racing = racing.model_copy(update={"source": "    int a = 1;\n" * 20})
    served.finish(served.claim(), ready(racing, assignment))
    assert handing_in.watch(attempt, str, 80) == FAILED
    files = {name: tmp_path / name for name in DOWNLOADS}
    write_results(attempt, Path("hw"), files)
    _, race = Log.model_validate_json(files["sarif"].read_text()).runs[0].results
    places = [each.physicalLocation for each in (*race.locations, *race.relatedLocations)]
    assert {each.artifactLocation.uri for each in places} == {"hw/kernels.cl"}
    assert [each.region.startLine for each in places] == [13, 17, 13]
    _, issue = Report.model_validate_json(files["code_quality"].read_text()).root
    assert (issue.location.path, issue.location.lines.begin) == ("hw/kernels.cl", 13)
    assert files["junit"].read_text().startswith("<?xml")


@pytest.mark.parametrize("url", ["http://example.org", "ftp://example.org", "example.org", "https://a:b@example.org"])
def test_no_secret_is_sent_to_an_address_that_is_not_encrypted_or_none(url):
    """An address without encryption, or with a password in it, raises InputError with a hint about the right form."""
    with pytest.raises(InputError, match="https://"):
        origin_of(url)


def test_a_service_that_cannot_be_reached_is_said_so(free_port):
    """An unreachable service raises UngradedError with advice, because the submission is not at fault."""
    with pytest.raises(UngradedError, match="check the address and your network"):
        sessions.sign_in(f"http://127.0.0.1:{free_port}", print)


@pytest.mark.parametrize(("data", "said"), [(b"", "is empty"), (b"\x7fELF\x00", "is a binary file")])
def test_a_file_that_is_no_source_text_is_refused_without_a_request(tmp_path, monkeypatch, free_port, data, said):
    """An empty or binary file raises InputError before any request, so that it needs no network."""
    monkeypatch.setattr(handing_in, "current_sign_in", lambda: SignIn(url=f"http://127.0.0.1:{free_port}", token=""))
    (tmp_path / "kernels.cl").write_bytes(data)
    with pytest.raises(InputError, match=said):
        handing_in.hand_in(tmp_path, "small", print)


@pytest.mark.parametrize(
    ("verdict", "reason", "code"),
    [
        ("passed", "", PASSED),
        ("failed", Reason.WRONG_OUTPUT, FAILED),
        ("skipped", Reason.NOT_MEASURED, UNGRADED),
        ("skipped", Reason.INTERFERENCE, UNGRADED),
        ("skipped", Reason.NO_SIMULATOR, UNGRADED),
    ],
)
def test_exit_codes_are_those_of_grade(verdict, reason, code):
    """The exit codes for a remote attempt are those of `grader grade`, as far as a short result allows."""
    assert handing_in.code_of([{"verdict": verdict, "reason": str(reason)}]) == code


@pytest.mark.parametrize(
    ("event", "data", "line"),
    [
        ("place", {"ahead": 2, "wait": "about 3 minutes"}, "waiting: 2 before yours; it starts in about 3 minutes"),
        ("place", {"ahead": 2, "wait": ""}, "waiting: 2 before yours"),
        ("place", {"ahead": 0}, "waiting: yours is next"),
        ("note", {"check": "build", "verdict": "passed", "reason": "", "words": ""}, "passed  build"),
        ("note", {**FAILED_SPEED, "reason": "TOO_SLOW"}, "failed  speed  TOO_SLOW\n        it is slow."),
        (
            "note",
            {**FAILED_SPEED, "reason": "NOT_RUN", "words": "skipped: fix it."},
            "skipped speed  NOT_RUN\n        fix it.",
        ),
        (
            "note",
            {**FAILED_SPEED, "check": "tall (n 9)", "words": f"line 3: the work-items\n{'race ' * 12}here."},
            f"failed  tall (n 9)  DATA_RACE\n        line 3: the work-items{' race' * 10}\n        race race here.",
        ),
    ],
)
def test_each_event_names_what_it_is_about(monkeypatch, event, data, line):
    """Each event becomes lines that name its check and fit into the terminal, in the words of `grader grade`.

    A check that did not run because another failed is shown as skipped. Older services do not estimate the waiting
    time.
    """
    told = {"state": "cancelled"}
    monkeypatch.setattr(handing_in, "current_sign_in", lambda: sign_in_file.SignIn(url="http://localhost", token="t"))
    monkeypatch.setattr(handing_in, "_events", lambda *_: iter([(event, data), ("over", told)]))
    monkeypatch.setattr(handing_in.Service, "ask", lambda *_: told)
    said = []
    assert handing_in.watch("x", said.append, 80) == UNGRADED
    assert said[0] == line


@pytest.mark.parametrize("width", [40, 80, 120])
def test_what_to_read_first_is_told_in_full(monkeypatch, width):
    """The first cause is printed in full regardless of its length, and no line is wider than the terminal."""
    cause = "line 13 overwrites words of `scratch` that another work-item still reads in line 13. " * 5
    told = {"state": "done", "points": 4.0, "max_points": 100.0, "result": {"first_cause": cause, "checks": []}}
    monkeypatch.setattr(handing_in, "current_sign_in", lambda: sign_in_file.SignIn(url="http://localhost", token="t"))
    monkeypatch.setattr(handing_in, "_events", lambda *_: iter([]))
    monkeypatch.setattr(handing_in.Service, "ask", lambda *_: told)
    said = []
    assert handing_in.watch("x", said.append, width) == PASSED
    lines = said[-1].splitlines()
    assert said[-2] == "total: 4 of 100 points"
    assert " ".join(said[-1].split()) == f"start here: {cause.strip()}"
    assert max(map(len, lines)) <= width
    assert all(line.startswith("        ") for line in lines[1:])


@pytest.mark.whole
def test_a_file_whose_answer_is_lost_is_handed_in_once(served, tmp_path, monkeypatch):
    """If the service's answer was lost, repeating the command finds the attempt that was created.

    After an answer, or with another file, the command creates another attempt.
    """
    token = served.token(served.ada, "read submit")
    sign_in_file.store(sign_in_file.SignIn(url=served.origin, token=token))
    (tmp_path / "kernels.cl").write_bytes(b"__kernel void add() {}\n")
    ask = handing_in.Service.ask

    def lost(*asked):
        ask(*asked)
        raise UngradedError("lost")

    def lose_one():
        with monkeypatch.context() as patch:
            patch.setattr(handing_in.Service, "ask", lost)
            with pytest.raises(UngradedError):
                handing_in.hand_in(tmp_path, "small", print)

    lose_one()
    first = handing_in.hand_in(tmp_path, "small", print)
    assert served.attempt(1).public == first
    assert handing_in.hand_in(tmp_path, "small", print) == served.attempt(2).public
    lose_one()
    (tmp_path / "kernels.cl").write_bytes(b"__kernel void add() { }\n")
    assert handing_in.hand_in(tmp_path, "small", print) == served.attempt(4).public
