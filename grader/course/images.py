"""Formats of image elements (pixels), and samplers, as assignment.yaml states them."""

from typing import Annotated

from pydantic import AfterValidator, WithJsonSchema, model_validator

from grader.common.record import Record
from grader.course.elements import ElementType
from grader.protocol.steps import Addressing, ChannelOrder, ChannelType, Filtering


class ImageFormat(Record):
    """The OpenCL names of an image's pixel format, and the element type with which NumPy reads the same bytes."""

    order: ChannelOrder
    channel: ChannelType
    type: ElementType


def _formats() -> dict[str, ImageFormat]:
    """Return all formats: each type of channel, with each number of channels."""
    types: dict[str, tuple[ChannelType, str]] = {
        "8unorm": ("UNORM_INT8", "uchar"),
        "8uint": ("UNSIGNED_INT8", "uchar"),
        "32uint": ("UNSIGNED_INT32", "uint"),
        "32sint": ("SIGNED_INT32", "int"),
        "32float": ("FLOAT", "float"),
    }
    channels: dict[str, tuple[ChannelOrder, str]] = {"r": ("R", ""), "rgba": ("RGBA", "4")}
    return {
        f"{letters}{name}": ImageFormat(order=order, channel=channel, type=f"{scalar}{lanes}")
        for letters, (order, lanes) in channels.items()
        for name, (channel, scalar) in types.items()
    }


FORMATS = _formats()
"""Formats by their names in WebGPU. Every device with images supports RGBA, and most support R."""


def _known(name: str) -> str:
    if name not in FORMATS:
        raise ValueError(f"there is no image format {name}; write one of {', '.join(FORMATS)}")
    return name


FormatName = Annotated[str, AfterValidator(_known), WithJsonSchema({"enum": list(FORMATS)})]
"""Name of a format."""

REPEATING = {"repeat", "mirrored_repeat"}
"""Addressing modes that OpenCL defines only for normalized coordinates (OpenCL C specification, 6.13.14.1)."""


class Sampler(Record):
    """An argument of the type sampler_t. Samplers in the source need no entry."""

    address: Addressing
    """Pixel that a read outside the image returns: the nearest one (`clamp_to_edge`), the border colour (`clamp`), or
    one from a copy of the image (`repeat`, `mirrored_repeat`). With `none`, such reads are undefined."""

    filter: Filtering = "nearest"
    """`nearest` reads one pixel, `linear` interpolates between four."""

    normalized: bool = False
    """True if coordinates are from 0 to 1, false if they are in pixels."""

    @model_validator(mode="after")
    def _is_defined(self) -> "Sampler":
        if self.address in REPEATING and not self.normalized:
            raise ValueError(f"the address mode {self.address} needs `normalized: true`")
        return self
