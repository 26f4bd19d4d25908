"""The conditions of a batch's gradings. If they change, the next run grades again, and says why."""

import hashlib
import json
from collections.abc import Iterator, Mapping
from typing import Any

from grader.batch.scheduler import BatchPlan
from grader.batch.store import Conditions
from grader.common.phrases import listed


def conditions_of(plan: BatchPlan) -> Conditions:
    """Return the conditions under which a plan grades."""
    facilities = plan.facilities
    return Conditions(
        grader=facilities.grader,
        device=facilities.device,
        simulated=facilities.simulated,
        settings_sha256=hashlib.sha256(plan.settings_json.encode()).hexdigest(),
        settings=json.loads(plan.settings_json),
        measured={item.assignment.name: item.assignment.measured_sha256 for item in plan.items.values()},
    )


def why_again(before: Conditions | None, now: Conditions) -> str:
    """Say which conditions have changed since the last run, so that results of that run are not used; "" if none."""
    changes = [] if before is None else [*_changes(before, now)]
    return f"Graded again, since the last run had other conditions: {'; '.join(changes)}." if changes else ""


def _changes(before: Conditions, now: Conditions) -> Iterator[str]:
    if before.grader != now.grader:
        yield f"grader {before.grader}, now {now.grader}"
    if before.device.name != now.device.name:
        yield f"the device {before.device.name}, now {now.device.name}"
    elif before.device != now.device:
        yield f"another driver or configuration of {now.device.name}"
    if before.simulated != now.simulated:
        yield "no simulator" if now.simulated else "the simulator, which is missing now"
    if before.settings_sha256 != now.settings_sha256:
        yield from _changed_settings(before.settings, now.settings)
    changed = [name for name, digest in now.measured.items() if before.measured.get(name, digest) != digest]
    if changed:
        yield f"other measurements of {listed(changed, 'and')}"


def _changed_settings(before: Mapping[str, Any], now: Mapping[str, Any]) -> Iterator[str]:
    """Yield each setting that has changed, with both values. Yields "other settings" if the settings of the last
    run are unknown.
    """
    old, new = dict(_flat(before)), dict(_flat(now))
    if not old:
        yield "other settings"
        return
    for name in sorted(old.keys() | new.keys()):
        was, value = old.get(name, "not set"), new.get(name, "not set")
        if was != value:
            yield f"{name} {was}, now {value}"


def _flat(settings: Mapping[str, Any], group: str = "") -> Iterator[tuple[str, Any]]:
    """Yield each setting with the name of its group and its own name, such as "timing.min_pairs"."""
    for name, value in settings.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{group}{name}.")
        else:
            yield f"{group}{name}", value
