"""choosing.py and matching.py: which of a student's files counts for which assignment."""

import pytest
from downloads import source

from grader.lms.intake.choosing import choose
from grader.lms.intake.matching import defined_in, named_by
from grader.lms.intake.owners import Piece

PRODUCT, TURN, BOTH = source("blockMMM"), source("coalsTransp"), source("blockMMM", "coalsTransp")


@pytest.fixture(scope="session")
def one(transposition):
    return (transposition,)


@pytest.fixture(scope="session")
def two(product, transposition):
    return (product, transposition)


def chosen(files, assignments):
    """Return the path that counts for each assignment, and all messages."""
    pieces = tuple(Piece(parts=tuple(path.split("/")), where=path, data=data) for path, data in files.items())
    choice = choose(pieces, assignments)
    said = [f"{each.where}: {each.why}" for each in (*choice.unplaced, *choice.remarks)]
    return {name: each.piece.where for name, each in choice.chosen.items()}, "\n".join(said)


@pytest.mark.parametrize(
    ("files", "latest"),
    [
        (["attempt 2/kernels.cl", "Attempt_10/kernels.cl", "attempt-9/kernels.cl"], "Attempt_10/kernels.cl"),
        (["attempt 1/a.cl", "attempt 2/b.cl"], "attempt 2/b.cl"),
        (["attempt1.cl", "attempt2.cl"], "attempt2.cl"),
        (["kernels_attempt_1.cl", "kernels_attempt_2.cl"], "kernels_attempt_2.cl"),
        (["kernels.cl", "kernels (2).cl", "kernels (10).cl"], "kernels (10).cl"),
        (["kernels.cl", "kernels-1.cl"], "kernels-1.cl"),
        (["turn.cl", "turn(1).cl"], "turn(1).cl"),
        (["x.zip/kernels.cl", "x (1).zip/kernels.cl"], "x (1).zip/kernels.cl"),
        (["attempt 1/kernels (7).cl", "attempt 2/kernels.cl"], "attempt 2/kernels.cl"),
    ],
)
def test_the_latest_attempt_counts(files, latest, one):
    """The attempt with the highest number counts, and all others are reported as ignored."""
    found, said = chosen({path: path.encode() for path in files}, one)
    assert found == {"coalsTransp": latest}
    assert all(path in said for path in files)
    assert f"is ignored; {latest} counts" in said


@pytest.mark.parametrize(
    "files",
    [
        ["a.cl", "b.cl"],
        ["a/kernels.cl", "b/kernels.cl"],
        ["kernels.cl", "attempt 1/kernels.cl"],
        ["kernels.cl", "Kernels.CL"],
        ["lab-1/kernels.cl", "lab-2/kernels.cl"],
        ["kernels.cl", "kernels (1).cl", "attempt 1/x.cl"],
    ],
)
def test_what_cannot_be_ordered_is_not_guessed_at(files, one):
    """If files have no order, all of them are refused, and a line lists them."""
    found, said = chosen({path: path.encode() for path in files}, one)
    assert found == {}
    assert all(path in said for path in files)
    assert "for coalsTransp: it is unclear which of them counts" in said


@pytest.mark.parametrize(
    ("files", "wanted"),
    [
        ({"kernels.cl": b"1", "old.cl": b"2"}, "kernels.cl"),
        ({"kernels.cl": b"1", "template/kernels.cl": b"2"}, "kernels.cl"),
        ({"helper.cl": b"1", "turn.cl": TURN}, "turn.cl"),
        ({"coals-transp.cl": b"1", "kernels.cl": TURN}, "coals-transp.cl"),
        ({"a.cl": b"same", "b/c.cl": b"same"}, "a.cl"),
        ({"deep/down/there/x.cl": b"1"}, "deep/down/there/x.cl"),
        ({"KERNELS.CL": b"1"}, "KERNELS.CL"),
    ],
)
def test_one_file_of_several_can_be_the_one(files, wanted, one):
    """If there are several files, grader chooses the one that has the requested name or the assignment's name, or that
    defines the right kernel. Identical files count as one.
    """
    assert chosen(files, one)[0] == {"coalsTransp": wanted}


@pytest.mark.parametrize(
    ("files", "wanted"),
    [
        ({"BlockMMM.cl": b"", "coals_transp (1).cl": b""}, ("BlockMMM.cl", "coals_transp (1).cl")),
        ({"block MMM/kernels.cl": b"", "coalsTransp/x/y.cl": b""}, ("block MMM/kernels.cl", "coalsTransp/x/y.cl")),
        ({"blockMMM.zip/kernels.cl": TURN}, ("blockMMM.zip/kernels.cl", None)),
        ({"coalsTransp/blockMMM.cl": TURN}, ("coalsTransp/blockMMM.cl", None)),
        ({"a.cl": PRODUCT, "b.cl": TURN}, ("a.cl", "b.cl")),
        ({"kernels.cl": BOTH}, ("kernels.cl", "kernels.cl")),
        ({"kernels.cl": BOTH, "coalsTransp.cl": b""}, ("kernels.cl", "coalsTransp.cl")),
        ({"a.cl": PRODUCT, "b.cl": BOTH}, ("a.cl", "b.cl")),
    ],
)
def test_which_assignment_a_file_is_for(files, wanted, two):
    """The part of the path nearest to the file decides the assignment. Otherwise, the kernels in the text do."""
    expected = {each.name: where for each, where in zip(two, wanted, strict=True) if where}
    assert chosen(files, two)[0] == expected


def test_a_file_for_no_assignment_is_told(two):
    """A file that fits no assignment is reported with the possible names."""
    found, said = chosen({"kernels.cl": source("blockMmm")}, two)
    assert found == {}
    assert said == "kernels.cl: does not match any of blockMMM, coalsTransp, neither by name nor by its kernels"


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"", "is empty; ask for the file with the kernel"),
        (b" \n", "is empty; ask for the file with the kernel"),
        (bytes(range(256)), "is not text; ask for the .cl file"),
    ],
)
def test_an_empty_or_binary_file_is_told_by_its_own_reason(two, data, why):
    """If a batch has several assignments, a file without text matches none of them. The reason is that it has none."""
    files = {"kernels.cl": data, "other.cl": b"mystery"}
    choice = choose(tuple(Piece(parts=(name,), where=name, data=each) for name, each in files.items()), two)
    assert [(each.where, each.why.partition(" any of")[0]) for each in choice.unplaced] == [
        ("kernels.cl", why),
        ("other.cl", "does not match"),
    ]
    assert choice.refused["blockMMM"] == f"kernels.cl: {why}"


def test_a_file_for_no_assignment_is_told_beside_one_for_another(two):
    """A file that fits no assignment is reported if an assignment has no file. Otherwise, it is ignored."""
    files = {"blockMMM.cl": PRODUCT, "x.cl": b"mystery"}
    assert "x.cl: does not match any of" in chosen(files, two)[1]
    assert chosen({**files, "coalsTransp.cl": TURN}, two)[1].startswith("x.cl: is ignored")


def test_what_the_download_says_comes_first(two):
    """An assignment that is stated in a list of checkouts takes precedence over the name of the file."""
    piece = Piece(parts=("coalsTransp.cl",), where="x", data=TURN, assignment="blockMMM")
    assert list(choose((piece,), two).chosen) == ["blockMMM"]


@pytest.mark.parametrize(
    ("text", "defines"),
    [
        ("__kernel void coalsTransp(__global float *A) {}", True),
        ("kernel\nvoid coalsTransp (global float *A)\n{}", True),
        ("__kernel __attribute__((reqd_work_group_size(16, 16, 1))) void coalsTransp(int a) {}", True),
        ("void __kernel coalsTransp(int a) {}", True),
        ("// __kernel void coalsTransp(int a) {}\n", False),
        ("/* __kernel */ void coalsTransp(int a) {}", False),
        ("void coalsTransp(int a) {}", False),
        ("__kernel void other(int a) { coalsTransp(a); }", False),
        ("__kernel void coalsTransp2(int a) {}", False),
        ("my__kernel void coalsTransp(int a) {}", False),
    ],
)
def test_which_kernels_a_text_defines(text, defines, one):
    """Only definitions of kernels count, unlike comments, calls and longer names."""
    assert defined_in(text.encode(), one) == (("coalsTransp",) if defines else ())


@pytest.mark.parametrize(
    "text", ["kernel " * 150_000, "(" * 1_000_000, "k" * 1_000_000, " " * 1_000_000, "/*" * 500_000]
)
def test_no_text_takes_long(text, one):
    """Searching a megabyte of hostile text takes linear time. Quadratic time would be more than an hour."""
    assert defined_in(f"__kernel {text}".encode(), one) == ()


def test_an_alias_is_a_name(course):
    """An assignment is also found by its alias, because a handout of the course misspells a name."""
    program = course.load("optimProgram")
    assert named_by("optim-progrm", (program,)) == "optimProgram"
    assert defined_in(source("optimProgrm"), (program,)) == ("optimProgram",)
