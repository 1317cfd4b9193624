"""Instances, clusters, snapshots and events, as RDS describes them."""

import secrets
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, ClassVar

from moto.rds.exceptions import DBClusterNotFoundError, DBInstanceNotFoundError, RDSClientError

from account.databases.events import ARN_KINDS, PUBLISHED
from account.names import REGION, arn

Record = dict[str, Any]

HOSTED_ZONE = "Z2R2ITUGPM61AM"
_account_part = secrets.token_hex(6)
"""The part that all endpoints of one account in one Region have in common."""


STORAGE_OPERATION = ("StorageOperationStatus", "StorageOperationPercentProgress")
"""Fields that an instance has only while RDS works on its volume."""

_large_gib = 400
"""From this size on, RDS stripes a gp3 volume over several volumes, with a higher baseline."""


class Databases:
    instances: ClassVar[dict[str, Record]] = {}
    clusters: ClassVar[dict[str, Record]] = {}
    snapshots: ClassVar[dict[str, Record]] = {}
    proxies: ClassVar[dict[str, Record]] = {}
    target_groups: ClassVar[dict[str, Record]] = {}
    """By proxy."""
    events: ClassVar[list[Record]] = []
    logs: ClassVar[dict[str, Path]] = {}
    """By instance. There is no log before the server of the instance has started."""
    without_capacity: ClassVar[set[str]] = set()
    """Instances for which the zone has no room."""
    later_statuses: ClassVar[dict[str, str]] = {}
    """What becomes of instances that are `creating`, if not `available`. `creating` stays so for ever."""

    @classmethod
    def instance(cls, identifier: str) -> Record:
        found = cls.instances.get(_plain(identifier))
        if found is None:
            raise DBInstanceNotFoundError(identifier)
        return found

    @classmethod
    def cluster(cls, identifier: str) -> Record:
        found = cls.clusters.get(_plain(identifier))
        if found is None:
            raise DBClusterNotFoundError(identifier)
        return found

    @classmethod
    def snapshot(cls, identifier: str) -> Record:
        found = cls.snapshots.get(_plain(identifier))
        if found is None:
            raise RDSClientError("DBSnapshotNotFound", f"DBSnapshot {identifier} not found.")
        return found

    @classmethod
    def proxy(cls, name: str) -> Record:
        found = cls.proxies.get(name)
        if found is None:
            raise RDSClientError("DBProxyNotFoundFault", f"DBProxy {name} not found.")
        return found

    @classmethod
    def add_event(cls, identifier: str, event_id: str, **values: object) -> None:
        """Adds an event that happens now. The source of one about a cluster's backup is the snapshot.

        :raises KeyError: if there is no such database of the type that RDS files the event under
        """
        source_type, category, message = PUBLISHED[event_id]
        database = (cls.instances if source_type == "db-instance" else cls.clusters)[identifier]
        source = automated_snapshot(database) if source_type == "db-cluster-snapshot" else identifier
        cls.events.append(
            {
                "SourceIdentifier": source,
                "SourceType": source_type,
                "Message": message.format(**values),
                "EventCategories": [category],
                "Date": datetime.now(UTC),
                "SourceArn": arn("rds", f"{ARN_KINDS[source_type]}:{source}"),
            }
        )


def automated_snapshot(cluster: Record) -> str:
    """The name of the first automated snapshot of a cluster, with the time of its creation."""
    return f"rds:{cluster['DBClusterIdentifier']}-{cluster['ClusterCreateTime']:%Y-%m-%d-%H-%M}"


def _plain(identifier: str) -> str:
    return identifier.rsplit(":", 1)[-1].lower()


def endpoint_of(identifier: str, mark: str = "") -> str:
    return f"{identifier}.{mark}{_account_part}.{REGION}.rds.amazonaws.com"


def resource_id(prefix: str) -> str:
    return f"{prefix}-{secrets.token_hex(13).upper()}"


def described_groups(values: Record) -> list[Record]:
    return [
        {"VpcSecurityGroupId": group, "Status": "active"} for group in values.get("VpcSecurityGroupIds", [])
    ]


def storage_of(values: Record) -> Record:
    """If no IOPS are requested, a gp3 volume has a baseline that depends on its size."""
    kind, gib = values.get("StorageType", "gp2"), values["AllocatedStorage"]
    large = gib >= _large_gib
    iops = values.get("Iops") or ({True: 12000, False: 3000}[large] if kind == "gp3" else None)
    throughput = values.get("StorageThroughput") or {True: 500, False: 125}[large]
    return {
        "AllocatedStorage": gib,
        "StorageType": kind,
        **({} if iops is None else {"Iops": iops}),
        "StorageThroughput": throughput if kind == "gp3" else 0,
        "StorageEncrypted": values.get("StorageEncrypted", False),
        **({"KmsKeyId": arn("kms", "key/aws-rds")} if values.get("StorageEncrypted") else {}),
    }


def observation_of(values: Record) -> Record:
    """Enhanced Monitoring, Performance Insights and exported logs."""
    insights = values.get("EnablePerformanceInsights", False)
    interval = values.get("MonitoringInterval", 0)
    return {
        "MonitoringInterval": interval,
        **({"MonitoringRoleArn": values["MonitoringRoleArn"]} if interval else {}),
        "PerformanceInsightsEnabled": insights,
        **(
            {"PerformanceInsightsRetentionPeriod": values.get("PerformanceInsightsRetentionPeriod", 7)}
            if insights
            else {}
        ),
        "DatabaseInsightsMode": values.get("DatabaseInsightsMode", "standard"),
        "EnabledCloudwatchLogsExports": values.get("EnableCloudwatchLogsExports", []),
    }
