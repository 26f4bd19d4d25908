"""Fuzz a student's text: it is read, searched for statements and forbidden words, compared, and shown in
each report.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from hypothesis import strategies as st
from project import ROOT
from samples import PROFILE, counted_as, failed, result
from submission_texts import source_of, submitted

from grader.course.catalogue import Course
from grader.course.rubric import Kind
from grader.course.submissions.scan import scan
from grader.course.submissions.submission import Submission, Task, text_of
from grader.grading.checks.compilation.choices import chosen
from grader.grading.explain.build_log import explain
from grader.lms.intake.matching import defined_in
from grader.protocol.text import showable
from grader.reports import REPORTS, annotated
from grader.reports.html.similarity import comparable
from grader.results.verdicts import Reason

from .search import Target

KIBIBYTE = 1024

SIZES = tuple(KIBIBYTE * 2**power for power in range(9))
"""Sizes up to 256 KiB, which is a quarter of the largest submission."""

BLANKS = ("\n", " ", "\t", "\r\n", "\v", "\f", "\\\n", "  \n", " \t", "\u2028", "\x85", "\u3000")

MARKS = (
    *("/*", "*/", "//", "/**/", "//\n", "/* */", "*", "/", '"', "'", "\\", "(", ")", "{", "}", "[", "]", ";", ","),
    *("#", "##", "%:", "??/", "??=", "<:", "...", "0", "1e+", ".", "0x", "$", "@", "é", "ß", "\u200b", "\U0001d54f"),
)

WORDS = (
    *("typedef ", "typedef uint uint32_t;", "struct ", "a", "_", "kernel ", "__kernel void f(", "__kernel", "void "),
    *("#define ", "#define a b\n", "# ", "#if 1\n", "#endif\n", "#include", "#pragma unroll\n", "asm", "uint32_t"),
    *("grader:", "// grader: TILE = 16", "grader: a b = c", "// grader: local = 1", "// grader: global = (", "a = "),
    *("int a{n};\n", "#define a{n} 1\n", "typedef int a{n};", "// grader: a{n} = 1\n", "kernel f{n}(", "{n} "),
    *("for (;;) ", "barrier(1);", "x = y;\n", "float a;\n", "a,", "((", "{{", "f(", "if (a) ", "/* a */\n", "a\n"),
)

CHARACTERS = st.characters(exclude_categories=["Cs"])


def pieces(*known: Sequence[str]) -> st.SearchStrategy[str]:
    """Return one of the known pieces, or any short text."""
    return st.one_of(*map(st.sampled_from, known), st.text(CHARACTERS, min_size=1, max_size=3))


def repeating(piece: st.SearchStrategy[str]) -> dict[str, st.SearchStrategy[str]]:
    """Return the parts before, inside and after a repetition. A few pieces are more likely than many."""
    around = st.one_of(st.just(""), piece, st.lists(piece, max_size=3).map("".join))
    return {
        "before": around,
        "again": st.one_of(piece, st.lists(piece, min_size=1, max_size=3).map("".join)),
        "after": around,
    }


REPEATED = st.fixed_dictionaries(repeating(pieces(BLANKS, MARKS, WORDS)))


NUMBER = "{n}"
"""Placeholder in a repeated text. The number of the repetition replaces it."""


def repeated(recipe: dict[str, str], size: int) -> str:
    """Return the text that a recipe makes. Its repeated part has about `size` bytes."""
    return recipe["before"] + times_over(recipe["again"], size) + recipe["after"]


def times_over(again: str, size: int) -> str:
    """Repeat a text until it has about `size` bytes."""
    times = size // max(1, len(again.encode()))
    if NUMBER not in again:
        return again * times
    return "".join(again.replace(NUMBER, str(number)) for number in range(times))


@dataclass(frozen=True, kw_only=True)
class HandedIn:
    """A file, and the submission that it contains, which is None if the file is refused."""

    data: bytes
    submission: Submission | None


def make(recipe: dict[str, str], size: int) -> HandedIn:
    """Return the file that a recipe makes."""
    data = repeated(recipe, size).encode()
    try:
        source = text_of(data, Path("kernels.cl"))
        return HandedIn(data=data, submission=submitted(source))
    except Exception:  # noqa: BLE001 - the steps that read the file report the error
        return HandedIn(data=data, submission=None)


@cache
def _course() -> Course:
    return Course(assignments=ROOT / "assignments", reference=ROOT / "reference")


@cache
def _assignment(name: str):
    return _course().load(name)


def _of_source(step):
    """Return a step that runs only for texts that were accepted."""
    return lambda handed_in: handed_in.submission and step(handed_in.submission)


LOG = "".join(f"error: /tmp/x/tempfile_a.cl:{line}:{line}: use of undeclared identifier 'x'\n" for line in range(1, 20))


def _build_log(submission: Submission) -> object:
    return explain(LOG, source_of(submission.source, submission.source.replace(" ", "")))


def _report(name: str):
    wrong = failed("build", kind=Kind.BUILD, reason=Reason.BUILD_ERROR, message="line 2, column 5: what?")
    return lambda it: REPORTS[name](result(wrong, source=showable(it.source), profiles={"": PROFILE}))


def _annotated(submission: Submission) -> str:
    task = Task(assignment=_assignment("coalsTransp"), submission=submission, seed=1)
    return annotated.render(task, counted_as(PROFILE), width=80, color=False)


def _chosen(submission: Submission) -> object:
    """Choose constants in one assignment and launch sizes in another."""
    return [chosen(_assignment(name), submission) for name in ("rectMMM", "vectorAdd")]


TARGET = Target(
    recipes=REPEATED,
    make=make,
    steps={
        "read": lambda it: text_of(it.data, Path("kernels.cl")),
        "scan": lambda it: scan(it.data.decode()),
        "choices": _of_source(_chosen),
        "matching": lambda it: defined_in(it.data, (_assignment("coalsTransp"), _assignment("blockMMM"))),
        "similarity": _of_source(lambda it: comparable(it.source, _assignment("coalsTransp").skeleton)),
        "build log": _of_source(_build_log),
        "json": _of_source(_report("json")),
        "html": _of_source(_report("html")),
        "sarif": _of_source(_report("sarif")),
        "annotated": _of_source(_annotated),
    },
    sizes=SIZES,
)
