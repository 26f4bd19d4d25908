"""The recipe "Adding a comparator": the files that it lists are all that a new rule needs."""

import json

import pytest
from commandline import python
from courses import ADDITION, KERNEL, ORACLE, course_of
from project import ROOT
from recipes import Package, files_of

FUNCTION = '''\
def _other_sign(got: Array, truth: Truth, standard: Standard) -> Mask:
    """Elements with another sign than the right ones, unless these are small."""
    return np.asarray((np.sign(got) != np.sign(truth.value)) & (np.abs(truth.value) > standard.amount), dtype=np.bool_)


'''

WORDS = """\
    "sign": ToleranceWords(words="all elements above {} have the right sign", has_limit=True),
"""

FIELDS = {
    **{name: field for name, field in ADDITION.items() if name != "performance"},
    "correctness": {**ADDITION["correctness"], "tolerance": {"rule": "sign", "at_most": 0.001}},
}
"""An assignment that checks only the signs of a sum."""


@pytest.fixture
def package(tmp_path):
    """A package with a new rule, by which elements with the right sign are right."""
    made = Package(tmp_path / "package")
    made.insert("grader/course/tolerance.py", '"sign", ', before='"exact", "rounding", "ulp", "relative"')
    made.insert("grader/course/tolerance.py", WORDS, before='}\n"""Rules by name')
    made.insert("grader/course/truth/comparators.py", FUNCTION, before="COMPARATORS: ")
    made.insert(
        "grader/course/truth/comparators.py", '    "sign": Comparator(_other_sign),\n', before='    "judge": Comp'
    )
    made.insert("docs/assignment-reference.md", "- `sign`: all elements have the right sign.\n", before="- `judge`: ")
    return made


@pytest.mark.whole
def test_a_rule_is_the_files_of_its_recipe(package, tmp_path):
    """The files in the recipe are enough to add a rule. It decides about results, and an invalid limit is refused."""
    assert package.touched == files_of("Adding a comparator", "sign")
    course_of(tmp_path / "course", FIELDS, KERNEL, ORACLE)
    (tmp_path / "right.cl").write_text(KERNEL.replace("x[i] + y[i];", "3 * (x[i] + y[i]);"))
    (tmp_path / "wrong.cl").write_text(KERNEL.replace("x[i] + y[i];", "-x[i] - y[i];"))
    command = ("-m", "grader.cli.main", "grade", "--assignment", "small", "--course", "course", "--sandbox", "process")
    known = {"PYTHONPATH": str(package.folder)}
    for name, code, verdicts in (("right", 0, {"passed"}), ("wrong", 1, {"passed", "failed"})):
        done = python(tmp_path, *command, f"{name}.cl", "--json", "out.json", **known)
        assert done.returncode == code, done.stderr
        assert {check["verdict"] for check in json.loads((tmp_path / "out.json").read_text())["checks"]} == verdicts
    own = tmp_path / "course" / "assignments" / "small" / "assignment.yaml"
    own.write_text(own.read_text().replace("at_most: 0.001", "factor: 2"))
    done = python(tmp_path, *command, "right.cl", **known)
    assert "the rule sign needs `at_most`" in done.stderr


def test_the_files_of_the_comparator_recipe_are_there():
    """Every file in the recipe exists for the existing rules."""
    assert [path for path in files_of("Adding a comparator", "exact") if not (ROOT / path).is_file()] == []
