"""Why something that was asked for is not done, in a sentence for whoever asked."""

from grader.common.errors import GraderError


class RefusalError(GraderError):
    """What was asked for cannot be done; nothing was changed."""


class NotFoundError(RefusalError):
    """There is no such thing, or none that this person may see: the answer is the same."""

    def __init__(self) -> None:
        super().__init__("There is no such page.")
