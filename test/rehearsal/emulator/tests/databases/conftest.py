"""What tests of databases share."""

from collections.abc import Callable, Iterator

import pytest

from account.databases import changes
from account.databases.records import Databases
from tests.databases.databases import make_subnet_groups


class Moments:
    """Replaces the timers that end a change: here a moment is over when a test says so."""

    daemon = False

    def __init__(self) -> None:
        self._ends: list[Callable[[], None]] = []

    def timer(self, seconds: float, end: Callable[[], None]) -> "Moments":
        assert seconds > 0
        self._ends.append(end)
        return self

    def start(self) -> None:
        """Does nothing: no timer runs by itself."""

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
    Databases.events.clear()
