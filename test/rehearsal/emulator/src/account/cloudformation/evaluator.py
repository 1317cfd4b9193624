"""The functions of templates, and references to what is in other services."""

import base64
import json
import re
from collections.abc import Callable
from typing import Any

from account.cloudformation.template import PLACEHOLDER, TemplateError
from account.names import ACCOUNT, PARTITION, REGION

ZONES = [f"{REGION}{letter}" for letter in "abc"]

_dynamic = re.compile(r"\{\{resolve:(ssm|secretsmanager):([^}]+)\}\}")
_secret_reference = re.compile(
    r"(?P<id>arn:[^:]+:secretsmanager:[^:]+:[^:]+:secret:[^:]+|[^:]+)(?::SecretString)?(?::(?P<key>[^:]*))?"
)

# Functions that need only their argument, evaluated.
_functions: dict[str, Callable[[Any], Any]] = {
    "And": all,
    "Base64": lambda text: base64.b64encode(text.encode()).decode(),
    "Contains": lambda value: value[1] in value[0],
    "Equals": lambda value: str(value[0]) == str(value[1]),
    "Join": lambda value: value[0].join(str(part) for part in value[1]),
    "Not": lambda value: not value[0],
    "Or": any,
    "Select": lambda value: value[1][int(value[0])],
    "Split": lambda value: value[1].split(value[0]),
}

_nothing = object()
"""Value of AWS::NoValue; it is removed from lists and objects."""


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
            case "FindInMap":
                map_name, first, second = self.value(argument)
                return self._template["Mappings"][map_name][first][second]
        if function not in _functions:
            raise TemplateError(f"Template error: the emulator has no function Fn::{function}")
        return _functions[function](self.value(argument))

    def _substituted(self, argument: Any) -> str:
        text, names = argument if isinstance(argument, list) else (argument, {})

        def replace(match: re.Match[str]) -> str:
            name = match[1].strip()
            if name in names:
                return str(self.value(names[name]))
            return str(self._attribute(*name.split(".", 1)) if "." in name else self._ref(name))

        return PLACEHOLDER.sub(replace, text).replace("${!", "${")


def resolve_dynamic(value: Any, *, secret: Callable[[str], str], parameter: Callable[[str], str]) -> Any:
    """The value with references to secrets and parameters resolved. Only the service may see it."""
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
        if found is None:
            raise TemplateError(f"Incorrect format is used in the following dynamic reference: {match[0]}")
        text = secret(found["id"])
        return str(json.loads(text)[found["key"]]) if found["key"] else text

    return _dynamic.sub(replace, value)
