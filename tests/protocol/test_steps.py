"""steps.py: the text of a program with definitions of types keeps its lines."""

import pytest

from grader.protocol.steps import ProgramSource

TYPES = "typedef int number;"


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("kernel\n", f"{TYPES} kernel\n"),
        ("   \n\nkernel", f"{TYPES}\n\nkernel"),
        ("#pragma OPENCL EXTENSION x : enable\n\nkernel", f"#pragma OPENCL EXTENSION x : enable\n{TYPES}\nkernel"),
        ("# pragma unroll\nkernel", f"# pragma unroll\n{TYPES} kernel"),
        ("// comment\nkernel", f"{TYPES} // comment\nkernel"),
        ("#include <a>\nkernel", f"{TYPES}\n#line 1\n#include <a>\nkernel"),
        ("", TYPES),
    ],
)
def test_definitions_are_on_a_line_before_the_code(source, text):
    """Definitions precede all code, and do not move any line, nor the columns of the code if a line is empty."""
    assert ProgramSource(source=source, types=TYPES).text == text
    assert ProgramSource(source=source).text == source
