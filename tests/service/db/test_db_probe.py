"""probe.py: monitoring detects a full disk and a database that cannot store anything."""

import shutil
import threading
from types import SimpleNamespace

import pytest
from services import upload
from sqlalchemy import text
from sqlalchemy.exc import OperationalError

from grader.service.db import probe
from grader.service.db.probe import MIN_FREE_BYTES, STORES_NOTHING, TOO_LITTLE_SPACE, WriteProbe, is_disk_full


def test_a_service_that_stores_is_healthy(service):
    """If a service can store data, /health answers 200 and "ok" on both databases."""
    said = service.browser().get("/health")
    assert (said.status_code, said.text) == (200, "ok\n")


def test_a_disk_that_is_nearly_full_is_told(service, monkeypatch):
    """A nearly full disk is reported before the first attempt is refused, and no longer when there is enough space
    again.
    """
    if service.database.file is None:
        pytest.skip("the disk belongs to the PostgreSQL server")
    monkeypatch.setattr(probe, "REUSE_SECONDS", 0.0)
    real = shutil.disk_usage
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=MIN_FREE_BYTES - 1))
    said = service.browser().get("/health")
    assert (said.status_code, said.text) == (503, f"{TOO_LITTLE_SPACE}\n")
    monkeypatch.setattr(shutil, "disk_usage", real)
    assert service.browser().get("/health").status_code == 200


def test_health_tells_instructors_what_it_tells_programs(service, monkeypatch):
    """The page System shows instructors the fault that /health reports, together with the next step. It shows no
    warning while attempts can be stored.
    """
    staff = service.browser("staff")
    assert "may not be stored" not in staff.get("/course/system").text
    monkeypatch.setattr(probe, "REUSE_SECONDS", 0.0)
    monkeypatch.setattr(probe, "fault_of", lambda _: TOO_LITTLE_SPACE)
    page = staff.get("/course/system").text
    assert f"<b>Attempts may not be stored:</b> {TOO_LITTLE_SPACE}. Ask the operator of the service" in page


def test_a_full_disk_is_told_apart_from_a_database_that_is_away(service, monkeypatch, caplog):
    """The page and the log distinguish a full disk from a lost database, because a retry helps only in the
    second case.
    """
    for name, code in (("sqlite_errorname", "SQLITE_FULL"), ("sqlstate", "53100"), ("sqlstate", "08006")):
        fault = Exception("no secret of this is in the log")
        setattr(fault, name, code)

        def fails(*_, fault=fault):
            raise OperationalError("INSERT", {}, fault)

        monkeypatch.setattr("grader.service.web.routes.student.hand_ins.accept", fails)
        caplog.clear()
        said = upload(service.browser("ada"))
        assert said.status_code == 503
        assert ("The disk of this service is full" in said.text) is (code != "08006")
        assert ("The database does not answer" in said.text) is (code == "08006")
        (line,) = caplog.messages
        assert line.startswith(
            "the disk of the database is full" if code != "08006" else "the database does not answer"
        )
        assert "secret" not in line


def test_a_full_sqlite_file_is_a_full_disk(service):
    """An SQLite file that may not grow any further has the error code of a full disk and is treated as one."""
    if service.database.file is None:
        pytest.skip("the disk belongs to the PostgreSQL server")
    with service.database.writing() as session:
        session.execute(text("PRAGMA max_page_count = 1"))
        with pytest.raises(OperationalError) as caught:
            session.execute(text("CREATE TABLE larger AS SELECT zeroblob(1000000)"))
    assert is_disk_full(caught.value)


def test_a_database_that_stores_nothing_is_told_and_keeps_nobody_waiting(service, monkeypatch):
    """Only one probe runs at a time, and its answer is reused for a while, because everyone can request /health."""
    looks, begun, over = [], threading.Event(), threading.Event()

    def slow(_database):
        looks.append(1)
        begun.set()
        over.wait(60)
        return STORES_NOTHING

    monkeypatch.setattr(probe, "fault_of", slow)
    one = WriteProbe()
    first = threading.Thread(target=one.fault, args=(service.database,))
    first.start()
    assert begun.wait(20)
    assert one.fault(service.database) == ""
    over.set()
    first.join()
    assert [one.fault(service.database) for _ in range(3)] == [STORES_NOTHING] * 3
    assert len(looks) == 1


def test_a_database_that_refuses_to_write_is_found(service):
    """The probe detects a database that refuses to write, for example a read-only SQLite file or a server
    that is down.
    """
    if service.database.file is None:
        pytest.skip("PRAGMA query_only exists only in SQLite")
    with service.database.reading() as session:
        session.execute(text("PRAGMA query_only = ON"))
    assert probe.fault_of(service.database) == STORES_NOTHING
