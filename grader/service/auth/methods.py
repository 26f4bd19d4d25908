"""What of these ways a service has."""

from collections.abc import Callable
from dataclasses import dataclass, field

from grader.common.errors import InputError
from grader.common.sign_in import SignInRules
from grader.service.auth.email import Smtp, printing
from grader.service.auth.mail_links import MailLinks, Surroundings
from grader.service.auth.oidc import University
from grader.service.auth.passwords import Passwords
from grader.service.throttle import RateLimiter

MAILS, SIGN_ONS, A_WHILE = 1000, 100, 600
"""Limits per network: requests for a link, and failed sign-ons, and the seconds for which they count.

A lecture room is one network, so successful sign-ons do not count. All requests for a link count: a limit on requests
for unknown people would reveal who is in the course.
"""


@dataclass(frozen=True, kw_only=True)
class SignInEntry:
    """Each of them, or None where it is not allowed; links of instructors work always."""

    mail: MailLinks | None = None
    passwords: Passwords | None = None
    university: University | None = None
    mails: RateLimiter = field(default_factory=lambda: RateLimiter(MAILS, A_WHILE))
    failed_sign_ons: RateLimiter = field(default_factory=lambda: RateLimiter(SIGN_ONS, A_WHILE))


def entry_of(rules: SignInRules, around: Surroundings, say: Callable[[str], None]) -> SignInEntry:
    """By an operator's settings; raises InputError where a secret is missing. `say` prints mail that is `printed`."""
    university = rules.university
    return SignInEntry(
        mail=_mail(rules, around, say),
        passwords=Passwords() if rules.passwords else None,
        university=None
        if university is None
        else University(university, university.client_secret.read("sign_in.university.client_secret"), around.origin),
    )


def _mail(rules: SignInRules, around: Surroundings, say: Callable[[str], None]) -> MailLinks | None:
    mail = rules.mail
    if mail is None:
        return None
    if mail == "printed":
        return MailLinks(around=around, send=printing(say), sender="grader@localhost", domain="localhost")
    if mail.user and mail.security == "none":
        raise InputError("sign_in.mail would send its password without TLS: set `security` to starttls or tls.")
    password = mail.password.read("sign_in.mail.password") if mail.user else ""
    return MailLinks(around=around, send=Smtp(rules=mail, password=password), sender=mail.sender, domain=mail.domain)
