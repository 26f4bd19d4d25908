"""The platform side of Open edX (lti-consumer-xblock), which other people have written. Its pages and tables need the
whole of Open edX, so only its protocol runs here: messages, keys, access tokens and the check of answers.
"""

from functools import cache
from urllib.parse import parse_qsl, urlsplit

from joserfc.jwk import RSAKey
from lti_platforms import CLIENT, CONTEXT, DEPLOYMENT

KEY = RSAKey.generate_key(2048)


@cache
def library():
    """Set Django up, and return the modules of the library."""
    import django  # noqa: PLC0415 - it takes half a second
    from django.conf import settings  # noqa: PLC0415

    cache_in_memory = {"default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}}
    settings.configure(
        INSTALLED_APPS=[],
        SECRET_KEY="x",
        USE_TZ=True,
        CACHES=cache_in_memory,
        PLATFORM_NAME="Open edX",
        LTI_NRPS_DISALLOW_PII=False,
    )
    django.setup()
    from lti_consumer import data  # noqa: PLC0415
    from lti_consumer.lti_1p3 import consumer  # noqa: PLC0415

    return consumer, data


class OpenEdx:
    """A tool that Open edX knows, at the address of a platform of lti_platforms.py, which passes requests on to it."""

    def __init__(self, service, platform):
        consumer, self._data = library()
        self.service, self.platform = service, platform
        self.consumer = consumer.LtiAdvantageConsumer(
            iss=platform.address,
            lti_oidc_url=f"{service.origin}/lti/login",
            lti_launch_url=f"{service.origin}/assignments/small",
            client_id=CLIENT,
            deployment_id=DEPLOYMENT,
            rsa_key=KEY.as_pem(private=True),
            rsa_key_id="edx",
            redirect_uris=[f"{service.origin}/lti/launch"],
            tool_keyset_url=f"{platform.address}/tool-keys",
        )
        self.consumer.enable_ags(f"{platform.address}/columns", None, allow_programmatic_grade_interaction=True)
        self.consumer.enable_nrps(f"{platform.address}/members")
        self.consumer.enable_deep_linking(f"{service.origin}/lti/deep-linking", f"{platform.address}/return")
        platform.tool_keys = lambda: service.browser().get("/lti/keys").json()
        platform.answers |= {
            "/keys": lambda *_: (200, {}, self.consumer.get_public_keyset()),
            "/token": lambda _method, _path, _query, form: (200, {}, self.consumer.access_token(form)),
        }

    def launch(self, client, user, role, **more):
        """Let a person open an activity, and return what arrives at the service: the state and the message."""
        launched = self._data.Lti1p3LaunchData(
            user_id=user, user_role=role, config_id="1", resource_link_id="link", context_id=CONTEXT, **more
        )
        said = client.get(self.consumer.prepare_preflight_url(launched))
        assert said.status_code == 303, said.text
        asked = dict(parse_qsl(urlsplit(said.headers["location"]).query))
        self.consumer.set_user_data(user_id=user, role=role, full_name=user.capitalize(), email_address=f"{user}@x.edu")
        self.consumer.set_resource_link_claim("link")
        self.consumer.set_context_claim(CONTEXT, context_title="Parallel Programming")
        sent = self.consumer.generate_launch_request(asked)
        return sent["state"], sent["id_token"]
