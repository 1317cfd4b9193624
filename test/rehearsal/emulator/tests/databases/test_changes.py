"""Changes, reboots, failovers and deletions of instances and clusters."""

import pytest

from account.databases.changes import (
    delete_cluster,
    delete_instance,
    fail_over_cluster,
    modify_instance,
    reboot_cluster,
    reboot_instance,
)
from account.databases.records import Databases, Record
from tests.databases.conftest import Moments
from tests.databases.databases import cluster, instance, last_categories, messages, refusal

_not_available = "InvalidDBInstanceState: Instance db-1 is not in available state."


def _writers(made: Record) -> list[str]:
    return [m["DBInstanceIdentifier"] for m in made["DBClusterMembers"] if m["IsClusterWriter"]]


def test_a_change_takes_a_moment_in_which_rds_refuses_others(moments: Moments) -> None:
    made = instance()
    modify_instance("db-1", {"BackupRetentionPeriod": 7, "ApplyImmediately": True})
    assert (made["DBInstanceStatus"], made["BackupRetentionPeriod"]) == ("modifying", 1)
    assert refusal(modify_instance, "db-1", {"Iops": 13_000}) == _not_available
    assert refusal(reboot_instance, "db-1", failover=False) == _not_available
    moments.pass_by()
    assert (made["DBInstanceStatus"], made["BackupRetentionPeriod"]) == ("available", 7)


def test_a_changed_volume_is_optimised_while_the_instance_is_available(moments: Moments) -> None:
    made = instance()
    modify_instance("db-1", {"Iops": 13_000, "ApplyImmediately": True})
    assert "StorageOperationStatus" not in made
    moments.pass_by()
    assert (made["DBInstanceStatus"], made["StorageOperationStatus"]) == ("available", "Optimizing")
    moments.pass_by()
    assert "StorageOperationStatus" not in made


def test_a_larger_volume_gets_the_higher_baseline(moments: Moments) -> None:
    made = instance(StorageType="gp2", AllocatedStorage=100, Iops=None)
    modify_instance("db-1", {"AllocatedStorage": 400, "StorageType": "gp3"})
    moments.pass_by()
    assert (made["Iops"], made["StorageThroughput"]) == (12_000, 500)
    assert messages("db-1")[-1] == "Finished applying modification to allocated storage"


def test_the_change_of_a_log_volume_is_pending_until_the_next_reboot(moments: Moments) -> None:
    made = instance()
    modify_instance("db-1", {"DedicatedLogVolume": False, "ApplyImmediately": True})
    assert made["DBInstanceStatus"] == "available"
    assert made["PendingModifiedValues"] == {}
    modify_instance("db-1", {"DedicatedLogVolume": True})
    moments.pass_by()
    assert made["DedicatedLogVolume"] is False
    assert made["PendingModifiedValues"] == {"DedicatedLogVolume": True}
    reboot_instance("db-1", failover=False)
    assert (made["DBInstanceStatus"], made["DedicatedLogVolume"]) == ("rebooting", False)
    moments.pass_by()
    assert (made["DBInstanceStatus"], made["DedicatedLogVolume"]) == ("available", True)
    assert made["PendingModifiedValues"] == {}
    assert (messages("db-1")[-1], last_categories("db-1")) == ("DB instance restarted", ["availability"])


def test_a_log_volume_for_general_purpose_storage_is_refused() -> None:
    made = instance(StorageType="gp3", Iops=None)
    assert refusal(modify_instance, "db-1", {"DedicatedLogVolume": True}) == (
        "InvalidParameterCombination: Dedicated log volumes are supported for io1 and io2 storage only."
    )
    assert made["DBInstanceStatus"] == "available"


@pytest.mark.parametrize(("name", "value"), [("EngineVersion", "18.3"), ("MultiAZ", True)])
def test_a_change_that_the_emulator_does_not_make_is_refused(name: str, value: object) -> None:
    made = instance()
    refused = refusal(modify_instance, "db-1", {"Iops": 13_000, name: value})
    assert refused == f"InvalidParameterValue: The emulator cannot change {name}"
    assert made["DBInstanceStatus"] == "available"


def test_only_a_reboot_with_failover_moves_the_primary(moments: Moments) -> None:
    made = instance(MultiAZ=True)
    before = made["AvailabilityZone"], made["SecondaryAvailabilityZone"]
    reboot_instance("db-1", failover=False)
    moments.pass_by()
    reboot_instance("db-1", failover=True)
    assert (made["AvailabilityZone"], made["SecondaryAvailabilityZone"]) == before
    moments.pass_by()
    assert (made["SecondaryAvailabilityZone"], made["AvailabilityZone"]) == before
    assert messages("db-1")[-3:] == [
        "Multi-AZ instance failover started.",
        "DB instance restarted",
        "Multi-AZ instance failover completed",
    ]
    assert last_categories("db-1") == ["failover"]


def test_a_failover_without_a_standby_is_refused() -> None:
    made = instance()
    assert "not configured for MultiAZ" in refusal(reboot_instance, "db-1", failover=True)
    assert made["DBInstanceStatus"] == "available"


def test_a_failover_makes_the_chosen_reader_the_writer(moments: Moments) -> None:
    made = cluster()
    fail_over_cluster("c", "c-instance-3")
    assert (made["Status"], _writers(made)) == ("failing-over", ["c-instance-1"])
    assert refusal(fail_over_cluster, "c", None).startswith("InvalidDBClusterStateFault: ")
    moments.pass_by()
    assert (made["Status"], _writers(made)) == ("available", ["c-instance-3"])
    assert messages("c")[-2:] == [
        "Started cross AZ failover to DB instance: c-instance-3",
        "Completed failover to DB instance: c-instance-3",
    ]
    assert last_categories("c") == ["failover"]
    restarted = [name for name in Databases.instances if "DB instance restarted" in messages(name)]
    assert restarted == ["c-instance-1", "c-instance-3"]
    fail_over_cluster("c", None)
    moments.pass_by()
    assert _writers(made) == ["c-instance-1"]


@pytest.mark.parametrize("target", ["c-instance-1", "other"])
def test_a_failover_to_the_writer_or_to_another_database_is_refused(target: str) -> None:
    cluster()
    assert refusal(fail_over_cluster, "c", target) == (
        f"InvalidDBInstanceState: {target} is not a reader of the DB cluster c."
    )


def test_the_reboot_of_a_cluster_applies_the_parameters_on_every_member(moments: Moments) -> None:
    made = cluster()
    for member in made["DBClusterMembers"]:
        member["DBClusterParameterGroupStatus"] = "pending-reboot"
    reboot_cluster("c")
    assert made["Status"] == "rebooting"
    assert refusal(reboot_cluster, "c").startswith("InvalidDBClusterStateFault: ")
    moments.pass_by()
    assert {member["DBClusterParameterGroupStatus"] for member in made["DBClusterMembers"]} == {"in-sync"}
    assert [messages(name)[-1] for name in Databases.instances] == ["DB instance restarted"] * 3


def test_a_protected_instance_cannot_be_deleted() -> None:
    instance(DeletionProtection=True)
    assert "protected database" in refusal(delete_instance, "db-1", {"SkipFinalSnapshot": True})
    assert "db-1" in Databases.instances


def test_a_deletion_needs_a_final_snapshot_or_must_skip_it() -> None:
    instance()
    assert "FinalDBSnapshotIdentifier is required" in refusal(delete_instance, "db-1", {})
    delete_instance("db-1", {"FinalDBSnapshotIdentifier": "last"})
    assert Databases.snapshots["last"]["DBInstanceIdentifier"] == "db-1"


def test_a_member_can_be_deleted_only_with_its_cluster() -> None:
    cluster()
    refused = refusal(delete_instance, "c-instance-2", {"SkipFinalSnapshot": True})
    assert refused == "InvalidDBInstanceState: c-instance-2 is a member of a Multi-AZ DB cluster."
    delete_cluster("c", {"SkipFinalSnapshot": True})
    assert (Databases.clusters, Databases.instances) == ({}, {})
