"""Line items: the columns of a platform's gradebook, one for each assignment that a course of the platform uses."""

from sqlalchemy import select
from sqlalchemy.orm import Session

from grader.service.db.models import LtiContextRow, LtiLineItemRow


def note_line_item(session: Session, context: LtiContextRow, assignment: str, url: str) -> None:
    """Record that a course uses an assignment, and the column for it if the platform states one."""
    row = session.scalar(select(LtiLineItemRow).filter_by(context_id=context.id, assignment=assignment))
    if row is None:
        session.add(LtiLineItemRow(context_id=context.id, assignment=assignment, url=url))
    elif url:
        row.url = url
