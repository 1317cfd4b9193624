"""Resources whose creation a rehearsal holds up, so that it can do something before."""

import threading
from typing import ClassVar

from account.cloudformation.types import WaitError


class Held:
    """Resources by their logical ids; a release is for one stack."""

    logical_ids: ClassVar[set[str]] = set()
    released: ClassVar[set[tuple[str, str]]] = set()
    changed: ClassVar[threading.Condition] = threading.Condition()

    @classmethod
    def hold(cls, logical_id: str) -> None:
        cls.logical_ids.add(logical_id)

    @classmethod
    def release(cls, stack_name: str, logical_id: str) -> None:
        with cls.changed:
            cls.released.add((stack_name, logical_id))
            cls.changed.notify_all()

    @classmethod
    def wait(cls, stack_name: str, logical_id: str, *ending: threading.Event) -> None:
        """:raises WaitError: if the stack is to be deleted, or another resource has failed"""
        with cls.changed:
            while logical_id in cls.logical_ids and (stack_name, logical_id) not in cls.released:
                if any(event.is_set() for event in ending):
                    raise WaitError("Resource creation cancelled")
                cls.changed.wait(0.2)
            # The next stack of this name waits again.
            cls.released.discard((stack_name, logical_id))
