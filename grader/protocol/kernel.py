"""A kernel as its driver describes it."""

from typing import Annotated, Literal

from pydantic import Field

from grader.protocol.wire import FEW, Message, Name, at_most


class ArgFacts(Message):
    """A kernel argument as the compiler describes it, e.g. ("global", "float*", "A")."""

    address_space: Literal["global", "constant", "local", "private"]
    type: Name
    name: Name


Amount = Annotated[int, Field(ge=0, lt=2**63)]


class Resources(Message):
    """What a kernel takes of a device: bytes of private memory a work-item, and of local memory a work-group; and the
    most work-items of a work-group that it can then run with. None is what a driver does not say.
    """

    private_memory: Amount | None = None
    local_memory: Amount | None = None
    work_group: Amount | None = None


class KernelFacts(Message):
    """A kernel found in a built program."""

    program: Name
    name: Name
    args: Annotated[tuple[ArgFacts, ...], *at_most(FEW)]
    resources: Resources = Resources()


class Demand(Message):
    """A launch: what the kernel takes with its arguments, the work-items of a work-group that it was to have, and the
    bytes of local memory that the device has for one.
    """

    kernel: Name
    resources: Resources
    work_group: Amount
    local_memory: Amount
