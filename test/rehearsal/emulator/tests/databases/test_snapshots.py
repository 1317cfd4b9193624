"""What RDS refuses to do with snapshots."""

from typing import Any

from account.databases.changes import delete_instance
from account.databases.records import Databases
from account.databases.snapshots import create_snapshot, delete_snapshot, restore_instance
from tests.databases.conftest import Moments
from tests.databases.databases import SUBNET_GROUP, instance, refusal

_wanted: dict[str, Any] = {"DBInstanceIdentifier": "db-1", "DBSnapshotIdentifier": "kept"}


def _values(**values: Any) -> dict[str, Any]:
    return {
        "DBInstanceIdentifier": "db-2",
        "DBSnapshotIdentifier": "kept",
        "DBInstanceClass": "db.m6g.large",
        "Engine": "postgres",
        "StorageType": "io2",
        "Iops": 12000,
        "DBSubnetGroupName": SUBNET_GROUP,
    } | values


def test_an_unfinished_snapshot_cannot_be_restored_or_made_twice(moments: Moments) -> None:
    made, tags = instance(), [{"Key": "owner", "Value": "alice"}]
    assert create_snapshot(_wanted | {"Tags": tags})["Status"] == "creating"
    assert made["DBInstanceStatus"] == "backing-up"
    assert refusal(restore_instance, _values()) == "InvalidDBSnapshotState: The snapshot is creating."
    assert refusal(create_snapshot, _wanted).startswith("DBSnapshotAlreadyExists: ")
    moments.pass_by()
    assert (Databases.snapshot("kept")["Status"], made["DBInstanceStatus"]) == ("available", "available")
    assert Databases.snapshot("kept")["TagList"] == tags


def test_a_restored_instance_keeps_what_belongs_to_the_snapshot(moments: Moments) -> None:
    instance(StorageEncrypted=True)
    create_snapshot(_wanted)
    moments.pass_by()
    delete_instance("db-1", {"SkipFinalSnapshot": True})
    for field in ("DBName", "MasterUsername", "StorageEncrypted"):
        refused = refusal(restore_instance, _values(**{field: "other"}))
        assert refused == f"InvalidParameterCombination: {field} comes with the snapshot."
    assert refusal(restore_instance, _values(AllocatedStorage=100)) == (
        "InvalidParameterCombination: The storage is smaller than the snapshot's."
    )
    restored = restore_instance(_values())
    assert (restored["MasterUsername"], restored["StorageEncrypted"]) == ("bench", True)
    assert (restored["AllocatedStorage"], restored["EngineVersion"]) == (400, "17.9")
    assert (restored["DBInstanceStatus"], restored["StorageOperationStatus"]) == ("available", "Initializing")
    moments.pass_by()
    assert not {"StorageOperationStatus", "StorageOperationPercentProgress"} & restored.keys()
    delete_snapshot("kept")
    assert refusal(delete_snapshot, "kept") == "DBSnapshotNotFound: DBSnapshot kept not found."
