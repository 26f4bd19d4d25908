"""Rules for handing in, from course.yaml. An assignment.yaml may override them."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, tzinfo
from typing import Annotated, Literal
from zoneinfo import ZoneInfo

from pydantic import AfterValidator, BeforeValidator, Discriminator, Field, Tag

from grader.common.record import Record

DATE = re.compile(r"(?P<year>\d{4})-\d{2}-\d{2}[T ]\d{2}:\d{2}(?::\d{2})?(?:Z|[-+]\d{2}:\d{2})?", re.ASCII)
"""Matches a date with a time of day. Without a time, it would be unclear if the day itself is still on time."""

YEARS = range(1990, 2200)
"""Valid years. Other years are typing errors, and no day can be added near the ends of the calendar."""


def read_date(text: object) -> datetime:
    """Read a date in ISO form. Without an offset, the result is naive and in the course's time zone. Raises ValueError
    with the remedy.
    """
    words = str(text).strip()
    match = DATE.fullmatch(words)
    if match is None:
        raise ValueError(f"{words!r} is not a date with a time; write one such as 2026-12-01T23:59")
    if int(match["year"]) not in YEARS:
        raise ValueError(f"{words!r} has an impossible year; write a date such as 2026-12-01T23:59")
    try:
        return datetime.fromisoformat(words)
    except ValueError as error:
        raise ValueError(f"{words!r} is not a date: {error}; write one such as 2026-12-01T23:59") from error


def _known_zone(name: str) -> str:
    try:
        ZoneInfo(name)
    except (LookupError, ValueError, OSError) as error:
        raise ValueError(f"{name!r} is not a time zone; write one such as Europe/Berlin") from error
    return name


When = Annotated[datetime, BeforeValidator(read_date, json_schema_input_type=str)]
Zone = Annotated[str, AfterValidator(_known_zone)]


class LateRule(Record):
    """Cost of lateness for each day that has begun since the due date."""

    days: int = Field(default=0, ge=0, le=1000)
    """Number of late days of a student for the whole course. Lateness costs nothing while they last."""

    percent: float | None = Field(default=None, gt=0, le=100, allow_inf_nan=False)
    """Per cent of the earned points that each further day costs. Without it, later work is not accepted."""

    floor: float = Field(default=0, ge=0, le=100, allow_inf_nan=False)
    """Per cent of the earned points that remain, no matter how late the work is."""


def _kind_of_late(value: object) -> str:
    """Treat a mapping as a rule, so that an error in it gives the names of its fields."""
    return "rule" if isinstance(value, dict | LateRule) else "word"


Late = Annotated[
    Annotated[Literal["accepted", "refused"], Tag("word")] | Annotated[LateRule, Tag("rule")],
    Discriminator(_kind_of_late),
]
DeviceClassName = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9._-]{0,29}$")]
Counts = Literal["last", "best", "last before due"]


class AttemptLimit(Record):
    """Limit on attempts, in the form of a bucket of attempts that refills."""

    most: int = Field(ge=1, le=10_000)
    """Number of attempts in a full bucket."""

    refill_hours: float | None = Field(default=None, ge=0.01, le=100_000, allow_inf_nan=False)
    """Hours until one more attempt comes back while the bucket is not full. Without it, attempts do not come back."""


class Policies(Record):
    """Rules for when and how often students may hand in, and for which attempt counts."""

    timezone: Zone | None = None
    """The course's time zone, such as Europe/Berlin. It applies to dates without an offset, and days end in it."""

    opens: When | None = None
    """Time from which students can hand in, such as 2026-11-16T08:00."""

    due: When | None = None
    """Last second that counts as on time, such as 2026-12-01T23:59."""

    grace: float = Field(default=0, ge=0, le=10_000, allow_inf_nan=False)
    """Minutes after the due date that do not count as late."""

    late: Late = "accepted"
    """Treatment of late work: `accepted` at no cost, `refused`, or a rule for the points that it costs."""

    attempts: AttemptLimit | None = None
    """Limit on a student's attempts. Without it, attempts are unlimited."""

    counts: Counts = "last"
    """The attempt that counts: the `last`, the `best`, or the `last before due`."""

    groups: int = Field(default=1, ge=1, le=100)
    """Maximum number of students who may hand in together."""

    leaderboard: bool = False
    """True if students see the speed of other students' kernels, under pseudonyms that the others choose."""

    dry_runs: int = Field(default=20, ge=0, le=1000)
    """Number of dry runs that a student may make per hour in a submission service. A dry run grades a file without
    hidden checks and does not hand it in. 0 switches dry runs off.
    """

    device_class: DeviceClassName | None = None
    """Class of the stations that may grade the assignment in a submission service: `cpu`, `gpu`, or a class that an
    operator defines. By default, any station may.
    """

    @property
    def zone(self) -> tzinfo:
        """The course's time zone. Without one, it is the zone of the due date, or else of the opening date, or else
        UTC.
        """
        if self.timezone is not None:
            return ZoneInfo(self.timezone)
        stated = (when.tzinfo for when in (self.due, self.opens) if when is not None)
        return next((zone for zone in stated if zone is not None), UTC)


POLICIES = tuple(Policies.model_fields)
"""Names of the fields. Measurements do not depend on these."""


def contradictions(policies: Policies) -> Iterator[tuple[str, str]]:
    """Yield the contradictions between valid fields, each as a field and the problem."""
    for name, when in (("opens", policies.opens), ("due", policies.due)):
        if when is not None and when.tzinfo is None and policies.timezone is None:
            yield (
                name,
                (
                    f"{when.isoformat()} has no time zone; set one in course.yaml, such as `timezone: Europe/Berlin`, "
                    f"or add an offset: {when.isoformat()}+01:00."
                ),
            )
            return
    if policies.opens is not None and policies.due is not None:
        opens, due = moment(policies.opens, policies.zone), moment(policies.due, policies.zone)
        if due <= opens:
            yield "due", f"{in_words(due, policies.zone)} is not after `opens`, {in_words(opens, policies.zone)}."
    if isinstance(policies.late, LateRule) and policies.late.floor and policies.late.percent is None:
        yield "late", "`floor` needs a `percent`, because without a deduction there is nothing to limit."


def moment(when: datetime, zone: tzinfo) -> datetime:
    """Return the instant of a date, in UTC. A naive date is in `zone`.

    When clocks go back, an hour occurs twice, and the later one is meant. When they go forward, an hour is missing, and
    the later interpretation is used, which is the generous one.
    """
    if when.tzinfo is not None:
        return when.astimezone(UTC)
    return max(when.replace(tzinfo=zone, fold=fold).astimezone(UTC) for fold in (0, 1))


def later(instant: datetime, extra: timedelta, zone: tzinfo) -> datetime:
    """Return the instant that is `extra` later, in UTC. Whole days follow the calendar of `zone`, so that they end at
    the same time of day. The rest follows the clock.
    """
    whole = timedelta(days=extra.days)
    if not whole:
        return instant + extra
    return moment(instant.astimezone(zone).replace(tzinfo=None) + whole, zone) + (extra - whole)


def in_words(instant: datetime, zone: tzinfo) -> str:
    """Format an instant, for example "2026-12-01 23:59 CET"."""
    local = instant.astimezone(zone)
    return f"{local:%Y-%m-%d %H:%M}{f':{local:%S}' if local.second else ''} {local:%Z}"
