"""What a change set shows."""

import json
from typing import Any

from account.cloudformation.change_sets import changes_of, is_same
from account.cloudformation.orders import make_order
from account.cloudformation.stacks import Order, Resource, Stack
from tests.cloudformation.things import thing

_size = {"Size": {"Type": "String", "Default": "1"}}


def _order(resources: dict[str, Any], size: str = "1", owner: str = "a") -> Order:
    given = [{"ParameterKey": "Size", "ParameterValue": size}]
    template = json.dumps({"Parameters": _size, "Resources": resources})
    return make_order(template, given, [{"Key": "owner", "Value": owner}], None, None)


def _stack(resources: dict[str, Any]) -> Stack:
    stack = Stack("stack", _order(resources))
    stack.resources = {name: Resource(name, "Test::Thing") for name in resources}
    return stack


def _actions(stack: Stack, after: Order) -> dict[str, str]:
    changes = (change["ResourceChange"] for change in changes_of(stack, after))
    return {change["LogicalResourceId"]: change["Action"] for change in changes}


def test_a_change_set_shows_what_is_added_modified_and_removed() -> None:
    order = _order({"A": thing(), "B": thing()})
    assert _actions(Stack("stack", order), order) == {"A": "Add", "B": "Add"}
    stack = _stack({"Same": thing(), "Other": thing(Size=1), "Gone": thing()})
    after = _order({"Same": thing(), "Other": thing(Size=2), "New": thing()})
    assert _actions(stack, after) == {"Other": "Modify", "New": "Add", "Gone": "Remove"}
    change = changes_of(stack, after)[0]["ResourceChange"]
    assert (change["Replacement"], change["ResourceType"]) == ("False", "Test::Thing")


def test_another_parameter_value_modifies_the_resources_that_refer_to_it() -> None:
    resources = {"A": thing(Size={"Ref": "Size"}), "B": thing(Size={"Fn::Sub": "${Size}"}), "C": thing()}
    assert _actions(_stack(resources), _order(resources, size="2")) == {"A": "Modify", "B": "Modify"}


def test_other_tags_modify_every_resource() -> None:
    resources = {"A": thing(), "B": thing()}
    assert _actions(_stack(resources), _order(resources, owner="b")) == {"A": "Modify", "B": "Modify"}


def test_only_another_template_another_value_or_another_tag_is_a_change() -> None:
    resources = {"A": thing()}
    assert is_same(_order(resources), _order(resources))
    assert not is_same(_order(resources), _order(resources, size="2"))
    assert not is_same(_order(resources), _order(resources, owner="b"))
    assert not is_same(_order(resources), _order({"A": thing(Size=2)}))
