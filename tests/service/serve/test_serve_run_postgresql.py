"""Two web processes and two stations share one PostgreSQL database. Each of them is a separate program."""

import os
import signal
from contextlib import ExitStack
from pathlib import Path

import pytest
from serving_course import RIGHT, Serving, alive, children, hand_in, until

from grader.service.db.migrate import migrate
from grader.service.db.session import Database
from grader.service.db.tables.grading_states import State
from grader.service.db.tables.submissions import AttemptRow, GradingRow


@pytest.fixture
def home(postgresql, tmp_path, locks):
    """Start two web processes and two stations. Return them with their database."""
    url = postgresql.new()
    database = Database(url)
    migrate(database)
    with ExitStack() as stack:
        stack.callback(database.close)
        pages = [Serving(tmp_path, locks, url, stations=0) for _ in range(2)]
        for each in pages:
            each.address = pages[0].origin
            stack.callback(each.stop)
            each.start()
        stations = [pages[0].program(tmp_path / f"station{number}.log", "station") for number in range(2)]
        for each in stations:
            stack.callback(each.wait, 60)
            stack.callback(each.terminate)
        yield pages, stations, database


def gradings(database):
    with database.reading() as session:
        query = session.query(GradingRow.state, GradingRow.claimed_by, AttemptRow.counted_id == GradingRow.id)
        return query.join(GradingRow.attempt).order_by(GradingRow.id).all()


@pytest.mark.whole
def test_two_web_processes_and_two_stations_on_one_postgresql(home):
    """If one web process accepts an attempt, the other shows its progress live. Killing a station does not lose a
    grading, and the list of processes does not contain the database's password.
    """
    pages, stations, database = home
    first, second = pages[1].browser("student"), pages[1].browser("instructor")
    first.base_url = pages[0].origin  # a sign-in at one process is valid at both
    until(lambda: all(children(each) for each in stations))
    words = [Path(f"/proc/{pid}/cmdline").read_text() for each in stations for pid in children(each)]
    assert not any("postgresql://" in each for each in words)
    where = hand_in(first, RIGHT)
    told = second.get(f"{where}/events").text
    assert '"verdict": "passed"' in told
    assert "event: over" in told
    assert "<b>15</b> / 15 points" in second.get(where).text
    until(lambda: gradings(database)[0].state == State.DONE)
    killed = children(stations[0])[0]
    os.kill(killed, signal.SIGKILL)
    until(lambda: not alive(killed))
    hand_in(first, f"// again\n{RIGHT}")
    until(lambda: len(gradings(database)) == 2 and gradings(database)[1].state == State.DONE)
    assert [each[2] for each in gradings(database)] == [True, True]
