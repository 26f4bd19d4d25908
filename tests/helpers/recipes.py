"""The recipes in CONTRIBUTING.md, and a copy of the package in which tests follow them."""

import re
import shutil

from project import ROOT

NOT_COPIED = shutil.ignore_patterns("__pycache__")


def files_of(recipe, name):
    """Return the files that a recipe mentions, with `name` in place of NAME."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    (section,) = re.findall(rf"^\*\*{re.escape(recipe)}\.\*\*.*?(?=^\*\*|^## )", text, re.MULTILINE | re.DOTALL)
    assert len(section.splitlines()) <= 10
    return {path.replace("NAME", name) for path in re.findall(r"`((?:grader|docs)/[\w/-]+\.\w+)`", section)}


class Package:
    """A copy of the package and its documentation. `touched` lists the files that were written or changed."""

    def __init__(self, folder):
        self.folder, self.touched = folder, set()
        shutil.copytree(ROOT / "grader", folder / "grader", ignore=NOT_COPIED)
        shutil.copytree(ROOT / "docs", folder / "docs")

    def write(self, name, text):
        """Write a new file."""
        path = self.folder / name
        assert not path.exists()
        path.write_text(text, encoding="utf-8")
        self.touched.add(name)

    def insert(self, name, text, before):
        """Insert text before the only occurrence of another text in a file."""
        path = self.folder / name
        head, place, tail = path.read_text(encoding="utf-8").partition(before)
        assert place
        assert before not in tail
        path.write_text(f"{head}{text}{place}{tail}", encoding="utf-8")
        self.touched.add(name)
