#!/usr/bin/env python3
"""Checks CloudFormation templates with Guard and AWS's rules for S3, EC2, RDS and IAM.

The rules are those of the AWS Guard Rules Registry. Engine and rules come from two packages of PyPI.
Prints one JSON object, {"findings": [{"rule", "type", "id"}]}; a finding about no single resource has the
type "template". Exits with 127, as a shell does, if the packages are not installed.

    guard.py TEMPLATE...
"""

import json
import sys
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

try:
    from guardpycfn import validate_with_guard

    # Not imported: the package's own dependencies are a server's, and only its rules are needed.
    package = distribution("awslabs.aws-iac-mcp-server")
except (ImportError, PackageNotFoundError):
    sys.exit(127)

# What selects resources for a rule: a resource that is not selected has not failed.
SELECTING = {"Filter", "RuleCondition", "WhenCheck"}


def main(files: list[str]) -> None:
    path = package.locate_file("awslabs/aws_iac_mcp_server/data/default_guard_rules.guard")
    rules = Path(str(path)).read_text(encoding="utf-8")
    findings = [finding for file in files for finding in check(Path(file), rules)]
    sys.stdout.write(json.dumps({"findings": findings}))


def check(file: Path, rules: str) -> Iterator[dict[str, str]]:
    template = joined(json.loads(file.read_text(encoding="utf-8")))
    outcome = validate_with_guard(json.dumps(template), rules, verbose=True)
    if not outcome["success"]:
        sys.exit(f"{file}: Guard could not check it")
    for node in outcome["result"]["children"]:
        rule = node["container"]["RuleCheck"]
        if rule["status"] == "FAIL":
            for id_ in sorted(failed_resources(node)) or [""]:
                type_ = template["Resources"][id_]["Type"] if id_ else "template"
                yield {"rule": rule["name"], "type": type_, "id": id_}


def joined(value):
    """The value with one string for each Fn::Join. Rules look for dynamic references in strings only."""
    if isinstance(value, list):
        return [joined(item) for item in value]
    if not isinstance(value, dict):
        return value
    if list(value) == ["Fn::Join"] and isinstance(value["Fn::Join"][1], list):
        separator, parts = value["Fn::Join"]
        return separator.join(part if isinstance(part, str) else "reference" for part in map(joined, parts))
    return {key: joined(item) for key, item in value.items()}


def failed_resources(node) -> set[str]:
    """Logical ids in the paths of all that failed below this node of Guard's record."""
    container = node["container"]
    if isinstance(container, dict):
        if SELECTING & container.keys():
            return set()
        if isinstance(container.get("ClauseValueCheck"), dict):
            prefix = "/Resources/"
            return {
                path.removeprefix(prefix).split("/")[0]
                for path in paths(container)
                if path.startswith(prefix)
            }
    return set().union(*(failed_resources(child) for child in node["children"]))


def paths(value) -> Iterator[str]:
    if isinstance(value, dict):
        if isinstance(value.get("path"), str):
            yield value["path"]
        for item in value.values():
            yield from paths(item)
    elif isinstance(value, list):
        for item in value:
            yield from paths(item)


main(sys.argv[1:])
