"""build_log.py: compilers' messages are read and explained. The logs are in build_logs/, and a few are handwritten."""

from pathlib import Path

import pytest
from compiler_logs import FOLDER, RECORDED
from cost_growth import assert_linear
from submission_texts import source_of

from grader.grading.explain.build_log import LINE_LIMIT, LOG_LIMIT, SHOWN, WIDTH, CompilerMessage, clean, explain, parse

EACH_LOG = [pytest.param(slip, log, id=f"{slip.name}-{by}") for slip in RECORDED for by, log in slip.logs.items()]


def error(line, column, text):
    return CompilerMessage(severity="error", line=line, column=column, text=text)


def by_name(name):
    return next(slip for slip in RECORDED if slip.name == name)


def told(source, log, compiled=None):
    return explain(log, source_of(source, compiled))


# --- reading ----------------------------------------------------------------------------------


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
    """An error is read in the form of every driver, because each driver puts the same message into another frame."""
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
    """An error without a line is read, because compiler stages after the front end name functions, not lines."""
    assert parse(line) == (error(None, None, text),)


def test_too_much_local_memory_is_told_in_kibibytes():
    """Too much local memory is stated in KiB. NVIDIA's assembler writes it in hexadecimal digits, among its other
    verbose output.
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
    """A line number in a driver's header is left out, because it would look like a line of the student's file."""
    assert parse("/usr/lib/x/opencl-c.h:164:14: error: redefinition of 'step'") == (
        error(None, None, "redefinition of 'step'"),
    )


def test_echoed_lines_carets_and_counts_are_left_out():
    """Repeated source lines, carets and counts of errors are left out. Clang's notes on macros and earlier declarations
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
    """Words that the student did not write are left out: PoCL's names for library functions, and the private address
    space of a pointer.
    """
    (remark,) = parse(by_name(name).logs["pocl"])
    assert remark.text == text


@pytest.mark.parametrize("log", ["", "\n\n", "a:b:c", "error:", "<kernel>:5:10:", "1:2:3: error:", "\0"])
def test_a_log_without_an_error_has_no_remarks(log):
    """A log without an error has no messages. Fragments of error forms are not errors and cause no exception."""
    assert parse(log) == ()


# --- telling ----------------------------------------------------------------------------------


@pytest.mark.parametrize(("slip", "log"), EACH_LOG)
def test_a_slip_is_told_with_its_line_and_its_hint(slip, log):
    """For every compiler's log, the message has the line of the error. If it is certain what to write instead, the help
    says it.
    """
    explanation = told(slip.source, log)
    assert explanation.message.startswith((f"line {slip.line}, column ", f"line {slip.line}: "))
    if slip.hint is None:
        assert explanation.message.removesuffix(".").endswith(parse(log)[0].text)
    else:
        assert slip.hint in f"{explanation.message} {explanation.help}"
    assert explanation.detail.splitlines()[1].strip(" .") in slip.source.splitlines()[slip.line - 1]


def test_every_kernel_has_its_expectation_and_a_log():
    """Every recorded kernel has an expectation and a log, so that no recorded file is unused."""
    assert {slip.name for slip in RECORDED} == {path.stem for path in FOLDER.glob("*.cl")}
    assert [slip.name for slip in RECORDED if not slip.logs] == []


def test_the_caret_stands_below_what_the_compiler_means():
    """The caret is below the place that the compiler reports. The line is the student's, without its indentation."""
    detail = told(by_name("undeclared").source, by_name("undeclared").logs["pocl"]).detail
    assert detail.splitlines() == [
        "kernels.cl:4:17: error: use of undeclared identifier 'gidy'; did you mean 'gidx'?",
        "    B[gidx] = A[gidy];",
        "                ^",
    ]


def test_a_long_line_is_cut_around_the_caret():
    """A long line is cut around the caret to fit a terminal. A tab before the caret is counted as the compiler counts
    it, and is shown as blanks.
    """
    slip = by_name("tab-and-long-line")
    _, line, caret = told(slip.source, slip.logs["pocl"]).detail.splitlines()
    assert len(line) == WIDTH
    assert line.strip().startswith("...")
    assert line[caret.index("^") :].startswith("nothing + ")


@pytest.mark.parametrize("column", [1, 30, 31, 60, 100, 199, 200, 201])
def test_the_caret_is_right_wherever_the_line_is_cut(column):
    """The caret is right for every cut of the line, at both ends and beyond the end, where a semicolon is missing."""
    line = "".join(chr(ord("a") + i % 26) for i in range(200))
    _, shown, caret = told(line, f"<kernel>:1:{column}: error: wrong").detail.splitlines()
    assert len(shown) == WIDTH
    assert shown[caret.index("^") :][:1] == line[column - 1 : column]


@pytest.mark.parametrize(("column", "caret"), [(1, 4), (100, 10)])
def test_a_caret_in_blanks_stands_at_the_nearest_end(column, caret):
    """A caret in blanks before or after the line moves to the nearest end of the line, because these blanks are not
    shown.
    """
    _, _, shown = told("    a = b;" + " " * 200, f"<kernel>:1:{column}: error: wrong").detail.splitlines()
    assert shown == " " * caret + "^"


def test_columns_count_characters_where_the_compiler_counts_bytes():
    """Columns count characters, as an editor does, although the compiler counts bytes. An accent does not move the
    caret.
    """
    before = 'printf("à côté"); int a = '
    explanation = told(f"{before}wrong;", f"<kernel>:1:{len(before.encode()) + 1}: error: wrong")
    assert explanation.message.startswith(f"line 1, column {len(before) + 1}: ")
    assert explanation.detail.splitlines()[2] == " " * (4 + len(before)) + "^"


def test_without_a_certain_column_there_is_no_caret():
    """If a macro has moved the column, only the line is named and shown, without a caret."""
    explanation = told("B[TILE] = nothing;", "<kernel>:1:9: error: wrong", compiled="B[16] = nothing;")
    assert explanation.message == "line 1: wrong."
    assert explanation.detail == "kernels.cl:1: error: wrong\n    B[TILE] = nothing;"


def test_the_first_errors_are_shown_and_the_others_counted():
    """The first errors are shown and the others counted, because later errors are often consequences of the first."""
    detail = told(by_name("many-errors").source, by_name("many-errors").logs["pocl"]).detail
    assert detail.count("error: ") == SHOWN
    assert detail.endswith("\nand 3 more errors")


def test_an_error_is_told_once():
    """An error that a compiler reports for several places of one line is shown once."""
    log = "<kernel>:1:3: error: no\n<kernel>:1:9: error: no\n<kernel>:2:1: error: no\n"
    assert [line for line in told("int a, b;\nint c;", log).detail.splitlines() if "error" in line] == [
        "kernels.cl:1:3: error: no",
        "kernels.cl:2:1: error: no",
    ]


def test_a_hint_is_told_once():
    """A hint is shown once. The message has the first hint, and errors below have only other hints."""
    slip = by_name("cuda-thread-index")
    explanation = told(slip.source, slip.logs["pocl"])
    assert "get_group_id" not in explanation.detail
    assert explanation.detail.count("    hint: ") == 2


def test_an_error_of_the_linkers_gets_the_place_of_its_warning():
    """A linker's error gets the place of its warning. NVIDIA's front end only warns about an unknown function, and its
    linker, which knows no lines, refuses it.
    """
    slip = by_name("no-such-function")
    explanation = told(slip.source, slip.logs["nvidia"])
    assert explanation.message.startswith("line 3, column 12: Unresolved extern function 'average'.")
    assert explanation.detail.splitlines()[2] == "           ^"
    assert told("int a;", "ptxas fatal   : Unresolved extern function 'average'").message.startswith("Unresolved ")


def test_what_follows_from_an_error_with_a_place_is_left_out():
    """Messages that follow from an error with a place are left out, such as the message that the build failed."""
    explanation = told("a", "1:1:1: error: wrong\nerror: front end compiler failed build.\n")
    assert explanation.detail == "kernels.cl:1:1: error: wrong\n    a\n    ^"


def test_a_log_without_errors_is_shown_as_it_is():
    """A log without errors is shown unchanged except for its length and for the names of folders."""
    explanation = told("a", "linking /usr/lib/secret/x.bc failed\n")
    assert explanation.message == "the compiler refused it."
    assert explanation.detail == "linking x.bc failed"
    assert clean("x\n" * 100_000) == ("x\n" * 100_000)[:LOG_LIMIT] + "\n(the rest of the log was cut)"


def test_a_log_without_a_word_still_has_an_answer():
    """An empty log has a message, too, so that the student gets an answer."""
    explanation = told("a", "")
    assert (explanation.message, explanation.detail) == ("the compiler refused it.", "the compiler gave no reason.")


def test_an_error_of_pages_is_cut():
    """A very long error is cut, because it may name a type as long as the file. In a text of slashes, the search for
    folders takes little time.
    """
    for text in ("word " * 10_000, "/" * 60_000):
        explanation = told("a", f"<kernel>:1:1: error: {text}")
        assert len(explanation.message) < LINE_LIMIT + 40
        assert explanation.message.endswith(" ...")
        assert len(clean(text)) < LINE_LIMIT + 40


@pytest.mark.parametrize("place", ["0:0", "1:0", "0:1", "9:9", "9999999:1", "1:9999999"])
def test_a_place_that_does_not_exist_stops_nothing(place):
    """A place that does not exist causes no exception, because a log comes from a process that ran untrusted code."""
    assert "wrong" in told("a\n", f"<kernel>:{place}: error: wrong").message


@pytest.mark.parametrize("place", [f"{'9' * 5000}:1", f"1:{'9' * 5000}"])
def test_a_number_without_end_is_no_place(place):
    """A number with thousands of digits, which Python refuses to read, is not a place."""
    assert parse(f"<kernel>:{place}: error: wrong") == ()


def test_nothing_unshowable_of_the_line_is_shown():
    """Control characters in the line are not shown, because they could move a terminal's cursor."""
    assert "\x1b" not in told("\x1b[2J a", "<kernel>:1:6: error: wrong").detail


def test_no_folder_of_ours_is_named_in_any_log():
    """No log names a folder of the grader, neither the compiler's folder nor its headers' folder."""
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
    """The time for a log is proportional to its length, for logs that could make every line or character meet every
    other.
    """

    def log(size):
        lines = (unit % number if "%d" in unit else unit for number in range(size // len(unit)))
        return "".join(lines)

    assert_linear(lambda said: explain(said, source_of("a\n")), log)
