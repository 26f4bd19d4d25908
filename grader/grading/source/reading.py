"""Parses the outline of a text from its tokens, in one pass. A text that is not valid C does not have an outline."""

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

from grader.grading.source.outline import TYPE, Function, Outline, outside
from grader.grading.source.statements import Reader, UnreadableError
from grader.protocol.tokens import Joined, Token, join, logical_lines

TEXT_CHARACTERS = 64 * 1024
"""Maximum number of characters of a text that is parsed. Hand-written kernels have about a tenth of this after macro
expansion.
"""

TOKENS, FUNCTIONS = 8_000, 64
"""Maximum number of tokens and of functions of a text that is parsed."""

KEPT = 4
"""Number of texts that are kept after parsing. Most explanations of a grading are about one text."""

CLOSING = {"(": ")", "[": "]", "{": "}"}

PRAGMA_TOKENS = 4
"""Number of tokens of `_Pragma("unroll")`."""

BARRIERS = frozenset({"barrier", "work_group_barrier", "async_work_group_copy", "wait_group_events"})
"""Functions that every work-item of a group must reach. Therefore edits do not contain them."""


def outline(source: str, kernels: Sequence[str]) -> Outline | None:
    """The outline of a text whose macros are expanded. Its regions are those of these kernels and of all functions that
    they call. Returns None if the text is too long or is not valid C.
    """
    return _outline(source, tuple(kernels))


def is_too_long(source: str) -> bool:
    """True if a text whose macros are expanded is too long to be parsed, or to be searched for explanations."""
    return _read(source) is None


@lru_cache(maxsize=KEPT)
def _read(source: str) -> tuple[Joined, tuple[Token, ...]] | None:
    """The text in the form in which it is compiled, and the tokens of its code. None if the text is too long."""
    if len(source) > TEXT_CHARACTERS:
        return None
    joined = join(source)
    code = tuple(token for line in logical_lines(joined.tokens()) for token in _code(line))
    return None if len(code) > TOKENS else (joined, code)


@lru_cache(maxsize=KEPT)
def _outline(source: str, kernels: tuple[str, ...]) -> Outline | None:
    read = _read(source)
    if read is None:
        return None
    joined, code = read
    try:
        pairs = _pairs(code)
        functions = tuple(_functions(code, pairs))
        if len(functions) > FUNCTIONS:
            return None
        reader = Reader(code=code, pairs=pairs, types=_types(code, pairs), whole=_whole(code, functions))
        reached = _reached(code, functions, kernels)
        for function in functions:
            reader.read(function, wanted=function.name in reached)
    except UnreadableError:
        return None
    return Outline(
        text=joined.text,
        kernels=kernels,
        code=code,
        pairs=pairs,
        functions=functions,
        regions=tuple(
            each
            for each in reader.regions
            if "#" not in joined.text[code[each.first].start : code[each.last - 1].start]
        ),
        loops=tuple(reader.loops),
    )


def _code(line: list[Token]) -> Iterator[Token]:
    """Yield the tokens of a logical line without white space. Directives are skipped, even in the form
    `_Pragma("unroll")`, which a macro can contain.
    """
    code = [token for token in line if token.is_code]
    if code and code[0].text.startswith(("#", "%:")):
        return
    operator = -PRAGMA_TOKENS
    for number, token in enumerate(code):
        if token.text == "_Pragma":
            operator = number
        if number >= operator + PRAGMA_TOKENS:
            yield token


def _pairs(code: Sequence[Token]) -> dict[int, int]:
    """Map each opening bracket to its closing bracket. Raises UnreadableError if they do not match."""
    pairs: dict[int, int] = {}
    opened: list[int] = []
    for number, token in enumerate(code):
        if token.text in CLOSING:
            opened.append(number)
        elif token.text in CLOSING.values():
            if not opened or CLOSING[code[opened[-1]].text] != token.text:
                raise UnreadableError
            pairs[opened.pop()] = number
    if opened:
        raise UnreadableError
    return pairs


def _functions(code: Sequence[Token], pairs: dict[int, int]) -> Iterator[Function]:
    """Yield the functions that have a body. Each consists of a name, parameters, optional attributes, and the body."""
    top = list(outside(pairs, 0, len(code)))
    for begin, number in enumerate(top):
        if code[number].text != "{":
            continue
        place = begin
        while place > 3 and code[top[place - 2]].text == "__attribute__":
            place -= 2
        if place > 2 and code[top[place - 1]].text == "(" and code[top[place - 2]].kind == "name":
            name, bracket = code[top[place - 2]].text, top[place - 1]
            yield Function(name=name, parameters=(bracket, pairs[bracket]), body=(number, pairs[number]))


def _calls(code: Sequence[Token], function: Function) -> set[str]:
    return {token.text for token in code[slice(*function.body)] if token.kind == "name"}


def _reached(code: Sequence[Token], functions: Sequence[Function], kernels: Iterable[str]) -> set[str]:
    """The kernels, and all functions that they call directly or indirectly."""
    called = {each.name: _calls(code, each) for each in functions}
    reached: set[str] = set()
    waiting = [name for name in kernels if name in called]
    while waiting:
        name = waiting.pop()
        if name not in reached:
            reached.add(name)
            waiting += called[name] & called.keys()
    return reached


def _whole(code: Sequence[Token], functions: Sequence[Function]) -> frozenset[str]:
    """Names of the functions that a whole group must reach, which are barriers and functions that call one."""
    called = {each.name: _calls(code, each) for each in functions}
    whole = set(BARRIERS)
    while new := {name for name, calls in called.items() if name not in whole and calls & whole}:
        whole |= new
    return frozenset(whole)


def _types(code: Sequence[Token], pairs: dict[int, int]) -> dict[str, str]:
    """Map the type names that typedefs outside functions define. A name that only renames a built-in type maps to that
    type. Any other name maps to itself.
    """
    types: dict[str, str] = {}
    begun: list[str] | None = None
    for number in outside(pairs, 0, len(code)):
        token = code[number]
        if token.text == "typedef":
            begun = []
        elif begun is not None and token.text == ";":
            if begun:
                types[begun[-1]] = begun[0] if len(begun) == 2 and TYPE.fullmatch(begun[0]) else begun[-1]
            begun = None
        elif begun is not None:
            begun.append(token.text)
    return types
