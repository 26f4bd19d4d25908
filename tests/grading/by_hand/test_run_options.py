"""run_options.py: the options of `grader run` become runs. An option that cannot be used gives a message of one
line.
"""

import pytest
from courses import ADDITION, KERNEL, ORACLE, course_of
from two_kernels import BOTH, PARTS

from grader.common.errors import InputError
from grader.grading.by_hand.run_options import Options, Sweep, read_dimensions, read_sweep, read_values, runs


@pytest.fixture(scope="module")
def addition(tmp_path_factory):
    """Return an assignment with one kernel."""
    return course_of(tmp_path_factory.mktemp("one"), ADDITION, KERNEL, ORACLE).load("small")


@pytest.fixture(scope="module")
def suite(tmp_path_factory):
    """Return an assignment with two parts. The second part also launches the kernel of the first."""
    parts = [
        PARTS["parts"][0],
        {**PARTS["parts"][1], "launches": [*ADDITION["launches"], PARTS["parts"][1]["launches"][0]]},
    ]
    return course_of(tmp_path_factory.mktemp("two"), {**PARTS, "parts": parts}, BOTH, ORACLE).load("small")


def test_values_are_read_from_one_option_or_several():
    """Values can be spread over several options. If a name occurs twice, its last value is used."""
    assert read_values("--size", ["n=1024, width = 64", "n=3"]) == {"n": "3", "width": "64"}
    assert read_values("--size", []) == {}


@pytest.mark.parametrize("text", ["n", "n=", "=3", "n=3,", ""])
def test_a_value_without_a_name_or_a_name_without_a_value_is_refused(text):
    """A name without a value, or a value without a name, is refused. The message quotes the option and gives an
    example.
    """
    with pytest.raises(InputError, match=r"--size .*: write a name and its value, as in --size n=1024"):
        read_values("--size", [text])


def test_dimensions_are_between_commas_that_no_bracket_encloses():
    """Commas separate dimensions unless they are in brackets, as in students' statements. The expressions are not
    evaluated here.
    """
    assert read_dimensions("--global", "ceil_to(n, 64), m") == ("ceil_to(n, 64)", "m")
    assert read_dimensions("--global", None) is None


@pytest.mark.parametrize("text", ["", "n,", "1,1,1,1"])
def test_a_size_of_no_or_too_many_dimensions_is_refused(text):
    """A size with no dimension or with more than three is refused, because OpenCL has one to three dimensions."""
    with pytest.raises(InputError, match="write one to three sizes"):
        read_dimensions("--local", text)


def test_a_sweep_has_a_name_and_values():
    """A sweep consists of a name and values, which keep their order."""
    assert read_sweep("TILE=8, 32,16") == Sweep(name="TILE", values=("8", "32", "16"))
    assert read_sweep(None) is None


@pytest.mark.parametrize("text", ["TILE", "TILE=", "=8", "TILE=8,,16", "TILE=8,8"])
def test_a_sweep_without_values_or_with_one_twice_is_refused(text):
    """The values of a sweep must be distinct, because each value is the label of a row."""
    with pytest.raises(InputError, match="write a name and distinct values"):
        read_sweep(text)


def test_values_go_to_sizes_and_constants(addition):
    """Values are assigned to sizes and constants by name. Sizes and numeric constants become integers, and other
    constants stay text.
    """
    (run,) = runs(addition, Options(values={"n": "70", "GROUP": "32", "real": "double"}))
    assert (run.label, run.part) == ("add", addition)
    assert (run.wanted.sizes, run.wanted.constants) == ({"n": 70}, {"GROUP": 32, "real": "double"})
    assert run.wanted.kernel == "add"


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"m": "3"}, "small has no m; its sizes are n and its constants real, GROUP"),
        ({"n": "0"}, "n=0: it must be a positive whole number"),
        ({"n": "1e3"}, "n=1e3: it must be a positive whole number"),
        ({"n": "10000000000"}, "at most nine digits"),
        ({"GROUP": "many"}, "GROUP=many: it must be a positive whole number"),
    ],
)
def test_a_value_that_cannot_be_is_refused(addition, values, said):
    """A value that cannot be used is refused before any run starts, alone as well as in a sweep."""
    with pytest.raises(InputError, match=said):
        runs(addition, Options(values=values))
    ((name, value),) = values.items()
    with pytest.raises(InputError, match=said):
        runs(addition, Options(sweep=Sweep(name=name, values=("64", value))))


def test_a_sweep_is_a_run_for_each_value(addition):
    """A sweep has one run for each value. The other settings apply to all of them."""
    found = runs(addition, Options(values={"n": "70", "GROUP": "8"}, sweep=Sweep(name="GROUP", values=("16", "32"))))
    assert [run.label for run in found] == ["16", "32"]
    assert [run.wanted.constants["GROUP"] for run in found] == [16, 32]
    assert [run.wanted.sizes for run in found] == [{"n": 70}] * 2


def test_a_suite_is_a_run_for_each_part_in_its_order(suite):
    """A suite has one run for each part, in the order of the parts. The values apply to all of them."""
    found = runs(suite, Options(values={"n": "70"}))
    assert [(run.label, run.part.part, run.wanted.sizes) for run in found] == [
        ("add", "add", {"n": 70}),
        ("plus", "plus", {"n": 70}),
    ]


def test_a_kernel_is_that_of_the_part_that_is_about_it(suite):
    """Naming a kernel selects the part whose own kernel it is, even if another part also launches it."""
    (run,) = runs(suite, Options(kernel="add", local_size=("8",)))
    assert (run.part.part, run.wanted.kernel, run.wanted.local_size) == ("add", "add", ("8",))


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (Options(kernel="minus"), "small has no kernel minus; it has add and plus."),
        (Options(local_size=("8",)), "apply to one kernel: select it with --kernel add or plus"),
        (Options(sweep=Sweep(name="n", values=("8",))), "apply to one kernel"),
    ],
)
def test_what_is_for_one_kernel_needs_its_name(suite, options, said):
    """Launch sizes and sweeps need the name of a kernel if the assignment has several. The message lists the names."""
    with pytest.raises(InputError, match=said):
        runs(suite, options)


def test_a_kernel_that_several_parts_run_beside_their_own_is_none_to_choose_by(tmp_path):
    """A kernel that several parts launch in addition to their own kernels does not select a part. If only one part
    launches it, it selects this part.
    """
    beside = {**ADDITION["launches"][0], "kernel": "beside"}
    parts = [{**part, "launches": [*part["launches"], beside]} for part in PARTS["parts"]]
    both = course_of(tmp_path / "both", {**PARTS, "parts": parts}).load("small")
    with pytest.raises(InputError, match="beside is run with add and plus: choose one of these"):
        runs(both, Options(kernel="beside"))
    one = course_of(tmp_path / "one", {**PARTS, "parts": [PARTS["parts"][0], parts[1]]}).load("small")
    (run,) = runs(one, Options(kernel="beside"))
    assert (run.label, run.wanted.kernel) == ("plus", "beside")
