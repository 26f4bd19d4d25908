"""The platform side of Open edX, from the library lti-consumer-xblock: messages, keys, access tokens, columns, scores,
results and rosters. Only two functions are replaced. With them, the library reads the members of a course, and their
names for tools, from the rest of Open edX.
"""

import json
import tempfile
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from urllib.parse import parse_qsl, urlencode, urlsplit

from joserfc.jwk import RSAKey
from lti_platforms import CLIENT, DEPLOYMENT

KEY = RSAKey.generate_key(2048)

COURSE = "course-v1:Example+Parallel+2026"

USAGE = r"(?P<usage_id>(?:[^/]+))"


@cache
def library():
    """Set Django up with the tables of the library, and return its modules."""
    import django  # noqa: PLC0415 - it takes half a second
    from django.conf import settings  # noqa: PLC0415

    file = Path(tempfile.mkdtemp(prefix="open-edx-")) / "open_edx.sqlite"
    settings.configure(
        INSTALLED_APPS=[
            *("django.contrib.contenttypes", "django.contrib.auth", "rest_framework", "django_filters"),
            *("config_models", "lti_consumer.apps.LTIConsumerApp"),
        ],
        ALLOWED_HOSTS=["*"],
        CACHES={"default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}},
        DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": file}},
        DEFAULT_AUTO_FIELD="django.db.models.AutoField",
        LMS_ROOT_URL="http://localhost",
        LTI_NRPS_DISALLOW_PII=False,
        PLATFORM_NAME="Open edX",
        ROOT_URLCONF="open_edx_urls",
        SECRET_KEY="x",
        USAGE_ID_PATTERN=USAGE,
        USE_TZ=True,
    )
    django.setup()
    from django.core.management import call_command  # noqa: PLC0415

    call_command("migrate", run_syncdb=True, verbosity=0)
    from lti_consumer import data, models  # noqa: PLC0415
    from lti_consumer.plugin import compat  # noqa: PLC0415

    return models, data, compat


class OpenEdx:
    """A tool that Open edX knows, at the address of a platform of lti_platforms.py, which passes requests on to it."""

    def __init__(self, service, platform):
        models, self._data, compat = library()
        self.service, self.platform, self.models = service, platform, models
        models.get_lti_api_base = lambda: platform.address
        models.LtiConfiguration.objects.all().delete()  # of an earlier test
        self.configuration = models.LtiConfiguration.objects.create(
            version="lti_1p3",
            config_store="CONFIG_ON_DB",
            lti_1p3_passport=models.Lti1p3Passport.objects.create(
                lti_1p3_internal_private_key=KEY.as_pem(private=True).decode(),
                lti_1p3_internal_private_key_id="edx",
                lti_1p3_internal_public_jwk="{}",
                lti_1p3_client_id=CLIENT,
                lti_1p3_tool_keyset_url=f"{platform.address}/tool-keys",
            ),
            location=f"block-v1:{COURSE.removeprefix('course-v1:')}+type@lti_consumer+block@one",
            lti_advantage_enable_nrps=True,
            lti_1p3_oidc_url=f"{service.origin}/lti/login",
            lti_1p3_launch_url=f"{service.origin}/assignments/small",
            lti_1p3_redirect_uris=[f"{service.origin}/lti/launch"],
            lti_advantage_ags_mode="programmatic",
        )
        self.columns = f"{platform.address}/lti_consumer/v1/lti/{self.configuration.id}/lti-ags"
        self.roster = f"{platform.address}/lti_consumer/v1/lti/{self.configuration.id}/memberships"
        self.consumer = self.configuration.get_lti_consumer()
        self.consumer.enable_nrps(self.roster)
        self.consumer.enable_ags(self.columns, None, allow_programmatic_grade_interaction=True)
        self.consumer.enable_deep_linking(f"{service.origin}/lti/deep-linking", f"{platform.address}/return")
        self.members = {}
        compat.get_course_members = lambda _course: {number: {**each} for number, each in self.members.items()}
        compat.batch_get_or_create_externalids = lambda _users: {
            number: SimpleNamespace(external_user_id=each["username"]) for number, each in self.members.items()
        }
        models.CourseAllowPIISharingInLTIFlag.objects.get_or_create(course_id=COURSE, enabled=True)
        platform.tool_keys = lambda: service.browser().get("/lti/keys").json()
        platform.application = self._answer
        platform.answers |= {
            "/keys": lambda *_: (200, {}, self.consumer.get_public_keyset()),
            "/token": lambda _method, _path, _query, form: (200, {}, self.consumer.access_token(form)),
        }

    def _answer(self, method, path, query, body, headers):
        """Pass a request on to the pages of the library."""
        from django.test import Client  # noqa: PLC0415

        sent = {"HTTP_AUTHORIZATION": headers.get("authorization", ""), "HTTP_ACCEPT": headers.get("accept", "*/*")}
        address = f"{path}?{urlencode(query)}" if query else path
        host = {"HTTP_HOST": urlsplit(self.platform.address).netloc}
        said = Client().generic(method, address, json.dumps(body), headers.get("content-type", ""), **sent, **host)
        return said.status_code, {"link": said.headers.get("Link", "")}, said.content.decode()

    def enrol(self, *usernames, role="student"):
        """Add members to the course."""
        for each in usernames:
            number = len(self.members) + 1
            fields = {"username": each, "name": each.capitalize(), "email": f"{each}@x.edu", "roles": [role]}
            self.members[number] = {"id": number, **fields}

    def launch(self, client, user, role, **more):
        """Let a person open an activity, and return what arrives at the service: the state and the message."""
        launched = self._data.Lti1p3LaunchData(
            user_id=user, user_role=role, config_id="1", resource_link_id="link", context_id=COURSE, **more
        )
        self.consumer.deployment_id = DEPLOYMENT
        said = client.get(self.consumer.prepare_preflight_url(launched))
        assert said.status_code == 303, said.text
        asked = dict(parse_qsl(urlsplit(said.headers["location"]).query))
        self.consumer.set_user_data(user_id=user, role=role, full_name=user.capitalize(), email_address=f"{user}@x.edu")
        self.consumer.set_resource_link_claim("link")
        self.consumer.set_context_claim(COURSE, context_title="Parallel Programming")
        sent = self.consumer.generate_launch_request(asked)
        return sent["state"], sent["id_token"]
