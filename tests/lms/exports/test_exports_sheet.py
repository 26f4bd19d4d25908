"""sheet.py: filling in a CSV file changes only the bytes of the filled cells."""

import csv
import io

import pytest

from grader.common.errors import InputError
from grader.lms.exports.sheet import read_sheet

FILES = [
    b"a,b,c\n1,2,3\n",
    b'\xef\xbb\xbfa;b;c\r\n1;"2;2";3\r\n',
    b'a\tb\r"x ""y"" z"\t"two\nlines"\r',
    b'a,b\n"",\n\n,""',
    'Name,"N,B",é\nJürgen,5" disk,"q""q"\n'.encode(),
    b"a",
]


@pytest.mark.parametrize("data", FILES)
def test_nothing_changed_is_the_same_file(data):
    """A file without changes keeps its byte order mark, delimiter, line ends, quotes and missing last line end."""
    assert read_sheet("f.csv", data).filled({}) == data


@pytest.mark.parametrize("data", FILES)
def test_cells_say_what_python_reads(data):
    """Cells have the values that Python's csv module reads."""
    sheet = read_sheet("f.csv", data)
    expected = csv.reader(io.StringIO(data.decode("utf-8-sig"), newline=""), delimiter=sheet.delimiter)
    values = [[line.value(i) for i in range(len(line.cells))] for line in sheet.lines]
    assert values == [cells or [""] for cells in expected]


def test_a_changed_cell_is_quoted_unless_it_is_a_number_and_was_not():
    """A changed cell is quoted, unless a number replaces a cell without quotes. No other byte changes."""
    sheet = read_sheet("f.csv", b'a,b\r\n"x",y\r\n"z",w\r\n')
    assert sheet.filled({(1, 0): "1", (1, 1): 'say "a,b"', (2, 1): "2"}) == b'a,b\r\n"1","say ""a,b"""\r\n"z",2\r\n'
    assert sheet.filled({(1, 1): "1,5", (2, 1): "1.5"}) == b'a,b\r\n"x","1,5"\r\n"z",1.5\r\n'
    assert sheet.filled({(2, 1): "word"}) == b'a,b\r\n"x",y\r\n"z","word"\r\n'


@pytest.mark.parametrize("text", ["=1+1", "a;=1+1", "a,  @b", 'a\t"-c', "a\n+d", "\uff1d1", " =1", "'=1"])
def test_a_changed_cell_is_no_formula_however_the_copy_is_divided(text):
    """No part of a changed cell starts like a formula, regardless of where a spreadsheet program divides the copy."""
    cell = read_sheet("f.csv", b"a,b\nc,d\n").filled({(1, 1): text}).decode().splitlines(keepends=True)
    for sign in ",;\t\n":
        assert not [part for part in "".join(cell[1:]).split(sign) if part.strip(' "').startswith(tuple("=+-@\uff1d"))]


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"PK\x03\x04", "spreadsheet, not CSV"),
        ("a,b\nJürgen,1\n".encode("latin-1"), "not in UTF-8"),
        (b" \n", "empty"),
        (b'a,b\nc,"d\n', "line 2: a quotation mark is not closed"),
        (b'a,b\n"c"d,e\n', "line 2: a quotation mark"),
    ],
)
def test_what_cannot_be_read_with_certainty_is_refused(data, words):
    """A file that cannot be read with certainty raises InputError, because other cells of its copy could differ."""
    with pytest.raises(InputError, match=r"^f\.csv") as raised:
        read_sheet("f.csv", data)
    assert words in str(raised.value)
