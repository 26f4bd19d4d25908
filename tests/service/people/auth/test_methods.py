"""methods.py: the operator's settings decide how people sign in."""

import pytest

from grader.common.errors import InputError
from grader.common.secret import Secret
from grader.common.sign_in import MailRules, SignInRules
from grader.service.people.auth.mail_links import LinkContext
from grader.service.people.auth.methods import sign_in_methods


def test_a_password_is_not_sent_without_tls(service):
    """Mail settings with a password but without TLS are rejected, with an error for the operator."""
    context = LinkContext(database=service.database, origin=service.origin, now=lambda: service.now)
    rules = MailRules(host="h", sender="s@h", user="u", security="none", password=Secret(value="p"))
    with pytest.raises(InputError, match="without TLS"):
        sign_in_methods(SignInRules(mail=rules), context, print)
