"""Secrets in settings: they stand in no option, in no text that is made of settings, and in no log."""

from pathlib import Path

from pydantic import SecretStr, SerializationInfo, field_serializer

from grader.common.errors import InputError
from grader.common.record import Record

HANDED_OVER = "handed over"
"""Only where this is said, what is made of settings holds secrets."""


class Secret(Record):
    """A secret that an operator gives: in a variable, or in a file that only the service can read. No option has one,
    since options stand in the list of processes.
    """

    value: SecretStr | None = None
    file: Path | None = None

    @field_serializer("value")
    def _shown(self, value: SecretStr | None, info: SerializationInfo) -> str | None:
        if value is None:
            return None
        return value.get_secret_value() if info.context == HANDED_OVER else str(value)

    def read(self, name: str) -> str:
        """The secret; raises InputError, which does not quote it, if it cannot be had."""
        if self.value is not None:
            return self.value.get_secret_value()
        if self.file is None:
            variable = f"GRADER_{name.upper().replace('.', '__')}__VALUE"
            raise InputError(f"{name} is not set: give its `file`, or its value in the variable {variable}.")
        try:
            return self.file.read_text("utf-8").strip()
        except (OSError, ValueError) as error:
            raise InputError(f"{name} cannot be read from {self.file}; correct its `file`.") from error
