"""The parts of both corpora that `make test` grades, as listed in selection.yaml. The rest is marked `whole`."""

from collections.abc import Iterable
from typing import Any

import pytest
import yaml
from project import ROOT

SELECTION: dict[str, dict[str, str]] = yaml.safe_load((ROOT / "tests" / "selection.yaml").read_text(encoding="utf-8"))
GOLDEN, RIGHT, ATTACKS = (frozenset(SELECTION[name]) for name in ("golden", "right", "attacks"))


def param(value: Any, name: str, selected: frozenset[str], marks: Iterable[pytest.MarkDecorator] = ()) -> Any:
    """Return a pytest parameter, with one or several values, whose id is a name in a corpus. If the name is not
    selected, only `make test-all` runs it.
    """
    values = value if isinstance(value, tuple) else (value,)
    return pytest.param(*values, id=name, marks=[*marks, *([] if name in selected else [pytest.mark.whole])])
