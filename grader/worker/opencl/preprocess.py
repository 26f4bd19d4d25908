"""Expands macros once, so that every OpenCL driver compiles the same text.

pcpp does the work. A subclass corrects its errors. Macros of a driver's headers (CLK_LOCAL_MEM_FENCE, M_PI_F, ...) are
unknown here and stay in the text; the driver expands them.
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
"""Most characters of the text and of all expansions, including macros inside macros. Kernels need a tenth of it."""

PREDEFINED = {
    "__FILE__": f'"{FILE_NAME}"',
    "__OPENCL_VERSION__": "120",
    "__OPENCL_C_VERSION__": "120",
    "CL_VERSION_1_0": "100",
    "CL_VERSION_1_1": "110",
    "CL_VERSION_1_2": "120",
    "__ENDIAN_LITTLE__": "1",
    "__IMAGE_SUPPORT__": "1",
    "cl_khr_global_int32_base_atomics": "1",
    "cl_khr_global_int32_extended_atomics": "1",
    "cl_khr_local_int32_base_atomics": "1",
    "cl_khr_local_int32_extended_atomics": "1",
    "cl_khr_byte_addressable_store": "1",
    "cl_khr_fp64": "1",
}
"""Macros of the OpenCL 1.2 specification, section 6.10, and of the extensions that this version includes."""


class PreprocessingError(Exception):
    """The text cannot be expanded. As a string, the error has the form of clang's log."""


def preprocess(source: str, definitions: Mapping[str, str]) -> str:
    """The text with expanded macros, without the branches that `#if` excludes, and with blanks instead of comments. The
    rest stays on its lines. Raises PreprocessingError.
    """
    preprocessor = _Preprocessor(source, {**PREDEFINED, **definitions})
    try:
        preprocessor.parse(source)
        return _written(preprocessor.expanded())
    except PreprocessingError:
        raise
    except RecursionError:
        raise preprocessor.error("macros are nested too deeply") from None
    except Exception as error:  # pcpp raises various errors if a directive is incomplete
        raise preprocessor.error("malformed directive or macro call") from error


class _Preprocessor(Preprocessor):  # type: ignore[misc] # pcpp is untyped
    """A version of pcpp that stops at the first error and opens no files. The docstrings below name its corrections."""

    linemacro: int
    linemacrodepth: int

    def __init__(self, source: str, definitions: Mapping[str, str]) -> None:
        super().__init__()
        self.lines = source.split("\n")
        self.size = 0
        self.expanding: list[str] = []
        self.lexer = _Lexer()  # pcpp's lexer splits 1.0f into several tokens; the last is a name that may be a macro
        self.expand_filemacro = False
        self.auto_pragma_once_enabled = False
        self.macros.clear()  # removes __PCPP__, and the date and time of this run
        for name, value in definitions.items():
            self.define(f"{name} {value}")

    def error(self, message: str, line: int = 0) -> PreprocessingError:
        """An error at the macro that is being expanded; otherwise on the given line, or at the last directive."""
        line = self.linemacro or line or getattr(self.lastdirective, "lineno", 1)
        text = self.lines[line - 1]
        column = 1 + len(text) - len(text.lstrip())
        return PreprocessingError(f"{FILE_NAME}:{line}:{column}: error: {message}")

    def expanded(self) -> Iterator[LexToken]:
        """The tokens of the expanded text. Raise an error if a macro puts a `#` at the start of a line. In C, such a
        line is not a directive (C99, 6.10.3.4). A driver would treat it as one, and the text would depend on the
        driver.
        """
        line = 0
        for token in iter(self.token, None):
            if token.value.strip() and token.lineno > line:
                line = token.lineno
                if token.value == "#" and not hasattr(token, "begins_directive"):
                    raise self.error("a macro cannot make a directive; write the directive itself", line)
            yield token

    # --- hooks that pcpp offers ---------------------------------------------------------------

    def on_error(self, _file: str, line: int, msg: str) -> None:
        """Raise a PreprocessingError at the first error."""
        message = msg.partition(" due to ")[0].strip()
        raise self.error(message[:1].lower() + message[1:], line)

    def on_directive_handle(self, directive: LexToken, *rest: Any) -> Any:
        """Leave an `#include` that the assignment allows to the driver."""
        handled = super().on_directive_handle(directive, *rest)
        if directive.value == "include":
            raise OutputDirective(Action.IgnoreAndPassThrough)
        return handled

    def on_directive_unknown(self, directive: LexToken, rest: list[LexToken], *_: Any) -> None:
        """Raise a PreprocessingError for `#error`. Leave all other unknown directives to the driver, which may report
        them.
        """
        if directive.value == "error":
            words = "".join(token.value for token in rest)
            raise self.error(f"#error {words}".rstrip(), directive.lineno)

    def on_unknown_macro_function_in_expr(self, ident: str) -> Any:
        """Reject `#if F(1)` without a macro F, as C does. pcpp takes it as 0."""
        raise SyntaxError(ident)

    # --- corrections --------------------------------------------------------------------------

    def group_lines(self, text: str, _source: str | None) -> Iterator[list[LexToken]]:
        """Split the text into lines. pcpp also splits at form feeds, and cuts words that a backslash continues."""
        for line in logical_lines(tokens(text)):
            for token in line:
                if token.kind == "unclosed":
                    raise self.error("unterminated /* comment", token.line)
            made = [_token(token) for token in _prepared(line)]
            first = next((token for token in made if not token.value.isspace()), None)
            if first is not None and first.value in {"#", "#pragma"}:
                first.begins_directive = True
            yield made

    def define(self, macro: Any) -> None:
        """Define a macro. pcpp pastes tokens (##) only in macros with parameters; for other macros, this method does it
        once.
        """
        name, *rest = self.tokenize(macro) if isinstance(macro, str) else macro
        if not (rest and rest[0].type == self.t_SPACE and any(token.value == "##" for token in rest)):
            super().define([name, *rest])
            return
        super().define([name, *self.tokenize("()"), *rest])
        defined = self.macros[name.value]
        defined.value = self.macro_expand_args(defined, [])
        defined.arglist = None

    def collect_args(self, following: list[LexToken], *rest: Any) -> Any:
        """The arguments of a macro call. Raise an error if the text ends within it, where pcpp only stops expanding."""
        collected = super().collect_args(following, *rest)
        in_text = self.linemacrodepth == 1  # text after a macro may close a call that the macro leaves open
        if in_text and not collected[0]:
            raise self.error("unterminated argument list of a macro")
        return collected

    def macro_expand_args(self, macro: Any, args: list[list[LexToken]]) -> Any:
        """The expansion of a macro call. Blanks around the arguments are removed. pcpp keeps them around `__VA_ARGS__`,
        and then # and ## see them.
        """
        return super().macro_expand_args(macro, [self.tokenstrip(argument) for argument in args])

    def expand_macros(self, unexpanded: list[LexToken], expanding: list[str] | None = None) -> list[LexToken]:
        """Expand macros, with a limit on the size. pcpp has no limit. In the arguments of a macro's calls, pcpp also
        forgets that it is expanding that macro.
        """
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
Value.__lshift__ = lambda value, by: _shifted(value, by if int(by) < 64 else 64)  # pcpp would compute 1 << 10000000000


# --- from the text to tokens of pcpp ----------------------------------------------------------


def _prepared(line: list[Token]) -> list[Token]:
    """The line as pcpp gets it. All tokens of a directive move to the line where it begins.

    `#pragma unroll N` becomes text with the first word `#pragma`, so that N is expanded: a compiler expands N, but the
    macro is not in the text that the compiler gets. Compilers do not expand the names of extensions. So pragmas with
    OPENCL or STDC stay directives, and pcpp does not change them.
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
    "number": "CPP_INTEGER",  # only #if distinguishes numbers, and it rejects all others
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
    """White space without changes, and a comment as blanks of equal length. Of several lines, only the last one."""
    last = space.rpartition("\n")[2]
    return last if last.isspace() else " " * max(1, len(last))


class _Lexer:
    """The grader's tokens, with the interface of pcpp's lexer."""

    def input(self, text: str) -> None:
        self._tokens = map(_token, tokens(text))

    def token(self) -> LexToken | None:
        return next(self._tokens, None)

    def clone(self) -> "_Lexer":
        return _Lexer()


# --- and back to text -------------------------------------------------------------------------


def _written(written: Iterable[LexToken]) -> str:
    """The tokens as text, each on its line, with a blank between two tokens that would otherwise join into one."""
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
    """True if two adjacent tokens would be read as another token, such as `-` and `-1`, which pcpp writes as `--1`."""
    first = TOKEN.match(left + right)
    return bool(left) and first is not None and first.end() != len(left)
