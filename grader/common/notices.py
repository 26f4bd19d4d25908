"""Settings for the notices that the service sends to teaching staff about open work."""

from grader.common.errors import InputError
from grader.common.record import Record
from grader.common.secret import Secret


class NoticeRules(Record):
    """Rules for notices. `webhook` is an address that accepts a POST of JSON with a `text` field, like the webhooks of
    chat services. It is a secret, because anyone who knows it can post there.
    """

    webhook: Secret = Secret()

    @property
    def address(self) -> str | None:
        """The address of the webhook, or None without a webhook. Raises InputError if the value is not an address; the
        message does not quote the value.
        """
        if self.webhook == Secret():
            return None
        address = self.webhook.read("notices.webhook")
        if not address.startswith(("https://", "http://")):
            raise InputError("notices.webhook is not an address that begins with https://; correct it.")
        return address
