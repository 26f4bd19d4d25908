"""The names in the code: each has one meaning."""

import ast
from collections import defaultdict

from project import ROOT


def test_a_class_name_has_one_meaning():
    """A class name occurs once, so that it has one meaning in the code and in a published schema."""
    found = defaultdict(list)
    for path in sorted((ROOT / "grader").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef):
                found[node.name].append(f"{path.relative_to(ROOT)}:{node.lineno}")
    assert {name: places for name, places in found.items() if len(places) > 1} == {}
