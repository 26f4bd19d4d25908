"""The file and the line in the message about each invalid field of assignment.yaml."""

import pytest
from courses import KERNEL, ORACLE, course_of

from grader.common.errors import InputError

TEXT = """title: Adding
kernel: add
constants: {real: float, GROUP: 64}
sizes: [n]
values: {pairs: n // 2}
structs:
  Pair: {fields: {a: float}}
samplers:
  edge: {address: clamp_to_edge}
scalars:
  a: {type: uchar, value: 3}
buffers:
  x: {shape: [n], data: numbers}
  y: {shape: [n], data: numbers}
  z: {shape: [n]}
  flag: {type: uint, shape: [1], role: scratch}
  other: {type: uint, shape: [1], role: scratch}
program:
  - {for: k, from: 1, to: 2, next: k + 1, do: [{swap: [flag, other]}]}
  - repeat: 4
    until: {sum: flag, below: 1}
    do:
      - {fill: flag, value: 0}
      - {kernel: add, args: [x, y, z, flag, n], global: ["ceil_to(n, GROUP)"], local: [GROUP]}
baseline:
  - {kernel: add, args: [x, y, z, flag, n], global: ["ceil_to(n, GROUP)"], local: [GROUP]}
correctness:
  points: 10
  tolerance: {rule: exact}
  cases:
    - {name: one, sizes: {n: 2}}
    - {name: two, sizes: {n: 64}}
memory:
  sizes: {n: 64}
  checks:
    - {name: reads, measure: words read, at_most: 9*n, points: 3}
"""


def refused(folder, text):
    """Return the message about a file, from `line` to its end."""
    course = course_of(folder, {}, KERNEL, ORACLE)
    path = folder / "assignments" / "small" / "assignment.yaml"
    path.write_text(text)
    with pytest.raises(InputError) as error:
        course.load("small")
    message = str(error.value)
    assert message.startswith(f"{path}, line ")
    assert message.count("\n") == 0
    return message.removeprefix(f"{path}, ")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("{fields: {a: float}}", "{fields: {a: flaot}}", "line 7: the field a of the struct Pair has the type flaot"),
        (
            "{fields: {a: float}}",
            "{fields: {a: Pair}}",
            "line 7: the field a of the struct Pair has the type Pair, so Pair",
        ),
        ("{address: clamp_to_edge}", "{address: wrap}", "line 9: samplers.edge.address: 'wrap' is not a possible"),
        ("value: 3}", "value: 300}", "line 11: the scalar a at n 2: 300 does not fit the type uchar; choose"),
        ("value: 3}", "value: [1, 2]}", "line 11: the scalar a must be a number for the type uchar"),
        ("x: {shape", "x: {type: text, shape", "line 13: buffers.x.type: there is no type text; write one of"),
        ("x: {shape", "x: {image: rgb8, shape", "line 13: buffers.x.image: there is no image format rgb8; write one"),
        ("x: {shape: [n]", 'x: {shape: ["n - 2"]', 'line 13: "n - 2" is less than 1 at n 2.'),
        ("z: {shape: [n]}", "z: {shape: [m]}", 'line 15: cannot evaluate "m"'),
        ("z: {shape: [n]}", "z: {shape: [n], role: input}", "line 15: the buffer z is input but has no data; add"),
        ("next: k + 1", "next: k", "line 19: the loop over k does not end, because `next` of 1 is 1; let `next`"),
        ("{swap: [flag, other]}", "{exchange: [flag]}", "line 19: program.0.do.0: a step has one of kernel, fill"),
        ("repeat: 4", "repeat:", "line 20: program.1.repeat: has no value; write one"),
        ("sum: flag", "sum: other", "line 20: `until` sums other, which no kernel of the repetition writes; pass it"),
        ("{fill: flag, value: 0}", "{fill: flag, value: -1}", "line 23: a fill of flag: -1 does not fit the type"),
        ("{fill: flag, value: 0}", "{fill: x, value: 0}", "line 23: a step of the program fills, swaps or tests x"),
        ("z, flag, n], g", "z, falg, n], g", "line 24: the launch of add has the argument falg, which is not"),
        ("local: [GROUP]", "local: [GROUP, 1]", "line 24: the launch of add has 1 dimension in `global` and 2 in"),
        ('["ceil_to(n, GROUP)"]', "[n]", "line 24: the launch of add has 2 work-items at n 2, which are not whole"),
        ("{rule: exact}", "{rule: equal}", "line 29: correctness.tolerance.rule: 'equal' is not a possible value; w"),
        ("sizes: {n: 64}}", "sizes: {n: 5000000000}}", "line 32: n at n 5000000000: 5000000000 does not fit the"),
        ("name: two, sizes: {n", "name: two, sizes: {m", "line 32: a case must specify the sizes n and no others"),
        ("at_most: 9*n", "at_most: 9*m", 'line 36: cannot evaluate "9*m"'),
    ],
)
def test_the_message_about_a_field_names_its_line(tmp_path, old, new, message):
    """Each message is one line with the file, the line of the field, the reason and the next step."""
    assert old in TEXT
    assert refused(tmp_path, TEXT.replace(old, new, 1)).startswith(message)


SUITE = """title: Two
sizes: [n]
constants: {real: float, GROUP: 64}
buffers:
  x: {shape: [n], data: numbers}
  y: {shape: [n], data: numbers}
  z: {shape: [n]}
baseline: &launch
  - {kernel: add, args: [x, y, z, n], global: ["ceil_to(n, GROUP)"], local: [GROUP]}
correctness: {points: 10, tolerance: {rule: exact}, cases: [{name: one, sizes: {n: 1}}]}
parts:
  - kernel: add
    launches: *launch
    buffers:
      y: {shape: [n], data: zeros}
"""


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        ("x: {shape: [n]", "x: {shape: [m]", 5),
        ("data: zeros", "data: nothing", 15),
        ("kernel: add\n", "kernel: sub\n", 12),
    ],
)
def test_a_part_of_a_suite_has_lines_too(tmp_path, old, new, line):
    """The message names the line of the field in the part, or of the common field that the part does not override."""
    assert refused(tmp_path, SUITE.replace(old, new, 1)).startswith(f"line {line}: parts.0 ")
