"""Finds a macro of grader that the submission redefines."""

import re

from grader.grading.explain.slips.launch import SimulatedLaunch
from grader.grading.explain.slips.slip import Slip
from grader.protocol.tokens import logical_lines, tokens

CONDITIONAL = re.compile(r"if|ifdef|ifndef")

REDEFINED = "a macro of grader is redefined"
"""Cause of wrong results that needs no search. An edit of a line that uses the macro could only hide the mistake."""


def redefined_macro(launch: SimulatedLaunch) -> Slip | None:
    """Explain wrong results by a macro whose value differs from the value that the launch uses."""
    depth = 0
    for line in logical_lines(tokens(launch.text.scene.source)):
        code = [token for token in line if token.is_code]
        if len(code) < 2 or code[0].text != "#":
            continue
        name, *rest = [token.text for token in code[1:]]
        depth += 1 if CONDITIONAL.fullmatch(name) else -1 if name == "endif" else 0
        if name != "define" or depth or len(rest) < 2:
            continue
        macro, value = rest[0], " ".join(rest[1:])
        if macro in launch.stated and launch.constants[macro] != value.strip("() "):
            return Slip(
                message=f"line {code[0].line} redefines {macro}, which the grader sets to {launch.constants[macro]}.",
                help=f"Delete line {code[0].line}. The launch uses the grader's value.",
                cause=REDEFINED,
                explains=frozenset(each.line for each in launch.outside),
            )
    return None
