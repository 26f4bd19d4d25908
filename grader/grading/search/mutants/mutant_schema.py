"""A mutant schema is one program that contains many edits of a text. Each launch receives a number that selects an
edit.

For example, this kernel has edit 1, `i <= n` in line 3, and edit 2, `i + 1` in line 4:

    __kernel void scale(__global float *A, uint n)
    {
        for (uint i = 0; i < n; i++)
            A[i] *= 2;
    }

The schema of these edits is:

    long grader_inside(long i, long from, long to) { return from <= i && i < to ? i : to / 2; }
    __kernel void scale(__global float *A, uint n, ulong grader_key)
    {
        const uint grader_edit = (grader_key & 65535) + get_group_id(2);
        const long grader_words = (grader_key >> 16) & 16777215;
        int grader_iterations = (grader_key >> 40) * 16;
        A += get_group_id(2) * ((grader_words + 31) / 32 * 256) / sizeof(A[0]);
        for (uint i = 0; ((grader_iterations -= 16) >= 0 && ((grader_edit - 1u >= 1u ? (i < n) : (i <= n)))); i++)
            (grader_edit - 2u >= 1u
                ? (void)(A[grader_inside(i, -(grader_words), grader_words)] *= 2)
                : (void)(
                    A[grader_inside((grader_edit - 2u >= 1u ? (i) : (i + 1)), -(grader_words), grader_words)] *= 2));
    }

1. Every function takes a key: the number of the edit, the words of the largest array, and the iterations that all loops
   of a call may make. An iteration of an inner loop costs less. An edit may make a loop endless or give an index any
   value, which would cost the time of hundreds of edits. So loops end, and an index beyond its array is moved into the
   array.
2. A launch may be a batch of edits (edit_batch.py). The groups with number n in dimension 2 run the edit that comes n
   after the key's edit, and have separate arrays.
3. `#pragma`s that only make code faster are left out.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from grader.grading.search.edits.sites import Edit
from grader.grading.search.mutants.schema_key import UNCHANGED
from grader.grading.search.mutants.schema_text import schema_text
from grader.grading.source.outline import Outline
from grader.grading.source.reading import outline as read

AT_ONCE = 120
"""Maximum number of edits in one schema. A schema has fixed costs, but its compile time grows faster than the number of
edits. For a tiled matrix product with barriers, PoCL 3.1 compiles 200 edits in 0.4 s, PoCL 6 in 2.6 s and PoCL 5 in
4.6 s. On a busy machine with PoCL 3.1, 960 edits take 15 s in schemas of 80, 11 s of 120, 14 s of 160 and 19 s of 240.
"""

TYPES = 3
"""Maximum number of edits of types that are tried. Each needs a new session, which takes as long as hundreds of
launches.
"""


@dataclass(frozen=True, kw_only=True)
class MutantSchema:
    """The program, the number of each edit, and the line of the program on which each edit begins."""

    outline: Outline
    text: str
    numbers: Mapping[Edit, int]
    lines: Mapping[int, Edit]

    def without(self, refused: Collection[int]) -> "MutantSchema":
        """The schema without the edits on lines that a compiler refuses. If a refused line is not an edit, the edits of
        the next expression are left out, because they probably change the type of its value.
        """
        blamed = {self.lines[line] for line in refused if line in self.lines}
        others = [line for line in refused if line not in self.lines]
        after = (min((each for each in self.lines if each > line), default=None) for line in others)
        spans = {self.lines[line].span for line in after if line is not None}
        return mutant_schema(
            self.outline, (each for each in self.numbers if each not in blamed and each.span not in spans)
        )


def mutant_schema(outline: Outline, edits: Iterable[Edit]) -> MutantSchema:
    """The schema of these edits. The edits of an expression have consecutive numbers, so that an expression that is not
    edited costs one comparison.
    """
    made = sorted(edits, key=lambda edit: (edit.span[0], -edit.span[1]))
    text, lines = schema_text(outline, made)
    numbers = {edit: number for number, edit in enumerate(made, start=1)}
    return MutantSchema(outline=outline, text=text, numbers=numbers, lines=lines)


def mutant_schemas(outline: Outline, edits: Sequence[Edit]) -> Iterator[MutantSchema]:
    """Yield the schemas of these edits, in order. An edit of a type needs a separate program. Such edits come first
    because they are few and likely to be right.
    """
    for edit in [edit for edit in edits if edit.region.role == "type"][:TYPES]:
        changed = read(edited(outline, edit), outline.kernels)
        if changed is not None:
            yield replace(mutant_schema(changed, ()), numbers={edit: UNCHANGED})
    switched = [edit for edit in edits if edit.region.role != "type"]
    yield from (mutant_schema(outline, switched[first : first + AT_ONCE]) for first in range(0, len(switched), AT_ONCE))


def edited(outline: Outline, edit: Edit) -> str:
    """The text with only this edit. Its lines keep their numbers."""
    begin = outline.code[edit.first].start
    end = outline.end(edit.last - 1) if edit.last > edit.first else begin
    breaks = "\n" * outline.text.count("\n", begin, end)
    return f"{outline.text[:begin]}{edit.text}{breaks} {outline.text[end:]}"
