"""Makes safe text from names that strangers chose: on one line, printable, and not too long."""

import re
from collections.abc import Sequence

from grader.course.submissions.handin import Remark
from grader.protocol.text import REPLACEMENT, showable

LENGTH = 200
"""Maximum number of characters of a path in a line. The two ends of a longer path are enough to recognise it."""

NAMES = 3
"""Maximum number of names in a line. The others are replaced by their number."""

BREAKS = re.compile("[\t\n\u2028\u2029]")


def one_line(text: str) -> str:
    """Return the text on one line. Characters that could break out of the line are replaced, and a long text loses its
    middle.
    """
    shown = BREAKS.sub(REPLACEMENT, showable(text))
    half = LENGTH // 2
    return shown if len(shown) <= LENGTH else f"{shown[:half]}...{shown[-half:]}"


def remark(where: str | Sequence[str], why: str) -> Remark:
    """Return a remark on one path, or on several paths together."""
    wheres = [where] if isinstance(where, str) else list(where)
    named = ", ".join(one_line(each) for each in wheres[:NAMES])
    more = f" and {len(wheres) - NAMES} more" if len(wheres) > NAMES else ""
    return Remark(where=named + more, why=BREAKS.sub(REPLACEMENT, showable(why)))
