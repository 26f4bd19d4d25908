"""Help texts that are not broken in the middle of a word."""

import re
from typing import Any

from typer.core import TyperCommand, TyperGroup

HYPHEN, HELD = "-", "\N{NON-BREAKING HYPHEN}"
"""typer breaks lines at hyphens, which would split a value such as nvidia-nodes. It does not break lines at HELD, so
HELD replaces all hyphens until typer has broken the lines.
"""

TEXTS = frozenset({"help", "short_help"})
"""Attributes of commands and parameters that contain help texts."""


class Command(TyperCommand):
    """A command whose help is not broken at hyphens."""

    def __init__(self, *args: Any, **fields: Any) -> None:
        super().__init__(*args, **fields)
        _hold_hyphens(self, *self.params)

    def get_help(self, ctx: Any) -> str:
        """Return the help as the terminal shows it."""
        return super().get_help(ctx).replace(HELD, HYPHEN)


class CommandGroup(TyperGroup):
    """A command with subcommands, whose help is not broken at hyphens."""

    def __init__(self, *args: Any, **fields: Any) -> None:
        super().__init__(*args, **fields)
        _hold_hyphens(self, *self.params)

    def get_help(self, ctx: Any) -> str:
        """Return the help as the terminal shows it."""
        return super().get_help(ctx).replace(HELD, HYPHEN)


def _hold_hyphens(*described: object) -> None:
    """Replace each hyphen inside a word in the texts of commands and parameters."""
    for each in described:
        for name in TEXTS & vars(each).keys():
            setattr(each, name, re.sub(r"(?<=\w)-(?=\w)", HELD, vars(each)[name] or "") or None)
