"""The recipe "Adding an element type": the files that it lists are all that a new type needs."""

import json

import pytest
from commandline import python
from courses import ADDITION, course_of
from project import ROOT
from recipes import Package, files_of

ENTRY = """\
    "flag": _whole("flag", "uchar", "uint8", 1, (0, 1)),
"""

CHOICE = {
    **{name: field for name, field in ADDITION.items() if name != "performance"},
    "constants": {"real": "float", "flag": "uchar", "GROUP": 64},
    "buffers": {
        "x": {"shape": ["n"], "data": "numbers", "type": "flag"},
        "y": {"shape": ["n"], "data": "numbers"},
        "z": {"shape": ["n"]},
    },
}
"""An assignment in which an array of flags selects elements of another array."""

KERNEL = """__kernel void add(__global const flag *x, __global const real *y, __global real *z, uint32_t n)
{
    const uint32_t i = get_global_id(0);
    if (i < n)
        z[i] = x[i] ? y[i] : 0;
}
"""

ORACLE = """import numpy as np
from grader.oracle import Truth

def expected(x, y, n, **_):
    assert x.dtype == np.uint8 and set(x) == ({0, 1} if n > 1 else set(x) & {0, 1})
    return {"z": Truth(value=x * y.astype(np.float64), magnitude=np.abs(y).astype(np.float64))}
"""


TYPES = "| `short`, `ushort` |"
"""Text in the guide before which the new type is added to the table of types."""


@pytest.fixture
def package(tmp_path):
    """A package with a new element type whose values are 0 or 1."""
    made = Package(tmp_path / "package")
    made.insert("grader/course/elements.py", ENTRY, before='}\n"""Types of one number')
    made.insert("docs/assignment-reference.md", "| `flag` | 0 or 1 |\n", before=TYPES)
    return made


def test_a_type_is_the_files_of_its_recipe(package, tmp_path):
    """The files in the recipe are enough to add a type. Its arrays contain valid values, and messages use its name in
    the course.
    """
    assert package.touched == files_of("Adding an element type", "flag")
    course_of(tmp_path / "course", CHOICE, KERNEL, ORACLE)
    (tmp_path / "right.cl").write_text(KERNEL)
    (tmp_path / "wrong.cl").write_text(KERNEL.replace("const flag *x", "const ushort *x"))
    grade = ("-m", "grader.cli.main", "grade", "--assignment", "small", "--course", "course", "--sandbox", "process")
    known = {"PYTHONPATH": str(package.folder)}
    done = python(tmp_path, *grade, "right.cl", "--json", "right.json", **known)
    assert done.returncode == 0, done.stderr
    assert {check["verdict"] for check in json.loads((tmp_path / "right.json").read_text())["checks"]} == {"passed"}
    done = python(tmp_path, *grade, "wrong.cl", "--json", "wrong.json", **known)
    assert done.returncode == 1, done.stderr
    assert "Write __global flag *x." in (tmp_path / "wrong.json").read_text()


def test_the_files_of_the_element_recipe_are_there():
    """Every file in the recipe exists for the existing types."""
    assert [path for path in files_of("Adding an element type", "uint") if not (ROOT / path).is_file()] == []
