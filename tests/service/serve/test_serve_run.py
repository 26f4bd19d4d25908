"""run.py and the station process: the complete service works on its own and survives the death of its processes."""

import csv
import io
import os
import re
import signal
import socket
import sqlite3
import subprocess
import sys
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import httpx2
import pytest
from chromium_pipe import Driven
from commandline import complaint, grader
from courses import course_of
from project import ROOT
from samples import DEVICE
from serving_course import FIELDS, RIGHT, WRONG, Serving, alive, children, hand_in, until

from grader.common.errors import InputError
from grader.grading.device_lock import exclusive
from grader.service.db.tables.grading_states import State
from grader.service.serve.run import ServeRequest, first_lines, ready_database
from grader.service.serve.supervisor import StationSpec


@pytest.fixture
def serving(tmp_path, locks):
    made = Serving(tmp_path, locks)
    made.start()
    yield made
    made.stop()


def rows(serving):
    """Return each grading in the database: the number of its attempt, its state, its tries, and 1 if its
    result counts.
    """
    with sqlite3.connect(serving.folder / "data" / "service.sqlite", timeout=30) as database:
        return database.execute(
            "SELECT number, state, tries, counted_id = gradings.id FROM attempts"
            " JOIN gradings ON attempt_id = attempts.id ORDER BY gradings.id"
        ).fetchall()


def is_done(serving, number=1):
    """Return True if the result is visible to the student."""
    return any(row[0] == number and row[1] in {State.SHOWN, State.DONE} for row in rows(serving))


def is_running(serving):
    return any(state == State.RUNNING for _, state, _, _ in rows(serving))


@pytest.mark.whole
def test_without_the_extra_the_command_says_how_to_install_it(tmp_path):
    """Without the extra `service`, the command explains in one line how to install it and exits as for bad input."""
    (tmp_path / "sitecustomize.py").write_text("import sys; sys.modules['fastapi'] = None\n")
    command = [sys.executable, "-m", "grader.cli.main", "serve", "--data", str(tmp_path / "data")]
    done = subprocess.run(
        command, capture_output=True, text=True, env={**os.environ, "PYTHONPATH": str(tmp_path)}, check=False
    )
    assert done.returncode == 2
    assert "pip install '.[service]'" in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--url", "grader.example.org"], "--url"),
        (["--invite", "nobody"], "nobody"),
        (["--host", "192.0.2.1"], "on 192.0.2.1, port 18999: Cannot assign requested address; give an address"),
        (["--host", "0.0.0.0"], "--url"),
    ],
    ids=["url", "invite", "address", "all"],
)
def test_options_that_cannot_be_used_are_one_line(tmp_path, options, said):
    """An option that cannot be used causes a one-line error before the service starts."""
    done = grader(tmp_path, "serve", "--data", "data", "--port", "18999", *options)
    assert said in complaint(done)


def test_a_port_that_is_taken_is_named_with_the_next_step(tmp_path):
    """If the port is in use, the error names it and gives the next step for both `grader serve` and `make serve`."""
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = str(other.getsockname()[1])
        done = grader(tmp_path, "serve", "--data", "data", "--port", port)
    said = complaint(done)
    assert f"cannot listen on 127.0.0.1, port {port}: another program listens there" in said
    assert "choose another port: --port NUMBER, or `make serve PORT=NUMBER`." in said


@pytest.mark.parametrize(("words", "port"), [((), "8000"), (("PORT=8001",), "8001")], ids=["as it is", "another"])
def test_make_serve_takes_a_port(words, port):
    """`make serve` passes the given or the default port to `grader serve`."""
    done = subprocess.run(
        ["make", "--dry-run", "--old-file", "setup", "--old-file", ".venv/service", "serve", *words],
        cwd=ROOT,
        env={name: value for name, value in os.environ.items() if name != "PORT"},
        capture_output=True,
        text=True,
        check=True,
    )
    (line,) = [line for line in done.stdout.splitlines() if "grader serve" in line]
    assert line.endswith(f" --port {port}")


def test_a_right_and_a_wrong_kernel_are_graded_by_the_real_station(serving):
    """The real station grades a correct and a wrong kernel, from the sign-in link to the report."""
    client = serving.browser()
    wrong = hand_in(client, WRONG)
    until(lambda: is_done(serving, 1))
    right = hand_in(client, RIGHT)
    until(lambda: is_done(serving, 2))
    assert "WRONG_OUTPUT" in client.get(f"{wrong}/report").text
    page = client.get(right).text
    assert re.search("<b>15</b> / 15 points", page)
    assert "passed" in client.get(f"{right}/report").text
    told = client.get(f"{wrong}/events").text
    assert '"check": "correctness: ragged (n 1000)", "verdict": "failed"' in told
    assert [row[3] for row in rows(serving)] == [1, 1]
    invited = grader(serving.folder, "invite", "instructor", "--data", serving.folder / "data")
    assert f"once: {serving.address}/join/" in invited.stdout


@pytest.mark.whole
def test_a_station_that_is_killed_costs_nobody_anything(serving):
    """If a station is killed, its grading is claimed again after the lease. There is one result, and the student loses
    no attempt.
    """
    hand_in(serving.browser(), RIGHT)
    until(lambda: is_running(serving))
    (station,) = serving.stations()
    os.kill(station, signal.SIGKILL)
    until(lambda: is_done(serving))
    assert rows(serving) == [(1, State.DONE, 2, 1)]


@pytest.mark.whole
def test_a_web_process_that_is_killed_loses_nothing(serving):
    """If the web process is killed, its station ends too. After a restart, the attempt gets its result, and the student
    is still signed in.
    """
    client = serving.browser()
    where = hand_in(client, RIGHT)
    until(lambda: is_running(serving))
    (station,) = serving.stations()
    serving.stop(signal.SIGKILL)
    until(lambda: not alive(station))
    serving.start()
    until(lambda: is_done(serving))
    (row,) = rows(serving)
    assert (row[1], row[3]) == (State.DONE, 1)
    assert "<b>15</b> / 15 points" in client.get(where).text


def opens(serving, cookies):
    """Return True if the service answers a new connection in time and the cookies are signed in."""
    with httpx2.Client(base_url=serving.origin, cookies=cookies, timeout=5) as another:
        try:
            return another.get("/").status_code == 200
        except httpx2.TimeoutException:
            return False


LISTENS = "0A"
"""State of a listening socket in /proc/net/tcp, according to proc(5)."""


def listeners(port):
    """Return the number of sockets on this machine that listen on a port."""
    sockets = map(str.split, Path("/proc/net/tcp").read_text().splitlines()[1:])
    return sum(local.endswith(f":{port:04X}") and state == LISTENS for _, local, _, state, *_ in sockets)


@pytest.mark.whole
def test_web_processes_share_the_address_and_one_that_is_killed_is_replaced(tmp_path, locks):
    """Several web processes share one address and all sessions. A killed process is replaced. All processes end
    together with the first one, which can be restarted at once.
    """
    serving = Serving(tmp_path, locks, stations=0, web_processes=2).start()
    client = serving.browser()
    (other,) = children(serving.process)
    os.kill(other, signal.SIGKILL)
    (other,) = until(lambda: [each for each in children(serving.process) if each != other])
    until(lambda: listeners(serving.port) == 2)  # the new process has read its settings and serves pages
    serving.process.send_signal(signal.SIGSTOP)  # now only the other process answers its share of connections
    try:
        until(lambda: opens(serving, client.cookies))
    finally:
        serving.process.send_signal(signal.SIGCONT)
    serving.stop(signal.SIGKILL)
    until(lambda: not alive(other))
    serving.start()
    assert client.get("/").status_code == 200
    serving.stop()


@pytest.mark.whole
def test_killed_again_and_again_every_attempt_ends_with_one_result(serving):
    """Each attempt gets exactly one result, although stations and web processes are killed while gradings run."""
    client = serving.browser()
    for number in range(3):
        hand_in(client, f"// {number}\n{RIGHT}")
        until(lambda: is_running(serving))
        if number == 1:
            serving.stop(signal.SIGKILL)
            serving.start()
        else:
            os.kill(serving.stations()[0], signal.SIGKILL)
        until(lambda wanted=number + 1: is_done(serving, wanted))
    found = rows(serving)
    assert [(row[0], row[1], row[3]) for row in found] == [(number, State.DONE, 1) for number in (1, 2, 3)]
    assert client.get("/assignments/small").text.count("15 / 15") == 3


@pytest.fixture
def driven(browser, tmp_path):
    """Return a real browser that must not log any error, which proves that the pages comply with their own security
    policy.
    """
    made = Driven(browser.program, tmp_path / "driven")
    yield made
    said = [each["text"] for each in made.complaints if each["level"] == "error"]
    made.close()
    assert said == []


def sign_in(driven, link):
    driven.open(link)
    driven.say("document.querySelector('button.main').click()")
    driven.wait("/^(Assignments|Course) /.test(document.title)")


def write_and_hand_in(driven, source):
    """Replace the text in the open editor by this source, and hand it in."""
    driven.wait("document.querySelector('.CodeMirror') !== null")
    driven.say(f"document.querySelector('.CodeMirror').CodeMirror.setValue({source!r})")
    driven.say("document.querySelector('main form button').click()")


ARRIVALS = """
new MutationObserver(() => {
  const decided = document.querySelectorAll('#decided li').length;
  const isOver = document.querySelector('.score') !== null;
  if (decided && !isOver) sessionStorage[location.pathname] = decided;
}).observe(document, {childList: true, subtree: true});
"""
"""Script that stores the number of decided checks on a page before the points appear, even if only for an instant."""


def hand_in_and_watch(driven, source, attempt, locks):
    """Hand in, and check that results appear one by one, without a reload, until the points are shown."""
    with exclusive(DEVICE, locks):  # no check can be decided before the page is open
        write_and_hand_in(driven, source)
        driven.wait(f"document.title.startsWith('Attempt {attempt}') && document.readyState === 'complete'")
        driven.say(ARRIVALS)
    driven.wait("document.querySelector('.score') !== null")
    assert int(driven.say("sessionStorage[location.pathname]") or 0) > 0


@pytest.mark.whole
def test_a_student_in_a_real_browser_comes_from_a_wrong_kernel_to_the_leaderboard(serving, driven, locks):
    """In a real browser, a student signs in, hands in, reads the report, improves the kernel and joins the
    leaderboard.
    """
    sign_in(driven, serving.links["student"])
    driven.open(f"{serving.origin}/assignments/small/edit")
    hand_in_and_watch(driven, WRONG, 1, locks)
    assert "WRONG_OUTPUT" in driven.say("document.querySelector('.issue-cards').innerText")
    driven.open(f"{serving.origin}/assignments/small")
    driven.open(driven.say("document.querySelector('a[href$=edit]').href"))
    assert "x[i] - y[i]" in driven.say("document.querySelector('.CodeMirror').CodeMirror.getValue()")
    hand_in_and_watch(driven, RIGHT, 2, locks)
    assert driven.say("document.querySelector('.score').textContent") == "15 / 15 points"
    driven.open(f"{serving.origin}/assignments/small/leaderboard")
    assert "No one is listed yet." in driven.say("document.body.innerText")
    driven.say("document.querySelector('[name=pseudonym]').value = 'Night Owl'")
    driven.say("document.querySelector('main form button').click()")
    driven.wait("document.body.innerText.includes('Night Owl you')")


HIDDEN_LAST = [{"name": "one", "sizes": {"n": 1}}, {"name": "ragged", "sizes": {"n": 1000}, "hidden": True}]
HIDING = {**FIELDS, "correctness": {**FIELDS["correctness"], "cases": HIDDEN_LAST}}
ONE_ATTEMPT = "attempts: {most: 1}\n"
PAGE = "/assignments/small"
HIDDEN = "5 more are decided after release"


@pytest.fixture
def strict(tmp_path, request):
    """Return the service of a course that hides a case and allows a single attempt."""
    course_of(tmp_path / "course", HIDING)
    (tmp_path / "course" / "course.yaml").write_text(ONE_ATTEMPT)
    return request.getfixturevalue("serving")


def send(driven, action, **fields):
    """Fill in and send the form whose address has this ending, and wait for the answer."""
    form = f"document.querySelector('form[action$=\"{action}\"]')"
    for name, value in fields.items():
        driven.say(f"{form}.querySelector('[name={name}]').value = {value!r}")
    driven.say("window.isBefore = true")
    driven.say(f"{form}.querySelector('button').click()")
    driven.wait("!window.isBefore && document.readyState === 'complete'")


def read(driven):
    return driven.say("document.querySelector('main').innerText")


@pytest.mark.whole
def test_an_instructor_in_a_real_browser_runs_a_course(strict, driven):
    """In a real browser, an instructor extends, corrects, regrades, releases and exports. The student sees each of
    these changes and nothing else.
    """
    student = strict.browser()
    first = hand_in(student, WRONG)
    until(lambda: is_done(strict))
    sign_in(driven, strict.links["instructor"])
    driven.open(f"{strict.origin}/course/points")
    assert "Ada Student" in read(driven)
    driven.open(driven.say("document.querySelector('#lines th a').href"))
    driven.open(driven.say("document.querySelector('main a[href$=small]').href"))

    assert "<dd>0 of 1</dd>" in student.get(PAGE).text
    send(driven, "/extension", attempts="1", reason="was ill")
    assert "<dd>1 of 2</dd>" in student.get(PAGE).text
    assert "was ill" in student.get(PAGE).text
    hand_in(student, RIGHT)
    until(lambda: is_done(strict, 2))

    send(driven, "/decision", points="-2", comment="tidy code")
    assert "tidy code" in student.get(PAGE).text

    driven.open(f"{strict.origin}/course/assignments/small")
    send(driven, "/regrade", which="all")
    until(lambda: [row[1] for row in rows(strict)] == [State.SHOWN] * 4)
    regrading = driven.say("location.href")
    assert "tidy code" in student.get(PAGE).text

    assert HIDDEN in student.get(f"{first}/report").text
    driven.open(f"{strict.origin}/course/assignments/small/release")
    send(driven, "/release")
    assert "students see everything" in read(driven)
    assert HIDDEN not in student.get(f"{first}/report").text
    until(lambda: [row[1] for row in rows(strict)] == [State.DONE] * 4)
    driven.open(regrading)
    assert "0 attempts with new points, 2 unchanged, 0 waiting or running, 0 failed" in read(driven)

    driven.open(f"{strict.origin}/course/exports")
    table = driven.awaited("fetch('/course/exports/grades.csv').then(each => each.text())")
    (row,) = csv.DictReader(io.StringIO(table.removeprefix("\ufeff")))
    assert (row["points"], row["correction"], row["correction_comment"]) == ("13", "-2", "tidy code")


def asked_to_serve(folder, **more):
    asked = {
        "host": "127.0.0.1",
        "port": 8001,
        "url": None,
        "stations": StationSpec(count=0, course=ROOT, settings_json=""),
    }
    return ServeRequest(database=folder, course=ROOT, guide=ROOT, **{**asked, **more})


@pytest.mark.parametrize(
    ("asked", "origin"),
    [
        ({}, "http://127.0.0.1:8001"),
        ({"host": "::1"}, "http://[::1]:8001"),
        ({"host": "localhost"}, "http://localhost:8001"),
        ({"host": "0.0.0.0", "url": "https://Grader.example.org/"}, "https://grader.example.org"),
        ({"port": 80}, "http://127.0.0.1"),
        ({"url": "https://grader.example.org:443"}, "https://grader.example.org"),
        ({"url": "https://grader.example.org:4430"}, "https://grader.example.org:4430"),
    ],
    ids=["IPv4", "IPv6", "name", "url", "usual port", "usual port of TLS", "another port"],
)
def test_browsers_go_to_the_address_that_is_listened_on_or_to_the_one_that_is_named(tmp_path, asked, origin):
    """The origin is the address on which the service listens, or --url. IPv6 addresses get brackets, and default ports
    are left out.
    """
    assert asked_to_serve(tmp_path, **asked).origin == origin


@pytest.mark.parametrize("asked", [{"host": "0.0.0.0"}, {"host": "::"}, {"url": "grader.example.org"}], ids=str)
def test_an_address_that_browsers_cannot_go_to_is_refused(tmp_path, asked):
    """An origin that browsers cannot reach is refused with a hint to --url, because visitors are redirected to the
    origin.
    """
    with pytest.raises(InputError, match="--url"):
        _ = asked_to_serve(tmp_path, **asked).origin


def test_nobody_is_given_two_sign_in_links_at_once(tmp_path):
    """Each person gets only one sign-in link at the start, even an invited person in the demo, because a second link
    would end the first.
    """
    request = asked_to_serve(tmp_path, demo=True)
    with closing(ready_database(tmp_path)) as database:
        list(first_lines(database, request))
        lines = list(first_lines(database, replace(request, invite=("student",))))
    assert [line.partition(",")[0] for line in lines[1:]] == [
        "sign in as Ada Student (student)",
        "sign in as Instructor (instructor)",
    ]
