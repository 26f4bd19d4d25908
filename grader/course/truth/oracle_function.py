"""Functions of an oracle.py, and checks of the arrays that they return. Messages give the file and the line."""

import inspect
import logging
import sys
import threading
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grader.common.errors import SolutionError
from grader.common.phrases import listed, quoted, sizes_in_words
from grader.course.assignment import Assignment
from grader.course.criteria import Sizes
from grader.course.elements import Element
from grader.course.folders import ORACLE_FILE
from grader.course.structs import Struct, StructField
from grader.course.truth.fields import dtype_of

LOG = logging.getLogger(__name__)

LONG = 30.0
"""Seconds after which a warning says that a function is still running. The slowest function of the course takes about
a second."""

POSITIONAL = {"inputs": ("generator", "data"), "check": ("got",)}
"""First arguments of each function, which are passed by position."""


@dataclass(frozen=True)
class OracleFunction:
    """A function of an assignment's oracle.py, with the name under which grader calls it."""

    assignment: Assignment
    name: str
    function: Callable[..., Any]

    @property
    def path(self) -> Path:
        """Path of the file."""
        path: Path = self.assignment.reference / ORACLE_FILE
        return path

    def call(self, sizes: Sizes, /, *given: Any, **arguments: Any) -> Any:
        """Call the function, and return its result. Raises SolutionError if it fails, or does not accept these
        arguments.
        """
        self._check_parameters(given, arguments)
        with self._called(sizes):
            return self.function(*given, **arguments)

    def _check_parameters(self, given: tuple[Any, ...], arguments: Mapping[str, Any]) -> None:
        """Raise SolutionError unless the function accepts these arguments."""
        try:
            signature = inspect.signature(self.function)
        except (TypeError, ValueError):  # NumPy's functions, for example, have no signature
            return
        try:
            signature.bind(*given, **arguments)
        except TypeError as error:
            why = _misfit(signature, len(given), arguments) or f"cannot be called: {error}; correct its parameters"
            passed = ", ".join((*POSITIONAL.get(self.name, ()), *arguments))
            raise self.refused(f"`{self.name}` {why}. grader passes {passed}.") from error

    def iterate(self, sizes: Sizes, /, **arguments: Any) -> Iterator[Any]:
        """Call the function, and yield what it returns or yields. Raises SolutionError if it fails."""
        made: Iterable[Any] = self.call(sizes, **arguments)
        with self._called(sizes):
            values = iter(made)
        ended = object()
        while True:
            with self._called(sizes):
                value = next(values, ended)
            if value is ended:
                return
            yield value

    @contextmanager
    def _called(self, sizes: Sizes) -> Iterator[None]:
        """Turn exceptions of the function into SolutionError, with the last line of the file in the traceback. Warn if
        the function takes long.
        """
        timer = threading.Timer(LONG, self._warn, (threading.get_ident(), sizes))
        timer.daemon = True
        timer.start()
        try:
            yield
        except Exception as error:  # an instructor's function may raise anything
            what = f"`{self.name}` failed at {sizes_in_words(sizes)} with {in_words(error)}"
            raise SolutionError(f"{place_of(error, self.path)}: {what}; correct the function.") from error
        finally:
            timer.cancel()

    def _warn(self, thread: int, sizes: Sizes) -> None:
        """Warn that the function is still running in this thread."""
        frames = traceback.walk_stack(sys._current_frames().get(thread))  # noqa: SLF001 - documented in spite of its name
        lines = [line for frame, line in frames if _is_same(frame.f_code.co_filename, self.path)]
        place = f"{self.path}, line {lines[0]}" if lines else str(self.path)
        LOG.warning(
            "%s: `%s` has been running for %g s at %s. If it does not end, press Ctrl-C and correct the function.",
            place,
            self.name,
            LONG,
            sizes_in_words(sizes),
        )

    def refused(self, words: str) -> SolutionError:
        """Return the error for a result of the function, with the line of its definition."""
        code = getattr(self.function, "__code__", None)
        line = "" if code is None else f", line {code.co_firstlineno}"
        return SolutionError(f"{self.path}{line}: {words}")

    def check_numbers(self, array: object, name: str, members: tuple[StructField, ...] | None) -> None:
        """Raise SolutionError unless this is an array of real numbers, or a structured array with these fields."""
        if not isinstance(array, np.ndarray | np.generic):
            raise self.refused(f"{name} is an object of type {type(array).__name__}; make it an array of NumPy.")
        if members is None:
            if array.dtype.kind not in "fiub":
                raise self.refused(f"{name} has the dtype {array.dtype}; make it an array of real numbers.")
            return
        for member in members:
            shape = member.element.shape
            stated, _ = (array.dtype.fields or {}).get(member.name, (None, 0))[:2]
            if stated is None or stated.base.kind not in "fiub" or stated.shape != shape:
                fields = ", ".join(each.name for each in members)
                numbers = f"{prod(shape)} numbers" if shape else "a real number"
                raise self.refused(
                    f"{name} has the dtype {array.dtype}; make it a structured array with the fields {fields}, "
                    f"in which {member.name} is {numbers}."
                )

    def check_range(self, array: NDArray[Any], name: str) -> None:
        """Raise SolutionError if the array has numbers that the elements of the buffer cannot be."""
        buffer = self.assignment.buffers[name]
        element = self.assignment.element(buffer.type)
        if isinstance(element, Struct):
            found = [(f"{name}.{each.name}", each.type, each.element, array[each.name]) for each in element.members]
        else:
            found = [(name, buffer.type, element, array)]
        for words, kind, each, numbers in found:
            if not _fits(numbers, each):
                raise self.refused(
                    f"`{self.name}` returns numbers for {words} that its type {kind} cannot hold; "
                    "change them or the type."
                )

    def check_shape(self, array: NDArray[Any], name: str, sizes: Sizes, label: str = "") -> None:
        """Raise SolutionError if the array does not have the shape that assignment.yaml states for the buffer."""
        wanted = self.assignment.array_shape(name, sizes)
        if array.shape != wanted:
            raise self.refused(
                f"{label or name} has the shape {array.shape}, but assignment.yaml says {wanted}; change one of them."
            )


def _misfit(signature: inspect.Signature, given: int, arguments: Mapping[str, Any]) -> str | None:
    """Describe the parameters of a function that do not fit its arguments. The first `given` arguments are passed by
    position. Returns None if all names fit.
    """
    variable = {inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD}
    named = [each for each in [*signature.parameters.values()][given:] if each.kind not in variable]
    lacking = [each.name for each in named if each.name not in arguments and each.default is each.empty]
    if lacking:
        return f"needs {listed(map(quoted, lacking), 'and')}, which grader does not pass; correct its parameters"
    if any(each.kind is inspect.Parameter.VAR_KEYWORD for each in signature.parameters.values()):
        return None
    others = [quoted(name) for name in arguments if name not in signature.parameters]
    return f"does not accept {listed(others, 'and')}; add `**_` to its parameters" if others else None


def place_of(error: Exception, path: Path) -> str:
    """Return the path of a file, with its last line in the traceback of an exception."""
    frames = traceback.extract_tb(error.__traceback__)
    lines = [frame.lineno for frame in frames if _is_same(frame.filename, path)]
    if isinstance(error, SyntaxError):
        lines.append(error.lineno)
    return f"{path}, line {lines[-1]}" if lines else str(path)


def in_words(error: Exception) -> str:
    """Return an exception as Python prints it after a traceback."""
    return "".join(traceback.format_exception_only(error)).strip().splitlines()[-1]


def _is_same(name: str, path: Path) -> bool:
    return Path(name).resolve() == path.resolve()


def _fits(array: NDArray[Any], element: Element) -> bool:
    """Return True if this type can represent these numbers."""
    if element.is_floating:
        return True
    with np.errstate(invalid="ignore"):  # NaN becomes a number, and differs from it
        return np.array_equal(array.astype(dtype_of(element)), array)
