"""A process that sends scores until none is due: `score_sender.py DATABASE TIME`. A test kills it."""

import sys
from contextlib import closing
from datetime import datetime
from ipaddress import ip_network

from grader.service.db.session import Database
from grader.service.lti.delivery import send_scores
from grader.service.lti.platform_client import PlatformClient
from grader.service.outgoing.client import HttpClient


def main():
    client = PlatformClient(http=HttpClient(private=[ip_network("127.0.0.1")]))
    with closing(Database(sys.argv[1])) as database:
        send_scores(database, client, lambda: datetime.fromisoformat(sys.argv[2]))


if __name__ == "__main__":
    main()
