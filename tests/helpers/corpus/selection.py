"""Parts of the two corpora that `make test` grades, as named in selection.yaml. The rest is marked `whole`."""

from collections.abc import Iterable
from typing import Any

import pytest
import yaml
from project import ROOT

SELECTION: dict[str, dict[str, str]] = yaml.safe_load((ROOT / "tests" / "selection.yaml").read_text(encoding="utf-8"))
GOLDEN, RIGHT, ATTACKS = (frozenset(SELECTION[name]) for name in ("golden", "right", "attacks"))


def param(value: Any, name: str, selected: frozenset[str], marks: Iterable[pytest.MarkDecorator] = ()) -> Any:
    """Return a parameter, or several, by a name in a corpus. Only `make test-all` runs it unless it is selected."""
    values = value if isinstance(value, tuple) else (value,)
    return pytest.param(*values, id=name, marks=[*marks, *([] if name in selected else [pytest.mark.whole])])
