"""unset.py: if a value is read that was never written, the help explains which write is missing."""

import pytest

from grader.grading.explain.simulator.locations import Scene
from grader.grading.explain.simulator.unset import of_unset
from grader.protocol.observation import SeenAccess, SeenArray, SeenKernel, SeenUnset

LINE = Scene(source="\n".join(f"line {n};" for n in range(1, 31)), dimensions=1, extent=None)
GLOBAL, LOCAL = 1, 3

FILL = "If a word has no element to load, store the value that the exercise wants there, often 0."


def launch(name, *written, space=GLOBAL):
    """Return a launch that writes the given arrays in the given lines."""
    accesses = tuple(
        SeenAccess(
            line=line,
            column=5,
            array=array,
            space=space,
            writes=True,
            requests=1,
            mostly_idle=0,
            active=0,
            bytes=4,
            unused=28,
            conflicts=0,
            sectors=1,
            fewest=1,
            worst=1.0,
            stride=None,
        )
        for array, line in written
    )
    return SeenKernel(
        kernel=name,
        flop=0,
        steps=0,
        busiest=0,
        private=0,
        arrays=(),
        messages=(),
        unset=(),
        accesses=accesses,
        branches=(),
    )


def unset(name, space):
    """Return a read of an unset value in line 20."""
    return SeenUnset(
        line=20,
        column=5,
        name=name,
        space=space,
        used_line=22,
        how="stored",
        array="sums",
        global_id=(3, 0, 0),
        local_id=(3, 0, 0),
        group=(0, 0, 0),
        times=1,
    )


def cause(name, space, *launches, scene=LINE):
    """Return the help about a read in line 20 of the last launch."""
    return of_unset(unset(name, space), launches, scene).help


@pytest.mark.parametrize(
    ("written", "lines"), [([("tile", 12)], "line 12"), ([("tile", 12), ("tile", 15), ("other", 9)], "lines 12 and 15")]
)
def test_local_memory_is_filled_in_the_lines_that_write_it(written, lines):
    """If words of local memory are not written, the help names the lines that write the array, because these lines
    leave words out.
    """
    assert cause("tile", LOCAL, launch("k", *written, space=LOCAL)) == (
        f"Not all words of `tile` are written in {lines}. {FILL}"
    )


def test_local_memory_whose_value_a_later_launch_uses():
    """If a later launch uses the result of the read, the help names the lines of the launch that reads the word."""
    first = launch("k", ("tile", 12), space=LOCAL)
    reads = first.accesses[0].model_copy(update={"line": 20, "writes": False})
    first = first.model_copy(update={"accesses": (*first.accesses, reads)})
    assert "are written in line 12." in cause("tile", LOCAL, first, launch("later", ("sums", 22)))


def test_what_decides_how_much_of_local_memory_is_filled():
    """The help also names the lines that decide how much of local memory is written, here a loop and the definition of
    its bound. Words are often left out because a bound is too low.
    """
    lines = ["__kernel void k(__global const float *A, uint n, __local float *tile)", "{", "const uint most = n - 1;"]
    lines += ["for (uint i = get_local_id(0); i < most; i += 64)", "tile[i] = A[i];", "}"]
    source = "\n".join(lines)
    scene = Scene(source=source, dimensions=1, extent=None, expanded=source)
    told = cause("tile", LOCAL, launch("k", ("tile", 5), space=LOCAL), scene=scene)
    assert told.endswith("often 0. How much is written depends on lines 3 and 4.")


def test_a_store_to_local_memory_that_no_work_item_gets_to():
    """The help names a store that no work-item gets to, and its condition, even if the array has two dimensions."""
    lines = ["__kernel void k(uint n)", "{", "__local float tile[2][4];", "tile[0][get_local_id(0)] = 1;"]
    source = "\n".join([*lines, "if (get_local_id(0) == n)", "tile[1][0] = 2;", "}"])
    scene = Scene(source=source, dimensions=1, extent=None, expanded=source)
    assert cause("tile", LOCAL, launch("k", ("tile", 4), space=LOCAL), scene=scene) == (
        "Not all words of `tile` are written in line 4. No work-item gets to the store in line 6, behind the condition "
        f"in line 5. {FILL}"
    )


def test_a_function_that_returns_nothing():
    """If the function that ends in this line has no `return`, the message says so. The compiler calls the missing value
    retval, a name that does not occur in the student's file.
    """
    told = of_unset(unset("retval", 0), [launch("add")], LINE)
    assert told.message == "the function that ends in line 20 ends without `return`, and its value is used."
    own = Scene(source="retval;\n" * 30, dimensions=1, extent=None)
    assert "reads `retval`" in of_unset(unset("retval", 0), [launch("add")], own).message


def test_local_memory_that_no_line_writes():
    """If no line writes to the local array, the help suggests that the values are stored in an array with another
    name.
    """
    assert cause("tile", LOCAL, launch("k", ("other", 12), space=LOCAL)) == (
        "No line wrote to `tile`. Check the name of the array in which you store the values."
    )


def test_local_memory_that_a_line_adds_to():
    """If only the reading line writes the array, the help asks for an initial value. If another line writes it under a
    condition, the help asks for a 0 for all other work-items.
    """
    assert cause("tile", LOCAL, launch("k", ("tile", 20), space=LOCAL)) == (
        "Line 20 adds to words of `tile`. Give each of them a value first, such as 0."
    )
    source = "__kernel void k(uint n, __local float *tile)\n{\nif (get_global_id(0) < n) {\ntile[0] = 1;\n}\n}\n"
    scene = Scene(source=source, dimensions=1, extent=None, expanded=source)
    assert cause("tile", LOCAL, launch("k", ("tile", 4), ("tile", 20), space=LOCAL), scene=scene) == FILL
    told = of_unset(unset("tile", LOCAL), [launch("k", ("tile", 4), ("tile", 20), space=LOCAL)], scene).message
    assert told.startswith(
        "line 4 stores to `tile` only if the condition in line 3 is true, but line 20 reads words that no work-item "
        "has written; "
    )


def test_a_variable_that_is_declared_without_a_value():
    """The message names the line that declares the variable, unless another variable has the same name."""
    body = "float sum;\nfloat x = 0, y;\n" + "\n" * 15 + "x = sum;\n"
    source = "__kernel void k(__global float *out)\n{\n" + body + "out[0] = sum;\n}\n"
    scene = Scene(source=source, dimensions=1, extent=None, expanded=source)
    told = of_unset(unset("sum", 0), [launch("k")], scene).message
    assert told.startswith("line 20 reads `sum`, which line 3 declares without a value; ")
    twice = source.replace("float x = 0, y;", "{ float sum; }")
    again = of_unset(unset("sum", 0), [launch("k")], Scene(source=twice, dimensions=1, extent=None, expanded=twice))
    assert again.message.startswith("line 20 reads `sum`, which has no value yet; ")


def test_what_another_kernel_should_have_written_is_that_kernels():
    """If another kernel should have written the value, the help names the last kernel that writes the array, because an
    initial value in the reading kernel would not help.
    """
    first, second, reader = launch("first", ("x", 5)), launch("second", ("x", 9), ("y", 10)), launch("r", ("sums", 22))
    rest = ", but not every word that is read here."
    assert cause("x", GLOBAL, first, second, reader) == f"second writes `x` in line 9{rest}"
    assert cause("x", GLOBAL, first, reader) == f"first writes `x` in line 5{rest}"


def test_stores_of_an_earlier_kernel_that_no_work_item_gets_to():
    """If an earlier kernel fills only a part of the array, the help names stores of the same function that no work-item
    gets to.
    """
    lines = ["void put(__global float *to, uint i, uint n)", "{", "if (i < n)", "to[i] = 1;"]
    lines += ["if (i + 1 < n)", "to[i + 1] = 2;", "}", "__kernel void first(__global float *x, uint n)", "{"]
    source = "\n".join([*lines, "put(x, 2 * get_global_id(0), n);", "}"])
    scene = Scene(source=source, dimensions=1, extent=None, expanded=source)
    told = cause("x", GLOBAL, launch("first", ("x", 6)), launch("r", ("sums", 22)), scene=scene)
    assert told == (
        "first writes `x` in line 6, called from line 10, but not every word that is read here. No work-item gets to "
        "the store in line 4, behind the condition in line 3."
    )


def test_a_condition_around_the_store_of_an_earlier_kernel():
    """If an earlier kernel fills global memory in one line behind one condition, the message names this condition."""
    source = "__kernel void first(uint n, __global float *x)\n{\nif (get_global_id(0) < n) {\nx[0] = 1;\n}\n}\n"
    scene = Scene(source=source, dimensions=1, extent=None, expanded=source)
    told = of_unset(unset("x", GLOBAL), [launch("first", ("x", 4)), launch("r", ("sums", 22))], scene).message
    assert told.startswith(
        "line 4 stores to `x` only if the condition in line 3 is true, but line 20 reads words of `x` "
    )


def test_an_array_that_an_earlier_launch_calls_by_another_name():
    """If an earlier launch has another name for the array, the help gives both names. Here, the second launch of a
    kernel reads as A what the first launch wrote to sums.
    """
    first = launch("add", ("sums", 9)).model_copy(update={"arrays": arrays(A=1, sums=2)})
    second = launch("add", ("total", 9)).model_copy(update={"arrays": arrays(A=2, total=3)})
    assert cause("A", GLOBAL, first, second) == (
        "`A` is the argument `sums` of an earlier launch. add writes `sums` in line 9, but not every word that is "
        "read here."
    )


def arrays(**buffers):
    """Return arrays in global memory with these names and buffer numbers."""
    return tuple(SeenArray(space=GLOBAL, buffer=number, name=name, size=4) for name, number in buffers.items())


def test_what_no_kernel_has_written_is_for_one_before_the_reader():
    """If no kernel has written to the array, the help says that a kernel before the reading one should have done so."""
    assert cause("x", GLOBAL, launch("first"), launch("r", ("sums", 22))) == "No earlier kernel writes to `x`."


TWO_KERNELS = """__kernel void first(__global float *x, int n)
{
    int i = get_global_id(0);
    if (i < n) return;    // x[i] = 3;
    if (x[i] == 1) i = 2;
    else
        x[i] += x[i] = 2;
}
__kernel void r(__global float *x, __global float *sums)
{
    x[0] = 1;
}"""


def test_a_line_to_which_nobody_gets_is_named():
    """If no work-item reaches the line that assigns to the array, for example because all of them return earlier, the
    help names this line.
    """
    scene = Scene(source=TWO_KERNELS, dimensions=1, extent=None, expanded=TWO_KERNELS)
    assert cause("x", GLOBAL, launch("first"), launch("r", ("sums", 22)), scene=scene) == (
        "first writes `x` only in line 7, which no work-item reaches."
    )


@pytest.mark.parametrize("before", [[], [launch("first", ("C", 5))], [launch("first", ("x", 5))]])
def test_an_output_that_is_added_up_in_is_the_readers_own(before):
    """If a kernel adds to its own output, the help is about this kernel, even if an earlier launch wrote to the
    array.
    """
    assert cause("C", GLOBAL, *before, launch("k", ("C", 22))).startswith("An output does not start at zero")


def source_of_first(parameters, body):
    """Return the scene of a kernel with these parameters and this body in line 3."""
    source = f"void unused(void) {{ }}\n__kernel void first({parameters})\n{{ {body} }}\n"
    return Scene(source=source, dimensions=1, extent=None, expanded=source)


@pytest.mark.parametrize(
    ("body", "help_"),
    [
        ("", "Write the body of this kernel. It is still empty."),
        ("float sum = n; sum += 1;", "Store its results in `x`."),
    ],
    ids=["empty", "without a store"],
)
def test_an_earlier_kernel_that_does_not_use_its_output(body, help_):
    """If an earlier kernel does not use its output at all, the finding marks this kernel, not the line that reads."""
    scene = source_of_first("__global const float *a, __global float *restrict x, uint n", body)
    told = of_unset(unset("x", GLOBAL), [launch("first"), launch("r", ("sums", 22))], scene)
    assert told.message == "the kernel `first` in line 2 stores nothing in `x`, which line 20 reads."
    assert (told.help, told.lines) == (help_, (2, 20))


def test_an_unused_output_that_the_reader_calls_by_another_name():
    """The message gives both names of the array."""
    first = launch("first").model_copy(update={"arrays": arrays(y=1)})
    reader = launch("r", ("sums", 22)).model_copy(update={"arrays": arrays(x=1)})
    told = of_unset(unset("x", GLOBAL), [first, reader], source_of_first("__global float *y", ""))
    assert told.message == "the kernel `first` in line 2 stores nothing in `y`, which line 20 reads as `x`."


@pytest.mark.parametrize(
    ("parameters", "body"),
    [("__global const float *x", ""), ("__global float *y", ""), ("__global float *x", "fill(x);"), ("float x", "")],
)
def test_a_kernel_that_need_not_store_the_array(parameters, body):
    """A kernel is not blamed if the array is an input, if it lacks the array, or if its body uses the array."""
    scene = source_of_first(parameters, body)
    assert cause("x", GLOBAL, launch("first"), launch("r", ("sums", 22)), scene=scene).startswith("No earlier kernel")
