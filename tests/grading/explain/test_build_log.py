"""build_log.py: reads and explains compiler messages. Most of the logs are in build_logs/, and a few are written by
hand.
"""

from pathlib import Path

import pytest
from compiler_logs import FOLDER, RECORDED
from cost_growth import assert_linear
from submission_texts import source_of

from grader.grading.explain.build_log import (
    LINE_LIMIT,
    LOG_LIMIT,
    SHOWN,
    WIDTH,
    CompilerMessage,
    clean,
    explain,
    of_build_log,
    parse,
)
from grader.results.verdicts import Reason

EACH_LOG = [pytest.param(slip, log, id=f"{slip.name}-{by}") for slip in RECORDED for by, log in slip.logs.items()]


def error(line, column, text):
    return CompilerMessage(severity="error", line=line, column=column, text=text)


def by_name(name):
    return next(slip for slip in RECORDED if slip.name == name)


def told(source, log, compiled=None):
    return explain(log, source_of(source, compiled))


# --- parsing a log ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "line",
    [
        "error: /tmp/x/home/tempfile_Pp6381.cl:5:10: use of undeclared identifier 'x'",
        "error: /tmp/x/tempfile_P.cl:5:10 <Spelling=/usr/share/pocl/_renames.h:9:2>: use of undeclared identifier 'x'",
        "error: /tmp/x/tempfile_P.cl:5:10 <Spelling=<command line>:5:18>: use of undeclared identifier 'x'",
        "<kernel>:5:10: error: use of undeclared identifier 'x'",
        "<program source>:5:10: fatal error: use of undeclared identifier 'x'",
        "/tmp/OCL123/input.cl:5:10: error: use of undeclared identifier 'x'",
        "1:5:10: error: use of undeclared identifier 'x'",
        "kernels.cl:5:10: error: use of undeclared identifier 'x'",
    ],
    ids=["PoCL", "PoCL renamed", "PoCL defined", "NVIDIA", "fatal", "AMD", "Intel", "our preprocessor"],
)
def test_every_drivers_form_of_an_error_is_read(line):
    """An error is recognised in the format of every driver. The message is the same, but each driver adds different
    text around it.
    """
    assert parse(line) == (error(5, 10, "use of undeclared identifier 'x'"),)


@pytest.mark.parametrize(
    ("line", "text"),
    [
        (
            "ptxas error   : Entry function 'k' uses too much shared data",
            "Entry function 'k' uses too much shared data",
        ),
        ("ptxas application ptx input, line 12; error   : Unknown symbol 'f'", "Unknown symbol 'f'"),
        ("ptxas fatal   : Unresolved extern function 'average'", "Unresolved extern function 'average'"),
        ("Error: code generation failed", "code generation failed"),
        ("error: unknown target CPU 'generic'", "unknown target CPU 'generic'"),
    ],
)
def test_an_error_without_a_place_is_read(line, text):
    """An error without a line is recognised, because the later stages of a compiler report functions instead of
    lines.
    """
    assert parse(line) == (error(None, None, text),)


def test_too_much_local_memory_is_told_in_kibibytes():
    """The sizes in NVIDIA's error about too much local memory, which are hexadecimal numbers of bytes, are given in
    KiB.
    """
    log = (
        "\nptxas info    : 0 bytes gmem\n"
        "ptxas error   : Entry function 'k' uses too much shared data (0x10000 bytes, 0xc000 max)\n"
    )
    assert told("", log).message == "Entry function 'k' uses too much shared data (0x10000 bytes, 0xc000 max)."
    assert told("", log).help == (
        "Its __local arrays take 64 KiB, and a work-group has 48 KiB on this device: make them smaller."
    )


def test_a_place_in_a_drivers_header_is_none_of_the_students():
    """A line number in a header of the driver is omitted, because it would be mistaken for a line of the student's
    file.
    """
    assert parse("/usr/lib/x/opencl-c.h:164:14: error: redefinition of 'step'") == (
        error(None, None, "redefinition of 'step'"),
    )


def test_echoed_lines_carets_and_counts_are_left_out():
    """Quoted source lines, carets and counts of errors are omitted. Clang's notes on macros and earlier declarations
    are kept.
    """
    log = by_name("macro-of-mine").logs["nvidia"]
    assert [(each.severity, each.line) for each in parse(log)] == [("error", 5), ("note", 1)]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("ambiguous-max", "call to 'max' is ambiguous"),
        ("pointer-to-value", "assigning to '__global float *' from incompatible type 'const __global float'"),
    ],
)
def test_what_the_student_never_wrote_is_left_out(name, text):
    """Names that the student did not write are removed: PoCL's internal names for library functions, and the private
    address space of a pointer.
    """
    (remark,) = parse(by_name(name).logs["pocl"])
    assert remark.text == text


@pytest.mark.parametrize("log", ["", "\n\n", "a:b:c", "error:", "<kernel>:5:10:", "1:2:3: error:", "\0"])
def test_a_log_without_an_error_has_no_remarks(log):
    """A log without an error, or with fragments of one, yields no messages and raises no exception."""
    assert parse(log) == ()


# --- explaining a log -------------------------------------------------------------------------


@pytest.mark.parametrize(("slip", "log"), EACH_LOG)
def test_a_slip_is_told_with_its_line_and_its_hint(slip, log):
    """In the log of every compiler, the line of the recorded mistake is found. If it is certain what to write instead,
    the help says so.
    """
    explanation = told(slip.source, log)
    assert explanation.message.startswith((f"line {slip.line}, column ", f"line {slip.line}: "))
    if slip.hint is None:
        assert explanation.message.removesuffix(".").endswith(parse(log)[0].text)
    else:
        assert slip.hint in f"{explanation.message} {explanation.help}"
    assert explanation.detail.splitlines()[1].strip(" .") in slip.source.splitlines()[slip.line - 1]


def test_every_kernel_has_its_expectation_and_a_log():
    """Every recorded kernel has an expectation and at least one log, so that no recorded file is unused."""
    assert {slip.name for slip in RECORDED} == {path.stem for path in FOLDER.glob("*.cl")}
    assert [slip.name for slip in RECORDED if not slip.logs] == []


def test_the_caret_stands_below_what_the_compiler_means():
    """The caret is below the column that the compiler reports. The source line is shown as the student wrote it,
    without its indentation.
    """
    detail = told(by_name("undeclared").source, by_name("undeclared").logs["pocl"]).detail
    assert detail.splitlines() == [
        "kernels.cl:4:17: error: use of undeclared identifier 'gidy'; did you mean 'gidx'?",
        "    B[gidx] = A[gidy];",
        "                ^",
    ]


def test_a_long_line_is_cut_around_the_caret():
    """A line that is too long for a terminal is cut around the caret. A tab before the caret is counted as the compiler
    counts it, and shown as blanks.
    """
    slip = by_name("tab-and-long-line")
    _, line, caret = told(slip.source, slip.logs["pocl"]).detail.splitlines()
    assert len(line) == WIDTH
    assert line.strip().startswith("...")
    assert line[caret.index("^") :].startswith("nothing + ")


@pytest.mark.parametrize("column", [1, 30, 31, 60, 100, 199, 200, 201])
def test_the_caret_is_right_wherever_the_line_is_cut(column):
    """The caret is below the right character wherever the line is cut, and also one column after the end, where a
    semicolon is missing.
    """
    line = "".join(chr(ord("a") + i % 26) for i in range(200))
    _, shown, caret = told(line, f"<kernel>:1:{column}: error: wrong").detail.splitlines()
    assert len(shown) == WIDTH
    assert shown[caret.index("^") :][:1] == line[column - 1 : column]


@pytest.mark.parametrize(("column", "caret"), [(1, 4), (100, 10)])
def test_a_caret_in_blanks_stands_at_the_nearest_end(column, caret):
    """If the compiler reports a column in the blanks before or after the line, the caret moves to the nearest end of
    the line, because these blanks are not shown.
    """
    _, _, shown = told("    a = b;" + " " * 200, f"<kernel>:1:{column}: error: wrong").detail.splitlines()
    assert shown == " " * caret + "^"


def test_columns_count_characters_where_the_compiler_counts_bytes():
    """The compiler counts columns in bytes, but the message and the caret count characters, as an editor does."""
    before = 'printf("à côté"); int a = '
    explanation = told(f"{before}wrong;", f"<kernel>:1:{len(before.encode()) + 1}: error: wrong")
    assert explanation.message.startswith(f"line 1, column {len(before) + 1}: ")
    assert explanation.detail.splitlines()[2] == " " * (4 + len(before)) + "^"


def test_without_a_certain_column_there_is_no_caret():
    """If a macro may have moved the column, the message gives only the line, and there is no caret."""
    explanation = told("B[TILE] = nothing;", "<kernel>:1:9: error: wrong", compiled="B[16] = nothing;")
    assert explanation.message == "line 1: wrong."
    assert explanation.detail == "kernels.cl:1: error: wrong\n    B[TILE] = nothing;"


def test_the_first_errors_are_shown_and_the_others_counted():
    """Only the first errors are shown, and the others are counted, because they are often consequences of the first."""
    detail = told(by_name("many-errors").source, by_name("many-errors").logs["pocl"]).detail
    assert detail.count("error: ") == SHOWN
    assert detail.endswith("\nand 3 more errors")


def test_an_error_is_told_once():
    """An error that the compiler reports for several columns of one line is shown once."""
    log = "<kernel>:1:3: error: no\n<kernel>:1:9: error: no\n<kernel>:2:1: error: no\n"
    assert [line for line in told("int a, b;\nint c;", log).detail.splitlines() if "error" in line] == [
        "kernels.cl:1:3: error: no",
        "kernels.cl:2:1: error: no",
    ]


def test_a_hint_is_told_once():
    """No hint is shown twice. The first hint is in the help, and only other hints are shown with the errors below
    it.
    """
    slip = by_name("cuda-thread-index")
    explanation = told(slip.source, slip.logs["pocl"])
    assert "get_group_id" not in explanation.detail
    assert explanation.detail.count("    hint: ") == 2


def test_an_error_of_the_linkers_gets_the_place_of_its_warning():
    """NVIDIA's front end only warns about an unknown function, and its linker reports the error without a line. The
    error gets the line of the warning.
    """
    slip = by_name("no-such-function")
    explanation = told(slip.source, slip.logs["nvidia"])
    assert explanation.message.startswith("line 3, column 12: Unresolved extern function 'average'.")
    assert explanation.detail.splitlines()[2] == "           ^"
    assert told("int a;", "ptxas fatal   : Unresolved extern function 'average'").message.startswith("Unresolved ")


def test_what_follows_from_an_error_with_a_place_is_left_out():
    """If an error has a line, messages that only follow from it are omitted, for example that the build failed."""
    explanation = told("a", "1:1:1: error: wrong\nerror: front end compiler failed build.\n")
    assert explanation.detail == "kernels.cl:1:1: error: wrong\n    a\n    ^"


def test_a_log_without_errors_is_shown_as_it_is():
    """A log without errors is shown unchanged, except that it is shortened and that the names of folders are
    removed.
    """
    explanation = told("a", "linking /usr/lib/secret/x.bc failed\n")
    assert explanation.message == "the compiler refused it."
    assert explanation.detail == "linking x.bc failed"
    assert clean("x\n" * 100_000) == ("x\n" * 100_000)[:LOG_LIMIT] + "\n(the rest of the log was cut)"


def test_a_log_without_a_word_still_has_an_answer():
    """If the log is empty, the student still gets a message."""
    explanation = told("a", "")
    assert (explanation.message, explanation.detail) == ("the compiler refused it.", "the compiler gave no reason.")


def test_an_error_of_pages_is_cut():
    """A very long error is shortened, because it may contain a type as long as the file. A text of many slashes does
    not slow the search for folders down.
    """
    for text in ("word " * 10_000, "/" * 60_000):
        explanation = told("a", f"<kernel>:1:1: error: {text}")
        assert len(explanation.message) < LINE_LIMIT + 40
        assert explanation.message.endswith(" ...")
        assert len(clean(text)) < LINE_LIMIT + 40


@pytest.mark.parametrize("place", ["0:0", "1:0", "0:1", "9:9", "9999999:1", "1:9999999"])
def test_a_place_that_does_not_exist_stops_nothing(place):
    """A place that does not exist in the file does not raise an exception. The log comes from a process that ran
    untrusted code, so it may contain any place.
    """
    assert "wrong" in told("a\n", f"<kernel>:{place}: error: wrong").message


@pytest.mark.parametrize("place", [f"{'9' * 5000}:1", f"1:{'9' * 5000}"])
def test_a_number_without_end_is_no_place(place):
    """A number with thousands of digits, which Python refuses to convert, is not taken for a place."""
    assert parse(f"<kernel>:{place}: error: wrong") == ()


def test_nothing_unshowable_of_the_line_is_shown():
    """Control characters in the source line are not shown, because they could move the cursor of a terminal."""
    assert "\x1b" not in told("\x1b[2J a", "<kernel>:1:6: error: wrong").detail


def test_no_folder_of_ours_is_named_in_any_log():
    """No message or log contains the path of a temporary folder or of the compiler's headers."""
    said = "".join(f"{told(slip.source, log)}{clean(log)}" for slip in RECORDED for log in slip.logs.values())
    for ours in ("/tmp", "tempfile", "/lib/", "/usr/", "<kernel>", "<stdin>", str(Path.home())):
        assert ours not in said


LOGS = {
    "errors without a place": "error: function 'f%d' is nowhere\n",
    "errors with a place": "error: kernels.cl:%d:1: use of undeclared identifier 'x'\n",
    "warnings about functions": "warning: <kernel>:%d:1: function 'f' function 'f'\n",
    "what is never written": " <Spelling=<",
    "paths": "/",
    "colons": "error: :",
    "ptxas": "ptxas ; ",
    "blanks": " ",
}


@pytest.mark.whole
@pytest.mark.parametrize("unit", LOGS.values(), ids=LOGS)
def test_a_log_is_told_in_proportion_to_its_length(unit):
    """The time for a log is proportional to its length, even for logs in which every line or character might be
    compared with every other.
    """

    def log(size):
        lines = (unit % number if "%d" in unit else unit for number in range(size // len(unit)))
        return "".join(lines)

    assert_linear(lambda said: explain(said, source_of("a\n")), log)


def test_a_build_error_is_a_sentence_with_the_students_line():
    """The message about a build error has the line in the student's file and the first error, and the help has advice.
    The detail has the source line and the other errors.
    """
    log = (
        "<kernel>:3:50: error: implicit declaration of function 'foo' is invalid in OpenCL\n"
        "    foo(3);\n    ^\n<kernel>:2:1: warning: unused variable\n"
    )
    source = "// one\n// two\n" + " " * 49 + "foo(3);\n"
    problem = of_build_log(log, source_of(source))
    assert problem.reason is Reason.BUILD_ERROR
    assert problem.message == "line 3, column 50: implicit declaration of function 'foo' is invalid in OpenCL."
    assert problem.help
    assert problem.detail.splitlines()[1:] == ["    foo(3);", "    ^"]
