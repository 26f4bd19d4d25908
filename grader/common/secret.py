"""Secrets in settings. They do not appear in options, in logs, or in text that is made from settings."""

from pathlib import Path

from pydantic import SecretStr, SerializationInfo, field_serializer

from grader.common.errors import InputError
from grader.common.record import Record

HANDED_OVER = "handed over"
"""Serialization context in which secrets are written out. In all other contexts, they are masked."""


class Secret(Record):
    """A secret that an operator sets in a variable, or in a file that only the service can read. No option accepts a
    secret, since options are visible in the list of processes.
    """

    value: SecretStr | None = None
    file: Path | None = None

    @field_serializer("value")
    def _shown(self, value: SecretStr | None, info: SerializationInfo) -> str | None:
        if value is None:
            return None
        return value.get_secret_value() if info.context == HANDED_OVER else str(value)

    def read(self, name: str) -> str:
        """Return the secret. Raises InputError if it is missing or cannot be read; the message does not quote it."""
        if self.value is not None:
            return self.value.get_secret_value()
        if self.file is None:
            variable = f"GRADER_{name.upper().replace('.', '__')}__VALUE"
            raise InputError(f"{name} is not set: give its `file`, or its value in the variable {variable}.")
        try:
            return self.file.read_text("utf-8").strip()
        except (OSError, ValueError) as error:
            raise InputError(f"{name} cannot be read from {self.file}; correct its `file`.") from error
