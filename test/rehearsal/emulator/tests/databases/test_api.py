"""The API of RDS, as its clients call it."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from botocore.exceptions import ClientError

from account.databases.records import Databases
from tests.databases.conftest import Moments
from tests.databases.databases import cluster, instance
from tests.served import Served


@pytest.fixture
def rds(served: Served) -> Any:
    return served.client("rds")


def test_an_instance_is_described_as_it_is_recorded(rds: Any) -> None:
    made = instance(DedicatedLogVolume=True)
    [described] = rds.describe_db_instances(DBInstanceIdentifier="db-1")["DBInstances"]
    assert described["DedicatedLogVolume"] is True
    assert described["Endpoint"] == made["Endpoint"]
    assert described["DBSubnetGroup"]["DBSubnetGroupName"] == made["DBSubnetGroup"].name
    assert described["DbiResourceId"] == made["DbiResourceId"]


def test_members_of_clusters_are_instances_too(rds: Any) -> None:
    instance()
    cluster()
    names = [one["DBInstanceIdentifier"] for one in rds.describe_db_instances()["DBInstances"]]
    assert names == ["db-1", "c-instance-1", "c-instance-2", "c-instance-3"]
    [described] = rds.describe_db_clusters(DBClusterIdentifier="c")["DBClusters"]
    assert len(described["DBClusterMembers"]) == 3


def test_a_record_has_no_field_that_rds_does_not_show(rds: Any) -> None:
    made = instance(
        MultiAZ=True, StorageEncrypted=True, EnablePerformanceInsights=True, MonitoringRoleArn="arn:role"
    )
    of_cluster = cluster()
    shape_for = rds.meta.service_model.shape_for
    for record in (made, Databases.instance("c-instance-1")):
        assert record.keys() - shape_for("DBInstance").members.keys() == set()
    assert of_cluster.keys() - shape_for("DBCluster").members.keys() == set()
    for member in of_cluster["DBClusterMembers"]:
        assert member.keys() - shape_for("DBClusterMember").members.keys() == set()


def test_an_instance_is_changed_rebooted_and_deleted(rds: Any, moments: Moments) -> None:
    made = instance(MultiAZ=True)
    zone, name = made["AvailabilityZone"], {"DBInstanceIdentifier": "db-1"}
    changing = rds.modify_db_instance(**name, DedicatedLogVolume=True, ApplyImmediately=True)["DBInstance"]
    assert changing["PendingModifiedValues"] == {"DedicatedLogVolume": True}
    moments.pass_by()
    assert rds.reboot_db_instance(**name)["DBInstance"]["DBInstanceStatus"] == "rebooting"
    moments.pass_by()
    assert (made["DedicatedLogVolume"], made["AvailabilityZone"]) == (True, zone)
    rds.reboot_db_instance(**name, ForceFailover=True)
    moments.pass_by()
    assert made["SecondaryAvailabilityZone"] == zone
    gone = rds.delete_db_instance(**name, FinalDBSnapshotIdentifier="last")["DBInstance"]
    assert gone["DBInstanceStatus"] == "deleting"
    [snapshot] = rds.describe_db_snapshots()["DBSnapshots"]
    assert (snapshot["DBSnapshotIdentifier"], snapshot["Status"]) == ("last", "available")
    assert rds.describe_db_instances()["DBInstances"] == []


def test_a_cluster_is_changed_failed_over_and_deleted(rds: Any, moments: Moments) -> None:
    made, name = cluster(), {"DBClusterIdentifier": "c"}
    assert rds.modify_db_cluster(**name, BackupRetentionPeriod=7)["DBCluster"]["Status"] == "modifying"
    moments.pass_by()
    assert made["BackupRetentionPeriod"] == 7
    target = {"TargetDBInstanceIdentifier": "c-instance-3"}
    assert rds.failover_db_cluster(**name, **target)["DBCluster"]["Status"] == "failing-over"
    moments.pass_by()
    assert [one["IsClusterWriter"] for one in made["DBClusterMembers"]] == [False, False, True]
    assert rds.delete_db_cluster(**name, SkipFinalSnapshot=True)["DBCluster"]["Status"] == "deleting"
    assert rds.describe_db_clusters()["DBClusters"] == []


@pytest.mark.parametrize(
    ("call", "code"),
    [
        (lambda rds: rds.describe_db_instances(DBInstanceIdentifier="db-2"), "DBInstanceNotFound"),
        (lambda rds: rds.describe_db_clusters(DBClusterIdentifier="d"), "DBClusterNotFoundFault"),
        (lambda rds: rds.reboot_db_instance(DBInstanceIdentifier="db-2"), "DBInstanceNotFound"),
    ],
)
def test_what_is_not_there_has_the_code_of_rds(rds: Any, call: Any, code: str) -> None:
    with pytest.raises(ClientError) as refused:
        call(rds)
    assert refused.value.response["Error"]["Code"] == code


def test_events_are_those_of_the_last_hour_else_of_the_time_asked_for(rds: Any) -> None:
    instance()
    Databases.events[0]["Date"] -= timedelta(minutes=90)
    messages = [event["Message"] for event in rds.describe_events()["Events"]]
    assert messages == ["Backing up DB instance", "Finished DB instance backup"]
    assert len(rds.describe_events(Duration=120)["Events"]) == 3
    begin = datetime.now(UTC) - timedelta(minutes=100)
    asked = {"StartTime": begin, "EndTime": begin + timedelta(minutes=30)}
    assert [event["Message"] for event in rds.describe_events(**asked)["Events"]] == ["DB instance created"]


def test_events_are_chosen_by_source_and_category(rds: Any) -> None:
    instance()
    cluster()
    of_cluster = rds.describe_events(SourceIdentifier="c", SourceType="db-cluster")["Events"]
    assert [event["Message"] for event in of_cluster] == ["DB cluster created"]
    backups = rds.describe_events(SourceType="db-instance", EventCategories=["backup"])["Events"]
    assert {event["SourceIdentifier"] for event in backups} == {"db-1"}
    assert len(backups) == 2
