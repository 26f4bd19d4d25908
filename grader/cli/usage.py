"""Describes a command line that cannot be used, in one sentence with the value, the reason and the next step."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import typer

from grader.common.errors import InputError
from grader.common.phrases import listed


@contextmanager
def usage_errors(group: Any = None) -> Iterator[None]:
    """Turn the parser's errors in the block into InputError. A help text that the parser raises passes through.

    `group` is the context of the group whose command is parsed. Some errors have no context of their own.
    """
    try:
        yield
    except typer.TyperException as error:
        if error.message.startswith("Usage:"):
            raise
        raise InputError(in_words(error, _command(getattr(error, "ctx", None) or group))) from error


def _command(context: Any) -> str:
    """Return the command as the user types it."""
    if context is None:
        return "grader"
    name = getattr(context, "invoked_subcommand", None)
    return f"{context.command_path} {name}" if name else str(context.command_path)


def in_words(error: typer.TyperException, command: str) -> str:
    """Return the sentence about an error of the parser."""
    return _about_a_value(error) or _about_words(" ".join(error.format_message().split()), f"see `{command} --help`.")


def _about_a_value(error: typer.TyperException) -> str:
    """Describe a value of the wrong type or out of range, and say what is possible. Returns "" for other errors."""
    cause, parameter = error.__cause__, getattr(error, "param", None)
    if cause is None or parameter is None or not hasattr(cause, "errors"):
        return ""
    (first, *_), name = cause.errors(), parameter.opts[0]
    of_an_option = parameter.type_descriptor.parameter_info
    given = f"{name if name.startswith('-') else name.upper()} {first['input']}"
    if choices := re.search(r"not one of (.*)", first["msg"]):
        return f"{given} does not exist; choose {listed(re.findall(QUOTED, choices[1]), 'or')}."
    fault = FAULTS.get(first["type"])
    if fault is None:
        return f"{given} cannot be used; {first['msg']}."
    return f"{given} {fault}; write {_wanted(name, of_an_option.min, of_an_option.max)}."


QUOTED = re.compile(r"'([^']*)'")

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


WORDS = (
    (r"No such option: (?P<name>\S+)(?: \(Possible options: (?P<near>[^,]*).*\))?", "there is no option {name}"),
    (r"No such command '(?P<name>.*?)'\.(?: Did you mean '(?P<near>.*?)'.*)?", "there is no command {name}"),
    (r"Got unexpected extra argument\(s\) \((?P<name>.*)\)", "there is one argument too many, {name}"),
    (r"Option '(?P<name>.*)' requires an argument\.?", "{name} needs a value"),
    (r"Option '(?P<name>.*)' does not take a value\.?", "{name} takes no value"),
    (r"Missing argument '(?P<name>.*?)'\. Choose from: (?P<all>.*)", "the argument {name} is missing, one of {all}"),
    (r"Missing argument '(?P<name>.*)'\.?", "the argument {name} is missing"),
    (r"Missing option '(?P<name>.*)'\.?", "the option {name} is missing"),
    (r"Missing command\.?", "the command is missing"),
)
"""Patterns of the parser's messages, with our words."""


def _about_words(message: str, advice: str) -> str:
    """Return the parser's message in our words, or the message itself if no pattern matches it, and the next step."""
    for pattern, words in WORDS:
        if found := re.fullmatch(pattern, message):
            groups = found.groupdict("")
            near = groups.get("near", "")
            return f"{words.format(**groups)}; " + (f"did you mean {near}?" if near else advice)
    return f"{message.removesuffix('.')}; {advice}"
