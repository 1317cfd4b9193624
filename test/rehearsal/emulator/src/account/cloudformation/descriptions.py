"""Stacks, resources and events as the API describes them."""

from typing import Any

from account.cloudformation.stacks import STACK_TYPE, Event, Order, Resource, Stack


def described_stack(stack: Stack) -> dict[str, Any]:
    return {
        "StackId": stack.id,
        "StackName": stack.name,
        "Description": stack.order.template.get("Description"),
        "Parameters": described_parameters(stack.order),
        "CreationTime": stack.created_at,
        "LastUpdatedTime": stack.updated_at,
        "DeletionTime": stack.deleted_at,
        "StackStatus": stack.status,
        "StackStatusReason": stack.reason,
        "DisableRollback": stack.disable_rollback,
        "EnableTerminationProtection": stack.termination_protection,
        "NotificationARNs": [],
        "Outputs": stack.outputs,
        "RoleARN": stack.order.role_arn,
        "Tags": described_tags(stack.order),
        "DriftInformation": {"StackDriftStatus": "NOT_CHECKED"},
    }


def described_parameters(order: Order) -> list[dict[str, Any]]:
    types = {name: slot["Type"] for name, slot in (order.template.get("Parameters") or {}).items()}
    return [
        {
            "ParameterKey": name,
            "ParameterValue": value,
            **({"ResolvedValue": order.resolved[name]} if types[name].startswith("AWS::SSM::") else {}),
        }
        for name, value in order.parameters.items()
    ]


def described_tags(order: Order) -> list[dict[str, str]]:
    return [{"Key": key, "Value": value} for key, value in order.tags.items()]


def described_event(stack: Stack, event: Event) -> dict[str, Any]:
    return {
        "StackId": stack.id,
        "EventId": event.id if event.type == STACK_TYPE else f"{event.logical_id}-{event.id}",
        "StackName": stack.name,
        "LogicalResourceId": event.logical_id,
        "PhysicalResourceId": event.physical_id,
        "ResourceType": event.type,
        "Timestamp": event.time,
        "ResourceStatus": event.status,
        "ResourceStatusReason": event.reason,
    }


def described_resource(stack: Stack, resource: Resource) -> dict[str, Any]:
    return {
        "StackId": stack.id,
        "StackName": stack.name,
        "LogicalResourceId": resource.logical_id,
        "PhysicalResourceId": resource.physical_id,
        "ResourceType": resource.type,
        "ResourceStatus": resource.status,
        "ResourceStatusReason": resource.reason,
        "Timestamp": resource.changed_at,
    }
