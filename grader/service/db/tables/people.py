"""The people of the course, and their pseudonyms."""

from datetime import datetime
from enum import StrEnum

from sqlalchemy import Connection, ForeignKey, Index, UniqueConstraint, event, select
from sqlalchemy.orm import Mapped, mapped_column, validates

from grader.common.errors import InputError
from grader.service.db.keys import folded_key
from grader.service.db.tables.base import NEVER_REUSED_NUMBERS, Base


class CourseRole(StrEnum):
    """Role of a person in the course, which determines their permissions."""

    STUDENT = "student"
    ASSISTANT = "assistant"
    INSTRUCTOR = "instructor"


class PersonRow(Base):
    """A person of the course. `key` is the university's name for the person, such as a mail address. `folded` is equal
    for keys that look alike (keys.py). `team` is the name of the group with which the person hands in, if an assignment
    allows groups. A person whose `deactivated` time is set cannot sign in.
    """

    __tablename__ = "people"

    id: Mapped[int] = mapped_column(primary_key=True)
    key: Mapped[str] = mapped_column(unique=True)
    folded: Mapped[str] = mapped_column(server_default="")
    name: Mapped[str]
    role: Mapped[str]
    team: Mapped[str | None]
    created: Mapped[datetime]
    deactivated: Mapped[datetime | None]

    __table_args__ = (Index("people_folded", "folded"), NEVER_REUSED_NUMBERS)

    @validates("key")
    def _fold(self, _name: str, key: str) -> str:
        """Update `folded` with the key."""
        self.folded = folded_key(key)
        return key


@event.listens_for(PersonRow, "before_insert")
def _refuse_a_second(_mapper: object, connection: Connection, person: PersonRow) -> None:
    """Raise InputError if the key looks like another person's key. Only one transaction writes at a time, so no other
    transaction can add such a person meanwhile.
    """
    people = PersonRow.__table__
    there = connection.scalar(select(people.c.key).where(people.c.folded == person.folded).limit(1))
    if there is not None:
        raise InputError(f"the key {person.key} could be mistaken for {there}, which is already in this course.")


class PseudonymRow(Base):
    """A person's pseudonym on leaderboards. `folded` is equal for names that look alike."""

    __tablename__ = "pseudonyms"

    id: Mapped[int] = mapped_column(primary_key=True)
    person_id: Mapped[int] = mapped_column(ForeignKey("people.id"))
    name: Mapped[str]
    folded: Mapped[str]

    __table_args__ = (
        UniqueConstraint("person_id", name="pseudonyms_once"),
        UniqueConstraint("folded", name="pseudonyms_unique"),
    )
