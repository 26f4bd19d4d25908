"""Names in the code: class names are unique, and test names are short."""

import ast
import re
from collections import defaultdict

from project import ROOT

LONGEST_NAME = 80
"""Most characters in the name of a test."""


def test_a_class_name_has_one_meaning():
    """Class names are unique, so that each of them has one meaning in the code and in a published schema."""
    found = defaultdict(list)
    for path in sorted((ROOT / "grader").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef):
                found[node.name].append(f"{path.relative_to(ROOT)}:{node.lineno}")
    assert {name: places for name, places in found.items() if len(places) > 1} == {}


def test_names_of_tests_fit_a_line():
    """The name of a test has at most 80 characters, so that it fits on one line of a terminal."""
    names = (
        name
        for path in (ROOT / "tests").rglob("test_*.py")
        for name in re.findall(r"^ *def (test_\w+)", path.read_text(), re.MULTILINE)
    )
    assert [name for name in names if len(name) > LONGEST_NAME] == []
