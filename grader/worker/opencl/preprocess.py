"""Macros expanded once, here, so that every OpenCL driver is given the same text to compile.

pcpp does the work; what it gets wrong is put right in a subclass. Macros of a driver's own headers
(CLK_LOCAL_MEM_FENCE, M_PI_F, ...) are unknown here and pass through, for the driver to expand.
"""

from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import Any

from pcpp import Action, OutputDirective, Preprocessor
from pcpp.evaluator import Value
from pcpp.parser import LexToken, default_lexer

from grader.protocol.tokens import TOKEN, Token, logical_lines, tokens

FILE_NAME = "kernels.cl"

EXPANSION_LIMIT = 512 * 1024
"""Characters of the text and of what each macro in it becomes, those within others too; kernels need a tenth of it."""

PREDEFINED = {
    "__FILE__": f'"{FILE_NAME}"',
    "__OPENCL_VERSION__": "120",
    "__OPENCL_C_VERSION__": "120",
    "CL_VERSION_1_0": "100",
    "CL_VERSION_1_1": "110",
    "CL_VERSION_1_2": "120",
    "__ENDIAN_LITTLE__": "1",
    "cl_khr_global_int32_base_atomics": "1",
    "cl_khr_global_int32_extended_atomics": "1",
    "cl_khr_local_int32_base_atomics": "1",
    "cl_khr_local_int32_extended_atomics": "1",
    "cl_khr_byte_addressable_store": "1",
    "cl_khr_fp64": "1",
}
"""The OpenCL 1.2 specification, section 6.10; and the macros of extensions that it has taken into the language."""


class PreprocessingError(Exception):
    """The text cannot be expanded; as a string, the log that clang would write."""


def preprocess(source: str, definitions: Mapping[str, str]) -> str:
    """The text with macros expanded, `#if` decided and comments blank; what is left stays on its line."""
    preprocessor = _Preprocessor(source, {**PREDEFINED, **definitions})
    try:
        preprocessor.parse(source)
        return _written(iter(preprocessor.token, None))
    except PreprocessingError:
        raise
    except RecursionError:
        raise preprocessor.error("macros are nested too deeply") from None
    except Exception as error:  # what pcpp happens to stumble over where a directive lacks a part
        raise preprocessor.error("malformed directive or macro call") from error


class _Preprocessor(Preprocessor):  # type: ignore[misc] # pcpp is untyped
    """pcpp that stops at the first error, opens no file, and is corrected where a docstring says so."""

    linemacro: int
    linemacrodepth: int

    def __init__(self, source: str, definitions: Mapping[str, str]) -> None:
        super().__init__()
        self.lines = source.split("\n")
        self.size = 0
        self.expanding: list[str] = []
        self.lexer = _Lexer()  # theirs makes several tokens of 1.0f, the last a name that may be a macro
        self.expand_filemacro = False
        self.auto_pragma_once_enabled = False
        self.macros.clear()  # __PCPP__, and the date and time of this run
        for name, value in definitions.items():
            self.define(f"{name} {value}")

    def error(self, message: str, line: int = 0) -> PreprocessingError:
        """An error at the macro that is being expanded, or else on this line, or else at the last directive."""
        line = self.linemacro or line or getattr(self.lastdirective, "lineno", 1)
        text = self.lines[line - 1]
        column = 1 + len(text) - len(text.lstrip())
        return PreprocessingError(f"{FILE_NAME}:{line}:{column}: error: {message}")

    # --- hooks that pcpp offers ---------------------------------------------------------------

    def on_error(self, _file: str, line: int, msg: str) -> None:
        """Stop."""
        message = msg.partition(" due to ")[0].strip()
        raise self.error(message[:1].lower() + message[1:], line)

    def on_directive_handle(self, directive: LexToken, *rest: Any) -> Any:
        """Leave an `#include` that the assignment allows to the driver."""
        handled = super().on_directive_handle(directive, *rest)
        if directive.value == "include":
            raise OutputDirective(Action.IgnoreAndPassThrough)
        return handled

    def on_directive_unknown(self, directive: LexToken, rest: list[LexToken], *_: Any) -> None:
        """Obey `#error`; leave everything else to the driver, even to complain about."""
        if directive.value == "error":
            words = "".join(token.value for token in rest)
            raise self.error(f"#error {words}".rstrip(), directive.lineno)

    def on_unknown_macro_function_in_expr(self, ident: str) -> Any:
        """Refuse `#if F(1)` without a macro F, as C does; pcpp takes it for 0."""
        raise SyntaxError(ident)

    # --- corrections --------------------------------------------------------------------------

    def group_lines(self, text: str, _source: str | None) -> Iterator[list[LexToken]]:
        """The text in lines; pcpp's also end at form feeds, and cut words in two that a backslash continues."""
        for line in logical_lines(tokens(text)):
            for token in line:
                if token.kind == "unclosed":
                    raise self.error("unterminated /* comment", token.line)
            yield [_token(token) for token in _prepared(line)]

    def define(self, macro: Any) -> None:
        """Define a macro; pcpp pastes (##) in macros with parameters only, so for others it is done here, once."""
        name, *rest = self.tokenize(macro) if isinstance(macro, str) else macro
        if not (rest and rest[0].type == self.t_SPACE and any(token.value == "##" for token in rest)):
            super().define([name, *rest])
            return
        super().define([name, *self.tokenize("()"), *rest])
        defined = self.macros[name.value]
        defined.value = self.macro_expand_args(defined, [])
        defined.arglist = None

    def collect_args(self, following: list[LexToken], *rest: Any) -> Any:
        """The arguments of a call; where the text ends before the call does, pcpp just stops expanding."""
        collected = super().collect_args(following, *rest)
        in_text = self.linemacrodepth == 1  # a call that a macro leaves open, the text behind the macro may close
        if in_text and not collected[0]:
            raise self.error("unterminated argument list of a macro")
        return collected

    def macro_expand_args(self, macro: Any, args: list[list[LexToken]]) -> Any:
        """What a call becomes; pcpp keeps the blanks around `__VA_ARGS__`, where # and ## then find them."""
        return super().macro_expand_args(macro, [self.tokenstrip(argument) for argument in args])

    def expand_macros(self, unexpanded: list[LexToken], expanding: list[str] | None = None) -> list[LexToken]:
        """Expand; pcpp has no limit, and in the arguments of a macro's calls forgets that it is in that macro."""
        outer, depth = self.expanding, self.linemacrodepth
        size = _size(unexpanded)
        self.expanding = outer if expanding is None else expanding
        try:
            expanded: list[LexToken] = super().expand_macros(unexpanded, self.expanding)
        finally:
            self.expanding, self.linemacrodepth = outer, depth
        self.size += max(size, _size(expanded))
        if self.size > EXPANSION_LIMIT:
            raise self.error(f"the text expands to more than {EXPANSION_LIMIT:,} characters")
        return expanded


def _size(written: list[LexToken]) -> int:
    return sum(len(token.value) for token in written)


_shifted = Value.__lshift__
Value.__lshift__ = lambda value, by: _shifted(value, by if int(by) < 64 else 64)  # theirs holds all of 1 << 10000000000


# --- from the text to tokens of pcpp ----------------------------------------------------------


def _prepared(line: list[Token]) -> list[Token]:
    """A directive on the one line where it begins; `#pragma unroll N` as text that only starts with an odd word.

    Compilers expand N, which they will no longer know. They do not expand names of extensions, so
    pragmas of those stay directives, which pcpp passes through.
    """
    code = [token for token in line if token.is_code]
    match [token.text for token in code]:
        case ["#" | "%:", "pragma", "OPENCL" | "STDC", *_]:
            pass
        case ["#" | "%:", "pragma", *_]:
            before, after = line[: line.index(code[0])], line[line.index(code[1]) + 1 :]
            line = [*before, code[0]._replace(text="#pragma"), *after]
        case ["#" | "%:", *_]:
            pass
        case _:
            return line
    return [token._replace(line=code[0].line) for token in line]


TYPES = {
    "newline": "CPP_WS",
    "space": "CPP_WS",
    "name": "CPP_ID",
    "number": "CPP_INTEGER",  # only #if looks closer, and refuses other numbers
    "string": "CPP_STRING",
    "character": "CPP_CHAR",
}

DIGRAPHS = {"%:": "#", "%:%:": "##"}


def _token(token: Token) -> LexToken:
    made = LexToken()
    made.type = TYPES.get(token.kind) or _type_of_mark(token.text)
    made.value = DIGRAPHS.get(token.text, token.text)
    made.lineno = token.line
    made.source = ""
    if token.kind == "space":
        made.value = _blank(token.text)
    return made


@cache
def _type_of_mark(mark: str) -> str:
    lexer = default_lexer()
    lexer.input(mark)
    name: str = lexer.token().type
    return name


def _blank(space: str) -> str:
    """White space as it is, and comments as so many blanks; what goes over several lines, as its last."""
    last = space.rpartition("\n")[2]
    return last if last.isspace() else " " * max(1, len(last))


class _Lexer:
    """Our tokens, in the way that pcpp asks for them."""

    def input(self, text: str) -> None:
        self._tokens = map(_token, tokens(text))

    def token(self) -> LexToken | None:
        return next(self._tokens, None)

    def clone(self) -> "_Lexer":
        return _Lexer()


# --- and back to text -------------------------------------------------------------------------


def _written(written: Iterable[LexToken]) -> str:
    """The tokens, each on its line, with a blank between two that would otherwise be read as one."""
    parts: list[str] = []
    line, last, blanks = 1, "", ""
    for token in written:
        if token.value == "\n":
            blanks = ""
        elif token.value.isspace():
            blanks += token.value
        else:
            if token.lineno > line:
                parts.append("\n" * (token.lineno - line))
                line = token.lineno
            elif not blanks and _run_together(last, token.value):
                blanks = " "
            parts.append(blanks + token.value)
            last, blanks = token.value, ""
    return "".join(parts) + "\n"


def _run_together(left: str, right: str) -> bool:
    """Whether `-` and `-1` and the like meet; pcpp would make them `--1`."""
    first = TOKEN.match(left + right)
    return bool(left) and first is not None and first.end() != len(left)
