"""Makes an order from a request: template and parameters, after the first checks of CloudFormation."""

import re
from typing import Any
from urllib.parse import urlsplit

from botocore.exceptions import ClientError
from moto.cloudformation.exceptions import ValidationError

from account.clients import client
from account.cloudformation.evaluator import Evaluator
from account.cloudformation.stacks import Order, Stack
from account.cloudformation.template import TemplateError, parse_template
from account.cloudformation.types import ResourceType
from account.handlers.service_role import can_be_assumed, demand_reference

_ssm_value = "AWS::SSM::Parameter::Value<"


def make_order(
    text: str,
    given: list[dict[str, Any]],
    tags: list[dict[str, str]],
    role_arn: str | None,
    before: Stack | None,
) -> Order:
    """:param before: the stack that is updated, with the parameters that may keep their values"""
    if role_arn is not None and not can_be_assumed(role_arn):
        raise ValidationError(message=f"Role {role_arn} is invalid or cannot be assumed")
    try:
        template = parse_template(text)
    except TemplateError as error:
        raise ValidationError(message=str(error)) from error
    parameters = _parameters(template, given, before)
    order = Order(
        template_text=text,
        template=template,
        parameters=parameters,
        resolved={
            name: _resolved(name, slot, parameters[name], role_arn) for name, slot in _slots(template).items()
        },
        tags={tag["Key"]: tag["Value"] for tag in tags},
        role_arn=role_arn,
    )
    _check_types(template)
    _check_rules(order)
    return order


def _slots(template: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return template.get("Parameters") or {}


def _parameters(
    template: dict[str, Any], given: list[dict[str, Any]], before: Stack | None
) -> dict[str, str]:
    slots = _slots(template)
    values = {name: str(slot["Default"]) for name, slot in slots.items() if "Default" in slot}
    for parameter in given:
        name = parameter["ParameterKey"]
        if name not in slots:
            raise ValidationError(message=f"Parameters: [{name}] do not exist in the template")
        if str(parameter.get("UsePreviousValue", "")).lower() == "true":
            if before is not None and name in before.order.parameters:
                values[name] = before.order.parameters[name]
        else:
            values[name] = str(parameter["ParameterValue"])
    missing = [name for name in slots if name not in values]
    if missing:
        raise ValidationError(message=f"Parameters: [{', '.join(missing)}] must have values")
    return values


def _resolved(name: str, slot: dict[str, Any], value: str, role_arn: str | None) -> Any:
    kind = slot["Type"]
    if kind.startswith(_ssm_value):
        try:
            demand_reference(role_arn, "ssm", value, {})
            value = client("ssm").get_parameter(Name=value)["Parameter"]["Value"]
        except ClientError as error:
            raise ValidationError(
                message=f"Unable to fetch parameters [{value}] from parameter store for this account."
            ) from error
        kind = kind.removeprefix(_ssm_value).removesuffix(">")
    _check_value(name, slot, value)
    if kind == "CommaDelimitedList" or kind.startswith("List<"):
        return value.split(",") if value else []
    return value


def _check_value(name: str, slot: dict[str, Any], value: str) -> None:
    pattern = slot.get("AllowedPattern")
    wrong = (
        ("AllowedValues" in slot and value not in [str(allowed) for allowed in slot["AllowedValues"]])
        or (pattern is not None and re.fullmatch(pattern, value) is None)
        or ("MinValue" in slot and float(value) < float(slot["MinValue"]))
        or ("MaxValue" in slot and float(value) > float(slot["MaxValue"]))
    )
    if wrong:
        why = slot.get("ConstraintDescription") or "must satisfy the constraints of the template"
        raise ValidationError(message=f"Parameter '{name}' {why}")


def _check_rules(order: Order) -> None:
    def unknown(*_: str) -> str:
        raise TemplateError("a rule can refer to parameters only")

    evaluator = Evaluator(order.template, order.resolved, ("", ""), unknown, unknown)
    for rule in (order.template.get("Rules") or {}).values():
        for assertion in rule["Assertions"]:
            if not evaluator.value(assertion["Assert"]):
                raise ValidationError(message=f"Template error: {assertion['AssertDescription']}")


def _check_types(template: dict[str, Any]) -> None:
    """Types of resources with a condition are accepted: `cdk bootstrap` has some that are not used here."""
    types = {resource["Type"] for resource in template["Resources"].values() if "Condition" not in resource}
    unknown = sorted(types - ResourceType.known.keys())
    if unknown:
        raise ValidationError(
            message=f"Template format error: Unrecognized resource types: [{', '.join(unknown)}]"
        )


def fetch_template(url: str) -> str:
    """A template that the CDK has uploaded. The bucket is in the path, or the first part of the host name."""
    address = urlsplit(url)
    host, path = address.hostname or "", address.path.lstrip("/")
    in_host = re.fullmatch(r"(.+?)\.(?:s3[.-].+|localhost)", host)
    bucket, key = (in_host[1], path) if in_host else path.split("/", 1)
    return str(client("s3").get_object(Bucket=bucket, Key=key)["Body"].read().decode())
