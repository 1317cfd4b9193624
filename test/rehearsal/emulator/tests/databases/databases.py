"""Databases such as a stack makes, in subnets of the account's default VPC."""

from collections.abc import Callable
from typing import Any

import pytest
from moto.ec2.models import ec2_backends
from moto.rds.exceptions import RDSClientError
from moto.rds.models import rds_backends

from account.databases.creation import create_cluster, create_instance
from account.databases.records import Databases, Record
from account.names import ACCOUNT, REGION

SUBNET_GROUP = "in-three-zones"
TWO_ZONES = "in-two-zones"
COMMON: Record = {
    "Engine": "postgres",
    "EngineVersion": "17.9",
    "AllocatedStorage": 400,
    "StorageType": "io2",
    "Iops": 12_000,
    "MasterUsername": "bench",
    "MasterUserPassword": "not-a-secret",
    "DBSubnetGroupName": SUBNET_GROUP,
}


def make_subnet_groups() -> None:
    """Makes the groups once for all tests: no test changes them."""
    rds = rds_backends[ACCOUNT][REGION]
    subnets = {s.availability_zone: s for s in ec2_backends[ACCOUNT][REGION].get_default_subnets().values()}
    ordered = [subnets[f"{REGION}{letter}"] for letter in "abc"]
    for name, chosen in ((SUBNET_GROUP, ordered), (TWO_ZONES, ordered[:2])):
        rds.create_subnet_group(name, "of tests", chosen, [])


def instance(**values: Any) -> Record:
    """Makes an instance. A value of None leaves out a property, such as ``Iops=None``."""
    named = {"DBInstanceIdentifier": "db-1", "DBInstanceClass": "db.m6g.large"}
    wanted = COMMON | named | values
    return create_instance({key: value for key, value in wanted.items() if value is not None})


def cluster(**values: Any) -> Record:
    named = {"DBClusterIdentifier": "c", "DBClusterInstanceClass": "db.m6gd.large"}
    return create_cluster(COMMON | named | values)


def refusal(change: Callable[..., Any], *arguments: Any, **named: Any) -> str:
    """:return: code and message with which RDS refuses a change, such as ``DBSnapshotNotFound: ...``"""
    with pytest.raises(RDSClientError) as refused:
        change(*arguments, **named)
    return f"{refused.value.code}: {refused.value.message}"


def messages(identifier: str) -> list[str]:
    """The messages of the events of a database, oldest first."""
    return [event["Message"] for event in Databases.events if event["SourceIdentifier"] == identifier]


def last_categories(identifier: str) -> list[str]:
    """The categories of the last event of a database."""
    last = [event for event in Databases.events if event["SourceIdentifier"] == identifier][-1]
    categories: list[str] = last["EventCategories"]
    return categories
