"""A platform's own CSV file. A copy changes some cells and keeps every other byte."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from grader.common.errors import InputError
from grader.protocol.text import showable

BOM = "\ufeff"
"""Byte order mark. Excel writes it before UTF-8, and needs it to recognise UTF-8."""

DELIMITERS = ",;\t"
"""Delimiters that platforms and spreadsheets write."""

FORMULA = re.compile(rf"""(^|[{DELIMITERS}\r\n])([ \xa0"']*)([-=+@\uff1d\uff0b\uff0d\uff20])""")
"""Matches text that a spreadsheet may run, which is one of these signs at the start of a cell (OWASP, "CSV Injection";
the last four signs are full-width). A spreadsheet that uses a different delimiter than the file may see more starts of
cells.
"""

PLAIN = re.compile(r"[0-9]*[.,]?[0-9]*")
"""Matches cells that need no quotation marks in any country, which are numbers and empty cells."""


@dataclass(frozen=True, kw_only=True)
class SheetRow:
    """A row: its cells as written, including quotation marks, and its line end."""

    cells: tuple[str, ...]
    end: str

    def value(self, column: int) -> str:
        """Return the value of a cell, or "" if the row is shorter."""
        raw = self.cells[column] if column < len(self.cells) else ""
        return raw[1:-1].replace('""', '"') if raw.startswith('"') else raw


@dataclass(frozen=True, kw_only=True)
class Sheet:
    """A CSV file with its headings in the first row. `name` is used in messages."""

    name: str
    bom: str
    delimiter: str
    lines: tuple[SheetRow, ...]

    @property
    def headings(self) -> tuple[str, ...]:
        """Cells of the first row."""
        return tuple(self.lines[0].value(column) for column in range(len(self.lines[0].cells)))

    @property
    def rows(self) -> Iterator[tuple[int, SheetRow]]:
        """All other rows, each with its index in `lines`."""
        return ((index, line) for index, line in enumerate(self.lines) if index > 0)

    def filled(self, values: Mapping[tuple[int, int], str]) -> bytes:
        """Return the file with new values for these cells, which are given by the index of the line and the column."""
        cells = [list(line.cells) for line in self.lines]
        for (line, column), value in values.items():
            cells[line][column] = self._written(value, cells[line][column])
        texts = (self.delimiter.join(row) + line.end for row, line in zip(cells, self.lines, strict=True))
        return (self.bom + "".join(texts)).encode()

    def _written(self, value: str, before: str) -> str:
        """Return the value as harmless text in quotation marks. A number gets them only if the cell had or
        needs them.
        """
        bare = PLAIN.fullmatch(value) and self.delimiter not in value and not before.startswith('"')
        return value if bare else '"' + harmless(value).replace('"', '""') + '"'


def harmless(text: str) -> str:
    """Return the text with an apostrophe before each sign that could make a spreadsheet run it."""
    return FORMULA.sub(r"\1\2'\3", text)


def read_sheet(name: str, data: bytes) -> Sheet:
    """Read a CSV file in UTF-8. Raises InputError if it is something else."""
    if data.startswith(b"PK"):
        raise InputError(f"{name} is a spreadsheet, not CSV; download it again as comma separated values.")
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise InputError(
            f"{name} is not in UTF-8, perhaps because a spreadsheet saved it; use the file as it was downloaded."
        ) from error
    bom = BOM if text.startswith(BOM) else ""
    text = text.removeprefix(BOM)
    if not text.strip():
        raise InputError(f"{name} is empty; download it again.")
    first = text.splitlines()[0]
    delimiter = max(DELIMITERS, key=first.count)
    return Sheet(name=name, bom=bom, delimiter=delimiter, lines=tuple(_lines(name, text, delimiter)))


def _lines(name: str, text: str, delimiter: str) -> Iterator[SheetRow]:
    pattern = re.compile(
        rf'("[^"]*(?:""[^"]*)*"|[^"{delimiter}\r\n][^{delimiter}\r\n]*|)'  # in quotation marks, or plain, or empty
        rf"({delimiter}|\r\n|\r|\n|\Z)"
    )
    at, cells = 0, list[str]()
    while at < len(text) or cells:
        match = pattern.match(text, at)
        if match is None:
            line = text.count("\n", 0, at) + 1
            raise InputError(f"{name}, line {line}: a quotation mark is not closed; use the file as it was downloaded.")
        cells.append(match[1])
        at = match.end()
        if match[2] != delimiter:
            yield SheetRow(cells=tuple(cells), end=match[2])
            cells = []


def same_words(one: str, other: str) -> bool:
    """True if two headings are equal apart from capitals and spaces."""
    return " ".join(one.split()).casefold() == " ".join(other.split()).casefold()


def listed(headings: tuple[str, ...]) -> str:
    """Return headings for a message that asks to choose among them."""
    return ", ".join(f'"{showable(" ".join(heading.split()))}"' for heading in headings if heading.strip())
