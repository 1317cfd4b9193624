"""What tests of stacks share."""

from collections.abc import Iterator

import pytest

from tests.cloudformation.things import Thing


@pytest.fixture(autouse=True)
def nothing_done() -> Iterator[None]:
    """Clears the records of things after every test."""
    yield
    Thing.done.clear()
    Thing.asked.clear()
