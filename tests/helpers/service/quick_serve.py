"""`grader serve` with pauses for learning platforms that are 60 times as short: `quick_serve.py serve OPTIONS`."""

from datetime import timedelta

from grader.cli.main import main
from grader.service.lti import delivery
from grader.service.serve import notifier

FASTER = 60

DELAYS = "FIRST_PAUSE", "MAX_PAUSE", "MAX_PLATFORM_PAUSE", "INTERRUPTED_AFTER"


def hurry():
    """Shorten the pauses of the delivery, and the time between two runs of a job."""
    for name in DELAYS:
        setattr(delivery, name, getattr(delivery, name) / FASTER)
    delivery.INTERRUPTED_AFTER = max(delivery.INTERRUPTED_AFTER, timedelta(seconds=5))
    notifier.INTERVAL_SECONDS = 0.2


if __name__ == "__main__":
    hurry()
    main()
