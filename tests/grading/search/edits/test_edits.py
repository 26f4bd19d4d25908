"""edits.py: for each common mistake, one of the edits undoes it."""

import pytest

from grader.grading.search.edits import edits
from grader.grading.search.mutants.mutant_schema import edited
from grader.grading.source.reading import outline

KERNEL = """\
__kernel void k(__global const float *A, __global const float *B, __global float *C, uint height, uint width)
{{
    const uint row = get_global_id(0);
    const uint col = get_global_id(1);
    __local float t[16][17];
    float sum = {first};
    for (uint i = 0; {loop}; i++)
        sum += {term};
    if ({guard})
        C[{index}] = sum;
}}
"""

RIGHT = {
    "first": "0",
    "loop": "i < width",
    "term": "A[row * width + i] * t[i][col]",
    "guard": "row < height && col < width",
    "index": "row * width + col",
}

SPOILT = [
    {"first": "1"},
    {"loop": "i <= width"},
    {"loop": "i < width - 1"},
    {"loop": "i < height"},
    {"term": "B[row * width + i] * t[i][col]"},
    {"term": "A[row * height + i] * t[i][col]"},
    {"term": "A[row * width + i] + t[i][col]"},
    {"term": "A[row * width - i] * t[i][col]"},
    {"term": "A[row * width] * t[i][col]"},
    {"term": "A[row + i] * t[i][col]"},
    {"term": "A[row * width + i + 1] * t[i][col]"},
    {"term": "A[row * width + i] * t[col][i]"},
    {"term": "A[row * width + i] * t[i][row]"},
    {"term": "A[i] * t[i][col]"},
    {"guard": "row < height || col < width"},
    {"guard": "row < width && col < width"},
    {"guard": "row < height && col < width && sum > 0"},
    {"index": "col * width + row"},
    {"index": "col"},
    {"index": "row / width + col"},
]


def spaceless(text):
    return "".join(text.split())


def all_texts(source):
    """Return all texts that an edit produces."""
    seen = outline(source, ["k"])
    return {spaceless(edited(seen, edit)) for edit in edits(seen, most=2000)}


@pytest.mark.parametrize("spoilt", SPOILT, ids=lambda spoilt: " ".join(spoilt.values())[:40])
def test_a_usual_mistake_is_undone(spoilt):
    """If a text contains a common mistake, one of its edits produces the right text."""
    made = all_texts(KERNEL.format(**{**RIGHT, **spoilt}))
    right = spaceless(KERNEL.format(**RIGHT))
    same = {
        ("A[row*width+i]", "A[row*width+i+1-1]"),
        ("A[row*width+i]", "A[i+row*width]"),
        ("C[row*width+col]", "C[col+row*width]"),
        ("i<width", "i<1+width-1"),
    }
    assert made & {right, *(right.replace(*each) for each in same)}


def test_a_sum_in_brackets_has_a_term_too_few():
    """An index that contains a sum in brackets has an edit that adds a variable to the sum. The arguments of a function
    have no such edit.
    """
    made = all_texts("__kernel void k(__global int *A, uint n, uint m) { A[(n) * 2 + min(n, 3)] = 1; }")
    assert any("A[(n+m)*2+min(n,3)]" in text for text in made)
    assert not any("min(n,3+m)" in text for text in made)


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("if (true) return;", "if (row >= n) return;"),
        ("if (true) least = near;", "if (near < least) least = near;"),
        ("least += A[4 * row] + A[4 * row + 1] + A[4 * row + 2];", "A[4*row+2+3]"),
        ("A[row] = A[row / 4];", "A[row]=A[row%4];"),
        ("uint col = row / 4; A[col] = 0;", "uintcol=row%4;"),
        ("uint col = (row + n) / (int)n; A[col] = 0;", "uintcol=(row+n)%(int)n;"),
        ("int words[2]; words[0] = row; A[row] = words[0];", "floatwords[2];"),
        ("float word = B[row]; A[row] = word;", "floatword=A[row]"),
        ("A[row] = row < 3 ? 1 : 0;", "row<3&&row<n?1:0"),
        ("A[n * n] = A[col + n];", "A[col+n+row*n]"),
        ("bool inside = row < n, low = row < 3; if (true) A[row] = 0;", "if(inside&&low)"),
        ("if (true) A[0] = near;", "if(row==0)"),
        ("int word; A[row] = word = B[row];", "floatword;"),
        ("float2 one = 0, two = 0; if (true) A[row] = 0;", "if(near<least)"),
        ("int t[2][2][2]; t[1][row][0] = 3;", "t[1][0][row]=3;"),
        ("float4 all = vload4(row, B); int most = max(all.x, all.y);", "floatmost="),
    ],
)
def test_what_is_missing_is_put_back(wrong, right):
    """An edit restores a missing part: the comparison in a constant condition, the next term of a series, a remainder,
    a floating-point type, the array that a variable is read from, a guard in `?:`, or the row in the index of an array.
    """
    parameters = "__global float *A, __global const float *B, uint n"
    head = f"__kernel void k({parameters}) {{ uint row = get_global_id(0); float least = 0, near = A[row]; "
    texts = all_texts(f"{head}{wrong} }}")
    assert any(spaceless(right) in text for text in texts)
    assert not any("(one<two)" in text for text in texts), "vectors are no condition"


def first_texts(body, most):
    """Return the texts of the likeliest edits of a kernel with this body."""
    parameters = "__global float *A, __global const float *B, uint n, uint m"
    head = f"__kernel void k({parameters}) {{ uint row = get_global_id(1), col = get_global_id(0); "
    seen = outline(f"{head}{body} }}", ["k"])
    return [spaceless(edited(seen, edit)) for edit in edits(seen, most=most)]


@pytest.mark.parametrize(
    ("body", "right"),
    [
        ("for (uint i = 0; i < m; i += 4) { A[row] = B[row * n]; }", "B[row*n+i]"),
        ("for (uint i = 0; i < m; i += 4) A[row] = i + row < m && col < n ? B[row * n + col] : 0;", "B[row*n+col+i]"),
        ("if (row >= m || col >= n) return; A[col] = B[row * n + col];", "A[col+row*n]"),
        ("if (row < m && col < n) A[row * n] = 0;", "A[row*n+col]"),
        ("A[row * m + col] = B[row * n + col];", "A[row*n+col]"),
        ("A[row] = B[row] + B[row + n] + B[row] + B[row + 3 * n];", "B[row+n]+B[row+2*n]"),
        ("for (uint i = 0; i < m; i += 4) A[row] = i + row < m ? B[row * n + col] : 0;", "B[row*n+col+i*n]"),
    ],
)
def test_an_index_gets_first_what_its_guards_compare(body, right):
    """Likely edits add to an index a term from a guard, a loop or another index, or replace a size in it."""
    assert any(right in text for text in first_texts(body, most=100))


def test_edits_are_bounded_and_none_is_made_twice():
    """The number of edits is limited. A lower limit yields the same edits up to that number, and every edit changes the
    text.
    """
    source = KERNEL.format(**RIGHT)
    seen = outline(source, ["k"])
    every = edits(seen, most=2000)
    texts = [edited(seen, edit) for edit in every]
    assert source not in texts
    assert [edit.text for edit in edits(seen, most=50)] == [edit.text for edit in every[:50]]


def test_nothing_constant_is_assigned_and_nothing_divided_by_an_index():
    """No edit assigns to a constant, which would not compile, or divides by an index, which could be 0."""
    source = "__kernel void k(__global int *A, uint n) { const uint i = 3; uint j = 1; j = i / n; A[j] = i; }"
    made = {text.rpartition("{")[2] for text in all_texts(source)}
    assert not any("i=i/n" in text or "/j" in text or "/i;" in text for text in made)


def test_a_pointer_is_neither_0_nor_has_it_a_sign():
    """No edit sets a pointer to 0, which would crash the process, or negates it, which would not compile. A number has
    both edits.
    """
    made = all_texts("__kernel void k(__global int *A, uint n) { __global int *p = A + n; int i = n + 3; p[0] = i; }")
    assert not any("p=0;" in text or "p=-(" in text for text in made)
    assert any("inti=0;" in text for text in made)
    assert any("inti=-(n+3);" in text for text in made)


def test_a_dimension_is_the_first_or_the_second():
    """Edits use only dimensions 0 and 1, because a batch uses dimension 2 to select the edit."""
    made = all_texts("__kernel void k(__global uint *A) { A[get_global_id(1)] = get_local_size(0) + 1; }")
    assert any("get_global_id(0)" in text for text in made)
    assert any("get_local_size(1)" in text for text in made)
    assert not any("get_global_id(2)" in text or "get_local_size(2)" in text for text in made)


def test_a_part_is_named_in_words():
    """The part that an edit changes is described in words: an index by its array, other expressions by their
    purpose.
    """
    seen = outline(KERNEL.format(**RIGHT), ["k"])
    parts = {edit.part for edit in edits(seen, most=2000)}
    assert parts >= {
        "the index of A",
        "the index of C",
        "the condition",
        "the condition of the loop",
        "the step of the loop",
        "the value that sum begins with",
        "what sum is set to",
    }


DECLARED = """\
__kernel void k(__global float *A)
{{
    {declaration}
    A[0] = i + 1;
    A[1] = 1 - i;
}}
"""


@pytest.mark.parametrize(
    "declaration",
    [
        *("signed i = 1;", "signed int i = 1;", "int signed i = 1;", "const i = 1;", "static const signed i = 1;"),
        *("unsigned i = 1;", "register i = 1;", "const int signed i = 1, j = i;"),
    ],
)
def test_a_declaration_in_any_words_is_that_of_a_whole_number(declaration):
    """A declaration without a type, such as `signed i`, declares an int in every spelling. The uses of the variable are
    edited.
    """
    seen = outline(DECLARED.format(declaration=declaration), ["k"])
    (variable,) = {each for region in seen.regions[-1:] for each in region.visible if each.name == "i"}
    assert variable.is_integer
    assert {"A[0] = i - 1;", "A[1] = 1 + i;"} <= {
        edited(seen, edit).split("\n")[edit.line - 1].strip().replace("  ", " ") for edit in edits(seen, most=500)
    }


@pytest.mark.parametrize("declaration", ["event_t i;", "sampler_t i = 0;", "struct P i;", "image2d_t i;"])
def test_a_variable_of_another_type_is_no_whole_number(declaration):
    """A variable of another type is not treated as an integer, and the rest of the kernel is still edited."""
    seen = outline(DECLARED.format(declaration=declaration), ["k"])
    (variable,) = {each for region in seen.regions[-1:] for each in region.visible if each.name == "i"}
    assert not variable.is_integer
    assert edits(seen, most=500)


def test_an_array_of_another_type_of_numbers_is_read_but_not_stored_to():
    """A read of an element may use an array with another type of number instead, but not an array of vectors."""
    source = """\
__kernel void k(__global const float *A, __global uint *B, __global const float4 *V, uint n)
{
    B[0] = B[n] + 1;
}
"""
    seen = outline(source, ["k"])
    made = {spaceless(edited(seen, edit)) for edit in edits(seen, most=500)}
    assert spaceless(source.replace("B[n]", "A[n]")) in made
    assert spaceless(source.replace("B[0]", "A[0]")) not in made
    assert spaceless(source.replace("B[n]", "V[n]")) not in made


def test_the_first_values_of_an_array_or_a_struct_are_edited():
    """Each value in braces is edited as a separate expression. Values in constant memory are not edited, because the
    compiler must know them.
    """
    source = """\
typedef struct { int low, high; } Pair;
__kernel void k(__global int *A, int n, int m)
{
    const int own[3] = {m, n, m + 1};
    Pair pair = {0, 1};
    __constant int fixed[2] = {5, 6};
    A[0] = own[0] + pair.low + fixed[0];
}
"""
    made = all_texts(source)
    for wrong, right in (("{m, n, m + 1}", "{m, m, m + 1}"), ("m + 1}", "m - 1}"), ("{0, 1}", "{0, 0}")):
        assert spaceless(source.replace(wrong, right)) in made
    assert spaceless(source.replace("{5, 6}", "{5, 7}")) not in made
