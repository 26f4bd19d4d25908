"""preprocess.py: macros are expanded as in C, all other text keeps its place, and the size of the result is limited."""

import re
from contextlib import suppress

import pytest

from grader.worker.opencl.preprocess import EXPANSION_LIMIT, PreprocessingError, preprocess

DEFINITIONS = {"real": "float", "TILE": "16"}


def expanded(source):
    """Return the last line of the expansion with single spaces. The test texts use their macros in that line."""
    return " ".join(preprocess(source, DEFINITIONS).splitlines()[-1].split())


@pytest.mark.parametrize(
    ("source", "text"),
    [
        # macros that the assignment, OpenCL or C defines
        ("__local real t[TILE][TILE + 1];", "__local float t[16][16 + 1];"),
        ("__OPENCL_VERSION__ __OPENCL_C_VERSION__ CL_VERSION_1_2 __IMAGE_SUPPORT__", "120 120 120 1"),
        ("CL_VERSION_1_0 CL_VERSION_1_1 CL_VERSION_2_0", "100 110 CL_VERSION_2_0"),
        ("\n__FILE__:__LINE__", '"kernels.cl":2'),
        ("__PCPP__ __DATE__ __TIME__", "__PCPP__ __DATE__ __TIME__"),
        ("CLK_LOCAL_MEM_FENCE M_PI_F FLT_MAX NAN", "CLK_LOCAL_MEM_FENCE M_PI_F FLT_MAX NAN"),
        ("#undef TILE\n#define TILE 8\nTILE", "8"),
        # macros
        ("#define N 4 // words\nfloat a[N];", "float a[4];"),
        ("#define N /* one\n two */ 4\nfloat a[N];", "float a[4];"),
        ("#define SQ(x) ((x)*(x))\nSQ(SQ(y + 1))", "((((y + 1)*(y + 1)))*(((y + 1)*(y + 1))))"),
        ("#define AT(M, i, \\\n  j) M[i * n + \\\n  j]\nAT(A, f(x, y), 2)", "A[f(x, y) * n + 2]"),
        ("#define TWO (a, b)\n#define F(x, y) x + y\n#define G(args) F args\nG(TWO)", "a + b"),
        ("#define F() f()\n#define G(x) [x]\nF() F G() G", "f() F [] G"),
        ("#define CALL f(\n#define f(x) <x>\nCALL 3)", "<3>"),
        ("#define V(f, ...) f(__VA_ARGS__)\nV(g, 1, 2) V(h)", "g(1, 2) h()"),
        ("#define P(f, ...) p(f, ##__VA_ARGS__)\nP(1) P(1, 2)", "p(1) p(1,2)"),
        ("#define V(...) #__VA_ARGS__ a##__VA_ARGS__\nV( 1, 2 ) V()", '"1, 2" a1, 2 "" a'),
        ('#define S(x) #x\n#define T(x) S(x)\nS(TILE  +1) T(TILE) S("a\\n")', '"TILE +1" "16" "\\"a\\\\n\\""'),
        ('#define U(n) _Pragma("unroll") for (i = 0; i < n;)\nU(TILE)', '_Pragma("unroll") for (i = 0; i < 16;)'),
        ("#define V(n) float##n\nV(4) V(TILE) V()", "float4 floatTILE float"),
        ("#define F(x) a##1 ## x\nF(2)", "a12"),
        ("#define F __a ## sm /**/ ## __\nF F", "__asm__ __asm__"),
        # macros that contain their own names
        ("#define x x + 1\nx", "x + 1"),
        ("#define a b\n#define b a\na b", "a b"),
        ("#define sqrt(x) near(sqrt(x))\n#define near(x) <x>\nsqrt(sqrt(y))", "<sqrt(<sqrt(y)>)>"),
        # numbers, in which no part is a macro, and tokens that must stay separate
        ("#define f 3\n#define e5 4\n#define p3 5\n1.0f 1e5f 0x1.8p3f .5f 1.f", "1.0f 1e5f 0x1.8p3f .5f 1.f"),
        ("#define MINUS -1\nx=-MINUS-MINUS;", "x=- -1- -1;"),
        ("#define N 0x1E\nN+1", "0x1E +1"),
        ("#define E(x) x\nE(a)E(b) E(+)+ E(1)2 E(a)(b)", "a b + + 1 2 a(b)"),
        # other spellings of tokens
        ("%:define A a\n??=define B b\n#def\\\nine C c\nA B C", "a b c"),
        ("x <: 3 :> <% %>", "x <: 3 :> <% %>"),
        ("(float4)(1, 2, 3, 4).s01 1u a->b", "(float4)(1, 2, 3, 4).s01 1u a->b"),
        ("'a' '\\'' \"TILE // \"", "'a' '\\'' \"TILE // \""),
        # directives for the driver
        ("#define HASH #\nint HASH HASH", "int # #"),
        ("  #pragma unroll TILE // words", "#pragma unroll 16"),
        ("#pragma", "#pragma"),
        ("#pragma OPENCL EXTENSION cl_khr_fp64 : enable", "#pragma OPENCL EXTENSION cl_khr_fp64 : enable"),
        ("# pragma STDC FP_CONTRACT OFF", "# pragma STDC FP_CONTRACT OFF"),
        ("#include </etc/passwd> // TILE", "#include </etc/passwd>"),
        ("#include TILE", "#include TILE"),
        ('# 12 "x"', '# 12 "x"'),
        ("#warning don't", "#warning don't"),
        ("#nonsense TILE", "#nonsense TILE"),
    ],
)
def test_text_becomes_what_c_says(source, text):
    """Macros are expanded as in C. Where pcpp differs from C, this shows that grader's corrections work."""
    assert expanded(source) == text


@pytest.mark.parametrize(
    ("condition", "holds"),
    [
        ("1", True),
        ("UNKNOWN", False),
        ("defined TILE && !defined(UNKNOWN)", True),
        ("TILE == 16 && TILE % 8 == 0", True),
        ("TILE / 3 * 3 != TILE", True),
        ("(TILE << 2) >= 0x40u", True),
        ("-1 > 0u", True),
        ("TILE > 16 ? 1 : 0", False),
        ("1 || 1 / 0", True),
        ("0 && UNKNOWN(1)", False),
        ("'a' == 97 && '\\n' == 10", True),
        ("TILE \\\n == /* \n */ 16", True),
        ("__OPENCL_VERSION__ >= CL_VERSION_1_1", True),
        ("1 << 100000000000", False),
        ("(" * 1000 + "1" + ")" * 1000, True),
    ],
)
def test_conditions_hold_as_in_c(condition, holds):
    """Conditions have the same value as in C, also in an #elif. Skipped lines are not evaluated."""
    said = ["yes" if holds else "no"]
    skipped = "#error no\n#if 1/0\n'\n#pragma no\n#endif\n"
    source = f"#if {condition}\nyes\n#else\nno\n#endif\n"
    assert preprocess(source, DEFINITIONS).split() == said
    source = f"#ifndef TILE\n{skipped}#elif {condition}\nyes\n#elif 1\nno\n#else\n{skipped}#endif\n"
    assert preprocess(source, DEFINITIONS).split() == said


def test_every_line_keeps_its_number():
    """Each line keeps its number, so that the driver's errors refer to the student's lines. A macro call that spans
    several lines is expanded in its first line.
    """
    source = """\
    /* of several
     lines */ int a; // why
#define ADD(x, \\
            y) x \\
+ y
    int b = ADD(1,

                2); int c;
#if 0
    no
#endif
    int d\\
  ; int e;\x0c int f; "\u2028";
\tint g; /* in */ int h;
  # \\
  pragma unroll/*

*/4
    __LINE__"""
    lines = """\

              int a;



    int b = 1 + 2

; int c;



    int d
  ; int e;\x0c int f; "\u2028";
\tint g;          int h;
  #pragma unroll  4



    19
"""
    assert preprocess(source, {}) == lines


def test_columns_are_kept_where_there_is_no_macro():
    """In lines without macros, columns are kept, because a comment is replaced by spaces of the same length."""
    source = 'int a; /* b */ int /*c*/ d;\n/* e\n */ int f; "/* g */" // h'
    assert preprocess(source, {}) == 'int a;         int       d;\n\n    int f; "/* g */"\n'


MADE = "error: a macro cannot make a directive; write the directive itself"


@pytest.mark.parametrize(
    ("source", "log"),
    [
        ("\n  #error do not  // why", "2:3: error: #error do not"),
        ("#if TILE == 16\n#error 'tis\n#endif", "2:1: error: #error 'tis"),
        ("\n#ifdef X\n#if 1\n#endif\n", "2:1: error: unterminated #ifdef X"),
        ("\n#endif", "2:1: error: misplaced #endif"),
        ("\n#else", "2:1: error: misplaced #else"),
        ("\n#elif 1", "2:1: error: misplaced #elif"),
        ("\n#if", "2:1: error: malformed directive or macro call"),
        ("\n#ifdef\n#endif", "2:1: error: malformed directive or macro call"),
        ("\n#define", "2:1: error: malformed directive or macro call"),
        ("\n#undef", "2:1: error: malformed directive or macro call"),
        ("#define HASH #\nHASH define N 4", f"2:1: {MADE}"),
        (
            "#define HASH %:\nint a;\n  HASH pragma unroll",
            f"3:3: {MADE}",
        ),
        ("#define NOTHING\nNOTHING # if 1", f"2:1: {MADE}"),
        ("\n#define F(x", "2:1: error: missing ')' in macro arguments"),
        ("\n#define F(1) 1", "2:1: error: invalid macro argument"),
        ("\n#if (1\n#endif", "2:1: error: could not evaluate expression"),
        ("\n#if 1 / 0\n#endif", "2:1: error: could not evaluate expression"),
        ("\n#if 1.5\n#endif", "2:1: error: could not evaluate expression"),
        ('\n#if __has_include("x")\n#endif', "2:1: error: could not evaluate expression"),
        ("#define F(x, y) x\nint a;\n  F(1)", "3:3: error: macro F requires 2 arguments but was passed 1"),
        (
            "#define F(x, y) x\n#define G F(1)\n\nint a = G;",
            "4:1: error: macro F requires 2 arguments but was passed 1",
        ),
        ("#define F(x, y) x\nint a;\n\tF(1,\n\n", "3:2: error: unterminated argument list of a macro"),
        ("int a;\n /* b\n */ /* c\n", "3:2: error: unterminated /* comment"),
    ],
)
def test_a_mistake_is_an_error_on_its_line(source, log):
    """A mistake is reported as an error on its line, in the format of clang's log, which the diagnosis can parse."""
    with pytest.raises(PreprocessingError, match=f"^kernels.cl:{re.escape(log)}$"):
        preprocess(source, DEFINITIONS)


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("definitions", "use"),
    [
        (["#define M0 x x", *(f"#define M{i} M{i - 1} M{i - 1}" for i in range(1, 40))], "M39"),
        (["#define M0(x)", *(f"#define M{i}(x) M{i - 1}(x)M{i - 1}(x)" for i in range(1, 40))], "M39(1)"),
        (["#define M(x) x x"], "M(" * 40 + "1" + ")" * 40),
        ([f"#define M{'a' * 10_000} {'x' * 10_000}"], f"M{'a' * 10_000} " * 100),
        ([], "x" * (EXPANSION_LIMIT + 1)),
    ],
    ids=["doubled", "doubled to nothing", "doubled arguments", "long names", "no macro"],
)
def test_a_text_that_grows_without_end_is_stopped_early(definitions, use):
    """Expansion stops early, because 2**39 words would fill any memory. The limit also counts intermediate text, not
    only the result.
    """
    with pytest.raises(PreprocessingError, match=rf"error: the text expands to more than {EXPANSION_LIMIT:,} char"):
        preprocess("\n".join([*definitions, use]), {})


@pytest.mark.whole
@pytest.mark.parametrize(
    "source",
    [
        "\n".join([*(f"#define M{i} M{i + 1}" for i in range(3000)), "M0"]),
        "#define F(x) x\n" + "F(" * 3000 + "1" + ")" * 3000,
    ],
)
def test_what_is_nested_too_deeply_is_an_error(source):
    """Macros that are nested more deeply than Python's recursion limit allows are an error of the student."""
    with pytest.raises(PreprocessingError, match="error: macros are nested too deeply"):
        preprocess(source, {})


@pytest.mark.parametrize(
    "odd", ["", "#", "##", "\\", "'", '"', "x ## y", "defined", "F() #F(", "@`$é\0", "__VA_ARGS__"]
)
def test_odd_text_passes_or_is_an_error_and_nothing_is_printed(odd, capfd):
    """Unusual text is passed to the driver or raises an error, and nothing is printed."""
    for text in ("{}", "#{}", "#if {}\n#endif", "#ifdef {}\n#endif", "#define {}", "#define F(x) {}\nF()", "#undef {}"):
        with suppress(PreprocessingError):
            preprocess(text.format(odd), {})
    assert capfd.readouterr() == ("", "")
