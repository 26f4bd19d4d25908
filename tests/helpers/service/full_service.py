"""A service with data of every kind, and the addresses of all its pages."""

from dataclasses import replace
from types import SimpleNamespace

from hidden_parts import failing, right
from samples import RACE
from service_routes import routes
from services import graded, post

from grader.common.sign_in import CiProviderRules
from grader.service.db.tables.lti import LtiPlatformRow, LtiScoreRow
from grader.service.db.tables.people import PersonRow
from grader.service.lti.registrations import StatedContext, connect, note_context
from grader.service.people.auth.api_tokens import new_codes
from grader.service.people.auth.ci_jobs import CiProvider
from grader.service.people.auth.methods import SignInMethods
from grader.service.people.auth.passwords import Passwords
from grader.service.people.auth.sessions import invite
from grader.service.station.grader import ready
from grader.service.submissions.progress import ProgressNote, keep_note
from grader.service.submissions.queue import give_up

POLICIES = "timezone: Europe/Berlin\ndue: 2026-12-01T23:59\nattempts: {most: 20}\ncounts: best\nleaderboard: true\n"
SOURCE = b"__kernel void add()\n{\n    int a = 1;\n}\n"

BEGUN = ProgressNote(words="building")
DECIDED = ProgressNote(words="it races.", check="correctness: one", verdict="failed", reason="DATA_RACE")

NOWHERE = "/nothing"

QUERIES = {"compare": "?old=1&new=2", "remove": "?kind=earlier"}
"""Query strings that some addresses need, by the last part of the address."""

FILES = ("events", ".zip", ".csv", ".json", "/file", "/skeleton")
"""Ends of addresses whose responses are not pages."""


class Eventful:
    """A service in which Ada has graded, cancelled and running attempts, and grading of an attempt by Ben ended with a
    fault.
    """

    def __init__(self, service):
        self.service = service
        rules = CiProviderRules(name="GitLab", provider="gitlab", issuer="https://gitlab.example.org")
        entry = SignInMethods(
            mail=SimpleNamespace(ask=lambda _who: None),
            passwords=Passwords(),
            ci_providers=(CiProvider(rules, service.origin),),
        )
        service.app.state.app_state = replace(service.app_state, sign_in=entry)
        linked = {"issuer": rules.issuer, "repository": "group/ada"}
        post(service.browser("ada"), "/repositories", "/repositories", **linked)
        post(service.browser("staff"), "/course/webhooks", "/course/webhooks", url="https://ci.example.org/hook?a=b")
        assignment = service.course.load("small")
        racing = ready(failing(right(assignment), 1, message="line 3 is wrong.", findings=(RACE,)), assignment)
        self.racing = service.graded(service.hand_in(data=SOURCE), racing)
        service.passes(minutes=30)
        self.done = service.graded(service.hand_in(data=SOURCE * 2), graded(service.course))
        service.graded(service.hand_in(person=service.ben), graded(service.course))
        self.faulted = service.hand_in(person=service.ben)
        self._fails(service.claim())
        self.cancelled = service.hand_in()
        post(service.browser("ada"), f"{service.page_of(self.cancelled)}/cancel")
        service.tried(failing(right(assignment), 1, message="line 3 is wrong.", findings=(RACE,)), data=SOURCE)
        self.running = service.hand_in()
        self._tells(service.claim())
        for person, name in (("ada", "Night Owl"), ("ben", "Fox")):
            post(service.browser(person), "/assignments/small/leaderboard/pseudonym", pseudonym=name)
        service.token(service.ada, "read")
        extended = {"until": "2026-12-03T12:00", "attempts": "2", "reason": "ill"}
        post(service.browser("staff"), f"/course/people/{service.ada}/assignments/small/extension", **extended)
        post(service.browser("staff"), "/course/regrade", "/course", assignment="small", which="latest")
        self._comes_from_platforms()
        with service.database.writing() as session:
            self.invitation = invite(session, session.get_one(PersonRow, service.ben), "staff", service.now)
            self.code = new_codes(session, "laptop", "read submit", service.now).user_code

    def _comes_from_platforms(self):
        """Let a learning platform have a connected course, a course that waits, and a score that it refused."""
        service = self.service
        where = {"authorization_url": "https://x.example", "token_url": "https://x.example"}
        with service.database.writing() as session:
            fields = {"token_audience": "", "jwks_url": "https://x.example", "matches": "", "created": service.now}
            named = {"name": "Example LMS", "issuer": "https://x.example", "client_id": "1"}
            platform = LtiPlatformRow(**named, **where, **fields)
            session.add(platform)
            session.flush()
            stated = {"memberships_url": "https://x.example/m", "line_items_url": "", "scopes": ()}
            rows = [
                note_context(
                    session, platform, StatedContext(deployment="1", context=each, title=each, **stated), service.now
                )
                for each in ("Parallel Programming", "Another course")
            ]
            connect(session, rows[0], "staff", service.now)
            rows[0].group_sets = '{"s1": "Exercises"}'
            score = {"points": 3.0, "most": 10.0, "comment": "", "changed": service.now, "state": "refused"}
            about = {"context_id": rows[0].id, "person_id": service.ada, "assignment": "small"}
            more = {"not_before": service.now, "tries": 1, "sent_value": "", "words": "400: no such user"}
            session.add(LtiScoreRow(**about, **score, **more))

    def _fails(self, claimed):
        with self.service.database.writing() as session:
            give_up(session, claimed, "The device is gone.", self.service.now)

    def _tells(self, claimed):
        with self.service.database.writing() as session:
            for note in (BEGUN, DECIDED):
                keep_note(session, claimed, note, self.service.now)

    def pages(self, key):
        """Yield the addresses that show a page to this person, or to a visitor if there is no key. One of them does not
        exist.
        """
        client = self.service.browser(key)
        for address in self._addresses():
            said = client.get(address)
            shown = "attachment" not in said.headers.get("content-disposition", "")
            if (
                shown
                and said.status_code == (404 if address == NOWHERE else 200)
                and said.headers.get("content-type", "").startswith("text/html")
            ):
                yield address

    def _addresses(self):
        """Yield an address for each route, and more for routes with different pages. Routes with unknown parameters are
        left out.
        """
        service = self.service
        attempts = [service.page_of(each) for each in (self.racing, self.faulted, self.cancelled, self.running)]
        public = service.attempt(self.done).public
        values = {
            "name": "small",
            "public": public,
            "person_id": service.ada,
            "token": self.invitation,
            "regrading_id": 1,
            "extension_id": 1,
        }
        for route in sorted(routes(service.app)):
            method, _, path = route.partition(" ")
            parts = {part.partition("}")[0] for part in path.split("{")[1:]}
            if method == "GET" and parts <= values.keys() and "/api/v1/" not in path and not path.endswith(FILES):
                yield path.format(**values) + QUERIES.get(path.rpartition("/")[2], "")
        yield from attempts
        yield from (NOWHERE, f"/device?code={self.code}", "/assignments/small/edit?start=1")
