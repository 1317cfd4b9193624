"""Databases as a stack asks for them, in subnets of the account's default VPC."""

from typing import Any

from moto.ec2.models import ec2_backends
from moto.rds.models import rds_backends

from account.databases.creation import create_cluster, create_instance
from account.databases.records import Databases, Record
from account.names import ACCOUNT, REGION

SUBNET_GROUP = "in-three-zones"
TWO_ZONES = "in-two-zones"


def make_subnet_groups() -> None:
    """Makes them once for all tests: no test changes them."""
    rds = rds_backends[ACCOUNT][REGION]
    subnets = {s.availability_zone: s for s in ec2_backends[ACCOUNT][REGION].get_default_subnets().values()}
    ordered = [subnets[f"{REGION}{letter}"] for letter in "abc"]
    for name, chosen in ((SUBNET_GROUP, ordered), (TWO_ZONES, ordered[:2])):
        rds.create_subnet_group(name, "of tests", chosen, [])


def instance(**values: Any) -> Record:
    """Makes an instance. A value of None leaves a property out: ``Iops=None`` gives no IOPS."""
    wanted = {
        "DBInstanceIdentifier": "db-1",
        "DBInstanceClass": "db.m6g.large",
        "Engine": "postgres",
        "EngineVersion": "17.9",
        "AllocatedStorage": 400,
        "StorageType": "io2",
        "Iops": 12000,
        "MasterUsername": "bench",
        "MasterUserPassword": "not-a-secret",
        "DBSubnetGroupName": SUBNET_GROUP,
    } | values
    return create_instance({key: value for key, value in wanted.items() if value is not None})


def cluster(**values: Any) -> Record:
    wanted = {
        "DBClusterIdentifier": "c",
        "DBClusterInstanceClass": "db.m6gd.large",
        "Engine": "postgres",
        "EngineVersion": "17.9",
        "AllocatedStorage": 400,
        "StorageType": "io2",
        "Iops": 12000,
        "MasterUsername": "bench",
        "MasterUserPassword": "not-a-secret",
        "DBSubnetGroupName": SUBNET_GROUP,
    } | values
    return create_cluster(wanted)


def categories(identifier: str) -> list[str]:
    """The categories of the last event of a database."""
    told: list[str] = [e for e in Databases.events if e["SourceIdentifier"] == identifier][-1][
        "EventCategories"
    ]
    return told


def messages(identifier: str) -> list[str]:
    """The messages of its events, oldest first."""
    return [event["Message"] for event in Databases.events if event["SourceIdentifier"] == identifier]
