"""The resources that a request is about.

They follow IAM's service authorization reference, for the actions that are used here. For any other action
the resource is ``*``: it is refused if it is permitted only for some resources.
"""

from collections.abc import Callable

from moto.secretsmanager.models import secretsmanager_backends

from account.cloudformation.stacks import Stacks
from account.databases.proxies import arns_of_proxy
from account.gate.api_request import ApiRequest
from account.names import ACCOUNT, PARTITION, REGION, arn


def resources_of(request: ApiRequest) -> list[str]:
    """ARNs of the resources. The action must be allowed for all of them."""
    find = _finders.get(request.service)
    return (find(request) if find else None) or ["*"]


def also_asked_for(request: ApiRequest, action: str, resources: list[str]) -> list[tuple[str, str]]:
    """Actions that an action depends on, each with its resource.

    https://docs.aws.amazon.com/service-authorization/latest/reference/list_amazonrds.html
    https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/using-iam-servicerole.html
    """
    if request.service == "cloudformation" and request.values.get("RoleARN"):
        return [("iam:PassRole", str(request.values["RoleARN"]))]
    if action != "rds:RebootDBCluster":
        return []
    clusters = [resource.split(":")[-1] for resource in resources]
    return [("rds:RebootDBInstance", arn("rds", f"db:{cluster}-instance-1")) for cluster in clusters]


def _cloudformation(request: ApiRequest) -> list[str]:
    name = request.values.get("StackName")
    if not name:
        # A change set is reached by its own ARN, and belongs to the stack that it names.
        return []
    stack = Stacks.find(str(name))
    if stack is not None:
        return [stack.id]
    return [str(name) if str(name).startswith("arn:") else arn("cloudformation", f"stack/{name}/*")]


def _iam(request: ApiRequest) -> list[str]:
    for parameter, kind in (
        ("RoleName", "role"),
        ("UserName", "user"),
        ("InstanceProfileName", "instance-profile"),
    ):
        if parameter in request.values:
            return [f"arn:{PARTITION}:iam::{ACCOUNT}:{kind}/{request.values[parameter]}"]
    return []


_rds_kinds = {
    "DBInstanceIdentifier": "db",
    "TargetDBInstanceIdentifier": "db",
    "DBClusterIdentifier": "cluster",
    "DBSnapshotIdentifier": "snapshot",
    "DBParameterGroupName": "pg",
    "DBClusterParameterGroupName": "cluster-pg",
    "DBSubnetGroupName": "subgrp",
}
_of_target_groups = {"DescribeDBProxyTargets"}
_rds_lists = {"DescribeDBInstances": "db", "DescribeDBClusters": "cluster", "DescribeDBSnapshots": "snapshot"}


def _rds(request: ApiRequest) -> list[str]:
    if request.operation == "DescribeEvents":
        return []
    if "DBProxyName" in request.values:
        named_too = ("proxy", "target-group") if request.operation in _of_target_groups else ("proxy",)
        return [
            found for kind, found in arns_of_proxy(str(request.values["DBProxyName"])) if kind in named_too
        ]
    named = [(kind, request.values[name]) for name, kind in _rds_kinds.items() if name in request.values]
    if not named and request.operation in _rds_lists:
        named = [(_rds_lists[request.operation], "*")]
    return [
        str(name) if str(name).startswith("arn:") else arn("rds", f"{kind}:{name}") for kind, name in named
    ]


def _logs(request: ApiRequest) -> list[str]:
    group, stream = request.values.get("logGroupName"), request.values.get("logStreamName")
    if not group:
        return []
    named = f"log-group:{group}"
    return [arn("logs", f"{named}:log-stream:{stream}" if stream else f"{named}:*")]


def _pi(request: ApiRequest) -> list[str]:
    identifier = request.values.get("Identifier")
    return [arn("pi", f"metrics/rds/{identifier}")] if identifier else []


def _secretsmanager(request: ApiRequest) -> list[str]:
    name = request.values.get("SecretId")
    if not name:
        return []
    secret = secretsmanager_backends[ACCOUNT][REGION].secrets.get(name)
    return [secret.arn if secret else str(name)]


def _sns(request: ApiRequest) -> list[str]:
    return [str(request.values["TopicArn"])] if "TopicArn" in request.values else []


def _ssm(request: ApiRequest) -> list[str]:
    names = request.values.get("Names", [request.values.get("Name")])
    return [
        name if name.startswith("arn:") else arn("ssm", f"parameter/{name.lstrip('/')}")
        for name in names
        if name
    ]


def _sts(request: ApiRequest) -> list[str]:
    return [str(request.values["RoleArn"])] if "RoleArn" in request.values else []


def _states(request: ApiRequest) -> list[str]:
    named = request.values.get("stateMachineArn") or request.values.get("executionArn")
    return [str(named)] if named else []


_finders: dict[str, Callable[[ApiRequest], list[str]]] = {
    "cloudformation": _cloudformation,
    "iam": _iam,
    "logs": _logs,
    "pi": _pi,
    "rds": _rds,
    "secretsmanager": _secretsmanager,
    "sns": _sns,
    "ssm": _ssm,
    "states": _states,
    "sts": _sts,
}
