"""A service for each test."""

import pytest
from services import Service


@pytest.fixture
def service(tmp_path):
    made = Service(tmp_path)
    yield made
    made.database.close()
