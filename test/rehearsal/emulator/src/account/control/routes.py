"""What a rehearsal can look at or cause."""

import json
from dataclasses import asdict
from typing import Any

from botocore import xform_name

from account.clients import client
from account.cloudformation.holding import Held
from account.control.api import routes
from account.control.inventory import inventory
from account.control.passing import pass_time
from account.databases.logs import set_log
from account.databases.records import STORAGE_OPERATION, Databases, Record
from account.expiry.schedules import fire_all
from account.handlers.service_role import Calls, needless_statements
from account.machines.metadata import Credentials, role_of, running_instance


def open_routes() -> None:
    routes.update(
        {
            ("POST", "/credentials"): _set_credentials,
            ("POST", "/database"): _set_database,
            ("POST", "/event"): _add_event,
            ("POST", "/log"): set_log,
            ("GET", "/driver-policy"): _driver_policy,
            ("PUT", "/driver-policy"): _put_driver_policy,
            ("POST", "/fire-schedules"): lambda _: fire_all(),
            ("POST", "/hold"): lambda body: Held.hold(body["logicalId"]),
            ("POST", "/release"): lambda body: Held.release(body["stackName"], body["logicalId"]),
            ("POST", "/later-status"): _set_later_status,
            ("POST", "/no-capacity"): lambda body: Databases.without_capacity.add(body["identifier"]),
            ("POST", "/pass-time"): lambda body: pass_time(body["minutes"]),
            ("GET", "/inventory"): lambda _: inventory(),
            ("GET", "/handler-calls"): lambda _: [asdict(call) for call in Calls.all],
            ("POST", "/needless-statements"): lambda body: list(needless_statements(body["role"])),
        }
    )


def _set_later_status(body: Record) -> None:
    """Takes `{"identifier", "status"}`: what a new instance becomes after a moment in which it is `creating`.

    A status such as `insufficient-capacity`; `creating` if it stays so.
    Source: https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/accessing-monitoring.html
    """
    Databases.later_statuses[body["identifier"]] = body["status"]


def _set_credentials(body: Record) -> None:
    """Takes `{"lifetimeSeconds"}`: the lifetime of the credentials that the driver gets from now on."""
    Credentials.lifetime_seconds = body["lifetimeSeconds"]


def _set_database(body: Record) -> Record:
    """Takes `{"identifier", "set": {"dedicated_log_volume": false, "status": "modifying"}}`.

    Names are those of RDS in snake case; `status` is the status of an instance or of a cluster. A value of
    null removes a field that RDS does not always show.
    """
    database = _database(body["identifier"])
    names = {xform_name(key): key for key in (*database, *STORAGE_OPERATION)}
    names["status"] = "Status" if "Status" in database else "DBInstanceStatus"
    unknown = body["set"].keys() - names.keys()
    if unknown:
        raise KeyError(f"{', '.join(sorted(unknown))}: not among {', '.join(sorted(names))}")
    database.update({names[name]: value for name, value in body["set"].items()})
    for name in STORAGE_OPERATION:
        if database.get(name) is None:
            database.pop(name, None)
    return database


def _add_event(body: Record) -> None:
    """Takes `{"identifier", "id": "RDS-EVENT-0006"}`: adds an event now, filed as RDS files it."""
    Databases.add_event(body["identifier"], body["id"])


def _database(identifier: str) -> Record:
    """:raises KeyError: if there is none"""
    return {**Databases.instances, **Databases.clusters}[identifier]


def _driver_policy(_: Any) -> dict[str, Any]:
    """Its policies as one document."""
    role, policies = _driver_role_and_policies()
    documents = [
        client("iam").get_role_policy(RoleName=role, PolicyName=policy)["PolicyDocument"]
        for policy in policies
    ]
    statements = [statement for document in documents for statement in document["Statement"]]
    return {**documents[0], "Statement": statements}


def _put_driver_policy(document: dict[str, Any]) -> dict[str, Any]:
    """Puts one policy in the place of all."""
    role, (first, *others) = _driver_role_and_policies()
    client("iam").put_role_policy(RoleName=role, PolicyName=first, PolicyDocument=json.dumps(document))
    for policy in others:
        client("iam").delete_role_policy(RoleName=role, PolicyName=policy)
    return document


def _driver_role_and_policies() -> tuple[str, list[str]]:
    instance = running_instance()
    if instance is None:
        raise LookupError("no instance is running")
    role = role_of(instance).name
    return role, client("iam").list_role_policies(RoleName=role)["PolicyNames"]
