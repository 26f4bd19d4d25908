"""forbidden.py: forbidden constructs are found before a run in every spelling, and similar text is accepted."""

import pytest

from grader.course.forbidden import LINE_LIMIT, SHOWN, Construct, Sighting, first_sighting
from grader.course.submissions.scan import scan
from grader.protocol.tokens import tokens

INCLUDE, LINE, ASM, HAS_INCLUDE, LINKAGE, LONG_LINE, CONTROL = Construct


def seen(source, allowed):
    return first_sighting(scan(source).sightings, allowed)


@pytest.mark.parametrize(
    ("source", "construct", "line"),
    [
        ('#include "x"', INCLUDE, 1),
        ("int a;\n\n  #  include <x>", INCLUDE, 3),
        ("#include NAME", INCLUDE, 1),
        ("#include_next <x>", INCLUDE, 1),
        ('#import "x"', INCLUDE, 1),
        ('#embed "x"', INCLUDE, 1),
        ('%:include "x"', INCLUDE, 1),
        ('??=include "x"', INCLUDE, 1),
        ('#/**/include "x"', INCLUDE, 1),
        ('/* a\n b */ # /* c\n d */ include "x"', INCLUDE, 2),
        ('int a;\n# \\\n include "x"', INCLUDE, 2),
        ('#inc\\\nlude "x"', INCLUDE, 1),
        ('#inc\\ \t\nlude "x"', INCLUDE, 1),
        ('#inc??/\nlude "x"', INCLUDE, 1),
        ('\\\n\\\n#include "x"', INCLUDE, 3),
        ('#if 0\n#include "x"\n#endif', INCLUDE, 2),
        ('"a string without its end\n#include "x"', INCLUDE, 2),
        ("#line 12", LINE, 1),
        ('# 12 "kernels.cl" 2', LINE, 1),
        ("void f() { asm(); }", ASM, 1),
        ('int a;\n__asm("nop");', ASM, 2),
        ('__as\\\nm__("nop");', ASM, 1),
        ("#define NOP \\\n  __asm__ \\\n  (x)", ASM, 2),
        ('"\\"" asm', ASM, 1),
        ("'\"' asm", ASM, 1),
        ("// \\\n asm\nasm", ASM, 3),
        ("#if __has_include(<x>)", HAS_INCLUDE, 1),
        ("#ifdef __has_include_next", HAS_INCLUDE, 1),
        ("#if __has_embed(<x>)", HAS_INCLUDE, 1),
        ("#pragma redefine_extname f mad", LINKAGE, 1),
        ("int a;\n%: pragma /* */ weak f = mad", LINKAGE, 2),
        ("#pragma clang attribute push(__attribute__((weak)), apply_to=function)", LINKAGE, 1),
        ('int a;\n_Pragma("redefine_extname f mad")', LINKAGE, 2),
        ('_Pragma(L" weak f")', LINKAGE, 1),
        ("extern inline float f(float x) { return x; }", LINKAGE, 1),
        ("inline float extern f(float x) { return x; }", LINKAGE, 1),
        ("extern\n__attribute__((x))\n__inline__ float f();", LINKAGE, 3),
        ("int a;\n" + " " * (LINE_LIMIT + 1), LONG_LINE, 2),
        ("//" + "-" * LINE_LIMIT, LONG_LINE, 1),
    ],
)
def test_a_construct_is_seen_however_it_is_written(source, construct, line):
    """Digraphs, trigraphs, continued lines and comments cannot hide a construct. Its first line is reported."""
    found = seen(source, ())
    assert (found.construct, found.line) == (construct, line)


@pytest.mark.parametrize(
    "source",
    [
        '// #include "x"\nint a;',
        '/*\n#include "x"\nasm\n*/',
        '/* // */ int a; /* #include "x" */',
        '// goes on \\\n#include "x"',
        'char *s = "#include";',
        "s = \"asm // \\\" asm\"; c = '\\''; // asm",
        's = "\\\n#include <x>";',
        "int asm_count = line, include = a.line, _asm, asm1;",
        'a = b ? # : c; x #include "x"',
        "#define line 12\n#define include(x) x\n#pragma unroll\n#\n#if 12\n#endif",
        "#define A __a##sm__",
        "extern float f(float x); static inline float g(float x) { return x; }",
        '#pragma OPENCL EXTENSION weak : enable\n_Pragma("unroll 4") _Pragma',
        "a" * LINE_LIMIT,
        '/* a comment without its end\n#include "x"',
        "",
        "\\",
        "/",
        "'",
        '"\\',
        "\0\x0b\x0c\x85\u2028\ud800#",
    ],
)
def test_what_only_looks_like_a_construct_is_not_seen(source):
    """Comments, strings, longer names and words inside a line are not taken for constructs. Any text can be scanned."""
    assert seen(source, ()) is None


@pytest.mark.parametrize(
    "text",
    ["/**/", *(pytest.param(text, marks=pytest.mark.whole) for text in ("/", "/*", "\\\n", "\\" + 7 * " ", "??/\n"))],
)
def test_a_megabyte_is_looked_through(text):
    """Scanning takes linear time. For a megabyte, quadratic time would be an hour."""
    source = text * (1024 * 1024 // len(text))
    assert seen(source, {Construct.LONG_LINE}) is None


def test_the_first_is_named_that_is_not_allowed():
    """The first construct that the assignment does not allow is reported. In YAML, constructs are allowed by name."""
    source = '#line 1\n  #include "x" // why\nasm'
    assert seen(source, ()) == Sighting(construct=LINE, line=1, text="#line 1")
    allowed = {Construct("line")}
    assert seen(source, allowed) == Sighting(construct=INCLUDE, line=2, text='#include "x" // why')
    assert seen(source, {*allowed, Construct("include")}).construct is ASM
    assert seen(source, set(Construct)) is None


def test_the_line_is_shown_as_far_as_is_useful_and_safe():
    """A long line is shortened, and characters that would move a terminal's cursor become spaces."""
    assert seen("asm \x1b[2J" + "x" * 1000, ()).text == "asm  [2J" + "x" * (SHOWN - 8)


@pytest.mark.parametrize(
    "text",
    [
        *("1.0f", ".5", "0x1.8p-3f", "1e+5", "1u", "0x1E+1", "a_1", "$a", "é", '"a\\"b"', "'\\''", "// a", "/* a\n */"),
        *("<<=", "...", "->", "++", "##", "%:%:", "<:", "!=", "@"),
    ],
)
def test_a_token_is_one(text):
    """Each text is one token, as for the preprocessor. The `f` after a number is therefore not a macro's name."""
    assert [token.text for token in tokens(text)] == [text]


def test_tokens_know_their_lines():
    """Tokens have the line numbers of the student's file, even after continued lines and comments."""
    found = [(token.text, token.line) for token in tokens("a /*\n*/ b \\\n c\nd\\\ne\nf\n") if token.is_code]
    assert found == [("a", 1), ("b", 2), ("c", 3), ("de", 4), ("f", 6)]
