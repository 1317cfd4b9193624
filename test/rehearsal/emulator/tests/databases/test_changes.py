"""Instances over time: changes, reboots, failovers, deletion."""

from typing import Any

import pytest
from moto.rds.exceptions import RDSClientError

from account.databases.changes import delete_instance, modify_instance, reboot_instance
from account.databases.records import Databases
from tests.databases.conftest import Moments
from tests.databases.databases import categories, instance, messages
from tests.served import eventually


def _refusal(change: Any, *arguments: Any, **named: Any) -> str:
    with pytest.raises(RDSClientError) as refused:
        change(*arguments, **named)
    return str(refused.value.message)


def test_a_change_takes_a_moment_in_which_nothing_has_changed_yet(moments: Moments) -> None:
    made = instance()
    modify_instance("db-1", {"BackupRetentionPeriod": 7, "ApplyImmediately": True})
    assert (made["DBInstanceStatus"], made["BackupRetentionPeriod"]) == ("modifying", 1)
    moments.pass_by()
    assert (made["DBInstanceStatus"], made["BackupRetentionPeriod"]) == ("available", 7)
    assert messages("db-1")[-1] == "Finished applying modifications to DB instance"


def test_in_that_moment_nothing_else_is_taken(moments: Moments) -> None:
    instance()
    modify_instance("db-1", {"BackupRetentionPeriod": 7})
    assert "not in available state" in _refusal(modify_instance, "db-1", {"Iops": 13_000})
    assert "not in available state" in _refusal(reboot_instance, "db-1", failover=False)
    moments.pass_by()
    reboot_instance("db-1", failover=False)


def test_a_bigger_volume_has_a_higher_baseline_after_the_change(moments: Moments) -> None:
    made = instance(StorageType="gp2", AllocatedStorage=100, Iops=None)
    modify_instance("db-1", {"AllocatedStorage": 400, "StorageType": "gp3"})
    moments.pass_by()
    assert (made["Iops"], made["StorageThroughput"]) == (12_000, 500)


def test_a_log_volume_comes_with_the_next_reboot_and_is_pending_until_then(moments: Moments) -> None:
    made = instance()
    modify_instance("db-1", {"DedicatedLogVolume": True})
    moments.pass_by()
    assert made["DedicatedLogVolume"] is False
    assert made["PendingModifiedValues"] == {"DedicatedLogVolume": True}
    reboot_instance("db-1", failover=False)
    assert (made["DBInstanceStatus"], made["DedicatedLogVolume"]) == ("rebooting", False)
    moments.pass_by()
    assert (made["DBInstanceStatus"], made["DedicatedLogVolume"]) == ("available", True)
    assert made["PendingModifiedValues"] == {}


def test_a_log_volume_that_is_there_already_is_no_change(moments: Moments) -> None:
    made = instance(DedicatedLogVolume=True)
    modify_instance("db-1", {"DedicatedLogVolume": True})
    moments.pass_by()
    assert made["PendingModifiedValues"] == {}


def test_a_log_volume_is_not_given_to_other_storage(moments: Moments) -> None:
    made = instance(StorageType="gp3", Iops=None)
    assert "io1 and io2" in _refusal(modify_instance, "db-1", {"DedicatedLogVolume": True})
    assert made["DBInstanceStatus"] == "available"
    modify_instance("db-1", {"DedicatedLogVolume": False})
    moments.pass_by()


def test_a_change_that_the_emulator_does_not_make_is_refused() -> None:
    made = instance()
    refusal = _refusal(modify_instance, "db-1", {"EngineVersion": "18.3", "Iops": 13_000})
    assert refusal == "The emulator cannot change EngineVersion"
    assert made["DBInstanceStatus"] == "available"


def test_a_reboot_takes_a_moment_and_is_told_at_its_end(moments: Moments) -> None:
    instance()
    reboot_instance("db-1", failover=False)
    assert "DB instance restarted" not in messages("db-1")
    moments.pass_by()
    assert messages("db-1")[-1] == "DB instance restarted"
    assert categories("db-1") == ["availability"]


def test_a_reboot_brings_the_parameters_into_force(moments: Moments) -> None:
    made = instance()
    made["DBParameterGroups"][0]["ParameterApplyStatus"] = "pending-reboot"
    reboot_instance("db-1", failover=False)
    moments.pass_by()
    assert made["DBParameterGroups"][0]["ParameterApplyStatus"] == "in-sync"


def test_a_failover_lets_primary_and_standby_change_places(moments: Moments) -> None:
    made = instance(MultiAZ=True)
    before = made["AvailabilityZone"], made["SecondaryAvailabilityZone"]
    reboot_instance("db-1", failover=True)
    assert (made["AvailabilityZone"], made["SecondaryAvailabilityZone"]) == before
    moments.pass_by()
    assert (made["SecondaryAvailabilityZone"], made["AvailabilityZone"]) == before
    assert messages("db-1")[-3:] == [
        "Multi-AZ instance failover started.",
        "DB instance restarted",
        "Multi-AZ instance failover completed",
    ]
    assert categories("db-1") == ["failover"]


def test_a_reboot_without_failover_leaves_the_primary_where_it_is(moments: Moments) -> None:
    made = instance(MultiAZ=True)
    before = made["AvailabilityZone"]
    reboot_instance("db-1", failover=False)
    moments.pass_by()
    assert made["AvailabilityZone"] == before


def test_without_a_standby_there_is_no_failover() -> None:
    made = instance()
    assert "not configured for MultiAZ" in _refusal(reboot_instance, "db-1", failover=True)
    assert made["DBInstanceStatus"] == "available"


def test_a_deleted_instance_is_gone() -> None:
    instance()
    assert delete_instance("db-1", {"SkipFinalSnapshot": True})["DBInstanceStatus"] == "deleting"
    assert Databases.instances == {}
    assert Databases.snapshots == {}


def test_a_protected_instance_is_not_deleted() -> None:
    instance(DeletionProtection=True)
    assert "protected database" in _refusal(delete_instance, "db-1", {"SkipFinalSnapshot": True})
    assert "db-1" in Databases.instances


def test_a_deletion_says_what_becomes_of_the_data() -> None:
    instance()
    assert "FinalDBSnapshotIdentifier is required" in _refusal(delete_instance, "db-1", {})
    delete_instance("db-1", {"FinalDBSnapshotIdentifier": "last"})
    assert Databases.snapshots["last"]["DBInstanceIdentifier"] == "db-1"


def test_moments_pass_by_themselves(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("account.databases.changes._moment_seconds", 0.01)
    made = instance()
    reboot_instance("db-1", failover=False)
    eventually(lambda: True if made["DBInstanceStatus"] == "available" else None)
