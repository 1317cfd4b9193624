"""What is refused in a request before anything is made."""

import json
from typing import Any

import pytest
from moto.cloudformation.exceptions import ValidationError

from account.cloudformation.orders import make_order
from account.cloudformation.stacks import Order, Stack
from tests.cloudformation.things import thing


def _ordered(
    slots: dict[str, Any] | None = None,
    given: list[dict[str, Any]] | None = None,
    before: Stack | None = None,
    **parts: Any,
) -> Order:
    """:param slots: the parameters of the template"""
    template = {"Resources": {"A": thing()}, "Parameters": slots or {}} | parts
    return make_order(json.dumps(template), given or [], [], None, before)


def _refusal(*arguments: Any, **parts: Any) -> str:
    with pytest.raises(ValidationError) as refused:
        _ordered(*arguments, **parts)
    return str(refused.value.message)


def _given(name: str, value: str) -> list[dict[str, str]]:
    return [{"ParameterKey": name, "ParameterValue": value}]


def test_parameters_are_as_given_and_by_default_those_of_the_template() -> None:
    slots = {"A": {"Type": "String", "Default": "a"}, "B": {"Type": "Number", "Default": 1}}
    assert _ordered(slots, _given("A", "x")).parameters == {"A": "x", "B": "1"}


def test_a_parameter_without_a_value_is_named() -> None:
    assert _refusal({"A": {"Type": "String"}}) == "Parameters: [A] must have values"


def test_a_parameter_that_the_template_does_not_have_is_named() -> None:
    assert _refusal({}, _given("B", "b")) == "Parameters: [B] do not exist in the template"


def test_an_update_can_keep_the_values_of_before() -> None:
    slots = {"A": {"Type": "String", "Default": "a"}}
    before = Stack("stack", _ordered(slots, _given("A", "kept")))
    previous = [{"ParameterKey": "A", "UsePreviousValue": True}]
    assert _ordered(slots, previous, before).parameters == {"A": "kept"}
    assert _ordered(slots, [], before).parameters == {"A": "a"}


def test_lists_are_split() -> None:
    slots = {
        "A": {"Type": "CommaDelimitedList", "Default": "a,b"},
        "B": {"Type": "List<AWS::EC2::Subnet::Id>", "Default": ""},
    }
    assert _ordered(slots).resolved == {"A": ["a", "b"], "B": []}


@pytest.mark.parametrize(
    ("rules", "good", "bad"),
    [
        ({"AllowedValues": ["a", "b"]}, "b", "c"),
        ({"AllowedValues": [1, 2]}, "2", "3"),
        ({"AllowedPattern": "[a-z]+"}, "abc", "abc1"),
        ({"MinValue": 1}, "1", "0.5"),
        ({"MaxValue": 168}, "168", "169"),
    ],
)
def test_a_value_that_the_template_does_not_allow_is_refused(
    rules: dict[str, Any], good: str, bad: str
) -> None:
    slots = {"A": {"Type": "String", "ConstraintDescription": "has to be good"} | rules}
    assert _ordered(slots, _given("A", good)).resolved == {"A": good}
    assert _refusal(slots, _given("A", bad)) == "Parameter 'A' has to be good"


def test_an_assertion_of_the_template_that_does_not_hold_is_told_in_its_words() -> None:
    slots = {"Size": {"Type": "Number"}}
    assertion = {"Assert": {"Fn::Equals": [{"Ref": "Size"}, 3]}, "AssertDescription": "three only"}
    rules = {"Size": {"Assertions": [assertion]}}
    assert _ordered(slots, _given("Size", "3"), Rules=rules).resolved == {"Size": "3"}
    assert _refusal(slots, _given("Size", "4"), Rules=rules) == "Template error: three only"


def test_an_assertion_about_a_value_of_before_refuses_an_update_that_keeps_it() -> None:
    def slots(default: str) -> dict[str, Any]:
        return {"Made": {"Type": "String", "Default": default}}

    def rules(made: str) -> dict[str, Any]:
        assertion = {"Assert": {"Fn::Contains": [[made], {"Ref": "Made"}]}, "AssertDescription": "made anew"}
        return {"SameMade": {"Assertions": [assertion]}}

    before = Stack("stack", _ordered(slots("small"), Rules=rules("small")))
    previous = [{"ParameterKey": "Made", "UsePreviousValue": True}]
    assert _ordered(slots("small"), previous, before, Rules=rules("small")).parameters == {"Made": "small"}
    assert _refusal(slots("large"), previous, before, Rules=rules("large")) == "Template error: made anew"


def test_types_that_the_emulator_does_not_have_are_named() -> None:
    resources = {"A": thing(), "B": thing(kind="AWS::Lambda::Function"), "C": thing(kind="AWS::SQS::Queue")}
    assert _refusal(Resources=resources) == (
        "Template format error: Unrecognized resource types: [AWS::Lambda::Function, AWS::SQS::Queue]"
    )


def test_an_unknown_type_behind_a_condition_passes() -> None:
    resources = {"A": thing(), "B": thing(kind="AWS::Lambda::Function") | {"Condition": "Never"}}
    order = _ordered(Resources=resources, Conditions={"Never": {"Fn::Equals": ["a", "b"]}})
    assert set(order.template["Resources"]) == {"A", "B"}


def test_a_template_that_is_none_is_a_validation_error() -> None:
    assert _refusal(Resources={}) == "Template format error: At least one Resources member must be defined."
