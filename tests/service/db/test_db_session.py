"""session.py: a transaction is complete or leaves nothing, and neither files nor messages reveal what is stored."""

import pytest
from sqlalchemy.exc import IntegrityError

from grader.common.errors import InputError
from grader.service.db.session import sqlite_url
from grader.service.db.tables.assignments import ReleaseRow
from grader.service.db.tables.people import PersonRow


def test_the_database_is_the_users_alone(tmp_path):
    """Only its owner can read the database file, because it contains submissions and grades."""
    sqlite_url(tmp_path / "data")
    assert [path.stat().st_mode & 0o077 for path in (tmp_path / "data").glob("service.sqlite")] == [0]


def test_a_folder_that_cannot_be_made_is_said(tmp_path):
    """If the data folder cannot be created, the error is an input error that mentions the option --data."""
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="--data"):
        sqlite_url(tmp_path / "file" / "data")


def test_a_transaction_that_fails_leaves_nothing(service):
    """A failed transaction does not change any row."""

    def change_and_fail():
        with service.database.writing() as session:
            session.get_one(PersonRow, service.ada).name = "x"
            raise RuntimeError

    with pytest.raises(RuntimeError):
        change_and_fail()
    assert "Ada" in service.browser("ada").get("/").text


def test_no_message_of_the_database_holds_what_is_stored(service):
    """Database errors do not contain stored values, because an error may be logged."""
    with service.database.writing() as session:
        session.add(ReleaseRow(assignment="small", who="staff", at=service.now))
    with pytest.raises(IntegrityError) as caught, service.database.writing() as session:
        session.add(ReleaseRow(assignment="small", who="a secret", at=service.now))
    assert "a secret" not in str(caught.value)
