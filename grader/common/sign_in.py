"""Settings for ways to sign in to the service other than its links. They are part of all settings, so they are defined
in this package.
"""

from typing import Literal

from pydantic import Field

from grader.common.record import Record
from grader.common.secret import HANDED_OVER, Secret


class MailRules(Record):
    """Mail server and sender for sign-in links. `domain` turns a key that is not an address into one."""

    host: str
    port: int = Field(default=587, ge=1, le=65535)
    security: Literal["starttls", "tls", "none"] = "starttls"
    sender: str
    domain: str = ""
    user: str = ""
    password: Secret = Secret()


class UniversityRules(Record):
    """A university's sign-on by OpenID Connect. `claim` is the claim that names a person as the roster does."""

    name: str = "your university"
    issuer: str
    client_id: str
    client_secret: Secret = Secret()
    claim: str = "email"
    scope: str = "openid email"


class SignInRules(Record):
    """Allowed ways to sign in, in addition to links that instructors make. `proxies` are the addresses of proxies that
    name their client in X-Forwarded-For. If `mail` is "printed", mail goes to the terminal, as in a demo.
    """

    mail: MailRules | Literal["printed"] | None = None
    passwords: bool = False
    university: UniversityRules | None = None
    proxies: tuple[str, ...] = ()

    def handed_over(self) -> str:
        """Return these rules as one line of JSON, secrets included, for a process that the service starts."""
        return self.model_dump_json(context=HANDED_OVER)
