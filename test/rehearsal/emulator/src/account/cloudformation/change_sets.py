"""The changes of an update, as a change set shows them."""

from typing import Any

from account.cloudformation.stacks import Order, Stack
from account.cloudformation.template import references_in


def is_same(before: Order, after: Order) -> bool:
    return (before.template, before.resolved, before.tags) == (after.template, after.resolved, after.tags)


def changes_of(stack: Stack, after: Order) -> list[dict[str, Any]]:
    """The changes that the templates show. It does not look at the values of other resources."""
    old = stack.order.template["Resources"] if stack.resources else {}
    new = after.template["Resources"]
    before = stack.order.resolved
    changed = {name for name, value in after.resolved.items() if before.get(name) != value}
    actions: dict[str, str] = {}
    for logical_id, declared in new.items():
        if logical_id not in old:
            actions[logical_id] = "Add"
        elif (
            declared != old[logical_id] or references_in(declared) & changed or stack.order.tags != after.tags
        ):
            actions[logical_id] = "Modify"
    actions |= {logical_id: "Remove" for logical_id in old if logical_id not in new}
    return [
        {
            "Type": "Resource",
            "ResourceChange": {
                "Action": action,
                "LogicalResourceId": logical_id,
                "ResourceType": {**old, **new}[logical_id]["Type"],
                **({"Replacement": "False"} if action == "Modify" else {}),
            },
        }
        for logical_id, action in actions.items()
    ]
