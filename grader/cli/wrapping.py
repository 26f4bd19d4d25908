"""Wraps text for the terminal without breaking words."""

import shutil
import textwrap
from typing import TextIO

from grader.protocol.text import one_line


def wrapped(line: str, width: int, indent: str = "") -> str:
    """Wrap a line at this width, and indent the continuation lines. A word that is wider than the terminal is not
    broken, so that a path or an address can be copied.
    """
    return textwrap.fill(line, width, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)


def fitted(words: str, stream: TextIO) -> str:
    """Return the text, wrapped to fit the terminal. If the stream is not a terminal, return it on one line, because a
    program may read the stream.
    """
    return wrapped(one_line(words), shutil.get_terminal_size().columns) if stream.isatty() else one_line(words)
