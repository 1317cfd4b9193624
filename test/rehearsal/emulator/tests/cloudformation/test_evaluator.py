"""The functions of templates."""

from typing import Any

import pytest

from account.cloudformation.evaluator import Evaluator, resolve_dynamic
from account.cloudformation.template import TemplateError

_template = {
    "Conditions": {"Yes": {"Fn::Equals": [{"Ref": "Size"}, 3]}, "No": {"Fn::Not": [{"Condition": "Yes"}]}},
    "Mappings": {"Images": {"us-east-1": {"arm": "ami-1"}}},
}
_parameters = {"Size": "3", "Zones": ["a", "b"], "Empty": ""}


def _value(node: Any) -> Any:
    return Evaluator(
        _template,
        _parameters,
        ("stack", "arn:stack"),
        reference=lambda name: f"id-of-{name}",
        attribute=lambda name, attribute: f"{attribute}-of-{name}",
    ).value(node)


@pytest.mark.parametrize(
    ("node", "value"),
    [
        ("text", "text"),
        ({"Ref": "Size"}, "3"),
        ({"Ref": "Thing"}, "id-of-Thing"),
        ({"Ref": "AWS::StackName"}, "stack"),
        ({"Ref": "AWS::Region"}, "us-east-1"),
        ({"Fn::GetAtt": ["Db", "Endpoint.Address"]}, "Endpoint.Address-of-Db"),
        ({"Fn::GetAtt": "Db.Endpoint.Address"}, "Endpoint.Address-of-Db"),
        ({"Fn::Join": ["-", ["a", {"Ref": "Size"}, 4]]}, "a-3-4"),
        ({"Fn::Split": [",", "a,b"]}, ["a", "b"]),
        ({"Fn::Select": ["1", {"Ref": "Zones"}]}, "b"),
        ({"Fn::Base64": "a"}, "YQ=="),
        ({"Fn::FindInMap": ["Images", {"Ref": "AWS::Region"}, "arm"]}, "ami-1"),
        ({"Fn::GetAZs": ""}, ["us-east-1a", "us-east-1b", "us-east-1c"]),
        ({"Fn::Select": [0, {"Fn::GetAZs": ""}]}, "us-east-1a"),
        ({"Fn::If": ["Yes", 1, 2]}, 1),
        ({"Fn::If": ["No", 1, 2]}, 2),
        ({"Fn::And": [{"Condition": "Yes"}, {"Condition": "No"}]}, False),
        ({"Fn::Or": [{"Condition": "Yes"}, {"Condition": "No"}]}, True),
        ({"Fn::Contains": [["a", "b"], "c"]}, False),
    ],
)
def test_functions_have_the_values_of_cloudformation(node: Any, value: Any) -> None:
    assert _value(node) == value


@pytest.mark.parametrize(
    ("argument", "text"),
    [
        ("${Size}/${Db.Arn}/${AWS::AccountId}", "3/Arn-of-Db/123456789012"),
        (["${Own}${Size}", {"Own": {"Ref": "Thing"}}], "id-of-Thing3"),
        ("${!Size} $Size", "${Size} $Size"),
    ],
)
def test_sub_replaces_names_and_leaves_literals(argument: Any, text: str) -> None:
    assert _value({"Fn::Sub": argument}) == text


def test_no_value_removes_the_whole_property_or_item() -> None:
    nothing = {"Fn::If": ["No", "a", {"Ref": "AWS::NoValue"}]}
    assert _value({"A": nothing, "B": [1, nothing], "C": {"D": nothing}}) == {"B": [1], "C": {}}


def test_the_other_branch_is_not_evaluated() -> None:
    assert _value({"Fn::If": ["Yes", "a", {"Fn::Unheard": []}]}) == "a"


def test_a_property_named_condition_is_a_function_only_if_its_value_is_a_name() -> None:
    policy = {"Condition": {"Bool": {"aws:SecureTransport": "false"}}}
    assert _value(policy) == policy


def test_an_unknown_function_is_refused() -> None:
    with pytest.raises(TemplateError, match="Fn::Cidr"):
        _value({"Fn::Cidr": ["10.0.0.0/16", 2]})


@pytest.mark.parametrize(
    ("text", "resolved"),
    [
        ("{{resolve:secretsmanager:name:SecretString:password}}", "hidden"),
        ("{{resolve:secretsmanager:arn:aws:secretsmanager:r:1:secret:name-x1:SecretString:user}}", "who"),
        ("{{resolve:secretsmanager:name}}", '{"password": "hidden", "user": "who"}'),
        ("{{resolve:secretsmanager:name:SecretString:password::}}", "hidden"),
        ("jdbc:{{resolve:ssm:/host}}:5432", "jdbc:value of /host:5432"),
        ("{{resolve:other:name}}", "{{resolve:other:name}}"),
    ],
)
def test_references_to_secrets_and_parameters_are_resolved(text: str, resolved: str) -> None:
    asked = []

    def secret(secret_id: str) -> str:
        asked.append(secret_id)
        return '{"password": "hidden", "user": "who"}'

    found = resolve_dynamic({"A": [text]}, secret=secret, parameter=lambda name: f"value of {name}")
    assert found == {"A": [resolved]}
    assert set(asked) <= {"name", "arn:aws:secretsmanager:r:1:secret:name-x1"}


def test_an_invalid_reference_to_a_secret_is_refused() -> None:
    with pytest.raises(TemplateError, match="dynamic reference"):
        resolve_dynamic("{{resolve:secretsmanager:::}}", secret=str, parameter=str)
