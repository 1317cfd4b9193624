"""Resources that exist for tests only, and stacks of them."""

import json
from typing import Any, ClassVar

from botocore.exceptions import ClientError

from account.cloudformation.orders import make_order
from account.cloudformation.stacks import Order, Stack
from account.cloudformation.types import Asked, Made, Properties, ResourceType, WaitError


class Thing(ResourceType):
    """A resource that does everything it is asked, unless its property Fails says that this fails.

    Fails is ``create``, ``update`` or ``delete``; ``refused`` if its service refuses to make it; ``fault`` if
    the emulator itself fails; ``gone`` if it is not there any more when it is deleted.
    """

    name = "Test::Thing"
    done: ClassVar[list[tuple[str, str]]] = []
    """Each action and its resource, in order."""
    asked: ClassVar[dict[str, Properties]] = {}
    """The last properties that were asked for, for each of them."""
    snapshots: ClassVar[list[str]] = []
    """The resources that left a snapshot."""

    def create(self, asked: Asked) -> Made:
        if asked.properties.get("Fails") == "refused":
            raise ClientError({"Error": {"Code": "ThingQuotaFault", "Message": "Too many."}}, "CreateThing")
        if asked.properties.get("Fails") == "fault":
            raise ZeroDivisionError
        self._do("create", asked.logical_id, asked.properties)
        return Made(f"id-of-{asked.logical_id}", {"Arn": f"arn-of-{asked.logical_id}"})

    def update(self, asked: Asked, made: Made, before: Properties) -> Made:
        del before
        self._do("update", asked.logical_id, asked.properties)
        return made

    def delete(self, made: Made, properties: Properties) -> None:
        logical_id = made.physical_id.removeprefix("id-of-")
        if properties.get("Fails") == "gone":
            raise ClientError({"Error": {"Code": "ThingNotFoundFault", "Message": ""}}, "DeleteThing")
        self._do("delete", logical_id, properties)
        if made.final_snapshot:
            self.snapshots.append(logical_id)

    def _do(self, what: str, logical_id: str, properties: Properties) -> None:
        self.asked[logical_id] = properties
        if properties.get("Fails") == what:
            raise ValueError(f"{logical_id} does not {what}")
        self.done.append((what, logical_id))


class Rock(Thing):
    """A resource that cannot be changed, since its type does not say how."""

    name = "Test::Rock"

    def update(self, asked: Asked, made: Made, before: Properties) -> Made:
        return ResourceType.update(self, asked, made, before)


class Named(Thing):
    """A resource that takes the name that CloudFormation makes."""

    name = "Test::Named"

    def create(self, asked: Asked) -> Made:
        return Made(asked.generated_name)


class Interrupted(Thing):
    """A resource whose stack must be deleted while it is being made."""

    name = "Test::Interrupted"

    def create(self, asked: Asked) -> Made:
        asked.stopping.set()
        raise WaitError("Resource creation cancelled")


def thing(*after: str, policy: str = "Delete", kind: str = "Test::Thing", **properties: Any) -> Properties:
    """A resource as a template has it.

    :param after: what it depends on
    """
    return {
        "Type": kind,
        "Properties": properties,
        "DependsOn": list(after),
        "DeletionPolicy": policy,
    }


def order_of(resources: dict[str, Properties], **parts: Any) -> Order:
    """:param parts: other parts of the template"""
    return make_order(json.dumps({"Resources": resources, **parts}), [], [], None, None)


def new_stack(order: Order) -> Stack:
    """A stack that is not in the account's list."""
    return Stack("stack", order, status="CREATE_IN_PROGRESS")


def told(stack: Stack) -> list[tuple[str, str]]:
    """Resource and status of each event, oldest first."""
    return [(event.logical_id, event.status) for event in stack.events]
