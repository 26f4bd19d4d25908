"""Evidence for the rules: the source of a kernel, the sizes of its launch, and the observations of the simulator."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from grader.grading.explain.simulator import oclgrind
from grader.grading.explain.simulator.locations import Scene
from grader.grading.source.guards import Guards
from grader.grading.source.outline import Function, Outline, Variable, outside
from grader.grading.source.polynomial import Polynomial, atom, constant
from grader.grading.source.values import Values
from grader.protocol.observation import SeenKernel, SeenMessage

DIMENSIONS = 3

ACCESSES = 100
"""Maximum number of accesses of a kernel that are examined. A kernel of an assignment has about ten."""


@dataclass(frozen=True, kw_only=True)
class Outside:
    """An access past the end of an array in global memory."""

    line: int
    array: str
    writes: bool


@dataclass(frozen=True, kw_only=True)
class Text:
    """The text of a kernel, after macro expansion (`outline`) and as the student wrote it (`scene`)."""

    outline: Outline
    function: Function
    scene: Scene

    @property
    def line(self) -> int:
        """The line with the name of the kernel in its definition."""
        return self.outline.code[self.function.parameters[0] - 1].line

    @property
    def parameters(self) -> list[str]:
        """The names of the kernel's parameters, in their order."""
        code, (first, last) = self.outline.code, self.function.parameters
        commas = [each for each in outside(self.outline.pairs, first + 1, last) if code[each].text == ","]
        return [code[end - 1].text for end in (*commas, last)]

    @property
    def lines(self) -> Iterator[tuple[int, str]]:
        """Each token of the body, with its line."""
        begin, end = self.function.body
        return ((token.line, token.text) for token in self.outline.code[begin:end])


@dataclass(frozen=True, kw_only=True)
class SimulatedLaunch:
    """A launch of a kernel in the simulator.

    `items` and `group` are the numbers of work-items of the launch and of a group in each dimension. `shapes` contains
    the shape of each array in global memory, and `sizes` the value of each size, by the names of the kernel's
    parameters. `extent` contains the size that belongs to each dimension, or None. `inputs` are the arrays that have
    data before the launch. `constants` are the macros that grader defines, and `stated` are the macros that determine
    the launch. `elsewhere` contains the arrays in global memory that the kernel accesses in runs at other sizes, each
    with true for a write. `unset_later` contains arrays in global memory, each with a line in which a later launch
    reads words of the array that were never set. `later` contains the launches that follow, with their texts.
    """

    text: Text
    seen: SeenKernel
    items: tuple[int, ...]
    group: tuple[int, ...]
    shapes: Mapping[str, tuple[Polynomial, ...]]
    sizes: Mapping[str, int]
    extent: tuple[Polynomial | None, ...]
    inputs: frozenset[str]
    constants: Mapping[str, str]
    stated: frozenset[str]
    elsewhere: frozenset[tuple[str, bool]] = frozenset()
    unset_later: frozenset[tuple[str, int]] = frozenset()
    later: tuple[tuple[SeenKernel, Scene], ...] = ()

    @cached_property
    def values(self) -> Values:
        """The values of expressions in the kernel."""
        return Values(outline=self.text.outline, function=self.text.function, calls=dict(self._calls()))

    @cached_property
    def guards(self) -> Guards:
        """The guards in the kernel."""
        return Guards(values=self.values)

    @cached_property
    def largest(self) -> Mapping[str, int]:
        """The largest value of each size and of each id."""
        found = dict(self.sizes)
        for number, (items, group) in enumerate(zip(self.items, self.group, strict=True)):
            found[f"get_group_id({number})"] = items // group - 1
            found[f"get_local_id({number})"] = group - 1
        return found

    @cached_property
    def _variables(self) -> frozenset[Variable]:
        return frozenset(variable for each in self.values.regions for variable in each.visible)

    @cached_property
    def outside(self) -> tuple[Outside, ...]:
        """The accesses past the end of an array in global memory, in the order in which they were seen."""
        return tuple(dict.fromkeys(self._outside()))[:ACCESSES]

    def is_local(self, name: str) -> bool:
        """True if the kernel uses an array in local memory under this name."""
        return any(each.name == name and each.space == "local" and each.subscripts for each in self._variables)

    def is_array(self, name: str) -> bool:
        """True if the kernel uses an array or a pointer under this name."""
        return any(each.name == name and each.subscripts for each in self._variables)

    def lines_of(self, message: SeenMessage) -> list[int]:
        """The lines of the work-items in a message about a wrong access or a race."""
        is_wrong = oclgrind.INVALID.match(message.text) or oclgrind.RACE.match(message.text)
        return oclgrind.lines_of_entities(message) if is_wrong else []

    def value(self, size: Polynomial) -> int:
        """The value of a size in this launch."""
        found = size.most(self.sizes)
        return 0 if found is None else found

    def written(self, text: str) -> str:
        """The text as the student wrote it, with the names of grader's macros if the source uses them."""
        source = _bare(self.text.scene.source)
        shown = (re.sub(rf"\b{re.escape(value)}\b", name, text) for name, value in self.constants.items())
        return next((each for each in (text, *shown) if _bare(each) in source), text)

    def _outside(self) -> Iterator[Outside]:
        for message in self.seen.messages:
            entities = oclgrind.entities(message)
            if not oclgrind.INVALID.match(message.text) or oclgrind.copies(message) or not entities:
                continue
            target = oclgrind.target(message, self.seen)
            is_past = target.offset is not None and target.offset >= 0
            if is_past and "global memory" in message.text:
                writes = message.text.startswith("Invalid write")
                yield Outside(line=entities[0].line, array=target.array, writes=writes)

    def _calls(self) -> Iterator[tuple[str, Polynomial]]:
        for number in range(DIMENSIONS):
            is_there = number < len(self.items)
            items, group = (self.items[number], self.group[number]) if is_there else (1, 1)
            own = atom(f"get_group_id({number})") if is_there else constant(0)
            local = atom(f"get_local_id({number})") if is_there else constant(0)
            yield f"get_group_id({number})", own
            yield f"get_local_id({number})", local
            yield f"get_global_id({number})", own * constant(group) + local
            yield f"get_global_size({number})", constant(items)
            yield f"get_local_size({number})", constant(group)
            yield f"get_num_groups({number})", constant(items // group)


def _bare(text: str) -> str:
    return "".join(text.split())
