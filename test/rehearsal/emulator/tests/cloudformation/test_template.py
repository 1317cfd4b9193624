"""What templates refer to, and the order that follows from it."""

from typing import Any

import pytest

from account.cloudformation.template import (
    TemplateError,
    creation_order,
    parse_template,
    references_in,
)

_wait = "AWS::CloudFormation::WaitCondition"


def _resource(kind: str = "Test::Thing", **properties: Any) -> dict[str, Any]:
    return {"Type": kind, "Properties": properties}


@pytest.mark.parametrize("text", ["{}", '{"Resources": {}}', "just words"])
def test_a_template_without_resources_is_refused(text: str) -> None:
    with pytest.raises(TemplateError, match="At least one Resources member"):
        parse_template(text)


@pytest.mark.parametrize(
    ("node", "references"),
    [
        ({"Ref": "A"}, {"A"}),
        ({"Fn::GetAtt": ["A", "Arn"]}, {"A"}),
        ({"Fn::GetAtt": "A.Endpoint.Address"}, {"A"}),
        ({"Fn::Sub": "${A}-${B.Arn}-${AWS::Region}"}, {"A", "B", "AWS::Region"}),
        ({"Fn::Sub": ["${Own}-${A}", {"Own": {"Ref": "B"}}]}, {"A", "B"}),
        ({"Fn::Sub": "${!Literal}"}, set()),
        ([{"Fn::Join": ["", [{"Ref": "A"}, "b"]]}, {"x": {"y": {"Ref": "B"}}}], {"A", "B"}),
        ("Ref", set()),
    ],
)
def test_references_are_found_in_every_part_of_a_template(node: Any, references: set[str]) -> None:
    assert references_in(node) == references


def test_resources_follow_what_they_depend_on_and_otherwise_the_template() -> None:
    resources = {
        "D": _resource(A={"Ref": "B"}, B={"Fn::Sub": "${C}"}),
        "C": _resource() | {"DependsOn": "A"},
        "E": _resource() | {"DependsOn": ["C"]},
        "B": _resource(),
        "A": _resource(Name={"Ref": "SomeParameter"}),
    }
    assert creation_order(resources) == ["B", "A", "C", "D", "E"]


def test_only_resources_that_depend_on_a_wait_condition_wait_for_it() -> None:
    resources = {
        "Wait": _resource(_wait),
        "After": _resource(Of={"Ref": "Wait"}),
        "Other": _resource(),
    }
    assert creation_order(resources) == ["Other", "Wait", "After"]


def test_the_refusal_names_circular_dependencies() -> None:
    resources = {"A": _resource(Of={"Ref": "B"}), "B": _resource(Of={"Ref": "A"}), "C": _resource()}
    with pytest.raises(TemplateError, match=r"Circular dependency between resources: \[A, B\]"):
        creation_order(resources)
