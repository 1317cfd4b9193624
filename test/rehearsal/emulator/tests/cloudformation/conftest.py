"""What tests of stacks share."""

from collections.abc import Iterator

import pytest

from tests.cloudformation.things import Thing


@pytest.fixture(autouse=True)
def nothing_done() -> Iterator[None]:
    """Things begin anew in every test."""
    yield
    Thing.done.clear()
    Thing.asked.clear()
    Thing.snapshots.clear()
