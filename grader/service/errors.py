"""Reasons why a request is refused, each a sentence for the person who made it."""

from grader.common.errors import GraderError


class RefusedError(GraderError):
    """A request that cannot be done. Nothing was changed."""


class NotFoundError(RefusedError):
    """A page that does not exist, or that this person may not see: the answer is the same."""

    def __init__(self) -> None:
        super().__init__("There is no such page.")
