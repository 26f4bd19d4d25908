"""Help texts that are not broken in the middle of a word, and errors of the parser as sentences."""

import re
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from difflib import get_close_matches
from typing import Any

import typer
from typer import TyperException
from typer.core import TyperCommand, TyperGroup

from grader.common.errors import InputError
from grader.common.phrases import listed

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


@contextmanager
def usage_errors(context: Any) -> Iterator[None]:
    """Turn the parser's errors in the block into InputError. `context` is the context of the command that is parsed."""
    try:
        yield
    except typer.TyperException as error:
        raise InputError(in_words(error, context)) from error


def in_words(error: Any, context: Any) -> str:
    """Return the sentence about an error of the parser. The parser exports few classes of its errors, so their fields
    tell them apart.
    """
    if hasattr(error, "possibilities"):
        return f"there is no option {error.option_name}; {_nearest(sorted(error.possibilities or ()), context)}"
    if hasattr(error, "option_name"):
        return f"{error.option_name} {_about_use(error.option_name, context)}; {_advice(context)}"
    if hasattr(error, "param_type"):
        return f"{_missing(error.param)}; {_advice(context)}"
    cause = error.__cause__
    if isinstance(error, typer.BadParameter) and hasattr(cause, "errors"):
        return _about_a_value(error.param, cause.errors()[0])
    return f"{' '.join(error.format_message().split()).removesuffix('.')}; {_advice(context)}"


def no_command(name: str, commands: Collection[str], context: Any) -> str:
    """Return the sentence about a name that is not one of these commands."""
    return f"there is no command {name}; {_nearest(get_close_matches(name, commands), context)}"


def missing_command(context: Any) -> str:
    """Return the sentence about a group without a command."""
    return f"the command is missing; {_advice(context)}"


def too_many(words: Collection[str], context: Any) -> str:
    """Return the sentence about extra words, which no argument accepts."""
    return f"there is one argument too many, {' '.join(words)}; {_advice(context)}"


def _advice(context: Any) -> str:
    return f"see `{context.command_path} --help`."


def _nearest(names: Collection[str], context: Any) -> str:
    """Return the next step after a wrong name. `names` are similar to the wrong name, and the first is the most
    likely.
    """
    near = next(iter(names), None)
    return _advice(context) if near is None else f"did you mean {near}?"


def _about_use(option: str, context: Any) -> str:
    """Describe the wrong use of an option: a flag with a value, or another option without one."""
    flags = {
        name for each in context.command.get_params(context) if getattr(each, "is_flag", False) for name in each.opts
    }
    return "takes no value" if option in flags else "needs a value"


def _missing(parameter: Any) -> str:
    """Describe an argument or an option that is missing."""
    name = parameter.opts[0] if parameter.param_type_name == "option" else parameter.name.upper()
    choices = ", ".join(_choices(parameter))
    return f"the {parameter.param_type_name} {name} is missing{choices and f', one of {choices}'}"


def _choices(parameter: Any) -> list[str]:
    """Return the words that a parameter accepts; empty if it accepts others, too."""
    return [str(getattr(each, "value", each)) for each in parameter.type_descriptor.choices or ()]


def _about_a_value(parameter: Any, fault: Any) -> str:
    """Describe a value of the wrong type or out of range, and say what is possible. `fault` is an error of Pydantic."""
    name, limits = parameter.opts[0], parameter.type_descriptor.parameter_info
    given = f"{name if name.startswith('-') else name.upper()} {fault['input']}"
    if choices := _choices(parameter):
        return f"{given} does not exist; choose {listed(choices, 'or')}."
    if fault["type"] not in FAULTS:
        return f"{given} cannot be used; {fault['msg']}."
    return f"{given} {FAULTS[fault['type']]}; write {_wanted(name, limits.min, limits.max)}."


FAULTS = {
    "int_parsing": "is not a whole number",
    "int_parsing_size": "is too large",
    "int_from_float": "is not a whole number",
    "float_parsing": "is not a number",
    "greater_than_equal": "is out of range",
    "less_than_equal": "is out of range",
}
"""Faults of a value, by the types of Pydantic's errors."""


def _wanted(name: str, low: float | None, high: float | None) -> str:
    """Describe the numbers that an option accepts."""
    if low is None:
        return f"a number, such as `{name} 1`"
    return f"a number from {low:g} to {high:g}" if high is not None else f"{low:g} or more"
