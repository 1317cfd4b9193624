"""Makes, changes or deletes one resource at a time, and adds the events of its stack."""

import re
import secrets
import string
import traceback
from functools import partial

from botocore.exceptions import ClientError

from account.clients import client
from account.cloudformation.evaluator import Evaluator, resolve_dynamic
from account.cloudformation.holding import Held
from account.cloudformation.stacks import Order, Resource, Stack
from account.cloudformation.types import (
    Asked,
    CancelledError,
    CannotUpdateError,
    Made,
    ResourceType,
    WaitError,
)
from account.handlers.needs import Handler
from account.handlers.service_role import demand_handler, demand_reference
from account.handlers.subjects import Handled, name_of_new


class ResourceError(Exception):
    """A resource that could not be made or changed. Its stack has the event already."""

    def __init__(self, logical_id: str):
        super().__init__(logical_id)
        self.logical_id = logical_id


def make(stack: Stack, order: Order, evaluator: Evaluator, logical_id: str) -> None:
    declared = order.template["Resources"][logical_id]
    resource = Resource(
        logical_id, declared["Type"], deletion_policy=declared.get("DeletionPolicy", "Delete")
    )
    stack.resources[logical_id] = resource
    stack.set_resource_status(resource, "CREATE_IN_PROGRESS")
    try:
        asked = _asked(stack, order, evaluator, logical_id)
        resource.properties = asked.unresolved
        Held.wait(stack.name, logical_id, stack.stopping, stack.failed)
        name = name_of_new(resource.type, asked.unresolved, asked.generated_name, logical_id)
        demand_handler(order.role_arn, Handled(resource.type, "create", name, asked.unresolved))
        made = ResourceType.known[resource.type]().create(asked)
        resource.physical_id, resource.attributes = made.physical_id, made.attributes
        demand_handler(order.role_arn, _handled(resource, "read"))
    except Exception as error:
        _report(error)
        if isinstance(error, CancelledError):
            resource.physical_id = error.physical_id
        stack.set_resource_status(resource, "CREATE_FAILED", _reason(error))
        raise ResourceError(logical_id) from error
    stack.set_resource_status(resource, "CREATE_IN_PROGRESS", "Resource creation Initiated")
    stack.set_resource_status(resource, "CREATE_COMPLETE")


def change(stack: Stack, order: Order, evaluator: Evaluator, logical_id: str) -> None:
    resource = stack.resources[logical_id]
    resource.deletion_policy = order.template["Resources"][logical_id].get("DeletionPolicy", "Delete")
    asked = _asked(stack, order, evaluator, logical_id)
    if asked.unresolved == resource.properties:
        return
    stack.set_resource_status(resource, "UPDATE_IN_PROGRESS")
    try:
        demand_handler(order.role_arn, _handled(resource, "update"))
        demand_handler(order.role_arn, _handled(resource, "read"))
        made = ResourceType.known[resource.type]().update(asked, _made(resource), resource.properties)
    except Exception as error:
        _report(error)
        stack.set_resource_status(resource, "UPDATE_FAILED", _reason(error))
        raise ResourceError(logical_id) from error
    resource.attributes = made.attributes
    resource.properties = asked.unresolved
    stack.set_resource_status(resource, "UPDATE_COMPLETE")


def delete_resource(stack: Stack, resource: Resource) -> bool:
    stack.set_resource_status(resource, "DELETE_IN_PROGRESS")
    try:
        if resource.physical_id:
            final_snapshot = resource.deletion_policy == "Snapshot"
            handled = _handled(resource, "delete")
            demand_handler(stack.order.role_arn, handled, final_snapshot=final_snapshot)
            ResourceType.known[resource.type]().delete(_made(resource), resource.properties)
    # Any error of the service: the other resources of the stack must still be deleted.
    except Exception as error:  # noqa: BLE001
        if not _is_gone(error):
            _report(error)
            stack.set_resource_status(resource, "DELETE_FAILED", _reason(error))
            return False
    stack.set_resource_status(resource, "DELETE_COMPLETE")
    del stack.resources[resource.logical_id]
    return True


def _handled(resource: Resource, handler: Handler) -> Handled:
    return Handled(resource.type, handler, resource.physical_id, resource.properties)


def _made(resource: Resource) -> Made:
    return Made(
        resource.physical_id, resource.attributes, final_snapshot=resource.deletion_policy == "Snapshot"
    )


def _asked(stack: Stack, order: Order, evaluator: Evaluator, logical_id: str) -> Asked:
    unresolved = evaluator.value(order.template["Resources"][logical_id].get("Properties", {}))
    return Asked(
        logical_id=logical_id,
        stack_name=stack.name,
        stack_id=stack.id,
        generated_name=_generated_name(stack.name, logical_id),
        properties=resolve_dynamic(
            unresolved,
            secret=partial(_secret, order.role_arn),
            parameter=partial(_parameter, order.role_arn),
        ),
        unresolved=unresolved,
        stopping=stack.stopping,
        failed=stack.failed,
    )


def _generated_name(stack_name: str, logical_id: str) -> str:
    """A name of at most 63 characters, the lowest limit of the services that use such names."""
    suffix = "".join(secrets.choice(string.ascii_letters + string.digits) for _ in range(12))
    return f"{stack_name[:24].rstrip('-')}-{logical_id[:24]}-{suffix}"


def _secret(role_arn: str | None, secret_id: str) -> str:
    described = client("secretsmanager").describe_secret(SecretId=secret_id)
    tags = {tag["Key"]: tag["Value"] for tag in described.get("Tags", [])}
    demand_reference(role_arn, "secretsmanager", described["ARN"], tags)
    return str(client("secretsmanager").get_secret_value(SecretId=secret_id)["SecretString"])


def _parameter(role_arn: str | None, name: str) -> str:
    demand_reference(role_arn, "ssm", name, {})
    return str(client("ssm").get_parameter(Name=name)["Parameter"]["Value"])


def _reason(error: Exception) -> str:
    if isinstance(error, ClientError):
        code, message = error.response["Error"]["Code"], error.response["Error"]["Message"]
        return f'Resource handler returned message: "{message}" (HandlerErrorCode: {code})'
    return (
        str(error)
        if isinstance(error, (WaitError, CannotUpdateError, ValueError))
        else f"Emulator: {error!r}"
    )


def _report(error: Exception) -> None:
    """Writes errors that may be the emulator's own to its log, with the place in the source."""
    if not isinstance(error, (WaitError, CannotUpdateError)):
        traceback.print_exception(error)


def _is_gone(error: Exception) -> bool:
    return isinstance(error, ClientError) and bool(
        re.search(r"NotFound|NoSuch|DoesNotExist", error.response["Error"]["Code"])
    )
