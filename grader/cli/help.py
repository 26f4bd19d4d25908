"""Help texts that are not broken in the middle of a word, and errors of the parser as sentences."""

import re
from typing import Any

from typer import TyperException
from typer.core import TyperCommand, TyperGroup

from grader.cli.usage import missing_command, no_command, too_many, usage_errors
from grader.common.errors import InputError

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

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the words after the command."""
        ctx.allow_extra_args = True  # so that the message can list the extra words
        with usage_errors(ctx):
            rest = super().parse_args(ctx, args)
        if rest:
            raise InputError(too_many(rest, ctx))
        return rest


class CommandGroup(TyperGroup):
    """A command with subcommands, whose help is not broken at hyphens."""

    def __init__(self, *args: Any, **fields: Any) -> None:
        super().__init__(*args, **fields)
        _hold_hyphens(self, *self.params)

    def get_help(self, ctx: Any) -> str:
        """Return the help as the terminal shows it."""
        return super().get_help(ctx).replace(HELD, HYPHEN)

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the words in front of the subcommand. Without words, the parser raises an exception
        that shows the help.
        """
        if not args:
            return super().parse_args(ctx, args)
        with usage_errors(ctx):
            return super().parse_args(ctx, args)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Return the subcommand that the first word names."""
        if self.get_command(ctx, args[0]) is None:
            raise InputError(no_command(args[0], self.commands, ctx))
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: Any) -> Any:
        """Run the subcommand."""
        try:
            return super().invoke(ctx)
        except TyperException as error:
            if ctx.invoked_subcommand is None:
                raise InputError(missing_command(ctx)) from error
            raise


def _hold_hyphens(*described: object) -> None:
    """Replace each hyphen inside a word in the texts of commands and parameters."""
    for each in described:
        for name in TEXTS & vars(each).keys():
            setattr(each, name, re.sub(r"(?<=\w)-(?=\w)", HELD, vars(each)[name] or "") or None)
