"""What tests of types of resources share."""

from collections.abc import Iterator
from uuid import uuid4

import pytest

from tests.served import Served


@pytest.fixture
def stack(served: Served) -> Iterator[str]:
    """Name of a stack that a test makes; it is deleted after the test."""
    name = f"stack-{uuid4()}"
    yield name
    assert served.destroy(name) == "DELETE_COMPLETE"
