"""How people may sign in to the service beside its links, as settings say: part of all settings, so it lives here."""

from typing import Literal

from pydantic import Field

from grader.common.record import Record
from grader.common.secret import HANDED_OVER, Secret


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
