"""Description of a kernel by its driver."""

from typing import Annotated, Literal

from pydantic import Field

from grader.protocol.wire import FEW, Message, Name, at_most


class ArgFacts(Message):
    """A kernel argument as the compiler describes it, e.g. ("global", "float*", "A")."""

    address_space: Literal["global", "constant", "local", "private"]
    type: Name
    name: Name
    access: Literal["none", "read_only", "write_only", "read_write"] = "none"
    """How the kernel may use an image; "none" for all other arguments."""


Amount = Annotated[int, Field(ge=0, lt=2**63)]


class Resources(Message):
    """Resources that a kernel uses: bytes of private memory per work-item, and bytes of local memory per work-group.

    `work_group` is the largest number of work-items in a work-group with which the kernel can run. None means that the
    driver does not report the value.
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
    """Resources that a launch asks for: the resources of the kernel with its arguments, and the requested number of
    work-items in a work-group. `local_memory` is the number of bytes of local memory that the device offers to a
    work-group.
    """

    kernel: Name
    resources: Resources
    work_group: Amount
    local_memory: Amount
