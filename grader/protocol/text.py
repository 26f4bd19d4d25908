"""Text from untrusted sources, made safe to show."""

import re

UNSHOWABLE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f"  # control characters: they move cursors, and XML has no way to write them
    "\u202a-\u202e\u2066-\u2069"  # marks that reverse the order of the text in a line
    "\ud800-\udfff\ufffe\uffff]"  # code points that are not characters
)

REPLACEMENT = "\ufffd"

CONTROL_NAMES = (
    *("NUL", "SOH", "STX", "ETX", "EOT", "ENQ", "ACK", "BEL", "BS", "TAB", "LF", "VT", "FF", "CR", "SO", "SI"),
    *("DLE", "DC1", "DC2", "DC3", "DC4", "NAK", "SYN", "ETB", "CAN", "EM", "SUB", "ESC", "FS", "GS", "RS", "US"),
)
"""The names of the first 32 characters."""

CONTROLS = frozenset(map(chr, (*range(0x20), 0x7F))) - frozenset("\t\n\v\f\r")
"""The control characters of ASCII except white space."""

SPACES = str.maketrans(dict.fromkeys(CONTROLS, " "))


def showable(text: str) -> str:
    """The text with a replacement for every character that a terminal, an XML file or a reader cannot handle."""
    return UNSHOWABLE.sub(REPLACEMENT, text)


def one_line(text: str) -> str:
    """The text on one line, without control characters. A file name may contain anything, even line breaks."""
    return " ".join(showable(text).split())


def control_name(letter: str) -> str:
    """The name of a control character, with its form in editors: "ESC (^[)"."""
    name = CONTROL_NAMES[ord(letter)] if ord(letter) < len(CONTROL_NAMES) else "DEL"
    return f"{name} (^{chr(ord(letter) ^ 0x40)})"


def without_controls(text: str) -> str:
    """The text with a space in place of each control character."""
    return text.translate(SPACES)
