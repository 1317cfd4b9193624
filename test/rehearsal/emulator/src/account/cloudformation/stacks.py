"""Stacks, their resources, events and change sets: the data, without the operations."""

import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, ClassVar
from uuid import uuid4

from account.names import arn

STACK_TYPE = "AWS::CloudFormation::Stack"


def now() -> datetime:
    return datetime.now(UTC)


@dataclass
class Event:
    """One line of what `cdk deploy` shows."""

    logical_id: str
    physical_id: str
    type: str
    status: str
    reason: str | None
    id: str = field(default_factory=lambda: str(uuid4()))
    time: datetime = field(default_factory=now)


@dataclass
class Resource:
    logical_id: str
    type: str
    physical_id: str = ""
    attributes: dict[str, Any] = field(default_factory=dict)
    properties: dict[str, Any] = field(default_factory=dict)
    """Properties at the creation or the last change, with references resolved, but not secrets."""
    deletion_policy: str = "Delete"
    """Delete, Retain, RetainExceptOnCreate or Snapshot."""
    status: str = "CREATE_IN_PROGRESS"
    reason: str | None = None
    changed_at: datetime = field(default_factory=now)


@dataclass
class Order:
    """What a stack is to become."""

    template_text: str
    template: dict[str, Any]
    parameters: dict[str, str]
    """The values of the request; those of type AWS::SSM::Parameter::Value are names."""
    resolved: dict[str, Any]
    tags: dict[str, str]
    role_arn: str | None


@dataclass
class ChangeSet:
    name: str
    type: str
    order: Order
    changes: list[dict[str, Any]]
    description: str | None = None
    status: str = "CREATE_COMPLETE"
    reason: str | None = None
    execution_status: str = "AVAILABLE"
    id: str = ""
    created_at: datetime = field(default_factory=now)

    def __post_init__(self) -> None:
        self.id = arn("cloudformation", f"changeSet/{self.name}/{uuid4()}")


@dataclass
class Stack:
    name: str
    order: Order
    status: str = "REVIEW_IN_PROGRESS"
    reason: str | None = None
    resources: dict[str, Resource] = field(default_factory=dict)
    """In the order of their creation."""
    outputs: list[dict[str, str]] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)
    """Oldest first."""
    change_sets: list[ChangeSet] = field(default_factory=list)
    created_at: datetime = field(default_factory=now)
    updated_at: datetime | None = None
    deleted_at: datetime | None = None
    termination_protection: bool = False
    disable_rollback: bool = False
    busy: threading.Lock = field(default_factory=threading.Lock)
    """Held by the one operation that is running."""
    stopping: threading.Event = field(default_factory=threading.Event)
    """Set to stop a creation because of a deletion."""
    failed: threading.Event = field(default_factory=threading.Event)
    """Set to stop a creation because of a resource that failed, or an update that is cancelled."""
    recording: threading.Lock = field(default_factory=threading.Lock)
    """Held while an event is added."""
    id: str = ""

    def __post_init__(self) -> None:
        self.id = arn("cloudformation", f"stack/{self.name}/{uuid4()}")

    @property
    def deleted(self) -> bool:
        return self.status == "DELETE_COMPLETE"

    def set_status(self, status: str, reason: str | None = None) -> None:
        """Adds the event first: a client that sees the final status must find all events."""
        self._add_event(Event(self.name, self.id, STACK_TYPE, status, reason))
        self.status, self.reason = status, reason

    def set_resource_status(self, resource: Resource, status: str, reason: str | None = None) -> None:
        self._add_event(Event(resource.logical_id, resource.physical_id, resource.type, status, reason))
        resource.status, resource.reason, resource.changed_at = status, reason, now()

    def _add_event(self, event: Event) -> None:
        """Sets a different time for each event: clients sort events by time, and see only milliseconds."""
        with self.recording:
            if self.events:
                event.time = max(event.time, self.events[-1].time + timedelta(milliseconds=1))
            self.events.append(event)


class Stacks:
    """All stacks of the account, including deleted ones, which can be found by their id."""

    all: ClassVar[list[Stack]] = []

    @classmethod
    def add(cls, stack: Stack) -> None:
        cls.all.append(stack)

    @classmethod
    def find(cls, name_or_id: str) -> Stack | None:
        for stack in reversed(cls.all):
            if stack.id == name_or_id or (stack.name == name_or_id and not stack.deleted):
                return stack
        return None

    @classmethod
    def every(cls) -> Iterator[Stack]:
        return iter(list(cls.all))
