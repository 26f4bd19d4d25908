"""No log contains a secret, for all ways to sign in and for correct and wrong credentials."""

import logging
import re

from services import field, parts, post
from sign_in_methods import QUICK, SECRET, at_university, enter, issuing, mailbox, token_in

from grader.common.secret import Secret
from grader.common.sign_in import MailRules
from grader.service.people.auth.mail_links import Smtp
from grader.service.people.auth.passwords import Passwords

PASSWORD, WRONG = "four quiet grey otters", "five quiet grey otters"


def test_no_secret_is_in_a_log(service, caplog, capfd):
    """Links, passwords, tokens, cookies, codes and the client secret do not appear in the log of any library at any
    level.
    """
    caplog.set_level(logging.DEBUG)
    sent = mailbox(service)
    mail = service.app_state.sign_in.mail
    with issuing() as issuer:
        at_university(service, issuer)
        sign_on = service.app_state.sign_in.university
        enter(service, mail=mail, passwords=Passwords(QUICK), university=sign_on)
        client = service.browser()
        client.post("/sign-in/mail", files=parts(who="ada"))
        mail.wait()
        link = token_in(sent[0])
        client.get(f"/join/{link}")
        client.post("/join", files=parts(token=link))
        form = field(client.get("/password"), "form_token")
        post(client, "/password", password=PASSWORD, again=PASSWORD)
        made = post(client, "/tokens", name="laptop", read="yes", days="7").text
        token = re.search('class="secret">([^<]+)<', made)[1]
        service.browser().get("/api/v1/me", headers={"authorization": f"Bearer {token}"})
        for password in (PASSWORD, WRONG):
            service.browser().post("/sign-in/password", files=parts(who="ada", password=password))
        other = service.browser()
        back = issuer.authorize(other.get("/sign-on").headers["location"])
        assert other.get("/sign-on/back", params=back).status_code == 303
        issuer.claims = {"aud": "another"}
        failed = issuer.authorize(other.get("/sign-on").headers["location"])
        assert other.get("/sign-on/back", params=failed).status_code == 409
    secrets = [link, PASSWORD, WRONG, token, form, SECRET, back["code"] + "&", issuer.seen[0]["code_verifier"]]
    secrets += [*client.cookies.values(), *other.cookies.values()]
    ours = [
        each for each in caplog.records if not each.name.startswith(("httpx", "httpcore"))
    ]  # httpx is this test's client
    written = "".join(f"{each.getMessage()} {each.exc_text or ''} {each.args}" for each in ours)
    written += "".join(capfd.readouterr())
    assert "a sign-on failed" in written
    assert [each for each in secrets if each in written] == []


def test_no_secret_is_in_the_text_of_settings():
    """The text of settings, as shown in messages and tracebacks, does not contain their secrets."""
    secret = Secret(value="hush")
    rules = MailRules(host="mail.example.org", sender="course@example.org", password=secret)
    for each in (secret, rules, Smtp(rules=rules, password="hush")):
        assert "hush" not in f"{each!r} {each}"
