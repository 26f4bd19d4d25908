"""assignments.py: descriptions of assignments on the command line, and the folder that `grader init` creates."""

import io

import commandline
import pytest
from commandline import complaint, grader, output_of
from courses import course_of
from hidden_parts import FIELDS
from project import ASSIGNMENTS, ROOT


def test_list_names_every_assignment_with_its_title_and_says_where_to_start(tmp_path):
    """`grader list` prints each assignment's name and title in the order of the course, and suggests where to start."""
    lines, start = (each.splitlines() for each in output_of(tmp_path, "list").split("\n\n", 1))
    assert sorted(line.split()[0] for line in lines) == sorted(ASSIGNMENTS)
    assert lines[:2] == ["vectorAdd         Vector addition", "coalsTransp       Coalesced transposition"]
    assert start[-1].startswith("    ")
    assert start[-1].endswith("grader init vectorAdd")


def test_a_course_without_an_order_is_listed_by_name(tmp_path):
    """Assignments without an `order` come last, sorted by name. If no assignment has one, no start is suggested."""
    fields = {"small": {}, "late": {}, "first": {"order": 2}}
    for number, (name, more) in enumerate(fields.items()):
        course_of(tmp_path / "course", {**FIELDS, **more}, name=name)
        listed = output_of(tmp_path, "list", "--course", tmp_path / "course")
        assert ("grader init" in listed) == (number == 2)
    assert [line.split()[0] for line in listed.splitlines()[:3]] == ["first", "late", "small"]


def test_show_gives_the_contract_the_cases_and_the_points(tmp_path, transposition):
    """`grader show` prints the points, the signature, launch sizes, constants, cases and the sizes for speed."""
    sizes = transposition.performance.classes["cpu"].sizes
    text = output_of(tmp_path, "show", "coalsTransp", COLUMNS="120")
    assert text.startswith("Coalesced transposition (coalsTransp), 100 points\n")
    for words in (
        "__kernel void coalsTransp(__global real *A, __global real *B, uint32_t height, uint32_t width)",
        "local (TILE, TILE)",
        "TILE=16",
        "one element: height 1, width 1, random data",
        f"performance on a cpu at height {sizes['height']}, width {sizes['width']}",
    ):
        assert words in text


@pytest.mark.parametrize("width", [60, 80])
def test_show_fits_the_terminal_and_breaks_no_word(tmp_path, width):
    """`grader show` prints the same words at every width, and no line is wider than the terminal."""
    for name in ("jacobi", "blockMMM"):
        text = output_of(tmp_path, "show", name, COLUMNS=str(width))
        assert max(map(len, text.splitlines())) <= width
        assert text.split() == output_of(tmp_path, "show", name, COLUMNS="400").split()


def test_show_of_an_unknown_name_suggests_the_nearest(tmp_path):
    """`grader show` suggests the nearest name for an unknown one, as `grader grade` does."""
    assert "did you mean blockMMM?" in complaint(grader(tmp_path, "show", "blockMM"))


def test_init_writes_a_folder_that_is_ready_to_grade(tmp_path):
    """`grader init` lists the files that it has written, and a second run refuses to overwrite them."""
    written = output_of(tmp_path, "init", "coalsTransp", "mine").partition("\n\n")[0].splitlines()
    assert all((tmp_path / path).is_file() for path in written)
    assert "mine/kernels.cl" in written
    assert "already contains kernels.cl" in complaint(grader(tmp_path, "init", "coalsTransp", "mine"))


def test_init_ends_with_the_next_step(tmp_path):
    """The last line of `grader init` is the command that grades the new folder. A name with a space is quoted."""
    for folder, said in (((), "coalsTransp"), (("mine",), "mine"), (("my work",), "'my work'")):
        *_, reading, empty, command = output_of(tmp_path, "init", "coalsTransp", *folder).splitlines()
        assert reading.startswith("Next: read ")
        assert "HANDOUT.md" in reading
        assert empty == ""
        assert command.startswith("    ")
        assert command.endswith(f"grader grade {said}")
    assert output_of(tmp_path, "init", "coalsTransp", "x", "--course", ROOT).endswith(f"grade x --course {ROOT}\n")


class Terminal(io.TextIOWrapper):
    """A stream that a person reads."""

    def isatty(self):
        return True


def test_init_fits_the_terminal(tmp_path, monkeypatch):
    """On a terminal, `grader init` wraps its next step, but not the command, which can be copied."""
    monkeypatch.setattr(commandline, "_stream", lambda _: Terminal(io.BytesIO(), encoding="utf-8", write_through=True))
    written = output_of(tmp_path, "init", "coalsTransp", "a-folder", COLUMNS="60").split("\n\n")[1:]
    reading, command = written
    assert max(map(len, reading.splitlines())) <= 60
    assert reading.split()[-2:] == ["and", "run"]
    assert command.endswith("grader grade a-folder\n")


def test_the_folder_remembers_its_assignment(tmp_path):
    """In a folder from `grader init`, `grader show` needs no name. A name on the command line takes precedence."""
    output_of(tmp_path, "init", "coalsTransp", "mine")
    assert output_of(tmp_path / "mine", "show").startswith("Coalesced transposition (coalsTransp)")
    assert output_of(tmp_path / "mine", "show", "blockMMM").startswith("Block-tiled matrix multiplication (blockMMM)")
