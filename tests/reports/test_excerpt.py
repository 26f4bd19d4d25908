"""excerpt.py: the lines of an issue, in which the access of each place is underlined."""

from dataclasses import replace

import pytest
from faulty_results import OUTCOMES, OUTSIDE, found
from picture import example
from samples import BUILD, RACE, SOURCE, result

from grader.reports.excerpt import PLACES, TAB, excerpt_of
from grader.reports.issues import issues_of
from grader.results.findings import Place


def excerpt(source, *events, at=1):
    """Return the excerpt of an issue with these events in line `at` of a source."""
    places = tuple(Place(line=at, text="", words=words) for words in events)
    finding = OUTSIDE.model_copy(update={"message": f"line {at} reads outside `A`.", "places": places})
    (issue,) = issues_of(result(BUILD, found(finding), source=source))
    return excerpt_of(issue, source.removesuffix("\n").split("\n"))


def underlined(source, *events):
    """Return the underlined parts of the only line."""
    (line,) = excerpt(source, *events)
    return [line.text[part.start : part.end] for part in line.underlined]


@pytest.mark.parametrize(
    ("source", "event", "part"),
    [
        ("sum[i] += sum[i + 1];", "reads `sum`", "sum[i + 1]"),
        ("sum[i] += sum[i + 1];", "writes sum", "sum[i]"),
        ("x = A[i] + A[j] + B[k];", "reads A", "A[j]"),
        ("A[i] = A[j] = 0;", "writes A", "A[i]"),
        ("B[A[i]] = t[A[B[0]]];", "reads A", "A[B[0]]"),
        ("x = tile [ly] [lx + 1] * 2;", "reads tile", "tile [ly] [lx + 1]"),
        ("x = A[i", "reads A", "A"),
        ("x = *A + 1;", "reads A", "A"),
        ("x = As[i] + A[j] + A2[k];", "reads A", "A[j]"),
        ("x = A[i];", "work-item (3, 0) of group (1, 0) reads A[99], one iteration of the loop later", "A[i]"),
    ],
)
def test_a_read_is_the_last_use_of_its_array_and_a_write_the_first(source, event, part):
    """For a read, the last use of the array is underlined, and for a write the first. All its indices are included,
    even nested ones.
    """
    assert underlined(source, event) == [part]


@pytest.mark.parametrize("event", ["work-item 1 waits at a barrier", "reads C", "writes nothing"])
def test_a_place_without_its_array_underlines_the_line(event):
    """The whole line is underlined if the event does not mention an array, or mentions one that is not in the line."""
    assert underlined("    x = A[i];  ", event) == ["x = A[i];"]


def test_two_events_on_one_part_share_its_underline():
    """Two events at the same part of a line share one underline, in their order."""
    (line,) = excerpt("A[0] = lid;", "work-item 1 writes A", "work-item 0 writes A")
    (part,) = line.underlined
    assert part.words == ("work-item 1 writes A", "work-item 0 writes A")


def test_two_events_in_one_line_have_a_part_each():
    """A line with two events at different parts is shown only once."""
    (issue,) = issues_of(example())
    (line,) = excerpt_of(issue, example().source.split("\n"))
    assert (line.number, line.text) == (13, "scratch[lid] += scratch[lid + s];")
    assert [line.text[part.start : part.end] for part in line.underlined] == ["scratch[lid]", "scratch[lid + s]"]
    assert [part.words for part in line.underlined] == [
        ("work-item 1 of group 0 writes `scratch`",),
        ("work-item 0 of group 0 reads `scratch`",),
    ]


def test_tabs_are_columns():
    """A tab within a line is expanded to the next tab stop, so that carets are below the access."""
    (line,) = excerpt("\tx =\tA[i];", "reads A")
    assert "\t" not in line.text
    (part,) = line.underlined
    assert line.text == f"x ={' ' * (TAB - 3)}A[i];"
    assert line.text[part.start : part.end] == "A[i]"


def test_control_characters_move_no_caret():
    """A control character is replaced by a single visible one, so that the underline stays below the access."""
    (line,) = excerpt("x\x1b = A[i];", "reads A")
    assert "\x1b" not in line.text
    assert line.text[line.underlined[0].start : line.underlined[0].end] == "A[i]"


def test_an_excerpt_has_the_lines_of_the_places_in_their_order():
    """The excerpt contains the lines of the places, in the order of the events."""
    (issue,) = issues_of(OUTCOMES["race"])
    assert issue.line == RACE.places[1].line
    assert [line.number for line in excerpt_of(issue, SOURCE.split("\n"))] == [17, 13]


def test_a_very_long_line_is_underlined_as_a_whole():
    """Accesses are not searched in an extremely long line, because open brackets would make the search quadratic."""
    line = f"x[0] = 1; /* {'x[' * 500_000} */"
    (seen,) = excerpt(line, "work-item 1 reads x")
    assert (seen.underlined[0].start, seen.underlined[0].end) == (0, len(line))


def test_the_line_of_the_issue_comes_first_if_it_has_no_place():
    """If the line of the issue is not one of its places, as for a wrong guard, it is shown before them."""
    (issue,) = issues_of(OUTCOMES["race"])
    guard = replace(issue, line=3)
    assert [line.number for line in excerpt_of(guard, SOURCE.split("\n"))] == [3, 17, 13]


def test_an_excerpt_has_a_few_places():
    """Only the first few places of an issue are shown."""
    events = [f"work-item {number} reads A" for number in range(PLACES + 3)]
    (line,) = excerpt("x = A[i];", *events)
    assert line.underlined[0].words == tuple(events[:PLACES])


def test_without_places_the_line_of_the_issue_is_underlined():
    """An issue without places shows its own line, which is completely underlined and has no event."""
    (line,) = excerpt("int a;\n  x = A[i];\n", at=2)
    assert (line.number, line.text) == (2, "x = A[i];")
    assert [(part.start, part.end, part.words) for part in line.underlined] == [(0, len(line.text), ())]


def test_there_is_no_excerpt_without_a_line():
    """An issue without a line has no excerpt. An issue at a blank line has none either."""
    (issue,) = issues_of(OUTCOMES["other lines"])
    assert excerpt_of(issue, SOURCE.split("\n")) == ()
    assert excerpt("int a;\n\t\n", at=2) == ()
