"""Snapshots that are made, shown, restored and deleted."""

from typing import Any

import pytest
from botocore.exceptions import ClientError

from account.databases import changes
from account.databases.records import Databases
from tests.databases.conftest import Moments
from tests.databases.databases import SUBNET_GROUP, instance
from tests.served import Served


@pytest.fixture
def rds(served: Served) -> Any:
    return served.client("rds")


def _restore(rds: Any, **values: Any) -> Any:
    wanted = {
        "DBInstanceIdentifier": "db-2",
        "DBSnapshotIdentifier": "kept",
        "DBInstanceClass": "db.m6g.large",
        "Engine": "postgres",
        "StorageType": "io2",
        "Iops": 12000,
        "DBSubnetGroupName": SUBNET_GROUP,
    }
    return rds.restore_db_instance_from_db_snapshot(**wanted | values)["DBInstance"]


def _make(rds: Any, **tags: str) -> Any:
    named = {"DBInstanceIdentifier": "db-1", "DBSnapshotIdentifier": "kept"}
    return rds.create_db_snapshot(**named, Tags=[{"Key": k, "Value": v} for k, v in tags.items()])[
        "DBSnapshot"
    ]


def test_a_snapshot_is_made_while_its_instance_is_backed_up(rds: Any, moments: Moments) -> None:
    made = instance()
    assert _make(rds, owner="alice")["Status"] == "creating"
    assert made["DBInstanceStatus"] == "backing-up"
    with pytest.raises(ClientError, match="InvalidDBSnapshotState"):
        _restore(rds)
    with pytest.raises(ClientError, match="DBSnapshotAlreadyExists"):
        _make(rds)
    moments.pass_by()
    [shown] = rds.describe_db_snapshots(DBSnapshotIdentifier="kept")["DBSnapshots"]
    assert (shown["Status"], shown["PercentProgress"], shown["MasterUsername"]) == ("available", 100, "bench")
    assert shown["TagList"] == [{"Key": "owner", "Value": "alice"}]
    assert made["DBInstanceStatus"] == "available"


def test_a_snapshot_has_no_field_that_rds_does_not_show(rds: Any, moments: Moments) -> None:
    instance()
    _make(rds)
    shape = rds.meta.service_model.shape_for("DBSnapshot")
    assert Databases.snapshot("kept").keys() - shape.members.keys() == set()
    moments.pass_by()


def test_a_snapshot_outlives_its_instance_and_is_restored(rds: Any, moments: Moments) -> None:
    instance(StorageEncrypted=True)
    _make(rds)
    moments.pass_by()
    rds.delete_db_instance(DBInstanceIdentifier="db-1", SkipFinalSnapshot=True)
    restored = _restore(rds, DedicatedLogVolume=True)
    assert (restored["MasterUsername"], restored["StorageEncrypted"]) == ("bench", True)
    assert (restored["AllocatedStorage"], restored["DedicatedLogVolume"]) == (400, True)
    with pytest.raises(ClientError, match="smaller than the snapshot"):
        _restore(rds, DBInstanceIdentifier="db-3", AllocatedStorage=100)
    rds.delete_db_snapshot(DBSnapshotIdentifier="kept")
    with pytest.raises(ClientError, match="DBSnapshotNotFound"):
        rds.describe_db_snapshots(DBSnapshotIdentifier="kept")


def test_what_a_restore_does_not_take_is_set_afterwards(moments: Moments) -> None:
    made = instance()
    values = {"MonitoringInterval": 1, "EnablePerformanceInsights": True, "MonitoringRoleArn": "arn:role"}
    changes.modify_instance("db-1", values | {"MasterUserPassword": "new-password", "EngineVersion": "17.9"})
    moments.pass_by()
    assert (made["MonitoringInterval"], made["PerformanceInsightsEnabled"]) == (1, True)
    assert "MasterUserPassword" not in made
