"""Text on the terminal, in lines that never break within a word."""

import shutil
import textwrap
from typing import TextIO

from grader.protocol.text import showable


def wrapped(line: str, width: int, indent: str = "") -> str:
    """Return a line as lines of this width; lines after the first are indented. A word that is wider than the terminal
    is not broken, so that a path or an address can be copied.
    """
    return textwrap.fill(line, width, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)


def one_line(words: str) -> str:
    """Return the words on one line, without control characters."""
    return " ".join(showable(words).split())


def fitted(words: str, stream: TextIO) -> str:
    """Return the words in lines that fit the terminal. If the stream is not a terminal, return one line, because a
    program may read the stream.
    """
    return wrapped(one_line(words), shutil.get_terminal_size().columns) if stream.isatty() else one_line(words)
