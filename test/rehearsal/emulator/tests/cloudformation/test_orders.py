"""What CloudFormation refuses before it makes anything."""

import json
from typing import Any
from uuid import uuid4

import pytest
from moto.cloudformation.exceptions import ValidationError

from account.cloudformation.orders import fetch_template, make_order
from account.cloudformation.stacks import Order
from tests.cloudformation.things import thing
from tests.served import Served


def _ordered(
    slots: dict[str, Any] | None = None,
    given: list[dict[str, Any]] | None = None,
    **parts: Any,
) -> Order:
    """:param slots: the parameters of the template"""
    template = {"Resources": {"A": thing()}, "Parameters": slots or {}} | parts
    return make_order(json.dumps(template), given or [], [], None, None)


def _refusal(*arguments: Any, **parts: Any) -> str:
    with pytest.raises(ValidationError) as refused:
        _ordered(*arguments, **parts)
    return str(refused.value.message)


def _given(name: str, value: str) -> list[dict[str, str]]:
    return [{"ParameterKey": name, "ParameterValue": value}]


def test_the_refusal_names_a_parameter_that_has_no_value_or_is_unknown() -> None:
    assert _refusal({"A": {"Type": "String"}}) == "Parameters: [A] must have values"
    assert _refusal({}, _given("B", "b")) == "Parameters: [B] do not exist in the template"


def test_a_list_is_split_at_its_commas() -> None:
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
    slots = {"A": {"Type": "String", "ConstraintDescription": "must be good"} | rules}
    assert _ordered(slots, _given("A", good)).resolved == {"A": good}
    assert _refusal(slots, _given("A", bad)) == "Parameter 'A' must be good"


def test_a_false_assertion_refuses_the_template_in_its_own_words() -> None:
    slots = {"Size": {"Type": "Number"}}
    assertion = {"Assert": {"Fn::Equals": [{"Ref": "Size"}, 3]}, "AssertDescription": "three only"}
    rules = {"Size": {"Assertions": [assertion]}}
    assert _ordered(slots, _given("Size", "3"), Rules=rules).resolved == {"Size": "3"}
    assert _refusal(slots, _given("Size", "4"), Rules=rules) == "Template error: three only"


def test_the_refusal_names_types_that_the_emulator_does_not_have() -> None:
    resources = {"A": thing(), "B": thing(kind="AWS::Lambda::Function"), "C": thing(kind="AWS::SQS::Queue")}
    assert _refusal(Resources=resources) == (
        "Template format error: Unrecognized resource types: [AWS::Lambda::Function, AWS::SQS::Queue]"
    )


@pytest.mark.parametrize(
    "address",
    [
        "https://s3.us-east-1.amazonaws.com/{bucket}/a/t.json",
        "https://{bucket}.s3.us-east-1.amazonaws.com/a/t.json",
        "http://localhost:5000/{bucket}/a/t.json",
        "http://{bucket}.localhost:5000/a/t.json",
    ],
)
def test_the_address_of_a_template_has_the_bucket_in_its_path_or_host(served: Served, address: str) -> None:
    s3, bucket = served.client("s3"), f"bucket-{uuid4()}"
    s3.create_bucket(Bucket=bucket)
    s3.put_object(Bucket=bucket, Key="a/t.json", Body=b"{}")
    assert fetch_template(address.format(bucket=bucket)) == "{}"


def test_a_template_without_resources_is_a_validation_error() -> None:
    assert _refusal(Resources={}) == "Template format error: At least one Resources member must be defined."
