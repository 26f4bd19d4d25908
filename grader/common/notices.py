"""Whom the service tells what waits for somebody who teaches, as settings say."""

from grader.common.errors import InputError
from grader.common.record import Record
from grader.common.secret import Secret


class NoticeRules(Record):
    """`webhook` is an address that takes a POST of JSON with a `text`, as those of chats do. It is a secret: whoever
    knows it can write there.
    """

    webhook: Secret = Secret()

    @property
    def address(self) -> str | None:
        """The address; None if there is none. Raises InputError, which does not quote it, if it cannot be one."""
        if self.webhook == Secret():
            return None
        address = self.webhook.read("notices.webhook")
        if not address.startswith(("https://", "http://")):
            raise InputError("notices.webhook is not an address that begins with https://; correct it.")
        return address
