"""Parses the options of `grader run`: the kernels to time, and the values that are set by hand for each."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from grader.common.errors import InputError
from grader.common.phrases import listed
from grader.course.assignment import Assignment
from grader.course.suite import Coursework
from grader.grading.by_hand.overrides import Overrides
from grader.grading.checks.compilation.choices import DIMENSIONS, WHOLE_NUMBER, split


@dataclass(frozen=True, kw_only=True)
class Sweep:
    """Values that a size or a constant takes in turn."""

    name: str
    values: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Options:
    """The options as the user wrote them. An option that was not given is None or empty."""

    kernel: str | None = None
    values: Mapping[str, str] = field(default_factory=dict)
    global_size: tuple[str, ...] | None = None
    local_size: tuple[str, ...] | None = None
    sweep: Sweep | None = None


@dataclass(frozen=True, kw_only=True)
class Run:
    """An assignment, or a part of a suite, with the values that are set by hand. The label distinguishes this run from
    others.
    """

    label: str
    part: Assignment
    wanted: Overrides


def runs(coursework: Coursework, options: Options) -> tuple[Run, ...]:
    """One run for each value of a sweep, or for each selected part.

    Raises InputError for a name that the coursework does not contain, or if an option for a single kernel is given for
    several.
    """
    parts, sweep = _parts_about(coursework, options.kernel), options.sweep
    if len(parts) > 1 and (sweep or options.global_size or options.local_size):
        kernels = listed((part.kernel for part in parts), "or")
        raise InputError(f"--sweep, --global and --local apply to one kernel: select it with --kernel {kernels}.")
    if sweep is None:
        return tuple(Run(label=part.kernel, part=part, wanted=_wanted(part, options, {})) for part in parts)
    (part,) = parts
    return tuple(
        Run(label=value, part=part, wanted=_wanted(part, options, {sweep.name: value})) for value in sweep.values
    )


# --- texts of options -------------------------------------------------------------------------


def read_values(option: str, texts: Iterable[str]) -> dict[str, str]:
    """Values by name, from one or several options such as `n=1024,width=64`. If a name occurs twice, its last value
    counts.

    Raises InputError for a text without a name or without a value.
    """
    values = {}
    for text in (each for several in texts for each in several.split(",")):
        name, _, value = (word.strip() for word in text.partition("="))
        if not name or not value:
            raise InputError(f"{option} {text}: write a name and its value, as in {option} n=1024.")
        values[name] = value
    return values


def read_dimensions(option: str, text: str | None) -> tuple[str, ...] | None:
    """The expressions of a launch size, one for each dimension; None if the option was not given. Raises InputError
    unless there are one to three.
    """
    if text is None:
        return None
    dimensions = split(text)
    if not 1 <= len(dimensions) <= DIMENSIONS or not all(dimensions):
        raise InputError(f"{option} {text}: write one to three sizes, as in {option} 64 or {option} 16,16.")
    return dimensions


def read_sweep(text: str | None) -> Sweep | None:
    """Parse a sweep such as `TILE=8,16,32`; None if the option was not given. Raises InputError unless it has a name
    and distinct values.
    """
    if text is None:
        return None
    name, _, values = (word.strip() for word in text.partition("="))
    sweep = Sweep(name=name, values=tuple(value.strip() for value in values.split(",")))
    if not name or not all(sweep.values) or len(set(sweep.values)) < len(sweep.values):
        raise InputError(f"--sweep {text}: write a name and distinct values, as in --sweep TILE=8,16,32.")
    return sweep


# --- kernels and values -----------------------------------------------------------------------


def _parts_about(coursework: Coursework, kernel: str | None) -> tuple[Assignment, ...]:
    """The part whose main kernel has this name, or else the part that runs such a kernel. Returns all parts if `kernel`
    is None.

    Raises InputError if no part runs the kernel, or if several do.
    """
    if kernel is None:
        return coursework.parts
    about = [part for part in coursework.parts if kernel in {part.kernel, *part.aliases}]
    found = about or [part for part in coursework.parts if kernel in _kernels(part)]
    if not found:
        there = dict.fromkeys(name for part in coursework.parts for name in _kernels(part))
        raise InputError(f"{coursework.name} has no kernel {kernel}; it has {listed(there, 'and')}.")
    if len(found) > 1:
        raise InputError(f"{kernel} is run with {listed((part.kernel for part in found), 'and')}: choose one of these.")
    return tuple(found)


def _kernels(part: Assignment) -> list[str]:
    return [launch.kernel for launch in part.student_launches]


def _wanted(part: Assignment, options: Options, more: Mapping[str, str]) -> Overrides:
    """Values that the options and `more` set for this part. Raises InputError for a name that the part lacks."""
    values = {**options.values, **more}
    for name in values:
        if name not in part.sizes and name not in part.constants:
            constants = f" and its constants {', '.join(part.constants)}" if part.constants else ""
            raise InputError(f"{part.called} has no {name}; its sizes are {', '.join(part.sizes)}{constants}.")
    numbers = [*part.sizes, *(name for name, value in part.constants.items() if isinstance(value, int))]
    whole = {name: _whole(name, value) for name, value in values.items() if name in numbers}
    return Overrides(
        kernel=options.kernel if options.kernel in _kernels(part) else part.kernel,
        sizes={name: value for name, value in whole.items() if name in part.sizes},
        constants={name: whole.get(name, value) for name, value in values.items() if name in part.constants},
        global_size=options.global_size,
        local_size=options.local_size,
    )


def _whole(name: str, value: str) -> int:
    if not WHOLE_NUMBER.fullmatch(value) or int(value) < 1:
        raise InputError(f"{name}={value}: it must be a positive whole number of at most nine digits.")
    return int(value)
