"""Templates: what they refer to, and the order that follows from it."""

from typing import Any

import pytest

from account.cloudformation.template import (
    TemplateError,
    creation_order,
    dependencies_of,
    parse_template,
    references_in,
)

_wait = "AWS::CloudFormation::WaitCondition"


def _resource(kind: str = "Test::Thing", **properties: Any) -> dict[str, Any]:
    return {"Type": kind, "Properties": properties}


@pytest.mark.parametrize(
    "text",
    [
        '{"Resources": {"A": {"Type": "T"}}}',
        "Resources:\n  A:\n    Type: T\n",
        ' \n{"Resources": {"A": {"Type": "T"}}}',
    ],
)
def test_templates_are_json_or_yaml(text: str) -> None:
    assert parse_template(text) == {"Resources": {"A": {"Type": "T"}}}


@pytest.mark.parametrize("text", ["{}", '{"Resources": {}}', "just words"])
def test_a_template_has_resources(text: str) -> None:
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
def test_references_are_found_wherever_they_stand(node: Any, references: set[str]) -> None:
    assert references_in(node) == references


@pytest.mark.parametrize("after", ["B", ["B"]])
def test_a_resource_depends_on_what_it_refers_to_and_what_it_names(after: Any) -> None:
    assert dependencies_of(_resource(Of={"Ref": "A"}) | {"DependsOn": after}) == {"A", "B"}


def test_every_resource_comes_after_all_that_it_depends_on_else_as_in_the_template() -> None:
    resources = {
        "D": _resource(A={"Ref": "B"}, B={"Fn::Sub": "${C}"}),
        "C": _resource(Of={"Ref": "A"}),
        "B": _resource(),
        "A": _resource(Name={"Ref": "SomeParameter"}),
    }
    assert creation_order(resources) == ["B", "A", "C", "D"]


def test_wait_conditions_hold_nothing_up_that_does_not_depend_on_them() -> None:
    resources = {
        "Wait": _resource(_wait),
        "After": _resource(Of={"Ref": "Wait"}),
        "Other": _resource(),
    }
    assert creation_order(resources) == ["Other", "Wait", "After"]


def test_a_circle_is_refused_and_named() -> None:
    resources = {"A": _resource(Of={"Ref": "B"}), "B": _resource(Of={"Ref": "A"}), "C": _resource()}
    with pytest.raises(TemplateError, match=r"Circular dependency between resources: \[A, B\]"):
        creation_order(resources)
