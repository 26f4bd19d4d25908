"""Fuzz an instructor's files: the YAML files of a course and of the settings, with one value deleted,
changed or grown.
"""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml
from courses import ADDITION, course_of
from hypothesis import strategies as st
from project import ASSIGNMENTS, ROOT
from suites import FIELDS as SUITE

from grader.authoring.golden import EXPECTED_FILE, read_golden
from grader.authoring.show import describe
from grader.course.catalogue import Course
from grader.grading.settings import load_settings

from .search import Target

SIZES = tuple(256 * 2**power for power in range(8))
"""Sizes up to 32 KiB, which is ten times the size of an assignment.yaml."""

GOLDEN = ROOT / "tests" / "submissions" / "coalsTransp" / "barrier-in-the-guard"
KIT = {"grader": "0.1.0", "hidden": {"small": {"correctness": 1.5}}}
SETTINGS = {
    "sandbox": "docker",
    "deadlines": {"start": 1.0},
    "limits": {"processes": 7},
    "docker": {"image": "x", "gpu": "none"},
    "watching": {"required": True, "simulation": {"warp": 32}},
    "course": ".",
}


@cache
def _files() -> dict[str, Any]:
    """Return a valid file of each kind. The files of shipped assignments have the names of their assignments."""
    shipped = {name: _fields(ROOT / "assignments" / name / "assignment.yaml") for name in ASSIGNMENTS}
    golden = _fields(GOLDEN / EXPECTED_FILE)
    return {
        "small": ADDITION,
        "suite": {**ADDITION, **SUITE},
        "kit": KIT,
        "settings": SETTINGS,
        "golden": golden,
        **shipped,
    }


def _fields(path: Path) -> Any:
    return yaml.safe_load(path.read_text("utf-8"))


Place = tuple[str | int, ...]


def _places(value: Any, path: Place = ()) -> Iterator[Place]:
    """Yield the path of each value in a file."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, each in inner:
        yield (*path, key)
        yield from _places(each, (*path, key))


HERE = "PLACEHOLDER"

TEXTS = (
    *("null", "true", "0", "-1", "1", "1.5", ".inf", "-.nan", "1e308", "1e400", "9" * 30, "''", "x", "[]"),
    *("{}", "[null]", "{a: 1}", "[[]]", "2001-01-01", "2001-99-99", "12:99:99", "0b2", "0o9", "0x", "0b"),
    *("1__", "+_", "_", "<<", "~", "=", "!!python/object:os.system x", "!!binary x", "!!int x", "!!float x"),
    *("!!timestamp x", "!!set {a, b}", "!x y", "%", "!!omap [a: 1]", "!!pairs [a: 1]", "&a [*a]", "&a {b: *a}"),
    *("*a", "{[a]: b}", "{{a: b}: c}", "{? a}", "{<<: x}", "'9**9**9'", "'n**n'", "'1/0'", "'sqrt(-1)'"),
    *("'sqrt(n, n)'", "'max()'", "'min(1)'", "'ceil_div(1, 0)'", "'n if n else n'", "'[x for x in n]'"),
    *("\"'x' * 9**9\"", "'1 << 99999'", "'n.real'", "'n[0]'", "'f\"{n}\"'", "'lambda: n'", "'n n'", "'\\'"),
    *("'('", '"\\0"', '"\\ud800"', '"a\\nb"', '"\\e[31m"', '"\\u202e"', "|-\n  a", "'=1+1'", "'n == n'"),
    *("'n := 1'", "'~n'", "'n\u00b2'"),
)
"""YAML of fixed size that replaces a value."""

GROWN = {
    "digits": lambda size: "9" * size,
    "fraction": lambda size: "0." + "9" * size,
    "word": lambda size: "x" * size,
    "spaces": lambda size: f"'a{' ' * size}b'",
    "escapes": lambda size: '"' + "\\x1b" * (size // 4) + '"',
    "list": lambda size: "[" + "x, " * (size // 3) + "]",
    "numbers": lambda size: "[" + "7, " * (size // 3) + "]",
    "lists": lambda size: "[" * (size // 2) + "]" * (size // 2),
    "mapping": lambda size: "{" + ", ".join(f"k{number}: 1" for number in range(size // 8)) + "}",
    "mappings": lambda size: "{a: " * (size // 5) + "x" + "}" * (size // 5),
    "aliases": lambda size: (
        "[&a0 [x], " + ", ".join(f"&a{n} [*a{n - 1}, *a{n - 1}]" for n in range(1, size // 20 + 1)) + "]"
    ),
    "merges": lambda size: (
        "[&m0 {a: 1}, " + ", ".join(f"&m{n} {{<<: [*m{n - 1}, *m{n - 1}]}}" for n in range(1, size // 25 + 1)) + "]"
    ),
    "brackets": lambda size: "'" + "(" * (size // 2) + "n" + ")" * (size // 2) + "'",
    "sum": lambda size: "'" + "n+" * (size // 2) + "n'",
    "signs": lambda size: "'" + "-" * size + "n'",
    "powers": lambda size: "'" + "n**" * (size // 3) + "n'",
    "product": lambda size: "'" + "n*" * (size // 2) + "n'",
    "text": lambda size: '"' + "'a'+" * (size // 4) + "'a'\"",
    "calls": lambda size: "'" + "max(n," * (size // 7) + "n" + ")" * (size // 7) + "'",
    "commas": lambda size: "'max(" + "n," * (size // 2) + "n)'",
}
"""YAML that replaces a value and grows with the size."""

KINDS = (*["small"] * 12, *["suite"] * 3, "kit", "settings", "golden", *ASSIGNMENTS)

RECIPES = st.sampled_from(KINDS).flatmap(
    lambda kind: st.fixed_dictionaries(
        {
            "file": st.just(kind),
            "place": st.sampled_from([list(place) for place in _places(_files()[kind])]),
            "does": st.sampled_from(["value", "value", "key", "delete"]),
            "text": st.one_of(st.sampled_from(TEXTS), st.sampled_from(sorted(GROWN))),
            "lead": st.sampled_from(
                ["", "", "", "", "\ufeff", "%YAML 9.9\n---\n", "---\n---\n", "\x00", "\t", "a: &a {b: 1}\n"]
            ),
        }
    )
)


@dataclass(frozen=True, kw_only=True)
class Written:
    """The kind of a file, and its text."""

    kind: str
    text: str


def make(recipe: dict[str, Any], size: int) -> Written:
    """Return the file that a recipe makes."""
    fields = deepcopy(_files()[recipe["file"]])
    *way, last = recipe["place"]
    at = fields
    for step in way:
        at = at[step]
    old = at.pop(last) if isinstance(at, dict) or recipe["does"] != "value" else at[last]
    if recipe["does"] == "value":
        at[last] = HERE
    elif recipe["does"] == "key" and isinstance(at, dict):
        at[HERE] = old
    text = yaml.safe_dump(fields, sort_keys=False, width=10**9, allow_unicode=True)
    grown = GROWN.get(recipe["text"])
    return Written(
        kind=recipe["file"], text=recipe["lead"] + text.replace(HERE, grown(size) if grown else recipe["text"])
    )


@contextmanager
def _course_with(name: str, text: str) -> Iterator[Course]:
    """Yield a course whose only assignment, or whose kit.yaml, has this text."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        course = course_of(folder)
        path = folder / "kit.yaml" if name == "kit" else course.assignments / "small" / "assignment.yaml"
        path.write_text(text, "utf-8", "surrogatepass")
        yield course


def _loaded(written: Written) -> None:
    """Load a file according to its kind."""
    {"settings": _settings, "golden": _expected}.get(written.kind, _assignment)(written)


def _assignment(written: Written) -> None:
    with _course_with(written.kind, written.text) as course:
        loaded = course.load("small")
        assert describe(loaded)
        assert loaded.sha256 != loaded.measured_sha256


def _expected(written: Written) -> None:
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / EXPECTED_FILE).write_text(written.text, "utf-8", "surrogatepass")
        assert read_golden(Path(folder)).name


def _settings(written: Written) -> None:
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        path = Path(folder) / "grader.yaml"
        path.write_text(written.text, "utf-8", "surrogatepass")
        for name in os.environ:
            if name.startswith("GRADER_"):
                patch.delenv(name)
        patch.setenv("GRADER_CONFIG", str(path))
        load_settings({})


TARGET = Target(
    recipes=RECIPES,
    make=make,
    steps={"loading": _loaded},
    sizes=SIZES,
)
