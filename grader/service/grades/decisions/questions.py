"""Questions of students about a grading, and answers by people who teach."""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import func, select
from sqlalchemy.orm import Session, selectinload

from grader.service.db.outbox import Mail, MailKind, put_mail
from grader.service.db.tables.audit import AuditRow
from grader.service.db.tables.decisions import RequestRow
from grader.service.db.tables.submissions import AttemptRow
from grader.service.errors import FieldError, NotFoundError, RefusedError, text_within
from grader.service.grades.publication import HELD_BACK

MAX_LENGTH = 2000
"""Maximum length of a question or an answer."""

MAX_OPEN_QUESTIONS = 5
"""Maximum number of open questions of a student."""


def ask_question(session: Session, attempt: AttemptRow, person_id: int, text: str, now: datetime) -> None:
    """Store a question about a graded attempt. Raises RefusedError without a change if the question is not allowed."""
    if attempt.counted is None:
        raise RefusedError("This attempt is not graded yet; ask after it is graded.")
    if attempt.counted.held:
        raise RefusedError(HELD_BACK)
    unanswered = RequestRow.person_id == person_id, RequestRow.answered.is_(None)
    if session.scalar(select(RequestRow.id).where(*unanswered, RequestRow.attempt_id == attempt.id)) is not None:
        raise FieldError("text", "You have already asked about this attempt; wait for the answer.")
    if (session.scalar(select(func.count(RequestRow.id)).where(*unanswered)) or 0) >= MAX_OPEN_QUESTIONS:
        raise FieldError("text", f"{MAX_OPEN_QUESTIONS} of your questions are open; wait until one is answered.")
    row = {"attempt_id": attempt.id, "person_id": person_id, "at": now, "answer": "", "answered_by": ""}
    session.add(RequestRow(asked=text_within("text", "question", text, MAX_LENGTH), **row))


def answer_question(session: Session, request_id: int, who: str, text: str, now: datetime) -> None:
    """Answer a question, which closes it. Raises NotFoundError if it is unknown, and RefusedError if it is already
    answered.
    """
    row = session.get(RequestRow, request_id)
    if row is None:
        raise NotFoundError
    if row.answered is not None:
        raise RefusedError("This question has already been answered.")
    row.answer, row.answered_by, row.answered = text_within("answer", "answer", text, MAX_LENGTH), who, now
    mail = Mail(kind=MailKind.ANSWERED, assignment=row.attempt.assignment, path=f"/attempts/{row.attempt.public}")
    put_mail(session, row.person_id, mail, now)
    what = f"{row.attempt.in_words}: answered a question: {row.answer}"
    session.add(AuditRow(at=now, who=who, about=row.person.key, what=what))


def open_requests(session: Session) -> Sequence[RequestRow]:
    """Questions without an answer, oldest first."""
    loaded = selectinload(RequestRow.person), selectinload(RequestRow.attempt)
    wanted = select(RequestRow).where(RequestRow.answered.is_(None)).order_by(RequestRow.id)
    return session.scalars(wanted.options(*loaded)).all()


def requests_about(session: Session, attempt: AttemptRow) -> Sequence[RequestRow]:
    """All questions about an attempt, oldest first."""
    wanted = select(RequestRow).where(RequestRow.attempt_id == attempt.id).order_by(RequestRow.id)
    return session.scalars(wanted.options(selectinload(RequestRow.person))).all()
