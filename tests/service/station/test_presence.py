"""presence.py: a station is reported while it runs."""

import time
from datetime import timedelta

from grader.service.db.clock import utc_now
from grader.service.station.presence import Presence
from grader.service.submissions.health import StationFacts, stations_of


def facts(name="one", device_class="cpu", **more):
    return StationFacts(name=name, host="box", device="PoCL", device_class=device_class, grader="0.1.0", **more)


def test_a_presence_is_told_again_and_ends_with_the_station(service):
    """A live station renews its presence and removes it when it ends. If it ends with a fault, its presence stays
    visible.
    """

    def seen():
        with service.database.reading() as session:
            return [each.row.seen for each in stations_of(session, utc_now())]

    with Presence(service.database, facts(), beat=0.01):
        (first,) = seen()
        until = utc_now() + timedelta(seconds=30)
        while seen() == [first] and utc_now() < until:
            time.sleep(0.01)
        assert seen() > [first]
    assert seen() == []
    with Presence(service.database, facts(fault="no device"), beat=0.01):
        pass
    assert len(seen()) == 1
