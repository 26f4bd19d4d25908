"""The rules in slips/: each finds its mistake in several kernels, and reports it only if it can be proved. The first
mistake also explains lines of later kernels that access wrong places because an earlier kernel is wrong.
"""

from dataclasses import replace

import pytest

from grader.grading.explain.simulator.locations import Scene
from grader.grading.explain.slips.launch import SimulatedLaunch, Text
from grader.grading.explain.slips.missing_accesses import blocking
from grader.grading.explain.slips.rules import RULES, first_slip, misplaced_later
from grader.grading.source.polynomial import atom, constant
from grader.grading.source.reading import outline
from grader.protocol.observation import (
    SeenAccess,
    SeenArray,
    SeenBranch,
    SeenKernel,
    SeenMessage,
    SeenPixels,
    SeenUnset,
)
from grader.results.verdicts import Reason

COUNTS = {"requests": 1, "mostly_idle": 0, "active": 1, "bytes": 4, "unused": 0, "conflicts": 0, "sectors": 1}
COUNTS |= {"fewest": 1, "worst": 1.0, "stride": 4}

SIZES = {"h": 50, "w": 90}
SHAPES = {"A": (atom("h"), atom("w")), "B": (atom("w"), atom("h")), "v": (atom("w"),)}
HEAD = "__kernel void k(__global const float *A, __global float *B, __global float *v, uint h, uint w)\n{\n"
IDS = "const uint x = get_global_id(0), y = get_global_id(1);\n"

WRITE, READ = "Invalid write of", "Invalid read of"


def outside(kind, line, array):
    """Return the simulator's message about an access one element past the end of an array."""
    number = [*SHAPES].index(array) + 1
    size = 90 * 50 if array != "v" else 90
    text = (
        f"{kind} size 4 at global memory address 0x{number << 48 | 4 * size:x}\n\tKernel: k\n"
        f"\tEntity: Global(1,2,0) Local(1,2,0) Group(0,0,0)\n\tstore\n\tAt line {line} (column 5) of input.cl\n"
    )
    return SeenMessage(text=text, array=array, times=1, writes=(), endings=())


def launch(body, *messages, accesses=(), stored="v", source=None, group=(16, 16)):
    """Return the launch of a kernel with this body on 90 x 50 elements. The body begins in line 3."""
    text = f"{HEAD}{body}\n}}\n"
    seen = outline(text, ["k"])
    arrays = tuple(
        SeenArray(space=1, buffer=number, name=name, size=4 * (90 * 50 if name != "v" else 90))
        for number, name in enumerate(SHAPES, start=1)
    )
    kernel = SeenKernel(
        kernel="k",
        flop=0,
        steps=0,
        busiest=0,
        private=0,
        arrays=arrays,
        messages=messages,
        unset=(),
        accesses=tuple(
            SeenAccess(line=3, column=1, array=name, space=1, writes=name == stored, **COUNTS)
            for name in (*accesses, *filter(None, [stored]))
        ),
        branches=(),
    )
    scene = Scene(source=source or text, dimensions=2, extent=(90, 50), expanded=text)
    return SimulatedLaunch(
        text=Text(outline=seen, function=seen.functions[0], scene=scene),
        seen=kernel,
        items=(96, 64),
        group=group,
        shapes=SHAPES,
        sizes=SIZES,
        extent=(atom("w"), atom("h")),
        inputs=frozenset("A"),
        constants={"TILE": "16"},
        stated=frozenset({"TILE"}),
    )


def said(rule, *args, **kwargs):
    """Return the message and the help of the rule with this name, or "" if it does not apply."""
    found = next(each for each in RULES if each.name == rule).find(launch(*args, **kwargs))
    return f"{found.message} {found.help}" if found else ""


@pytest.mark.parametrize(
    ("body", "message", "words"),
    [
        (
            "B[x * h + y] = A[y * w + x];",
            outside(WRITE, 4, "B"),
            "line 4 has no guard. Write `B` only if `x < w` and `y < h`.",
        ),
        ("v[x] = 1;", outside(WRITE, 4, "v"), "line 4 has no guard. Write `v` only if `x < w`."),
        (
            "if (y < h)\nB[x * h + y] = 0;",
            outside(WRITE, 5, "B"),
            "the guard in line 4 does not test `x`, the row of `B`. Test `x < w`, too.",
        ),
        (
            "if (x < h && y < w)\nB[x * h + y] = 0;",
            outside(WRITE, 5, "B"),
            (
                "the guard in line 4 compares `x` with `h` and `y` with `w`, but `B` has `w` rows and `h` columns. "
                "Test `x < w` and `y < h` instead."
            ),
        ),
        (
            "if (x > w || y >= h) return;\nB[h * x + y] = 0;",
            outside(WRITE, 5, "B"),
            "the guard in line 4 lets `x` reach `w`, but the last row of `B` is `w - 1`. Test `x < w` instead.",
        ),
        (
            "if (x < w && y < h)\nB[x * h + y + 1] = 0;",
            outside(WRITE, 5, "B"),
            (
                "line 5 writes at column `y + 1`, but the guard in line 4 tests `y`. "
                "Use the same value in the index and in the guard."
            ),
        ),
        (
            "const uint z = get_group_id(0) * 16 + get_local_id(1);\nif (x < w && y < h)\nB[z * h + y] = 0;",
            outside(WRITE, 6, "B"),
            ("the guard in line 5 does not test `z`, the row of `B`. Test `z < w`, or correct the index."),
        ),
        (
            "for (uint k = 0; k < w; k += 16)\nv[0] = y < h ? A[y * w + (k + get_local_id(0))] : 0;",
            outside(READ, 5, "A"),
            (
                "the guard in line 5 does not test `k + get_local_id(0)`, the column of `A`. "
                "Test `k + get_local_id(0) < w`, too."
            ),
        ),
    ],
)
def test_a_guard_is_told_by_its_mistake(body, message, words):
    """The message says what is wrong with a guard: it is missing, it does not test all indices, it compares with the
    wrong size, or it lets one index too many pass.
    """
    assert said("guard", IDS + body, message) == words


@pytest.mark.parametrize(
    ("body", "line"),
    [
        ("if (x < w && y < h) B[x * h + y] = 0;", 4),
        ("if (min(x, w) < w) B[x * h + y] = 0;", 4),
        ("uint i = x * h + y; i += 1;\nB[i] = 0;", 5),
        ("B[x * 50 + y] = 0;", 4),
        ("if (x < w && y < h) B[x * h + y + w] = 0;", 4),
        ("if (x < w || y < h) B[x * h + y] = 0;", 4),
    ],
)
def test_a_guard_that_is_right_or_unreadable_is_not_blamed(body, line):
    """If a guard is right, or if the guard or the index is too complicated to analyse, the guard is not blamed."""
    assert not said("guard", IDS + body, outside(WRITE, line, "B"))


def test_a_guard_is_not_blamed_for_an_index_from_a_computed_array():
    """If an index depends on the elements of an array, it may be too large because they are wrong. Inputs are right."""
    body = f"{IDS}const uint at = v[x];\nB[at * h + y] = 0;"
    assert said("guard", body, outside(WRITE, 5, "B"), stored="B") == ""
    assert said("guard", body.replace("v[x]", "A[x]"), outside(WRITE, 5, "B"), stored="B") != ""


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("if (x < w - 1) v[x] = 0;", "the guard in line 4 leaves out the last element of `v`. Test `x < w` instead."),
        ("if (x + 1 >= w || y >= h) return; B[x * h + y] = 0;", ""),
        (
            "if (x < w && y < h - 2) B[x * h + y] = 0;",
            "the guard in line 4 leaves out the last 2 columns of `B`. Test `y < h` instead.",
        ),
        (
            "for (uint k = 0; k < w - 1; k++) v[k] = 0;",
            "the loop in line 4 leaves out the last element of `v`. Test `k < w` instead.",
        ),
        (
            "if (x < h) v[x] = 0;",
            "the guard in line 4 compares `x` with `h`, but `v` has `w` elements. Test `x < w` instead.",
        ),
        ("if (x < w) v[x] = 0;", ""),
        ("if (x < w - 1) v[x] = 0; else if (x < w) v[x] = 1;", ""),
    ],
)
def test_a_guard_that_leaves_out_elements_is_named(body, words):
    """A guard or a loop that ends too early is reported, unless another line stores the remaining elements."""
    assert said("strict guard", IDS + body) == words


def test_lines_without_a_guard_are_named_together():
    """All lines that lack a guard are reported together, but only if the simulator saw an access outside an array
    there.
    """
    body = f"{IDS}float a = A[y * w + x];\nv[x] = a;\nB[x * h + y] = a;"
    found = first_slip([launch(body, outside(READ, 4, "A"), outside(WRITE, 6, "B"), accesses=("A",))])
    assert found.message == "lines 4 and 6 have no guard."
    assert found.help == "Read `A` only if `y < h` and `x < w`; write `B` only if `x < w` and `y < h`."
    assert found.explains == {4, 6}
    assert first_slip([launch(body, accesses=("A",))]) is None


def test_a_factor_of_zero_is_no_guard():
    """A factor of 0 for words past the end does not replace a guard, and neither does a loop that limits only a part of
    the index.
    """
    body = "uint all = 96, t = 0, turns = w / all;\nfor (; t < turns; t++) { uint k = get_global_id(0) + t * all;\n"
    words = said("guard", f"{body}v[0] += v[k] * (k < w); }}", outside(READ, 5, "v"))
    assert words == "line 5 has no guard. Read `v` only if `k < w`. A factor of 0 does not help: NaN times 0 is NaN."
    body = "uint t = get_global_id(0), end = w / 2;\nfor (; t < end; t += 96)\n"
    assert not said("guard", f"{body}v[t] = 0;", outside(WRITE, 5, "v"))


def test_equal_conditions_of_several_lines_are_told_once():
    """If all lines need the same guard, the help names them together and gives the condition once."""
    found = first_slip([launch(f"{IDS}v[x] = 0;\nv[x] = 1;", outside(WRITE, 4, "v"), outside(WRITE, 5, "v"))])
    assert found.help == "Run lines 4 and 5 only if `x < w`."


def test_a_word_that_is_staged_for_a_sum_becomes_zero():
    """If a kernel loads words into local memory for a sum, the help also says to store 0 in place of the words that are
    not loaded.
    """
    body = f"{IDS}__local float s[16];\ns[x % 16] = A[y * w + x];\nfloat sum = 0; sum += s[0];"
    assert said("guard", body, outside(READ, 5, "A")).endswith("Store 0 in place of the other words.")
    assert not said("guard", body.replace("+=", "="), outside(READ, 5, "A")).endswith("words.")


@pytest.mark.parametrize(
    "ids",
    [
        "const uint y = get_global_id(0), x = get_global_id(1);\n",
        "const uint y = get_group_id(0) * 16 + get_local_id(0), x = get_local_id(1) + 16 * get_group_id(1);\n",
    ],
)
@pytest.mark.parametrize("store", ["B[x * h + y] = A[y * w + x];", "A[y * w + x] = 0;"])
def test_exchanged_dimensions_are_named(ids, store):
    """If the kernel uses dimension 0 for the rows and dimension 1 for the columns, but the launch is the other way
    round, the message says so, for a copy as well as for a transposition.
    """
    words = said("exchanged dimensions", f"{ids}if (x < w && y < h) {store}")
    assert words.startswith("line 3 exchanges dimensions 0 and 1. Dimension 0 of this launch runs along the ")
    assert "(`w`)" in words.partition(", ")[0]
    assert words.endswith(". Exchange 0 and 1 in all calls of get_global_id, get_local_id and get_group_id.")


@pytest.mark.parametrize(
    "body",
    [
        f"{IDS}if (x < w && y < h) B[x * h + y] = A[y * w + x];",
        "const uint y = get_global_id(0), x = get_global_id(1);\nB[y * h + x] = A[y * w + x];",
        "const uint y = get_global_id(0);\nfor (uint x = 0; x < w; x++) A[y * w + x] = 0;",
    ],
)
def test_other_uses_of_dimensions_are_not_exchanged(body):
    """The rule does not apply if each index uses its own dimension, or if a loop runs over one of the sizes."""
    assert not said("exchanged dimensions", body)


TILED = "__local float t[16][16]; const uint u = get_local_id(0), v0 = get_local_id(1);\n"


def test_loads_with_the_id_of_another_dimension_are_named():
    """Loads that use the group's ids of exchanged dimensions are named, if the stores use the right dimensions."""
    ids = "const uint r = get_group_id(0) * 16 + v0, c = get_group_id(1) * 16 + u;\n"
    body = (
        f"{TILED}{IDS}{ids}if (r < h && c < w)\nt[v0][u] = A[r * w + c];\nif (x < w && y < h) B[x * h + y] = t[u][v0];"
    )
    assert said("exchanged groups", body) == (
        "line 7 uses get_group_id(0) for the rows of `A` and get_group_id(1) for the columns of `A`. Dimension 0 of "
        "this launch runs along `w` and dimension 1 runs along `h`. Exchange 0 and 1 in these calls of get_group_id or "
        "get_global_id."
    )
    assert not said("exchanged groups", body.replace("A[r * w + c]", "A[y * w + x]"))


@pytest.mark.parametrize("second", ["y = get_global_id(0)", "y = get_group_id(0) * 16 + get_local_id(1)"])
def test_a_store_that_uses_one_dimension_for_rows_and_columns_is_named(second):
    """The message names the line that computes the coordinate with the wrong dimension, not the guard of the store. The
    rule does not apply to a right store, or if the other dimension has a single group.
    """
    body = f"const uint x = get_global_id(0);\nconst uint {second};\nif (x < w && y < h)\nB[y + h * x] = A[y * w + x];"
    assert said("one group id", body) == (
        "line 4 uses dimension 0 of the launch for the columns of `B`, as for its rows, so only some blocks of `B` are "
        "stored. Dimension 1 runs along the columns (`h`). Use dimension 1 for the columns."
    )
    single = replace(launch(body), items=(96, 16))
    assert next(each for each in RULES if each.name == "one group id").find(single) is None
    assert not said("one group id", f"{IDS}if (x < w && y < h) B[x * h + y] = A[y * w + x];")


def test_a_tile_of_which_only_the_diagonal_is_loaded_is_named():
    """A load whose row and column use the same id in the group reads only the diagonal of its tile."""
    load = "if (y < h && k + v0 < w)\nt[u][v0] = A[y * w + k + v0];"
    body = f"{TILED}{IDS}for (uint k = 0; k < w; k += 16) {{\n{load}\n}}\nif (x < w && y < h) B[x * h + y] = t[u][v0];"
    assert said("one local id", body).startswith(
        "line 7 uses get_local_id(1) for the row and for the column of `A`, so a group loads only the diagonal of its "
        "tile. Use get_local_id(0) for one of the two."
    )
    assert not said("one local id", body.replace("k + v0", "k + u"))
    assert not said("one local id", body, group=(16, 1))


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("#define TILE 32\n", "line 1 redefines TILE, which the grader sets to 16. Delete line 1."),
        ("// mine\n#  define TILE (8)\n", "line 2 redefines TILE, which the grader sets to 16. Delete line 2."),
        ("#define TILE 16\n", ""),
        ("#define SIDE 32\n", ""),
        ("#ifndef TILE\n#define TILE 32\n#endif\n", ""),
    ],
)
def test_a_redefined_macro_is_named(source, words):
    """If the file defines one of the grader's macros with another value, the line is reported. The same value, another
    name and a default under `#ifndef` are accepted.
    """
    assert said("redefined macro", "", source=source).startswith(words)
    assert bool(said("redefined macro", "", source=source)) is bool(words)


@pytest.mark.parametrize(
    ("access", "words"),
    [
        ("v[x] = A[y * 1024 + x];", "line 4 expects 1024 elements in each row of `A`, but a row has `w` elements."),
        ("B[(x << 6) + y] = 0;", ""),
        ("B[64 * x + y] = 0;", "line 4 expects 64 elements in each row of `B`, but a row has `h` elements."),
        ("v[x] = A[y * w + x];", ""),
        ("v[x] = A[y * 90 + x];", ""),
        ("v[x] = A[get_group_id(1) * 16 + x];", ""),
    ],
)
def test_a_number_in_place_of_the_row_length_is_named(access, words):
    """If a row index is multiplied by a number, the number is reported, unless it equals the row length in this
    launch.
    """
    found = said("fixed row length", IDS + access)
    assert found.startswith(words)
    assert bool(found) is bool(words)


def branch(line, *, constant):
    """Return the simulator's record of a condition."""
    return SeenBranch(line=line, reached=9, diverged=0, constant=constant)


@pytest.mark.parametrize(
    ("branches", "lines"),
    [
        ([], {4}),
        ([branch(4, constant=False)], {6}),
        ([branch(4, constant=True)], {4, 6}),
        ([branch(4, constant=False), branch(6, constant=True)], {6}),
        ([branch(4, constant=True), branch(6, constant=True)], {6}),
        ([branch(4, constant=False), branch(6, constant=False)], {4, 6}),
    ],
)
def test_the_condition_that_keeps_all_work_items_out(branches, lines):
    """Several conditions may precede a line that no work-item reaches. The one that keeps them out is named if the
    simulator shows it. Otherwise all that may do so are named. Work-items have passed each condition that comes before
    an evaluated one.
    """
    seen = launch(f"{IDS}if (x >= w)\nreturn;\nif (y < h)\nv[x] = 0;")
    seen = replace(seen, seen=seen.seen.model_copy(update={"branches": tuple(branches)}))
    store = next(number for number, token in enumerate(seen.text.outline.code) if token.line == 7)
    assert blocking(seen, [store]) == lines


def test_a_condition_of_several_comparisons_may_keep_all_work_items_out():
    """A condition of two comparisons may always be false although each of them is sometimes true."""
    seen = launch(f"{IDS}if (x >= w || y >= h)\nreturn;\nif (y < h)\nv[x] = 0;")
    seen = replace(seen, seen=seen.seen.model_copy(update={"branches": (branch(4, constant=False),)}))
    store = next(number for number, token in enumerate(seen.text.outline.code) if token.line == 7)
    assert blocking(seen, [store]) == {4, 6}


def test_a_loop_that_never_begins_keeps_all_work_items_out():
    """A loop whose condition never changes has no iteration, because the launch has ended. Conditions that are always
    true are not to blame, and neither are conditions inside the loop.
    """
    seen = launch(f"{IDS}if (x < w)\nfor (uint k = 0; k < w; k++)\nif (y < h)\nv[k] = 0;")
    branches = tuple(branch(line, constant=True) for line in (4, 5))
    seen = replace(seen, seen=seen.seen.model_copy(update={"branches": branches}))
    store = next(number for number, token in enumerate(seen.text.outline.code) if token.line == 7)
    assert blocking(seen, [store]) == {5}


def test_results_that_are_never_stored_are_named_with_their_stores():
    """An array that no work-item writes is named, with the lines of its stores and of the conditions before them. A
    store without a condition happens.
    """
    body = f"{IDS}if (x >= 0)\nreturn;\nif (y < h)\nv[x] = A[y * w + x];"
    words = "`v` is never written: the condition in line 4 keeps all work-items from the store in line 7. "
    assert said("results not stored", body, accesses=("A",), stored="B") == f"{words}Check the condition."
    assert not said("results not stored", body, accesses=("A",), stored="v")
    elsewhere = replace(launch(body, accesses=("A",), stored="B"), elsewhere=frozenset({("v", True)}))
    assert next(each for each in RULES if each.name == "results not stored").find(elsewhere) is None
    assert not said("results not stored", f"{IDS}if (x < 0)\nB[x] = 0;", stored="B")
    assert not said("results not stored", f"{IDS}B[x] = 0;", stored="v")


@pytest.mark.parametrize(
    "store",
    [
        "__global float *own = v + x;\nif (x < 0)\nown[y] = 1;",
        "__global float *own = v + x;\nif (x < 0)\nvstore4((float4)(1), 0, own + y);",
        "\nif (x < 0)\nvstore4((float4)(1), x, v);",
        "\nif (x < 0)\nv[x] += 1;",
    ],
)
def test_a_store_through_a_pointer_or_by_a_function_is_a_store(store):
    """A store is found even if its statement does not begin with the array. A read of unset words in a later kernel is
    an effect, and the message then names the kernel that never stores.
    """
    words = "is never written: the condition in line 5 keeps all work-items from the store in line 6."
    assert said("results not stored", IDS + store, stored="B").startswith(f"`v` {words}")
    seen = replace(launch(IDS + store, stored="B"), unset_later=frozenset({("v", 20), ("B", 21)}))
    found = next(each for each in RULES if each.name == "results not stored").find(seen)
    assert found.message.startswith("k never writes `v`: ")
    assert found.explains == {20}


def test_a_pixel_that_is_never_stored_is_named():
    """A store to a pixel counts as a store to its image. An image that the simulator saw written is not named."""
    body = f"{IDS}if (x < 0)\nwrite_imagef(v, (int2)(x, y), 0);"
    assert said("results not stored", body, stored="B").startswith("`v` is never written: the condition in line 4 ")
    seen = launch(body, stored="B")
    pixels = SeenPixels(line=5, column=1, image="v", writes=True, times=1)
    seen = replace(seen, seen=seen.seen.model_copy(update={"images": (pixels,)}))
    assert next(each for each in RULES if each.name == "results not stored").find(seen) is None


@pytest.mark.parametrize(
    ("store", "words"),
    [
        (
            "for (uint k = 0; k < h; k++)\nB[x] = k;",
            (
                "line 5 stores in `B` at index `x`, so it stores nothing after `B[95]`, but `B` has `h * w` elements. "
                "Multiply the row by `h`, and add the column."
            ),
        ),
        ("B[x * h + y] = 0;", ""),
        ("B[get_local_id(0) * h + y] = 0;", ""),
        ("for (uint k = 0; k < h; k++) B[x + k] = k;", ""),
        ("B[x] = 0; B[x + w] = 0;", ""),
        ("v[0] = 0;", ""),
    ],
)
def test_a_store_whose_index_stays_too_small_is_named(store, words):
    """The only store of an array of rows and columns may reach only its first elements."""
    assert said("too few elements", IDS + store, stored="B") == words


def test_unread_inputs_are_named_with_the_lines_of_their_loads():
    """An input that no work-item read is reported, together with the lines that would load it."""
    body = f"{IDS}if (x < 0)\nv[x] = A[y * w + x];"
    assert said("unread inputs", body).startswith(
        "`A` is never read: the condition in line 4 keeps all work-items from the load in line 5."
    )
    assert said("unread inputs", IDS) == "line 1: k does not use `A`. Read `A` in k."
    assert not said("unread inputs", body, accesses=("A",))
    assert not said("unread inputs", body, stored="")


@pytest.mark.parametrize(
    "loop",
    [
        "for (uint k = 0; k < w; k++)\nsum = A[y * w + k];",
        "for (uint k = 0; k < w; k++) {\nsum = A[y * w + k]; }",
        "uint k = 0; while (k < w) {\nsum = A[y * w + k]; k++; }",
    ],
)
def test_a_sum_that_each_iteration_overwrites_is_named(loop):
    """If each iteration of a loop overwrites a variable that is read only after the loop, the message suggests `+=`."""
    words = "line 5 sets `sum` again in each iteration, so only the last value counts. Write `+=` to add up all values."
    assert said("overwritten sum", f"{IDS}float sum = 0; {loop}\nv[y] = sum;") == words


@pytest.mark.parametrize(
    "loop",
    [
        "for (uint k = 0; k < w; k++) sum += A[k];",
        "for (uint k = 0; k < w; k++) sum = sum + A[k];",
        "for (uint k = 0; k < w; k++) if (k == x) sum = A[k];",
        "for (uint k = 0; k < w; k++) { sum = A[k]; v[k] = sum; }",
        "for (uint k = 0; k < w; k++) sum = A[x];",
        "for (uint k = 0; k < w; k++) { float last = A[k]; v[k] = last; }",
    ],
)
def test_other_loops_overwrite_no_sum(loop):
    """A sum, a conditional assignment, and a value that is used inside the loop are not reported."""
    assert not said("overwritten sum", f"{IDS}float sum = 0; {loop}\nv[y] = sum;")


STAGED = "__local float s[256]; const uint me = get_local_id(0);\n"


def wrong_in_local_memory(line):
    """Return the simulator's message about a read outside an array in local memory."""
    text = (
        "Invalid read of size 4 at local memory address 0x1000000000400\n\tKernel: k\n"
        f"\tEntity: Global(1,2,0) Local(1,2,0) Group(0,0,0)\n\tload\n\tAt line {line} (column 5) of input.cl\n"
    )
    return SeenMessage(text=text, array="s", times=1, writes=(), endings=())


@pytest.mark.parametrize("step", ["s[me] += s[me + half];", "s[me] = s[me] + s[me + half];"])
def test_a_step_of_a_tree_without_a_condition_is_named(step):
    """If all work-items execute a step of a tree reduction, the missing condition is reported. It uses the distance
    between the two words.
    """
    body = f"{STAGED}for (uint half = 8; half > 0; half /= 2)\n{step}"
    words = "line 5 has no condition, so too many work-items add. Let only work-items with `me < half` add."
    assert said("tree", body, wrong_in_local_memory(5)) == words
    assert not said("tree", body.replace("s[me] ", "if (me < half) s[me] "), wrong_in_local_memory(5))
    assert not said("tree", body)


@pytest.mark.parametrize("test", ["if (x < w)\n", "if (x >= w) return;\n"])
def test_words_that_a_guard_leaves_unset_are_named(test):
    """If a guard on a size keeps work-items from storing to local memory, their words stay unset, and the message names
    all guards of the store. A store that the text does not show as an assignment may fill these words, too, and a store
    in a race may be late.
    """
    unset = {"line": 7, "column": 1, "name": "s", "space": 3, "used_line": 7, "how": "stored", "array": "v"}
    ids = {"global_id": (95, 0, 0), "local_id": (15, 0, 0), "group": (5, 0, 0), "times": 1}

    def unset_words(body, *messages, **stored):
        seen = launch(body, *messages, **stored)
        read = SeenUnset(**unset, **ids)
        return first_slip([replace(seen, seen=seen.seen.model_copy(update={"unset": (read,)}), inputs=frozenset())])

    body = f"{IDS}{STAGED}{test}s[me] = 1;\nv[x] = s[15 - me];"
    found = unset_words(body)
    assert found.message == "work-items that the guard in line 5 keeps out store nothing in `s`."
    assert found.explains == {7}
    assert found.effects == {Reason.UNINITIALISED}
    among = f"{IDS}{STAGED}if (me < 9)\n{{ {test.strip()} s[me] = 1; }} v[x] = s[15 - me];"
    assert unset_words(among).message == "work-items that the guards in lines 5 and 6 keep out store nothing in `s`."
    other = unset_words(body, stored="s")
    assert other is None or "store nothing" not in other.message
    wrong = wrong_in_local_memory(7)
    race = wrong.model_copy(update={"text": wrong.text.replace("Invalid read of", "Read-write data race at")})
    assert unset_words(body, race) is None
    assert unset_words(body.replace("s[me] = 1", "s[me] = 1; else s[me] = 0").replace(test, "if (x != w)")) is None


@pytest.mark.parametrize(
    ("index", "words"),
    [
        ("32 * get_group_id(0) + get_local_id(0)", "gives each group 32 elements"),
        ("(get_group_id(0) << 3) + get_local_id(0)", "gives each group 8 elements"),
        ("32 * get_group_id(0) + get_local_id(1)", "gives each group 32 elements"),
        ("get_global_id(0)", ""),
        ("16 * get_group_id(0) + get_local_id(0)", ""),
        ("32 * get_group_id(0) + get_local_id(0) + 16 * w", ""),
    ],
)
def test_groups_of_another_size_are_named(index, words):
    """If an index assumes another group size than the launch has, the message says so, because some elements would
    never be stored.
    """
    found = said("other group size", f"const uint i = {index};\nif (i < w) v[i] = 0;")
    assert words in found
    assert bool(words) is bool(found)
    assert not found or (found.startswith("line 3 ") and found.endswith("Multiply the id of the group by TILE."))


def test_a_launch_with_another_group_is_read_with_its_own_sizes():
    """The global id is computed from the group size of this launch, so the index of a kernel can be right for one group
    size and wrong for another.
    """
    body = "const uint x = get_group_id(0) * 32 + get_local_id(0);\nif (get_global_id(0) < w) v[x] = 0;"
    assert not said("guard", body, outside(WRITE, 4, "v"), group=(32, 16))
    words = "the guard in line 4 does not test `x`, the index of `v`. Test `x < w`, or correct the index."
    assert said("guard", body, outside(WRITE, 4, "v")) == words


def test_sizes_of_one_number_are_compared_as_numbers():
    """If an id can never reach the size of the array, no guard is needed."""
    shapes = {**SHAPES, "v": (constant(96),)}
    seen = replace(launch(f"{IDS}v[x] = 0;", outside(WRITE, 4, "v")), shapes=shapes)
    assert next(each for each in RULES if each.name == "guard").find(seen) is None


SUMS = """__kernel void sums(__global const float *given, __global uint *starts)
{
    starts[0] = given[0];
}
"""
MOVES = """__kernel void moves(__global const uint *from, __global const float *A, __global float *to, uint n)
{
    uint first = from[0];
    to[first] = A[n];
    to[n] = A[0];
}
"""


def later(source, buffers, accesses):
    """Return a launch of the kernel with this text. `accesses` has a line, an array and true for a write."""
    (name,) = (each for each in ("sums", "moves") if each in source)
    return SeenKernel(
        kernel=name,
        flop=0,
        steps=0,
        busiest=0,
        private=0,
        arrays=tuple(SeenArray(space=1, buffer=number, name=array, size=64) for array, number in buffers.items()),
        messages=(),
        unset=(),
        accesses=tuple(
            SeenAccess(line=line, column=1, array=array, space=1, writes=writes, **COUNTS)
            for line, array, writes in accesses
        ),
        branches=(),
    ), Scene(source=source, dimensions=1, extent=None, expanded=source)


SUM = later(SUMS, {"given": 3, "starts": 8}, [(3, "given", False), (3, "starts", True)])
MOVE = later(
    MOVES,
    {"from": 8, "A": 1, "to": 9},
    [(3, "from", False), (4, "A", False), (4, "to", True), (5, "to", True), (5, "A", False)],
)


def test_an_index_from_the_results_of_a_kernel_is_a_consequence():
    """The first kernel writes `v`, the second computes `starts` from `v`, and the last computes an index in line 4 from
    `starts`. Without the second kernel, nothing depends on `v`.
    """
    first = launch("v[0] = 1;")
    assert misplaced_later(replace(first, later=(SUM, MOVE))) == {4}
    assert misplaced_later(replace(first, later=(MOVE,))) == frozenset()


def test_a_mistake_explains_its_consequences():
    """The lines that a mistake explains include the lines of its consequences."""
    found = first_slip([replace(launch("v[0] = 1;"), later=(SUM, MOVE))])
    assert found.message == "line 1: k does not use `A`."
    assert found.explains == {4}
