"""New instances and Multi-AZ clusters, and what RDS refuses.

RDS itself chooses the zone of a Multi-AZ primary and of a cluster's writer. This emulator takes the second
zone of the subnet group. The driver is in the first zone, so in every rehearsal it must bring the primary to
its zone.
"""

import re
from datetime import UTC, datetime
from typing import Any

from moto.rds.exceptions import RDSClientError
from moto.rds.models import rds_backends

from account.databases.changes import pass_through
from account.databases.records import (
    HOSTED_ZONE,
    Databases,
    Record,
    described_groups,
    endpoint_of,
    observation_of,
    resource_id,
    storage_of,
)
from account.names import ACCOUNT, REGION, arn

_oldest_minors = {15: 17, 16: 13, 17: 9, 18: 3}
"""The oldest minor version of each major that could be created on 2026-11-21."""

_cluster_classes = {
    *("c6gd", "m5d", "m6gd", "m6id", "m6idn", "m8gd"),
    *("r5d", "r6gd", "r6id", "r6idn", "r8gd", "x2iedn"),
}
"""Families with local NVMe storage. Multi-AZ clusters may have only these."""

_zones_of_cluster = 3

_iops_per_gib = {"io1": (0.5, 50.0), "io2": (0.5, 1000.0)}


def create_instance(values: Record, *, restored: bool = False) -> Record:
    """A restored instance has the password of its snapshot, so the request has none."""
    identifier = values["DBInstanceIdentifier"].lower()
    if identifier in Databases.instances:
        raise RDSClientError("DBInstanceAlreadyExists", "DB instance already exists")
    if identifier in Databases.without_capacity:
        raise RDSClientError(
            "InsufficientDBInstanceCapacity",
            "The specified DB instance class isn't available in the specified Availability Zone.",
        )
    _check(values, with_password=not restored)
    multi_az = values.get("MultiAZ", False)
    if multi_az and "AvailabilityZone" in values:
        raise _combination("Requesting a specific availability zone is not valid for Multi-AZ instances.")
    log_volume = values.get("DedicatedLogVolume", False)
    if log_volume and values.get("StorageType") not in ("io1", "io2"):
        raise _combination("Dedicated log volumes are supported for io1 and io2 storage only.")
    zones = _zones(values)
    instance = _instance(identifier, values) | {
        "AvailabilityZone": zones[1] if multi_az else values.get("AvailabilityZone", zones[0]),
        **({"SecondaryAvailabilityZone": zones[0]} if multi_az else {}),
        "MultiAZ": multi_az,
        "DedicatedLogVolume": log_volume,
        **storage_of(values),
        "DBParameterGroups": [
            {"DBParameterGroupName": _parameter_group(values), "ParameterApplyStatus": "in-sync"}
        ],
    }
    Databases.instances[identifier] = instance
    later = Databases.later_statuses.get(identifier)
    if later is not None:
        pass_through(instance, "DBInstanceStatus", "creating", lambda: None, later)
        return instance
    Databases.add_event(identifier, "RDS-EVENT-0005")
    if instance["BackupRetentionPeriod"] > 0:
        Databases.add_event(identifier, "RDS-EVENT-0001")
        Databases.add_event(identifier, "RDS-EVENT-0002")
    return instance


def create_cluster(values: Record) -> Record:
    identifier = values["DBClusterIdentifier"].lower()
    if identifier in Databases.clusters:
        raise RDSClientError("DBClusterAlreadyExistsFault", "DB Cluster already exists")
    _check(values, with_password=True)
    zones = _zones(values)
    if len(zones) < _zones_of_cluster:
        raise RDSClientError(
            "DBSubnetGroupDoesNotCoverEnoughAZs",
            "The DB subnet group doesn't meet Availability Zone coverage: 3 are needed.",
        )
    family = values["DBClusterInstanceClass"].split(".")[1]
    if family not in _cluster_classes:
        raise _combination(
            f"The DB instance class {values['DBClusterInstanceClass']} isn't valid for Multi-AZ DB clusters."
        )
    names = [f"{identifier}-instance-{number}" for number in (1, 2, 3)]
    for name, zone in zip(names, [zones[1], zones[0], zones[2]], strict=True):
        Databases.instances[name] = _member(name, identifier, values) | {"AvailabilityZone": zone}
        Databases.add_event(name, "RDS-EVENT-0005")
    cluster = _cluster(identifier, values) | {
        "AvailabilityZones": sorted(zones),
        "DBClusterMembers": [
            {
                "DBInstanceIdentifier": name,
                "IsClusterWriter": name == names[0],
                "DBClusterParameterGroupStatus": "in-sync",
                "PromotionTier": 1,
            }
            for name in names
        ],
    }
    Databases.clusters[identifier] = cluster
    Databases.add_event(identifier, "RDS-EVENT-0170")
    if cluster["BackupRetentionPeriod"] > 0:
        Databases.add_event(identifier, "RDS-EVENT-0168")
        Databases.add_event(identifier, "RDS-EVENT-0169")
    return cluster


def _instance(identifier: str, values: Record) -> Record:
    return {
        "DBInstanceIdentifier": identifier,
        "DBInstanceArn": arn("rds", f"db:{identifier}"),
        "DbiResourceId": resource_id("db"),
        "DBInstanceClass": values["DBInstanceClass"],
        "DBInstanceStatus": "available",
        "DBName": values.get("DBName"),
        "MasterUsername": values.get("MasterUsername"),
        "Endpoint": {
            "Address": endpoint_of(identifier),
            "Port": values.get("Port", 5432),
            "HostedZoneId": HOSTED_ZONE,
        },
        "InstanceCreateTime": datetime.now(UTC),
        "ReadReplicaDBInstanceIdentifiers": [],
        "PendingModifiedValues": {},
        **_common(values),
        **observation_of(values),
    }


def _member(name: str, cluster: str, values: Record) -> Record:
    """One of the three instances that RDS makes for a Multi-AZ cluster."""
    member = {
        **values,
        "DBInstanceClass": values["DBClusterInstanceClass"],
        "DBName": values.get("DatabaseName"),
    }
    return _instance(name, member) | {
        "DBClusterIdentifier": cluster,
        "MultiAZ": False,
        "DedicatedLogVolume": False,
        **storage_of(values),
        "DBParameterGroups": [
            {
                "DBParameterGroupName": f"default.postgres{values['EngineVersion'].split('.')[0]}",
                "ParameterApplyStatus": "in-sync",
            }
        ],
    }


def _cluster(identifier: str, values: Record) -> Record:
    return {
        "DBClusterIdentifier": identifier,
        "DBClusterArn": arn("rds", f"cluster:{identifier}"),
        "DbClusterResourceId": resource_id("cluster"),
        "DBClusterInstanceClass": values["DBClusterInstanceClass"],
        "Status": "available",
        "DatabaseName": values.get("DatabaseName"),
        "MasterUsername": values.get("MasterUsername"),
        "Endpoint": endpoint_of(identifier, "cluster-"),
        "ReaderEndpoint": endpoint_of(identifier, "cluster-ro-"),
        "HostedZoneId": HOSTED_ZONE,
        "Port": values.get("Port", 5432),
        "MultiAZ": True,
        "EngineMode": "provisioned",
        "ClusterCreateTime": datetime.now(UTC),
        "DBClusterParameterGroup": values.get("DBClusterParameterGroupName", "default.postgres"),
        **_common(values),
        "DBSubnetGroup": values["DBSubnetGroupName"],
        **storage_of(values),
        **observation_of(values),
    }


def _common(values: Record) -> Record:
    return {
        "Engine": values["Engine"],
        "EngineVersion": values["EngineVersion"],
        "VpcSecurityGroups": described_groups(values),
        "DBSubnetGroup": _subnet_group(values),
        "PreferredBackupWindow": values.get("PreferredBackupWindow", "03:00-03:30"),
        "PreferredMaintenanceWindow": values.get("PreferredMaintenanceWindow", "sun:05:00-sun:05:30"),
        "BackupRetentionPeriod": values.get("BackupRetentionPeriod", 1),
        "AutoMinorVersionUpgrade": values.get("AutoMinorVersionUpgrade", True),
        "PubliclyAccessible": values.get("PubliclyAccessible", False),
        "CopyTagsToSnapshot": values.get("CopyTagsToSnapshot", False),
        "DeletionProtection": values.get("DeletionProtection", False),
        "IAMDatabaseAuthenticationEnabled": False,
        "NetworkType": "IPV4",
        "TagList": values.get("Tags", []),
    }


def _check(values: Record, *, with_password: bool) -> None:
    major, _, minor = values["EngineVersion"].partition(".")
    oldest = _oldest_minors.get(int(major))
    if values["Engine"] != "postgres" or oldest is None or not minor or int(minor) < oldest:
        raise _combination(f"Cannot find version {values['EngineVersion']} for {values['Engine']}")
    low, high = _iops_per_gib.get(values.get("StorageType", ""), (0.0, float("inf")))
    ratio = values.get("Iops", low * values["AllocatedStorage"]) / values["AllocatedStorage"]
    if not low <= ratio <= high:
        raise _combination(f"The IOPS to GiB ratio needs to be between {low} and {high}")
    if with_password and not re.fullmatch(r"[^/@\"\s]{8,128}", values.get("MasterUserPassword", "")):
        raise RDSClientError(
            "InvalidParameterValue", "The parameter MasterUserPassword is not a valid password."
        )


def _combination(message: str) -> RDSClientError:
    return RDSClientError("InvalidParameterCombination", message)


def _parameter_group(values: Record) -> str:
    name = values.get("DBParameterGroupName", f"default.postgres{values['EngineVersion'].split('.')[0]}")
    if not name.startswith("default.") and name not in rds_backends[ACCOUNT][REGION].db_parameter_groups:
        raise RDSClientError("DBParameterGroupNotFound", f"DBParameterGroup not found: {name}")
    return str(name)


def _subnet_group(values: Record) -> Any:
    """The subnet group of moto, which shows it as RDS does."""
    return rds_backends[ACCOUNT][REGION].describe_db_subnet_groups(values["DBSubnetGroupName"])[0]


def _zones(values: Record) -> list[str]:
    group = _subnet_group(values)
    return sorted({subnet["SubnetAvailabilityZone"]["Name"] for subnet in group.subnets})
