"""Settings for the ways to sign in to the service besides its links. They belong to the settings of the whole grader,
so they are defined in this package.
"""

from typing import Literal

from pydantic import Field

from grader.common.record import Record
from grader.common.secret import Secret


class MailRules(Record):
    """Mail server and sender for sign-in links. `domain` is appended to a key that is not an address."""

    host: str
    port: int = Field(default=587, ge=1, le=65535)
    security: Literal["starttls", "tls", "none"] = "starttls"
    sender: str
    domain: str = ""
    user: str = ""
    password: Secret = Secret()


class UniversityRules(Record):
    """Sign-on at a university through OpenID Connect. `claim` is the claim that identifies a person by their key in the
    roster.
    """

    name: str = "your university"
    issuer: str
    client_id: str
    client_secret: Secret = Secret()
    claim: str = "email"
    scope: str = "openid email"


class CiProviderRules(Record):
    """A CI provider whose jobs may hand in with the ID tokens that it issues. `audience` is the audience of these
    tokens, by default the address of the service. `person_claim` names the claim that contains a person's key in the
    roster. Without this claim, only jobs of linked repositories may hand in.
    """

    name: str
    provider: Literal["gitlab", "github"]
    issuer: str
    audience: str = ""
    person_claim: str = ""


class SignInRules(Record):
    """Ways to sign in that are allowed in addition to links from instructors. `proxies` lists the addresses of proxies
    that pass on their client's address in X-Forwarded-For. If `mail` is "printed", mail is printed on the terminal, as
    in a demo.
    """

    mail: MailRules | Literal["printed"] | None = None
    passwords: bool = False
    university: UniversityRules | None = None
    ci_providers: tuple[CiProviderRules, ...] = ()
    proxies: tuple[str, ...] = ()
