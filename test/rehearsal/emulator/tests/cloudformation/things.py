"""Resources that exist for tests only, and stacks of them."""

import json
import time
from typing import Any, ClassVar

from botocore.exceptions import ClientError

from account.cloudformation.orders import make_order
from account.cloudformation.stacks import Order, Stack
from account.cloudformation.types import Asked, CancelledError, Made, Properties, ResourceType, WaitError


class Thing(ResourceType):
    """A resource for which every action succeeds, except the one that its property Fails names.

    Fails is ``create``, ``update`` or ``delete``; ``refused`` if its service refuses to make it; ``fault`` if
    the emulator itself fails; ``slow`` if it is being made until its stack gives up; ``interrupted`` if
    somebody deletes its stack while it is being made; ``gone`` if it no longer exists when it is deleted.
    """

    name = "Test::Thing"
    done: ClassVar[list[tuple[str, str]]] = []
    """Each action and its resource, in order."""
    asked: ClassVar[dict[str, Properties]] = {}
    """The properties of the last creation or change of each resource."""

    def create(self, asked: Asked) -> Made:
        fails = asked.properties.get("Fails")
        if fails == "refused":
            raise ClientError({"Error": {"Code": "ThingQuotaFault", "Message": "Too many."}}, "CreateThing")
        if fails == "fault":
            raise ZeroDivisionError
        if fails == "slow":
            while not asked.is_ending:
                time.sleep(0.01)
            raise CancelledError("Resource creation cancelled", f"id-of-{asked.logical_id}")
        if fails == "interrupted":
            asked.stopping.set()
            raise WaitError("Resource creation cancelled")
        self._do("create", asked.logical_id, asked.properties)
        attributes = {"Arn": f"arn-of-{asked.logical_id}", "GeneratedName": asked.generated_name}
        return Made(f"id-of-{asked.logical_id}", attributes)

    def update(self, asked: Asked, made: Made, before: Properties) -> Made:
        del before
        self._do("update", asked.logical_id, asked.properties)
        return made

    def delete(self, made: Made, properties: Properties) -> None:
        logical_id = made.physical_id.removeprefix("id-of-")
        if properties.get("Fails") == "gone":
            raise ClientError({"Error": {"Code": "ThingNotFoundFault", "Message": ""}}, "DeleteThing")
        self._do("delete", logical_id, properties)

    def _do(self, what: str, logical_id: str, properties: Properties) -> None:
        self.asked[logical_id] = properties
        if properties.get("Fails") == what:
            raise ValueError(f"{logical_id} does not {what}")
        self.done.append((what, logical_id))


class Rock(Thing):
    """A resource whose type has no update of its own."""

    name = "Test::Rock"

    def update(self, asked: Asked, made: Made, before: Properties) -> Made:
        return ResourceType.update(self, asked, made, before)


def thing(*after: str, policy: str = "Delete", kind: str = "Test::Thing", **properties: Any) -> Properties:
    """A resource in the form of a template.

    :param after: the resources that it depends on
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


def events_of(stack: Stack) -> list[tuple[str, str]]:
    """Resource and status of each event, oldest first."""
    return [(event.logical_id, event.status) for event in stack.events]
