"""What tests of databases share."""

from collections.abc import Callable, Iterator
from unittest.mock import Mock

import pytest

from account.databases import changes
from account.databases.records import Databases
from tests.databases.databases import make_subnet_groups


class Moments:
    """Replaces the timers that end a change: a moment is over when a test calls ``pass_by``."""

    def __init__(self) -> None:
        self._ends: list[Callable[[], None]] = []

    def timer(self, seconds: float, end: Callable[[], None]) -> Mock:
        """:return: a timer that does nothing when it is started"""
        assert seconds > 0
        self._ends.append(end)
        return Mock()

    def pass_by(self) -> None:
        ends, self._ends = self._ends, []
        for end in ends:
            end()


@pytest.fixture
def moments(monkeypatch: pytest.MonkeyPatch) -> Moments:
    made = Moments()
    monkeypatch.setattr(changes, "Timer", made.timer)
    return made


@pytest.fixture(scope="session", autouse=True)
def subnet_groups() -> None:
    make_subnet_groups()


@pytest.fixture(autouse=True)
def no_databases() -> Iterator[None]:
    """Every test begins without databases."""
    yield
    Databases.instances.clear()
    Databases.clusters.clear()
    Databases.snapshots.clear()
    Databases.proxies.clear()
    Databases.target_groups.clear()
    Databases.events.clear()
