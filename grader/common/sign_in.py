"""How people may sign in to the service beside its links, as settings say: part of all settings, so it lives here."""

from pathlib import Path
from typing import Literal

from pydantic import Field, SecretStr, SerializationInfo, field_serializer

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
            raise InputError(f"{name} is not set: give its `file`, or its `value` in a GRADER_SIGN_IN__ variable.")
        try:
            return self.file.read_text("utf-8").strip()
        except (OSError, ValueError) as error:
            raise InputError(f"{name} cannot be read from {self.file}; correct its `file`.") from error


class MailRules(Record):
    """By which server links are sent, from whom; `domain` makes an address of a key that is none."""

    host: str
    port: int = Field(default=587, ge=1, le=65535)
    security: Literal["starttls", "tls", "none"] = "starttls"
    sender: str
    domain: str = ""
    user: str = ""
    password: Secret = Secret()


class UniversityRules(Record):
    """A university's sign-on, which speaks OpenID Connect. `claim` is what names a person as the roster does."""

    name: str = "your university"
    issuer: str
    client_id: str
    client_secret: Secret = Secret()
    claim: str = "email"
    scope: str = "openid email"


class SignInRules(Record):
    """What is allowed beside links that instructors make. `proxies` are the addresses of proxies that say, in
    X-Forwarded-For, for whom they ask. Mail that is `printed` goes to the terminal, as in a demo.
    """

    mail: MailRules | Literal["printed"] | None = None
    passwords: bool = False
    university: UniversityRules | None = None
    proxies: tuple[str, ...] = ()

    def handed_over(self) -> str:
        """The same for a process of the service's own, secrets included: one line."""
        return self.model_dump_json(context=HANDED_OVER)
