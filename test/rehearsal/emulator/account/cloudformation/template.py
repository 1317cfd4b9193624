"""Templates: parsed, their dependencies found, their functions evaluated."""

import base64
import json
import re
from collections.abc import Callable, Iterator
from typing import Any

import yaml

from account.names import ACCOUNT, PARTITION, REGION

ZONES = [f"{REGION}{letter}" for letter in "abc"]

_placeholder = re.compile(r"\$\{([^!][^}]*)\}")
_dynamic = re.compile(r"\{\{resolve:(ssm|secretsmanager):([^}]+)\}\}")
_secret_reference = re.compile(
    r"(?P<id>arn:[^:]+:secretsmanager:[^:]+:[^:]+:secret:[^:]+|[^:]+)(?::SecretString)?(?::(?P<key>[^:]*))?"
)


class TemplateError(Exception):
    """What CloudFormation calls a template error, in its words."""


def parse_template(text: str) -> dict[str, Any]:
    """JSON, or YAML without the short forms of functions, which the CDK never writes."""
    document = json.loads(text) if text.lstrip().startswith("{") else yaml.safe_load(text)
    if not isinstance(document, dict) or not document.get("Resources"):
        raise TemplateError("Template format error: At least one Resources member must be defined.")
    return document


def references_in(node: Any) -> set[str]:
    """Names of everything that a part of a template refers to: resources, parameters, pseudo parameters."""
    return set(_references(node))


def _references(node: Any) -> Iterator[str]:
    if isinstance(node, list):
        for item in node:
            yield from _references(item)
        return
    if not isinstance(node, dict):
        return
    for key, value in node.items():
        if key == "Ref":
            yield value
        elif key == "Fn::GetAtt":
            yield value[0] if isinstance(value, list) else value.split(".")[0]
        elif key == "Fn::Sub":
            text, names = value if isinstance(value, list) else (value, {})
            yield from (name.split(".")[0] for name in _placeholder.findall(text) if name not in names)
            yield from _references(names)
        else:
            yield from _references(value)


def dependencies_of(resource: dict[str, Any]) -> set[str]:
    after = resource.get("DependsOn", [])
    return references_in(resource.get("Properties", {})) | set([after] if isinstance(after, str) else after)


def creation_order(resources: dict[str, dict[str, Any]]) -> list[str]:
    """Every resource after all that it depends on, otherwise as the template has them.

    The real service makes independent resources at the same time. Wait conditions therefore come last, so that nothing that
    does not depend on one has to wait for it.
    """
    waiting = "AWS::CloudFormation::WaitCondition"
    left = sorted(resources, key=lambda name: resources[name]["Type"] == waiting)
    order: list[str] = []
    while left:
        ready = next((name for name in left if dependencies_of(resources[name]).isdisjoint(left)), None)
        if ready is None:
            raise TemplateError(f"Circular dependency between resources: [{', '.join(left)}]")
        order.append(ready)
        left.remove(ready)
    return order


_nothing = object()
"""What AWS::NoValue stands for; removed from lists and objects."""


class Evaluator:
    """Evaluates the functions of one template.

    :param reference: value of a Ref to a resource
    :param attribute: value of a GetAtt
    """

    def __init__(
        self,
        template: dict[str, Any],
        parameters: dict[str, Any],
        stack: tuple[str, str],
        reference: Callable[[str], str],
        attribute: Callable[[str, str], Any],
    ):
        self._template = template
        self._reference = reference
        self._attribute = attribute
        name, stack_id = stack
        self._values = {
            **parameters,
            "AWS::AccountId": ACCOUNT,
            "AWS::NoValue": _nothing,
            "AWS::Partition": PARTITION,
            "AWS::Region": REGION,
            "AWS::StackId": stack_id,
            "AWS::StackName": name,
            "AWS::URLSuffix": "amazonaws.com",
        }

    def value(self, node: Any) -> Any:
        """The node with all functions evaluated; dynamic references stay as they are."""
        if isinstance(node, list):
            return [item for item in map(self.value, node) if item is not _nothing]
        if not isinstance(node, dict):
            return node
        if len(node) == 1:
            [(name, argument)] = node.items()
            if name == "Ref":
                return self._ref(argument)
            if name == "Condition" and isinstance(argument, str):
                return self.condition(argument)
            if name.startswith("Fn::"):
                return self._call(name.removeprefix("Fn::"), argument)
        evaluated = {key: self.value(item) for key, item in node.items()}
        return {key: item for key, item in evaluated.items() if item is not _nothing}

    def condition(self, name: str) -> bool:
        return bool(self.value(self._template["Conditions"][name]))

    def _ref(self, name: str) -> Any:
        return self._values[name] if name in self._values else self._reference(name)

    def _call(self, function: str, argument: Any) -> Any:
        match function:
            case "GetAtt":
                name, attribute = argument if isinstance(argument, list) else argument.split(".", 1)
                return self._attribute(name, attribute)
            case "Sub":
                return self._substituted(argument)
            case "If":
                return self.value(argument[1] if self.condition(argument[0]) else argument[2])
            case "GetAZs":
                return list(ZONES)
        value = self.value(argument)
        match function:
            case "Join":
                return value[0].join(str(part) for part in value[1])
            case "Select":
                return value[1][int(value[0])]
            case "Split":
                return value[1].split(value[0])
            case "Base64":
                return base64.b64encode(value.encode()).decode()
            case "FindInMap":
                return self._template["Mappings"][value[0]][value[1]][value[2]]
            case "Equals":
                return str(value[0]) == str(value[1])
            case "Not":
                return not value[0]
            case "And":
                return all(value)
            case "Or":
                return any(value)
            case "Contains":
                return value[1] in value[0]
        raise TemplateError(f"Template error: the emulator has no function Fn::{function}")

    def _substituted(self, argument: Any) -> str:
        text, names = argument if isinstance(argument, list) else (argument, {})

        def replace(match: re.Match[str]) -> str:
            name = match[1].strip()
            if name in names:
                return str(self.value(names[name]))
            return str(self._attribute(*name.split(".", 1)) if "." in name else self._ref(name))

        return _placeholder.sub(replace, text).replace("${!", "${")


def resolve_dynamic(value: Any, *, secret: Callable[[str], str], parameter: Callable[[str], str]) -> Any:
    """With the references to secrets and parameters resolved; what comes back goes to the service and nowhere else."""
    if isinstance(value, dict):
        return {key: resolve_dynamic(item, secret=secret, parameter=parameter) for key, item in value.items()}
    if isinstance(value, list):
        return [resolve_dynamic(item, secret=secret, parameter=parameter) for item in value]
    if not isinstance(value, str):
        return value

    def replace(match: re.Match[str]) -> str:
        if match[1] == "ssm":
            return parameter(match[2])
        found = _secret_reference.match(match[2])
        assert found is not None, match[2]
        text = secret(found["id"])
        return str(json.loads(text)[found["key"]]) if found["key"] else text

    return _dynamic.sub(replace, value)
