"""Makes, deletes and restores snapshots of instances. There are no snapshots of clusters."""

from datetime import UTC, datetime

from moto.rds.exceptions import RDSClientError

from account.databases.changes import available_instance, pass_through, work_on_storage
from account.databases.creation import create_instance
from account.databases.records import Databases, Record
from account.names import arn

_comes_with_the_snapshot = ("DBName", "MasterUsername", "StorageEncrypted")


def create_snapshot(values: Record) -> Record:
    """For a moment, the instance has the status backing-up, and the snapshot the status creating."""
    name = values["DBSnapshotIdentifier"].lower()
    if name in Databases.snapshots:
        raise RDSClientError("DBSnapshotAlreadyExists", f"Cannot create the snapshot because {name} exists.")
    instance = available_instance(values["DBInstanceIdentifier"])
    identifier = instance["DBInstanceIdentifier"]
    snapshot = {
        "DBSnapshotIdentifier": name,
        "DBSnapshotArn": arn("rds", f"snapshot:{name}"),
        "DBInstanceIdentifier": identifier,
        "DbiResourceId": instance["DbiResourceId"],
        "Engine": instance["Engine"],
        "EngineVersion": instance["EngineVersion"],
        "AllocatedStorage": instance["AllocatedStorage"],
        "StorageType": instance["StorageType"],
        "Encrypted": instance["StorageEncrypted"],
        "MasterUsername": instance["MasterUsername"],
        "Port": instance["Endpoint"]["Port"],
        "SnapshotType": "manual",
        "SnapshotCreateTime": datetime.now(UTC),
        "Status": "creating",
        "PercentProgress": 0,
        "TagList": values.get("Tags", []),
    }
    Databases.snapshots[name] = snapshot

    def finish() -> None:
        snapshot.update({"Status": "available", "PercentProgress": 100})
        Databases.add_event(identifier, "RDS-EVENT-0002")

    Databases.add_event(identifier, "RDS-EVENT-0001")
    pass_through(instance, "DBInstanceStatus", "backing-up", finish)
    return snapshot


def delete_snapshot(identifier: str) -> Record:
    snapshot = Databases.snapshot(identifier)
    return Databases.snapshots.pop(snapshot["DBSnapshotIdentifier"]) | {"Status": "deleted"}


def restore_instance(values: Record) -> Record:
    snapshot = Databases.snapshot(values["DBSnapshotIdentifier"])
    if snapshot["Status"] != "available":
        raise RDSClientError("InvalidDBSnapshotState", f"The snapshot is {snapshot['Status']}.")
    for name in _comes_with_the_snapshot:
        if name in values:
            raise RDSClientError("InvalidParameterCombination", f"{name} comes with the snapshot.")
    if values.get("AllocatedStorage", snapshot["AllocatedStorage"]) < snapshot["AllocatedStorage"]:
        raise RDSClientError("InvalidParameterCombination", "The storage is smaller than the snapshot's.")
    wanted = {key: value for key, value in values.items() if key != "DBSnapshotIdentifier"}
    restored = create_instance(
        {
            "AllocatedStorage": snapshot["AllocatedStorage"],
            "EngineVersion": snapshot["EngineVersion"],
            **wanted,
            "MasterUsername": snapshot["MasterUsername"],
            "StorageEncrypted": snapshot["Encrypted"],
        },
        restored=True,
    )
    work_on_storage(restored, "Initializing")
    return restored
