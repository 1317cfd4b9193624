"""The API of RDS, as its clients call it."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from account.databases.records import Databases
from account.databases.snapshots import create_snapshot
from tests.databases.conftest import Moments
from tests.databases.databases import cluster, instance
from tests.served import Served, refusal


@pytest.fixture
def rds(served: Served) -> Any:
    return served.client("rds")


@pytest.mark.usefixtures("moments")
def test_a_record_has_no_field_that_rds_does_not_show(rds: Any) -> None:
    made = instance(
        MultiAZ=True, StorageEncrypted=True, EnablePerformanceInsights=True, MonitoringRoleArn="arn:role"
    )
    of_cluster = cluster()
    snapshot = create_snapshot({"DBInstanceIdentifier": "db-1", "DBSnapshotIdentifier": "kept"})
    for shape, record in (
        ("DBInstance", made),
        ("DBInstance", Databases.instance("c-instance-1")),
        ("DBCluster", of_cluster),
        ("DBClusterMember", of_cluster["DBClusterMembers"][0]),
        ("DBSnapshot", snapshot),
    ):
        assert record.keys() - rds.meta.service_model.shape_for(shape).members.keys() == set()


def test_an_answer_has_the_operation_on_a_volume_while_it_is_in_progress(rds: Any, served: Served) -> None:
    instance()
    answers: list[str] = []

    def keep(response_dict: dict[str, Any], **_: Any) -> None:
        answers.append(response_dict["body"].decode())

    # The pinned botocore reads the answer without these fields.
    rds.meta.events.register_first("before-parse.rds.DescribeDBInstances", keep)
    fields = {"storage_operation_status": "Optimizing", "storage_operation_percent_progress": 40}
    for values in (fields, dict.fromkeys(fields)):
        served.control("POST", "database", {"identifier": "db-1", "set": values})
        rds.describe_db_instances()
    rds.meta.events.unregister("before-parse.rds.DescribeDBInstances", keep)
    assert "<StorageOperationStatus>Optimizing</StorageOperationStatus>" in answers[0]
    assert "<StorageOperationPercentProgress>40</StorageOperationPercentProgress>" in answers[0]
    assert "StorageOperation" not in answers[1]


def test_a_cluster_shows_a_change_after_a_moment(rds: Any, moments: Moments) -> None:
    made = cluster()
    changing = rds.modify_db_cluster(DBClusterIdentifier="c", BackupRetentionPeriod=7)["DBCluster"]
    assert (changing["Status"], changing["BackupRetentionPeriod"]) == ("modifying", 1)
    moments.pass_by()
    assert (made["Status"], made["BackupRetentionPeriod"]) == ("available", 7)


@pytest.mark.parametrize(
    ("call", "name", "code"),
    [
        ("describe_db_instances", "DBInstanceIdentifier", "DBInstanceNotFound"),
        ("reboot_db_instance", "DBInstanceIdentifier", "DBInstanceNotFound"),
        ("describe_db_clusters", "DBClusterIdentifier", "DBClusterNotFoundFault"),
        ("describe_db_snapshots", "DBSnapshotIdentifier", "DBSnapshotNotFound"),
    ],
)
def test_a_missing_database_is_refused_with_the_code_of_rds(
    rds: Any, call: str, name: str, code: str
) -> None:
    assert refusal(getattr(rds, call), **{name: "missing"})[0] == code


def test_events_are_those_of_the_last_hour_or_of_the_given_time(rds: Any) -> None:
    instance()
    Databases.events[0]["Date"] -= timedelta(minutes=90)
    messages = [event["Message"] for event in rds.describe_events()["Events"]]
    assert messages == ["Backing up DB instance", "Finished DB instance backup"]
    assert len(rds.describe_events(Duration=120)["Events"]) == 3
    begin = datetime.now(UTC) - timedelta(minutes=100)
    given = {"StartTime": begin, "EndTime": begin + timedelta(minutes=30)}
    assert [event["Message"] for event in rds.describe_events(**given)["Events"]] == ["DB instance created"]


def test_events_are_filtered_by_source_and_category(rds: Any) -> None:
    instance()
    cluster()
    of_cluster = rds.describe_events(SourceIdentifier="c", SourceType="db-cluster")["Events"]
    assert [event["Message"] for event in of_cluster] == ["DB cluster created"]
    backups = rds.describe_events(SourceType="db-instance", EventCategories=["backup"])["Events"]
    assert [event["SourceIdentifier"] for event in backups] == ["db-1", "db-1"]


def test_the_backups_of_a_cluster_are_filed_under_its_snapshots_and_restarts_under_its_members(
    rds: Any,
) -> None:
    made = cluster()
    [begun, ended] = rds.describe_events(SourceType="db-cluster-snapshot")["Events"]
    assert begun["SourceIdentifier"] == f"rds:c-{made['ClusterCreateTime']:%Y-%m-%d-%H-%M}"
    assert (begun["Message"], ended["Message"]) == (
        "Creating automated cluster snapshot",
        "Automated cluster snapshot created",
    )
    for misfiled in ("RDS-EVENT-0001", "RDS-EVENT-0006"):
        with pytest.raises(KeyError):
            Databases.add_event("c", misfiled)
