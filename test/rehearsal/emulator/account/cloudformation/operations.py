"""Creating, updating, rolling back and deleting stacks, each in a thread of its own."""

import re
import secrets
import string
import threading
import traceback
from collections.abc import Callable
from typing import Any

from botocore.exceptions import ClientError

from account.clients import client
from account.cloudformation.stacks import Order, Resource, Stack, now
from account.cloudformation.template import Evaluator, creation_order, resolve_dynamic
from account.cloudformation.types import Asked, CannotUpdate, Made, ResourceType


class _Failed(Exception):
    """A resource that could not be made; its event is told already."""

    def __init__(self, logical_id: str):
        super().__init__(logical_id)
        self.logical_id = logical_id


class Waited(Exception):
    """Why a wait condition did not come true, in the words of CloudFormation."""


def start(work: Callable[..., None], stack: Stack, *arguments: Any) -> None:
    """Runs one operation after those that are under way for the same stack."""

    def run() -> None:
        with stack.busy:
            try:
                work(stack, *arguments)
            except Exception as error:  # A fault of the emulator: the stack must end all the same.
                traceback.print_exc()
                stack.set_status(f"{stack.status.split('_')[0]}_FAILED", f"Emulator: {error!r}")

    threading.Thread(target=run, name=stack.name, daemon=True).start()


def create(stack: Stack, order: Order) -> None:
    stack.order = order
    evaluator = _evaluator(stack, order)
    try:
        for logical_id in _wanted(order, evaluator):
            if stack.stopping.is_set():
                return
            _make(stack, order, evaluator, logical_id)
    except _Failed as failure:
        if not stack.stopping.is_set():
            _give_up_creation(stack, failure.logical_id)
        return
    stack.outputs = _outputs(order, evaluator)
    stack.set_status("CREATE_COMPLETE")


def _give_up_creation(stack: Stack, logical_id: str) -> None:
    reason = f"The following resource(s) failed to create: [{logical_id}]. "
    if stack.disable_rollback:
        stack.set_status("CREATE_FAILED", reason)
        return
    stack.set_status("ROLLBACK_IN_PROGRESS", f"{reason}Rollback requested by user.")
    undeleted = _delete_all(stack, retained=("Retain",))
    if undeleted:
        stack.set_status("ROLLBACK_FAILED", f"The following resource(s) failed to delete: [{', '.join(undeleted)}]. ")
    else:
        stack.set_status("ROLLBACK_COMPLETE")


def update(stack: Stack, order: Order) -> None:
    before = stack.order
    evaluator = _evaluator(stack, order)
    try:
        _become(stack, order, evaluator)
    except _Failed as failure:
        reason = f"The following resource(s) failed to update: [{failure.logical_id}]. "
        stack.set_status("UPDATE_ROLLBACK_IN_PROGRESS", reason)
        _become(stack, before, _evaluator(stack, before))
        _delete_unwanted(stack, before)
        stack.set_status("UPDATE_ROLLBACK_COMPLETE")
        return
    stack.order = order
    stack.outputs = _outputs(order, evaluator)
    stack.set_status("UPDATE_COMPLETE_CLEANUP_IN_PROGRESS")
    _delete_unwanted(stack, order)
    stack.set_status("UPDATE_COMPLETE")


def delete(stack: Stack, retained: list[str]) -> None:
    stack.set_status("DELETE_IN_PROGRESS", "User Initiated")
    for logical_id in retained:
        stack.resources.pop(logical_id, None)
    undeleted = _delete_all(stack, retained=("Retain", "RetainExceptOnCreate"))
    if undeleted:
        stack.set_status("DELETE_FAILED", f"The following resource(s) failed to delete: [{', '.join(undeleted)}]. ")
        return
    stack.deleted_at = now()
    stack.set_status("DELETE_COMPLETE")


def _become(stack: Stack, order: Order, evaluator: Evaluator) -> None:
    stack.updated_at = now()
    for logical_id in _wanted(order, evaluator):
        if logical_id in stack.resources:
            _change(stack, order, evaluator, logical_id)
        else:
            _make(stack, order, evaluator, logical_id)


def _make(stack: Stack, order: Order, evaluator: Evaluator, logical_id: str) -> None:
    declared = order.template["Resources"][logical_id]
    resource = Resource(logical_id, declared["Type"], deletion_policy=declared.get("DeletionPolicy", "Delete"))
    stack.resources[logical_id] = resource
    stack.set_resource_status(resource, "CREATE_IN_PROGRESS")
    try:
        asked = _asked(stack, order, evaluator, logical_id)
        resource.properties = asked.unresolved
        made = ResourceType.known[resource.type]().create(asked)
    except Exception as error:
        _report(error)
        stack.set_resource_status(resource, "CREATE_FAILED", _reason(error))
        raise _Failed(logical_id) from error
    resource.physical_id, resource.attributes = made.physical_id, made.attributes
    stack.set_resource_status(resource, "CREATE_IN_PROGRESS", "Resource creation Initiated")
    stack.set_resource_status(resource, "CREATE_COMPLETE")


def _change(stack: Stack, order: Order, evaluator: Evaluator, logical_id: str) -> None:
    resource = stack.resources[logical_id]
    resource.deletion_policy = order.template["Resources"][logical_id].get("DeletionPolicy", "Delete")
    asked = _asked(stack, order, evaluator, logical_id)
    if asked.unresolved == resource.properties:
        return
    stack.set_resource_status(resource, "UPDATE_IN_PROGRESS")
    try:
        made = ResourceType.known[resource.type]().update(asked, _made(resource), resource.properties)
    except Exception as error:
        _report(error)
        stack.set_resource_status(resource, "UPDATE_FAILED", _reason(error))
        raise _Failed(logical_id) from error
    resource.attributes = made.attributes
    resource.properties = asked.unresolved
    stack.set_resource_status(resource, "UPDATE_COMPLETE")


def _delete_all(stack: Stack, retained: tuple[str, ...]) -> list[str]:
    """:return: the resources that could not be deleted"""
    undeleted = []
    for resource in list(reversed(stack.resources.values())):
        if resource.deletion_policy in retained:
            stack.set_resource_status(resource, "DELETE_SKIPPED")
            del stack.resources[resource.logical_id]
        elif not _delete(stack, resource):
            undeleted.append(resource.logical_id)
    return undeleted


def _delete_unwanted(stack: Stack, order: Order) -> None:
    wanted = set(_wanted(order, _evaluator(stack, order)))
    for resource in list(reversed(stack.resources.values())):
        if resource.logical_id not in wanted and resource.deletion_policy != "Retain":
            _delete(stack, resource)


def _delete(stack: Stack, resource: Resource) -> bool:
    stack.set_resource_status(resource, "DELETE_IN_PROGRESS")
    try:
        if resource.physical_id:
            ResourceType.known[resource.type]().delete(_made(resource), resource.properties)
    except Exception as error:
        if not _is_gone(error):
            _report(error)
            stack.set_resource_status(resource, "DELETE_FAILED", _reason(error))
            return False
    stack.set_resource_status(resource, "DELETE_COMPLETE")
    del stack.resources[resource.logical_id]
    return True


def _made(resource: Resource) -> Made:
    return Made(resource.physical_id, resource.attributes, final_snapshot=resource.deletion_policy == "Snapshot")


def _wanted(order: Order, evaluator: Evaluator) -> list[str]:
    resources = {
        logical_id: declared
        for logical_id, declared in order.template["Resources"].items()
        if "Condition" not in declared or evaluator.condition(declared["Condition"])
    }
    return creation_order(resources)


def _asked(stack: Stack, order: Order, evaluator: Evaluator, logical_id: str) -> Asked:
    unresolved = evaluator.value(order.template["Resources"][logical_id].get("Properties", {}))
    return Asked(
        logical_id=logical_id,
        stack_name=stack.name,
        stack_id=stack.id,
        generated_name=_generated_name(stack.name, logical_id),
        properties=resolve_dynamic(unresolved, secret=_secret, parameter=_parameter),
        unresolved=unresolved,
        stopping=stack.stopping,
    )


def _generated_name(stack_name: str, logical_id: str) -> str:
    """At most 63 characters, as the shortest limit of the services that get such a name."""
    suffix = "".join(secrets.choice(string.ascii_letters + string.digits) for _ in range(12))
    return f"{stack_name[:24].rstrip('-')}-{logical_id[:24]}-{suffix}"


def _evaluator(stack: Stack, order: Order) -> Evaluator:
    return Evaluator(
        order.template,
        order.resolved,
        (stack.name, stack.id),
        reference=lambda logical_id: stack.resources[logical_id].physical_id,
        attribute=lambda logical_id, name: stack.resources[logical_id].attributes[name],
    )


def _outputs(order: Order, evaluator: Evaluator) -> list[dict[str, str]]:
    return [
        {
            "OutputKey": key,
            "OutputValue": str(evaluator.value(output["Value"])),
            **({"Description": output["Description"]} if "Description" in output else {}),
        }
        for key, output in (order.template.get("Outputs") or {}).items()
        if "Condition" not in output or evaluator.condition(output["Condition"])
    ]


def _secret(secret_id: str) -> str:
    return str(client("secretsmanager").get_secret_value(SecretId=secret_id)["SecretString"])


def _parameter(name: str) -> str:
    return str(client("ssm").get_parameter(Name=name)["Parameter"]["Value"])


def _reason(error: Exception) -> str:
    if isinstance(error, ClientError):
        code, message = error.response["Error"]["Code"], error.response["Error"]["Message"]
        return f'Resource handler returned message: "{message}" (HandlerErrorCode: {code})'
    return str(error) if isinstance(error, (Waited, CannotUpdate, ValueError)) else f"Emulator: {error!r}"


def _report(error: Exception) -> None:
    """To the log of the emulator: with the place, where the fault may be its own."""
    if not isinstance(error, (Waited, CannotUpdate)):
        traceback.print_exception(error)


def _is_gone(error: Exception) -> bool:
    return isinstance(error, ClientError) and bool(
        re.search(r"NotFound|NoSuch|DoesNotExist", error.response["Error"]["Code"])
    )
