"""probe.py: a full disk, and a database that stores nothing, are told to who watches."""

import shutil
import threading
from types import SimpleNamespace

import pytest
from sqlalchemy import text

from grader.service.database import probe
from grader.service.database.probe import ROOM, STORES_NOTHING, TOO_LITTLE_ROOM, WriteProbe


def test_a_service_that_stores_is_healthy(service):
    """On either database."""
    said = service.browser().get("/health")
    assert (said.status_code, said.text) == (200, "ok\n")


def test_a_disk_that_is_nearly_full_is_told(service, monkeypatch):
    """Before the first hand-in is refused, and no longer once there is room again."""
    if service.database.file is None:
        pytest.skip("the disk is the server's")
    monkeypatch.setattr(probe, "FRESH", 0.0)
    real = shutil.disk_usage
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=ROOM - 1))
    said = service.browser().get("/health")
    assert (said.status_code, said.text) == (503, f"{TOO_LITTLE_ROOM}\n")
    monkeypatch.setattr(shutil, "disk_usage", real)
    assert service.browser().get("/health").status_code == 200


def test_a_database_that_stores_nothing_is_told_and_keeps_nobody_waiting(service, monkeypatch):
    """One look at a time, and none for a while: anybody may ask."""
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
    """SQLite's file may be read only, or its server down."""
    if service.database.file is None:
        pytest.skip("each session of the server says itself whether it writes")
    with service.database.reading() as session:
        session.execute(text("PRAGMA query_only = ON"))
    assert probe.fault_of(service.database) == STORES_NOTHING
