"""Multi-AZ clusters: their members, and their failovers."""

from typing import Any

import pytest
from moto.rds.exceptions import RDSClientError

from account.databases.changes import (
    delete_cluster,
    delete_instance,
    fail_over_cluster,
    modify_cluster,
    reboot_cluster,
)
from account.databases.records import Databases, Record
from tests.databases.conftest import Moments
from tests.databases.databases import TWO_ZONES, categories, cluster, messages


def _refusal(change: Any, *arguments: Any, **named: Any) -> str:
    with pytest.raises(RDSClientError) as refused:
        change(*arguments, **named)
    return str(refused.value.message)


def _writers(made: Record) -> list[str]:
    return [m["DBInstanceIdentifier"] for m in made["DBClusterMembers"] if m["IsClusterWriter"]]


def test_a_cluster_has_a_writer_and_two_readers_in_three_zones() -> None:
    made = cluster()
    zones = {name: member["AvailabilityZone"] for name, member in Databases.instances.items()}
    # The driver is in the first zone, the writer is not.
    assert zones == {
        "c-instance-1": "us-east-1b",
        "c-instance-2": "us-east-1a",
        "c-instance-3": "us-east-1c",
    }
    assert _writers(made) == ["c-instance-1"]
    assert {member["DBClusterIdentifier"] for member in Databases.instances.values()} == {"c"}


def test_a_cluster_has_endpoints_of_its_own_for_writing_and_reading() -> None:
    made = cluster()
    assert made["Endpoint"].startswith("c.cluster-")
    assert made["ReaderEndpoint"].startswith("c.cluster-ro-")


def test_a_cluster_needs_three_zones_and_a_class_with_local_storage() -> None:
    assert "3 are needed" in _refusal(cluster, DBSubnetGroupName=TWO_ZONES)
    assert "db.m6g.large isn't valid" in _refusal(cluster, DBClusterInstanceClass="db.m6g.large")
    assert (Databases.clusters, Databases.instances) == ({}, {})


def test_a_failover_makes_the_chosen_reader_the_writer(moments: Moments) -> None:
    made = cluster()
    fail_over_cluster("c", "c-instance-3")
    assert (made["Status"], _writers(made)) == ("failing-over", ["c-instance-1"])
    moments.pass_by()
    assert (made["Status"], _writers(made)) == ("available", ["c-instance-3"])
    assert messages("c")[-2:] == [
        "Started cross AZ failover to DB instance: c-instance-3",
        "Completed failover to DB instance: c-instance-3",
    ]
    assert categories("c") == ["failover"]
    restarted = [name for name in Databases.instances if "DB instance restarted" in messages(name)]
    assert restarted == ["c-instance-1", "c-instance-3"]


def test_a_failover_without_a_target_goes_to_a_reader(moments: Moments) -> None:
    made = cluster()
    fail_over_cluster("c", None)
    moments.pass_by()
    assert _writers(made) == ["c-instance-2"]


def test_a_failover_goes_to_no_writer_and_no_stranger() -> None:
    cluster()
    for target in ("c-instance-1", "other"):
        assert f"{target} is not a reader" in _refusal(fail_over_cluster, "c", target)


def test_one_failover_at_a_time(moments: Moments) -> None:
    cluster()
    fail_over_cluster("c", None)
    assert "not in available state" in _refusal(fail_over_cluster, "c", None)
    moments.pass_by()
    fail_over_cluster("c", None)


def test_a_reboot_brings_the_parameters_into_force_on_every_member(moments: Moments) -> None:
    made = cluster()
    for member in made["DBClusterMembers"]:
        member["DBClusterParameterGroupStatus"] = "pending-reboot"
    reboot_cluster("c")
    assert made["Status"] == "rebooting"
    assert "not in available state" in _refusal(reboot_cluster, "c")
    moments.pass_by()
    assert {member["DBClusterParameterGroupStatus"] for member in made["DBClusterMembers"]} == {"in-sync"}
    assert messages("c")[-1] == "DB cluster restarted"


def test_a_change_of_a_cluster_takes_a_moment(moments: Moments) -> None:
    made = cluster()
    modify_cluster("c", {"BackupRetentionPeriod": 7})
    assert (made["Status"], made["BackupRetentionPeriod"]) == ("modifying", 1)
    moments.pass_by()
    assert (made["Status"], made["BackupRetentionPeriod"]) == ("available", 7)


def test_a_member_goes_with_its_cluster_only() -> None:
    cluster()
    refusal = _refusal(delete_instance, "c-instance-2", {"SkipFinalSnapshot": True})
    assert refusal == "c-instance-2 is a member of a Multi-AZ DB cluster."
    delete_cluster("c", {"SkipFinalSnapshot": True})
    assert (Databases.clusters, Databases.instances) == ({}, {})
