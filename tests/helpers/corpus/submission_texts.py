"""Makers of submissions, and of texts that could keep the judge busy for a long time."""

from pathlib import Path

from grader.course.submissions.scan import scan
from grader.course.submissions.submission import Submission
from grader.grading.explain.build_log import Source


def submitted(source):
    """Return a submission with this text."""
    return Submission(path=Path("kernels.cl"), source=source, sha256="", scan=scan(source))


def source_of(written, compiled=None):
    """Return a text and its preprocessed form, as the explanations of compiler messages need them."""
    compiled = written if compiled is None else compiled
    return Source(text=written, written=scan(written).code, compiled=scan(compiled).code)


def _filled(unit):
    return lambda size: (unit * (size // len(unit) + 1))[:size]


HONEST = "__kernel void k(__global float *A, uint n)\n{\n    int i = get_global_id(0);  // c\n    A[i] = 2.0f;\n}\n"

COSTLY = {
    "lines of a kernel": _filled(HONEST),
    "blank lines": _filled("\n"),
    "blanks": _filled(" "),
    "typedefs without an end": _filled("typedef "),
    "typedefs": _filled("typedef int a;"),
    "a blank comment": lambda size: f"/*{chr(10) * size}*/",
    "blanks in a comment": lambda size: f"// {' ' * size}x",
    "a statement followed by blanks": lambda size: f"// grader: a = 1{' ' * size}x",
    "blanks in a statement": lambda size: f"// grader:{' ' * size}x",
    "statements": _filled("// grader: A = 1\n"),
    "statements in one comment": lambda size: f"/*{_filled('grader: A = 1' + chr(10))(size)}*/",
    "marks of statements": _filled("// grader: "),
    "defines": _filled("#define A\n"),
    "directives without a name": _filled("#\n"),
    "assembly": _filled("asm "),
    "marks": _filled(";"),
    "empty comments": _filled("/**/"),
    "comments without an end": _filled("/*"),
    "a slash": _filled("/"),
    "stars": _filled("*"),
    "quotes": _filled("\"'\n"),
    "strings without an end": _filled('"'),
    "backslashes in a string": lambda size: f'"{chr(92) * size}',
    "continued lines": _filled("\\\n"),
    "backslashes": _filled("\\ "),
    "question marks": _filled("?"),
    "trigraphs": _filled("??/\n"),
    "digits": _filled("1e"),
    "one name": _filled("a"),
    "letters of other scripts": _filled("é\u2028"),
}
"""Functions that make a text of a given size, by a description of its content."""
