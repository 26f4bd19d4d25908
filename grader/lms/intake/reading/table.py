"""Reads a CSV file that was written by hand, by its headings, in any delimiter and encoding that spreadsheets use."""

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from grader.common.errors import InputError

SIZE = 8 * 1024 * 1024
"""Maximum number of bytes of a list, enough for a hundred thousand students."""

DELIMITERS = ",;\t"
"""Delimiters that spreadsheets write, depending on the country."""


@dataclass(frozen=True, kw_only=True)
class TableRow:
    """A row, with the number of its last line in the file. The keys of `fields` are headings in small letters."""

    line: int
    fields: dict[str, str]

    def field(self, name: str) -> str:
        """Return the value under a heading without surrounding spaces, or "" if the row has no value there."""
        return self.fields.get(name, "")


def read_table(path: Path, what: str, columns: Sequence[str]) -> list[TableRow]:
    """Read the rows that are not empty. Raises InputError if the file is not CSV or lacks one of the columns. `what`
    describes the expected file in messages.
    """
    try:
        with path.open("rb") as file:
            data = file.read(SIZE + 1)
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}.") from error
    return table_of(str(path), data, what, columns)


def table_of(name: str, data: bytes, what: str, columns: Sequence[str]) -> list[TableRow]:
    """Read the rows as `read_table` does, from the data of a file that messages call `name`."""
    text = _text(name, data, what)
    delimiter = max(DELIMITERS, key=text.partition("\n")[0].count)  # the most frequent one in the heading
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, skipinitialspace=True)
    try:
        heading = [cell.strip().casefold() for cell in next(reader, [])]
        if not set(columns) <= set(heading):
            needed = f"{', '.join(columns[:-1])} and {columns[-1]}" if len(columns) > 1 else columns[0]
            raise InputError(
                f"{name} is not {what}: its first line must contain the column{'s'[: len(columns) - 1]} {needed}."
            )
        rows = []
        for cells in reader:
            fields = dict(zip(heading, (cell.strip() for cell in cells), strict=False))
            if any(fields.values()):
                rows.append(TableRow(line=reader.line_num, fields=fields))
    except csv.Error as error:
        raise InputError(f"{name} is not {what}: {error} (line {reader.line_num}).") from error
    return rows


def _text(name: str, data: bytes, what: str) -> str:
    """Decode the text, which may be UTF-8 with or without the mark that Excel puts first, UTF-16, or an older
    encoding.
    """
    if len(data) > SIZE:
        raise InputError(f"{name} is over {SIZE // 1024**2} MiB, too large for {what}.")
    encodings = ("utf-16",) if data.startswith((b"\xff\xfe", b"\xfe\xff")) else ("utf-8-sig", "cp1252", "latin-1")
    for encoding in encodings:
        try:
            return data.decode(encoding)
        except UnicodeDecodeError:
            continue
    raise InputError(f"{name} is not text; save it as CSV in UTF-8.")
