"""Text that did not come from us, made safe to show."""

import re

UNSHOWABLE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f"  # control characters: they move cursors, and XML has no way to write them
    "\u202a-\u202e\u2066-\u2069"  # marks that make a line read backwards
    "\ud800-\udfff\ufffe\uffff]"  # no characters at all
)

REPLACEMENT = "\ufffd"


def showable(text: str) -> str:
    """The text with every character that a terminal, an XML file or a reader could choke on replaced."""
    return UNSHOWABLE.sub(REPLACEMENT, text)
