"""Resources that a rehearsal holds up."""

import threading
from collections.abc import Iterator

import pytest

from account.cloudformation.holding import Held
from account.cloudformation.types import WaitError


@pytest.fixture(autouse=True)
def held() -> Iterator[None]:
    Held.hold("Marker")
    yield
    Held.logical_ids.clear()
    Held.released.clear()


def _creation(stack: str, stopping: threading.Event) -> threading.Thread:
    thread = threading.Thread(target=Held.wait, args=(stack, "Marker", stopping), daemon=True)
    thread.start()
    return thread


def test_a_resource_that_is_held_waits_for_the_release_of_its_own_stack() -> None:
    creation = _creation("one", threading.Event())
    Held.release("other", "Marker")
    creation.join(0.3)
    assert creation.is_alive()
    Held.release("one", "Marker")
    creation.join(5)
    assert not creation.is_alive()


def test_the_next_stack_of_the_same_name_waits_again() -> None:
    Held.release("one", "Marker")
    Held.wait("one", "Marker", threading.Event())
    again = _creation("one", threading.Event())
    again.join(0.3)
    assert again.is_alive()


def test_other_resources_do_not_wait() -> None:
    Held.wait("one", "Other", threading.Event())


def test_the_creation_fails_when_its_stack_is_to_be_deleted() -> None:
    stopping = threading.Event()
    stopping.set()
    with pytest.raises(WaitError, match="cancelled"):
        Held.wait("one", "Marker", stopping)
