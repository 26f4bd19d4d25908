"""The ways to sign in that the operator allows."""

from collections.abc import Callable
from dataclasses import dataclass, field

from grader.common.errors import InputError
from grader.common.sign_in import SignInRules
from grader.service.network.throttle import RateLimiter
from grader.service.people.auth.ci_jobs import CiProvider
from grader.service.people.auth.mail_links import LinkContext, MailLinks, Smtp, printing_mailer
from grader.service.people.auth.oidc import University
from grader.service.people.auth.passwords import Passwords

MAX_LINK_REQUESTS, MAX_FAILED_SIGN_ONS, WINDOW_SECONDS = 1000, 100, 600
"""Limits per network: the number of requests for a link, the number of failed sign-ons, and the time window in seconds.

A lecture room is one network, so successful sign-ons do not count. All requests for a link count, because a limit that
counts only requests for unknown people would reveal who is in the course.
"""


@dataclass(frozen=True, kw_only=True)
class SignInMethods:
    """The ways to sign in, each None if it is not allowed, and the CI providers whose jobs may hand in.
    Links from instructors always work.
    """

    mail: MailLinks | None = None
    passwords: Passwords | None = None
    university: University | None = None
    ci_providers: tuple[CiProvider, ...] = ()
    link_requests: RateLimiter = field(default_factory=lambda: RateLimiter(MAX_LINK_REQUESTS, WINDOW_SECONDS))
    failed_sign_ons: RateLimiter = field(default_factory=lambda: RateLimiter(MAX_FAILED_SIGN_ONS, WINDOW_SECONDS))


def sign_in_methods(rules: SignInRules, context: LinkContext, say: Callable[[str], None]) -> SignInMethods:
    """The ways that the operator's settings allow. `say` prints the mails if the settings ask for printed mails. Raises
    InputError if a secret is missing.
    """
    university = rules.university
    return SignInMethods(
        mail=_mail(rules, context, say),
        passwords=Passwords() if rules.passwords else None,
        university=None
        if university is None
        else University(university, university.client_secret.read("sign_in.university.client_secret"), context.origin),
        ci_providers=tuple(CiProvider(each, context.origin) for each in rules.ci_providers),
    )


def _mail(rules: SignInRules, context: LinkContext, say: Callable[[str], None]) -> MailLinks | None:
    mail = rules.mail
    if mail is None:
        return None
    if mail == "printed":
        return MailLinks(context=context, send=printing_mailer(say), sender="grader@localhost", domain="localhost")
    if mail.user and mail.security == "none":
        raise InputError("sign_in.mail would send its password without TLS: set `security` to starttls or tls.")
    password = mail.password.read("sign_in.mail.password") if mail.user else ""
    return MailLinks(context=context, send=Smtp(rules=mail, password=password), sender=mail.sender, domain=mail.domain)
