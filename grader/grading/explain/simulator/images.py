"""Explains the simulator's messages about images."""

import re

from grader.common.phrases import capital, quoted
from grader.grading.explain.simulator.conditions import deciders, is_unguarded
from grader.grading.explain.simulator.heard import Heard, Words, beyond
from grader.grading.explain.simulator.oclgrind import FATAL, NUMBER

COORDINATE = r"-?[0-9.e+]{1,20}|-?nan|-?inf"
OUTSIDE = re.compile(
    rf"Image coordinates outside \((?P<place>(?:{COORDINATE})(?:,(?:{COORDINATE})){{1,2}})\)"
    rf" of width (?P<width>{NUMBER}) and height (?P<height>{NUMBER})(?: and depth (?P<depth>{NUMBER}))?"
)
"""Pattern of the plugin's message about a pixel outside an image (observer/images.h)."""

OTHER_NUMBERS = re.compile(rf"{FATAL.pattern}[^\n]*\n[ \t]*Unsupported image channel data type: ([0-9A-F]{{1,8}})\n")
"""Pattern of Oclgrind's message about a function for another type of pixel. It ends with the code of the format."""

FUNCTION = re.compile(r"\b_Z\d+((?:read|write)_image)(ui|f|i)(?=\d)")
"""Pattern of a function in an instruction, with its name as compilers write it."""

SUFFIXES = {"10D2": "f", "10DE": "f", "10D9": "i", "10DA": "ui", "10DC": "ui"}
"""Suffixes of the functions for the formats of images, by OpenCL's codes."""

CLAMP = (
    "Use a sampler with CLK_ADDRESS_CLAMP_TO_EDGE or CLK_ADDRESS_CLAMP, which define reads outside the image, or keep "
    "the coordinates inside."
)
CHECK_PLACE = (
    "Check the coordinates, which are (column, row), and compare them with the width and the height in a guard."
)
CHECK_PLACE_3D = (
    "Check the coordinates, which are (column, row, slice), and compare them with the width, the height and the depth "
    "in a guard."
)


def outside(heard: Heard) -> Words:
    """Explain a pixel outside an image."""
    image, entity = heard.message.array or "an image", heard.entities[0]
    found = OUTSIDE.match(heard.message.text)
    assert found is not None, "this is what the message begins with"
    coordinates = found["place"].replace(",", ", ")
    extent = " x ".join(filter(None, found.group("width", "height", "depth")))
    check = CHECK_PLACE_3D if found["depth"] else CHECK_PLACE
    does, access = ("writes", "store") if entity.writes else ("reads", "read")
    what = f"line {entity.line} {does} {quoted(image)} at ({coordinates}), outside its {extent} pixels."
    place = (heard.scene.expanded, heard.seen.kernel, entity.line)
    if heard.scene.is_beyond(entity.global_id):
        cause = beyond(capital(heard.scene.item(entity.global_id)), access, deciders(*place))
    elif not entity.writes:
        cause = CLAMP
    elif is_unguarded(*place):
        cause = f"No condition guards line {entity.line}. {check}"
    else:
        cause = check
    return Words(what, cause, (heard.place(entity, image),))


def other_numbers(heard: Heard) -> Words:
    """Explain a function that reads or writes another type of number than the pixels contain."""
    image, entity = heard.message.array or "an image", heard.entities[0]
    code, function = OTHER_NUMBERS.match(heard.message.text), FUNCTION.search(heard.message.text)
    assert code is not None, "this is what the message begins with"
    used = f"with {function[1]}{function[2]}" if function else "with a function for other numbers"
    what = f"line {entity.line} uses {quoted(image)} {used}, which is for pixels of other numbers."
    suffix = SUFFIXES.get(code[1])
    if suffix is None or function is None:
        cause = (
            "Use the function for the format of the image: f for real numbers and unorm, ui and i for whole numbers."
        )
    else:
        cause = f"Call {function[1]}{suffix}: {NUMBERS[suffix]}."
    return Words(what, cause, heard.by(entity, entity.line, f"uses {image}"))


NUMBERS = {
    "f": "the pixels are real numbers, or whole numbers that are read as 0 to 1",
    "ui": "the pixels are whole numbers without a sign",
    "i": "the pixels are whole numbers with a sign",
}
"""Types of numbers that the functions read and write, by the suffixes of the functions."""
