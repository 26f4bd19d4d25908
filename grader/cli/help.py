"""Help texts that are not broken in the middle of a word, and errors of the parser as sentences."""

import re
from typing import Any

from typer.core import TyperCommand, TyperGroup

from grader.cli.usage import usage_errors

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

    def make_context(self, *args: Any, **fields: Any) -> Any:
        """Parse the words in front of the subcommand."""
        with usage_errors():
            return super().make_context(*args, **fields)

    def invoke(self, ctx: Any) -> Any:
        """Parse the words of the subcommand, and run it."""
        with usage_errors(ctx):
            return super().invoke(ctx)


def _hold_hyphens(*described: object) -> None:
    """Replace each hyphen inside a word in the texts of commands and parameters."""
    for each in described:
        for name in TEXTS & vars(each).keys():
            setattr(each, name, re.sub(r"(?<=\w)-(?=\w)", HELD, vars(each)[name] or "") or None)
