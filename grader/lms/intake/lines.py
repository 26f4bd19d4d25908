"""Makes safe lines of strangers' names: one line each, showable, not too long."""

import re
from collections.abc import Sequence

from grader.course.submissions.handin import Remark
from grader.protocol.text import REPLACEMENT, showable

LENGTH = 200
"""Characters of a path in a line; the ends of a longer path are enough to recognise it."""

NAMES = 3
"""Names in a line; a number replaces the others."""

BREAKS = re.compile("[\t\n\u2028\u2029]")


def one_line(text: str) -> str:
    """Return the text on one line: characters that could break out of it are replaced, and a long text loses its
    middle.
    """
    shown = BREAKS.sub(REPLACEMENT, showable(text))
    half = LENGTH // 2
    return shown if len(shown) <= LENGTH else f"{shown[:half]}...{shown[-half:]}"


def remark(where: str | Sequence[str], why: str) -> Remark:
    """Return a remark on a path, or on several together."""
    wheres = [where] if isinstance(where, str) else list(where)
    named = ", ".join(one_line(each) for each in wheres[:NAMES])
    more = f" and {len(wheres) - NAMES} more" if len(wheres) > NAMES else ""
    return Remark(where=named + more, why=BREAKS.sub(REPLACEMENT, showable(why)))
