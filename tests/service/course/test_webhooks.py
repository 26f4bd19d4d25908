"""webhooks.py and its page: a webhook has an https address, and is removed with its deliveries."""

import pytest
from services import graded, post

from grader.service.course.webhooks import add_webhook
from grader.service.db.tables.outbox import DeliveryRow, WebhookRow


def webhook(service, url="https://ci.example.org/hook?token=abc"):
    """Add a webhook, and return its secret."""
    with service.database.writing() as session:
        return add_webhook(session, url, "staff", service.now)


def rows(service):
    with service.database.reading() as session:
        return session.query(DeliveryRow).order_by(DeliveryRow.id).all()


@pytest.mark.whole
def test_a_webhook_needs_an_https_address_and_its_removal_drops_its_deliveries(service):
    """Addresses without TLS or with a password are refused at the field. A removed webhook gets nothing more."""
    staff = service.browser("staff")
    for url in ("http://ci.example.org", "ftp://x", "https://", "https://me:pw@ci.example.org/", "https://a b/", "//x"):
        assert post(staff, "/course/webhooks", "/course/webhooks", url=url).status_code == 422
    webhook(service)
    service.graded(service.hand_in(), graded(service.course))
    with service.database.reading() as session:
        number = session.query(WebhookRow.id).scalar()
    post(staff, f"/course/webhooks/{number}/removal", "/course/webhooks")
    assert rows(service) == []
