"""Code in sentences, such as the name `lid`. Messages mark it with backticks, and pages show it as a code element."""

import re

from markupsafe import Markup

from grader.protocol.text import showable

CODE = re.compile(r"`([^`\n]+)`")
"""Pattern of code in a sentence. A backtick without a partner in its line is an ordinary character."""

ELEMENTS = Markup("{}"), Markup("<code>{}</code>")
"""Markup of the text between two pieces of code, and of a piece of code."""


def inline_code(text: str) -> Markup:
    """Return a text as markup with code elements. Everything else is escaped because a message may quote a
    submission.
    """
    parts = CODE.split(showable(text))
    return Markup().join(ELEMENTS[place % 2].format(part) for place, part in enumerate(parts))
