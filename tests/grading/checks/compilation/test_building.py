"""building.py: a submission is checked for forbidden constructs and built before any of its kernels runs."""

import os
import signal

import pytest
from compiler_logs import RECORDED
from selection import param

from grader.course.forbidden import Construct
from grader.course.rubric import Kind
from grader.course.submissions.submission import Task, read_submission
from grader.execution.connection import Connection
from grader.execution.outcome import OutOfMemory, TimedOut
from grader.execution.plan import Binding
from grader.execution.states import Idle
from grader.grading.checks.compilation.building import check_build
from grader.protocol.messages import Open
from grader.results.metrics import Usage
from grader.results.verdicts import Reason, Verdict

pytestmark = pytest.mark.spread

SIGNATURE = "__kernel void coalsTransp(__global float *A, __global float *B, uint height, uint width)"
EMPTY = SIGNATURE + " { }\n"

PASTED = f'#define GLUE(a, b) a ## b\n{SIGNATURE} {{\n    GLUE(__as, m__)("nop");\n}}\n'
RENAMED = f'#define nothing __asm__\n{SIGNATURE} {{\n    nothing("nop");\n}}\n'
STRINGS = f"#define READ __has_incl\\\nude\n#define TWICE(x) x x\n{SIGNATURE} {{\n    int i = TWICE(READ);\n}}\n"


@pytest.fixture(scope="module")
def shared(environment):
    """Yield a worker for all tests of this module. Each build opens its own session."""
    with environment.worker() as worker:
        worker.ready()
        yield worker


@pytest.fixture
def worker(shared, monkeypatch):
    """Return the shared worker, which records in `asked` every message that it receives."""
    shared.asked = []
    send = Connection.send
    monkeypatch.setattr(Connection, "send", lambda own, message: (shared.asked.append(message), send(own, message))[1])
    return shared


@pytest.fixture
def build(worker, transposition, tmp_path):
    """Return a function that builds a text for an assignment that allows the given constructs."""

    def run(source, *allow):
        path = tmp_path / "kernels.cl"
        path.write_text(source)
        assignment = transposition.model_copy(update={"allow": allow})
        task = Task(assignment=assignment, submission=read_submission(path), seed=1)
        return check_build(task, worker)

    return run


def refused(found, reason):
    """Assert that the build failed for this reason and that no program is left to run. Return the message."""
    assert (found.check.verdict, found.check.reason) == (Verdict.FAILED, reason), found.check
    assert found.built is None
    return found.check.message


def was_built(worker):
    return any(isinstance(message, Open) for message in worker.asked)


@pytest.mark.whole
def test_the_model_solution_builds(build, transposition):
    """The model solution builds. The build check is worth no points, and the result lists the assignment's kernel."""
    found = build((transposition.reference / "kernels.cl").read_text())
    check = found.check
    assert (check.name, check.kind, check.verdict) == ("build", Kind.BUILD, Verdict.PASSED)
    assert (check.points, check.max_points, check.reason, check.message) == (0, 0, None, "")
    assert check.seconds > 0
    assert found.built.bindings == {"coalsTransp": Binding(name="coalsTransp", takes_local=False)}


def test_what_the_kernels_take_is_kept(build):
    """The build records how much local memory the assignment's kernel declares. Other kernels in the file are
    ignored.
    """
    source = SIGNATURE + "{ __local float t[96]; t[get_local_id(0)] = A[height]; barrier(CLK_LOCAL_MEM_FENCE);"
    found = build(source + "B[0] = t[95 - get_local_id(0)]; }\n__kernel void other(__global float *A) { }\n")
    assert found.built.usage == (Usage(kernel="coalsTransp", local=384),)


def test_the_session_is_closed_and_the_next_can_be_opened(build, worker):
    """A build closes its session, so that another session can be opened afterwards."""
    assert build(EMPTY).built is not None
    assert worker.state == Idle()
    assert build(EMPTY).built is not None


# --- what is forbidden ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ('#include "/etc/passwd"', "includes another file"),
        ("%: include <stdio.h>", "includes another file"),
        ("??=include <stdio.h>", "includes another file"),
        ("#inc\\\nlude <stdio.h>", "includes another file"),
        ("#/* */include <stdio.h>", "includes another file"),
        ("#line 7", "sets line numbers"),
        ('# 7 "other.cl"', "sets line numbers"),
        ('void f() { __asm__("nop"); }', "contains assembly code"),
        ("#if __has_include(<stdio.h>)\n#endif", "looks for other files"),
        ("#if 0\n#include <stdio.h>\n#endif", "includes another file"),
        ("#define HIDDEN asm", "contains assembly code"),
        ("int x;" + " " * 4000, "is longer than 4000 characters"),
    ],
    ids=lambda value: value[:24].strip() if isinstance(value, str) else "",
)
def test_what_is_forbidden_openly_is_never_seen_by_a_worker(build, worker, line, said):
    """A file that openly contains a forbidden construct is neither expanded nor compiled. The message names the line
    and says that the file was not run.
    """
    found = build(f"// first\n{line}\n{EMPTY}")
    message = refused(found, Reason.FORBIDDEN)
    assert message.startswith("line 3 " if line.startswith("#if 0") else "line 2 ")
    assert said in message
    assert message.endswith("The file was not run.")
    assert worker.asked == []


@pytest.mark.parametrize("source", [PASTED, RENAMED], ids=["pasted from two halves", "under another name"])
def test_what_is_forbidden_behind_a_macro_is_expanded_but_never_compiled(build, worker, source):
    """A file that hides a forbidden construct in macros is never compiled. The reported line is the one that uses the
    macro or, if the forbidden word is visible before expansion, the one that contains the word.
    """
    message = refused(build(source), Reason.FORBIDDEN)
    assert "contains assembly code" in message
    assert not was_built(worker)


def test_the_line_of_a_pasted_word_is_that_of_the_macros_use(build):
    """If a macro pastes a forbidden word together, the reported line is the one that uses the macro, where the student
    can find it. The detail shows the word.
    """
    found = build(PASTED)
    assert refused(found, Reason.FORBIDDEN).startswith("line 3 ")
    assert "__asm__" in found.check.detail


def test_a_word_cut_by_a_backslash_is_found(build, worker):
    """A forbidden word that a backslash splits over two lines is found, even in the definition of a macro."""
    refused(build(STRINGS), Reason.FORBIDDEN)
    assert not was_built(worker)


@pytest.mark.whole
@pytest.mark.sampled
@pytest.mark.parametrize(
    "text",
    [
        "// #include <x>\n",
        "/* asm */\n",
        'constant char s[] = "asm #include";\n',
        "int asmx, my_asm;\n",
        "#pragma unroll\n",
    ],
)
def test_words_that_only_look_forbidden_are_not(build, text):
    """A forbidden word in a comment, in a string or as part of a longer name is accepted."""
    assert build(text + EMPTY).check.reason is not Reason.FORBIDDEN


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("source", "construct"),
    [
        (f"#line 7\n{EMPTY}", Construct.LINE),
        (f"{EMPTY}{'/' * 4001}\n", Construct.LONG_LINE),
        (f"\x1b{EMPTY}", Construct.CONTROL),
        (f"#if __has_include(<nothing.h>)\n#endif\n{EMPTY}", Construct.HAS_INCLUDE),
        (f'#if 0\n#include "nothing.h"\n#endif\n{EMPTY}', Construct.INCLUDE),
        (f'#if 0\nvoid f() {{ __asm__("nop"); }}\n#endif\n{EMPTY}', Construct.ASM),
    ],
    ids=lambda value: value if isinstance(value, Construct) else "",
)
def test_an_assignment_can_allow_what_is_forbidden(build, worker, source, construct):
    """A forbidden construct is accepted only if the assignment allows it. Permission for all other constructs is not
    enough.
    """
    others = tuple(each for each in Construct if each is not construct)
    refused(build(source), Reason.FORBIDDEN)
    refused(build(source, *others), Reason.FORBIDDEN)
    assert not was_built(worker)
    assert build(source, construct).check.reason is not Reason.FORBIDDEN


def test_what_is_allowed_is_allowed_behind_a_macro_as_well(build, worker):
    """A construct that the assignment allows is also accepted behind a macro, because the expanded text is checked
    against the same list.
    """
    assert build(PASTED, Construct.ASM).check.reason is not Reason.FORBIDDEN
    assert was_built(worker)


# --- build errors -----------------------------------------------------------------------------


COLUMNS = {
    "no macro": ("    B[0] = nothing;", "line 4, column 12: "),
    "after a constant of the assignment": ("    B[TILE] = nothing;", "line 4: "),
    "before one": ("    B[0] = nothing + TILE;", "line 4, column 12: "),
    "after one in an expression": ("    B[0] = TILE + nothing;", "line 4: "),
    "after one in a comment": ("    /* TILE */ B[0] = nothing;", "line 4, column 23: "),
    "after a comment with accents": ("    /* à côté */ B[0] = nothing;", "line 4, column 25: "),
    "after a string with accents": ('    printf("à"); B[0] = nothing;', "line 4, column 25: "),
    "after a macro of the student's": ("    ONE(0); B[0] = nothing;", "line 4: "),
    "before one of the student's": ("    B[0] = nothing; ONE(0);", "line 4, column 12: "),
    "after a tab": ("\tB[0] = nothing;", "line 4, column 9: "),
}

SOME_COLUMNS = frozenset(
    {"no macro", "after a constant of the assignment", "after a string with accents", "after a tab"}
)
"""Cases for `make test`: one reported column, one unreported column, and two columns that need counting."""


@pytest.mark.parametrize(("line", "where"), [param(each, name, SOME_COLUMNS) for name, each in COLUMNS.items()])
def test_the_column_is_given_where_no_macro_has_moved_it(build, line, where):
    """The column is reported only if no macro has moved it. The compiler counts columns in the expanded text, which can
    differ from the text in the student's editor.
    """
    found = build(f"#define ONE(x) do {{ int unused = x; }} while (0)\n{SIGNATURE}\n{{\n{line}\n}}\n")
    message = refused(found, Reason.BUILD_ERROR)
    assert message.startswith(where), message
    assert "undeclared identifier 'nothing'" in message
    shown = found.check.detail.splitlines()
    assert shown[0].startswith("kernels.cl:4:")
    assert shown[1].strip() == line.strip()
    assert len(shown) == (3 if "column" in where else 2)


LINES = {
    "comment": ("/* one\n   two\n   three */\n", 4),
    "continued macro": ("#define LONG(x) \\\n    ((x) + \\\n     (x))\n", 4),
    "call over lines": ("#define CALL(x, y) x, y\nconstant int pair[] = { CALL(1,\n   2) };\n", 4),
    "condition": ("\n\n#if 0\nskipped\n#else\n#endif\n", 7),
    "empty macro": ("#define EMPTY\nEMPTY\nEMPTY\n", 4),
    "page break": ("\n\f\n", 3),
    "other line end": ("/* \u2028 */\n", 2),
}

SOME_LINES = frozenset({"continued macro", "call over lines", "page break"})
"""Cases for `make test`: a directive, a macro that is used, and a character that does not end a line."""


@pytest.mark.parametrize(("before", "number"), [param(each, name, SOME_LINES) for name, each in LINES.items()])
def test_lines_are_those_of_the_file(build, before, number):
    """A build error has the line number of the student's file, even after comments, macros and conditions."""
    assert refused(build(before + "constant int nothing = wrong;\n" + EMPTY), Reason.BUILD_ERROR).startswith(
        f"line {number}, "
    )


@pytest.mark.parametrize(
    ("source", "where", "said"),
    [
        (f"{EMPTY}/* never closed\n", "line 2, column 1: ", "unterminated /* comment"),
        (f"\n#error write your kernel\n{EMPTY}", "line 2, column 1: ", "#error write your kernel"),
        (f"#if 1\n{EMPTY}", "line ", "#if"),
        (f"#define F(x) x\n{EMPTY}\nint a = F(1;\n", "line 4, column ", "argument"),
    ],
    ids=["comment", "error directive", "condition", "macro call"],
)
def test_what_cannot_be_expanded_is_a_build_error_like_those_of_a_compiler(build, worker, source, where, said):
    """A file that cannot be expanded gets a build error with its line, as from a compiler, and is not compiled."""
    message = refused(build(source), Reason.BUILD_ERROR)
    assert message.startswith(where), message
    assert said in message
    assert not was_built(worker)


@pytest.mark.whole
@pytest.mark.parametrize("slip", [each for each in RECORDED if "pocl" in each.logs], ids=lambda slip: slip.name)
def test_a_slip_is_explained(build, slip):
    """The build error of each recorded mistake names the recorded line on this device and gives the recorded hint."""
    found = build(slip.source)
    message = refused(found, Reason.BUILD_ERROR)
    assert message.startswith(f"line {slip.line}")
    assert (slip.hint or "line") in found.check.sentences
    assert found.check.detail.startswith(f"kernels.cl:{slip.line}:")


# --- what else can be wrong -------------------------------------------------------------------


def test_a_text_without_the_kernel_fails(build):
    """A file without the assignment's kernel fails, although it compiles."""
    assert "no kernel named coalsTransp" in refused(build("__kernel void other() { }\n"), Reason.KERNEL_MISSING)


def test_a_kernel_with_other_arguments_fails(build):
    """A kernel with the wrong arguments fails the build check, before any launch."""
    refused(build(EMPTY.replace(", uint width", "")), Reason.WRONG_ARGUMENTS)


@pytest.mark.parametrize(
    ("outcome", "reason"),
    [(TimedOut(doing="preprocessing", seconds=30), Reason.TIME_LIMIT), (OutOfMemory(), Reason.MEMORY_LIMIT)],
)
def test_a_preprocessor_that_is_overwhelmed_is_the_texts_fault(build, worker, monkeypatch, outcome, reason):
    """If the preprocessor runs out of time or memory, the submission fails for that reason and is not compiled."""
    monkeypatch.setattr(worker, "preprocess", lambda *_: outcome)
    refused(build(EMPTY), reason)
    assert not was_built(worker)


@pytest.mark.whole
def test_a_worker_that_ends_while_it_expands_is_a_crash(build, worker):
    """If the worker dies while it expands a file, for example because the preprocessor's stack overflows, the build
    check reports a crash. The next file is built with a new worker.
    """
    worker.ready()
    os.killpg(worker._connection.process.group, signal.SIGKILL)
    refused(build(EMPTY), Reason.CRASH)
    assert build(EMPTY).check.verdict is Verdict.PASSED
