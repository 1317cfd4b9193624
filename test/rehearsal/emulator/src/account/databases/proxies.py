"""RDS proxies, as RDS describes them. The rehearsal puts a real pooler behind the endpoint of each.

RDS makes a proxy in minutes, and looks then whether it can read the password. Here it takes a moment, and
nobody looks at what the role of the proxy may do.
"""

import secrets
from collections.abc import Iterator
from typing import Any

from moto.rds.exceptions import RDSClientError

from account.databases.changes import pass_through
from account.databases.records import Databases, Record, endpoint_of
from account.names import arn

_default = "default"
"""The one group of targets that a proxy has."""


def create_proxy(values: Record) -> Record:
    name = values["DBProxyName"].lower()
    if name in Databases.proxies:
        raise RDSClientError("DBProxyAlreadyExistsFault", f"DBProxy {name} already exists.")
    kinds = {one.get("AuthScheme") for one in values["Auth"]}
    if values["EngineFamily"] != "POSTGRESQL" or kinds != {"SECRETS"}:
        raise RDSClientError(
            "InvalidParameterValue", "The emulator has proxies for PostgreSQL, with secrets."
        )
    proxy = {
        "DBProxyName": name,
        "DBProxyArn": arn("rds", f"db-proxy:prx-{secrets.token_hex(9)}"),
        "EngineFamily": values["EngineFamily"],
        "VpcSubnetIds": values["VpcSubnetIds"],
        "VpcSecurityGroupIds": values.get("VpcSecurityGroupIds", []),
        "Auth": values["Auth"],
        "RoleArn": values["RoleArn"],
        "Endpoint": endpoint_of(name, "proxy-"),
        "RequireTLS": values.get("RequireTLS", False),
    }
    Databases.proxies[name] = proxy
    Databases.target_groups[name] = {
        "DBProxyName": name,
        "TargetGroupName": _default,
        "TargetGroupArn": arn("rds", f"target-group:prx-tg-{secrets.token_hex(9)}"),
        "IsDefault": True,
        "Status": "available",
        "ConnectionPoolConfig": {"MaxConnectionsPercent": 100},
        "targets": [],
    }
    pass_through(proxy, "Status", "creating", lambda: None)
    return proxy


def delete_proxy(name: str) -> Record:
    proxy = Databases.proxy(name)
    del Databases.target_groups[name]
    return Databases.proxies.pop(name) | {"Status": "deleting", "Endpoint": proxy["Endpoint"]}


def target_group(name: str, group: str | None = None) -> Record:
    Databases.proxy(name)
    if group not in (None, _default):
        raise RDSClientError("DBProxyTargetGroupNotFoundFault", f"DBProxyTargetGroup {group} not found.")
    return Databases.target_groups[name]


def modify_target_group(values: Record) -> Record:
    found = target_group(values["DBProxyName"], values["TargetGroupName"])
    found["ConnectionPoolConfig"] |= values.get("ConnectionPoolConfig", {})
    return found


def register_targets(values: Record) -> list[Record]:
    """A proxy has one database, which must be an instance."""
    found = target_group(values["DBProxyName"], values.get("TargetGroupName"))
    named = [Databases.instance(identifier) for identifier in values.get("DBInstanceIdentifiers", [])]
    if len(named) != 1 or found["targets"]:
        raise RDSClientError("InvalidParameterValue", "The emulator has proxies before one instance each.")
    found["targets"] = [_target(instance) for instance in named]
    return targets(values["DBProxyName"])


def deregister_targets(values: Record) -> None:
    target_group(values["DBProxyName"], values.get("TargetGroupName"))["targets"] = []


def targets(name: str) -> list[Record]:
    found: list[Record] = target_group(name)["targets"]
    return found


def arns_of_proxy(name: str) -> Iterator[tuple[str, str]]:
    """Kind and ARN of a proxy and of its group of targets.

    Nothing before it is made: RDS chooses the ids.
    """
    if name in Databases.proxies:
        yield "proxy", Databases.proxies[name]["DBProxyArn"]
        yield "target-group", Databases.target_groups[name]["TargetGroupArn"]


def _target(instance: Record) -> dict[str, Any]:
    target: dict[str, Any] = {
        "RdsResourceId": instance["DBInstanceIdentifier"],
        "Type": "RDS_INSTANCE",
        "Port": instance["Endpoint"]["Port"],
        "Role": "READ_WRITE",
        "TargetHealth": {"Reason": "PENDING_PROXY_CAPACITY"},
    }
    pass_through(
        target["TargetHealth"],
        "State",
        "UNAVAILABLE",
        lambda: target["TargetHealth"].pop("Reason", None),
        "AVAILABLE",
    )
    return target
