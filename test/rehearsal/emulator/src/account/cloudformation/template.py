"""Templates: parsed, and their dependencies found."""

import json
import re
from collections.abc import Iterator
from typing import Any

import yaml

WAIT_CONDITION = "AWS::CloudFormation::WaitCondition"
PLACEHOLDER = re.compile(r"\$\{([^!][^}]*)\}")


class TemplateError(Exception):
    """A template error, in the words of CloudFormation."""


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
            yield from (name.split(".")[0] for name in PLACEHOLDER.findall(text) if name not in names)
            yield from _references(names)
        else:
            yield from _references(value)


def dependencies_of(resource: dict[str, Any]) -> set[str]:
    after = resource.get("DependsOn", [])
    return references_in(resource.get("Properties", {})) | set([after] if isinstance(after, str) else after)


def creation_order(resources: dict[str, dict[str, Any]]) -> list[str]:
    """The resources, each after everything that it depends on; otherwise in the order of the template.

    The real service makes independent resources at the same time. So wait conditions come as late as
    possible: only resources that depend on one wait for it.
    """
    left = sorted(resources, key=lambda name: resources[name]["Type"] == WAIT_CONDITION)
    order: list[str] = []
    while left:
        ready = next((name for name in left if dependencies_of(resources[name]).isdisjoint(left)), None)
        if ready is None:
            raise TemplateError(f"Circular dependency between resources: [{', '.join(left)}]")
        order.append(ready)
        left.remove(ready)
    return order
