"""The names in the code: each has one meaning."""

import ast
import re
from collections import defaultdict

from project import ROOT

LONGEST_NAME = 80
"""Characters of the name of a test."""


def test_a_class_name_has_one_meaning():
    """A class name occurs once, so that it has one meaning in the code and in a published schema."""
    found = defaultdict(list)
    for path in sorted((ROOT / "grader").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef):
                found[node.name].append(f"{path.relative_to(ROOT)}:{node.lineno}")
    assert {name: places for name, places in found.items() if len(places) > 1} == {}


def test_names_of_tests_fit_a_line():
    """The name of a test has at most 80 characters, so that a terminal shows it on one line."""
    names = (
        name
        for path in (ROOT / "tests").rglob("test_*.py")
        for name in re.findall(r"^ *def (test_\w+)", path.read_text(), re.MULTILINE)
    )
    assert [name for name in names if len(name) > LONGEST_NAME] == []
