"""New instances and clusters, and which ones RDS refuses."""

from typing import Any

import pytest

from account.databases.records import Databases
from tests.databases.conftest import Moments
from tests.databases.databases import TWO_ZONES, cluster, instance, messages, refusal


def _refusal(**values: Any) -> str:
    refused = refusal(instance, **values)
    assert Databases.instances == {}
    return refused


def test_the_events_of_a_new_instance_include_its_first_backup_if_it_has_backups() -> None:
    instance()
    instance(DBInstanceIdentifier="db-2", BackupRetentionPeriod=0)
    assert messages("db-1") == [
        "DB instance created",
        "Backing up DB instance",
        "Finished DB instance backup",
    ]
    assert messages("db-2") == ["DB instance created"]


def test_an_instance_is_found_by_its_name_in_any_case_and_by_its_arn() -> None:
    made = instance(DBInstanceIdentifier="DB-1")
    for name in ("db-1", "DB-1", made["DBInstanceArn"]):
        assert Databases.instance(name) is made


def test_endpoints_have_the_form_of_rds() -> None:
    first, second, third = instance(), instance(DBInstanceIdentifier="db-2"), cluster()
    domain = first["Endpoint"]["Address"].removeprefix("db-1.")
    assert domain.endswith(".us-east-1.rds.amazonaws.com")
    assert first["Endpoint"]["Port"] == 5432
    assert second["Endpoint"]["Address"] == f"db-2.{domain}"
    assert (third["Endpoint"], third["ReaderEndpoint"]) == (f"c.cluster-{domain}", f"c.cluster-ro-{domain}")
    assert len({first["DbiResourceId"], second["DbiResourceId"]}) == 2


def test_two_databases_cannot_have_the_same_name() -> None:
    instance()
    cluster()
    refused = refusal(instance, DBInstanceIdentifier="DB-1")
    assert refused == "DBInstanceAlreadyExists: DB instance already exists"
    refused = refusal(cluster, DBClusterIdentifier="C")
    assert refused == "DBClusterAlreadyExistsFault: DB Cluster already exists"


def test_only_a_multi_az_instance_shows_a_second_zone() -> None:
    made = instance(MultiAZ=True)
    # The driver is in the first zone, the primary is not.
    assert (made["AvailabilityZone"], made["SecondaryAvailabilityZone"]) == ("us-east-1b", "us-east-1a")
    single = instance(DBInstanceIdentifier="db-2")
    assert single["AvailabilityZone"] == "us-east-1a"
    assert "SecondaryAvailabilityZone" not in single


def test_the_zone_of_a_multi_az_instance_cannot_be_chosen() -> None:
    assert "not valid for Multi-AZ" in _refusal(MultiAZ=True, AvailabilityZone="us-east-1a")


def test_a_cluster_has_a_writer_and_two_readers_in_three_zones() -> None:
    made = cluster()
    zones = [Databases.instance(f"c-instance-{number}")["AvailabilityZone"] for number in (1, 2, 3)]
    # The driver is in the first zone, the writer is not.
    assert zones == ["us-east-1b", "us-east-1a", "us-east-1c"]
    assert [member["IsClusterWriter"] for member in made["DBClusterMembers"]] == [True, False, False]


def test_a_cluster_without_three_zones_or_local_storage_is_refused() -> None:
    refused = refusal(cluster, DBSubnetGroupName=TWO_ZONES)
    assert refused.startswith("DBSubnetGroupDoesNotCoverEnoughAZs: ")
    refused = refusal(cluster, DBClusterInstanceClass="db.m6g.large")
    assert refused.startswith("InvalidParameterCombination: The DB instance class db.m6g.large isn't valid")
    assert (Databases.clusters, Databases.instances) == ({}, {})


def test_a_log_volume_for_general_purpose_storage_is_refused() -> None:
    assert "io1 and io2 storage only" in _refusal(StorageType="gp3", Iops=None, DedicatedLogVolume=True)


@pytest.mark.parametrize(
    ("kind", "gib", "iops", "good"),
    [
        ("io2", 100, 100_000, True),
        ("io2", 100, 100_001, False),
        ("io2", 100, 49, False),
        ("io1", 100, 5000, True),
        ("io1", 100, 5001, False),
        ("gp3", 400, 12_000, True),
    ],
)
def test_the_iops_must_fit_the_size_of_the_storage(kind: str, gib: int, iops: int, good: bool) -> None:
    values = {"StorageType": kind, "AllocatedStorage": gib, "Iops": iops}
    if good:
        assert instance(**values)["Iops"] == iops
    else:
        assert "The IOPS to GiB ratio needs to be between 0.5 and" in _refusal(**values)


@pytest.mark.parametrize(
    "wanted", ["postgres 17.8", "postgres 17", "postgres 14.20", "postgres 99.1", "mysql 17.9"]
)
def test_a_version_that_rds_does_not_offer_is_refused(wanted: str) -> None:
    engine, version = wanted.split()
    refused = _refusal(Engine=engine, EngineVersion=version)
    assert refused == f"InvalidParameterCombination: Cannot find version {version} for {engine}"


@pytest.mark.parametrize("password", ["short", "with/slash", "with space", 'with"quote', "at@sign12", None])
def test_an_invalid_password_is_refused(password: str | None) -> None:
    assert _refusal(MasterUserPassword=password).startswith(
        "InvalidParameterValue: The parameter MasterUserPassword"
    )


def test_a_missing_parameter_group_is_refused() -> None:
    refused = _refusal(DBParameterGroupName="missing")
    assert refused == "DBParameterGroupNotFound: DBParameterGroup not found: missing"
    [group] = instance()["DBParameterGroups"]
    assert group["DBParameterGroupName"] == "default.postgres17"


@pytest.mark.parametrize(
    ("values", "iops", "throughput"),
    [
        ({"StorageType": "gp3", "AllocatedStorage": 399, "Iops": None}, 3000, 125),
        ({"StorageType": "gp3", "AllocatedStorage": 400, "Iops": None}, 12_000, 500),
        ({"StorageType": "gp3", "Iops": 16_000, "StorageThroughput": 700}, 16_000, 700),
        ({"StorageType": "io2", "Iops": 12_000}, 12_000, 0),
        ({"StorageType": "gp2", "Iops": None}, None, 0),
    ],
)
def test_storage_has_the_baseline_of_its_type_and_size(
    values: dict[str, Any], iops: int | None, throughput: int
) -> None:
    made = instance(**values)
    assert (made.get("Iops"), made["StorageThroughput"]) == (iops, throughput)


def test_some_fields_are_shown_only_if_the_feature_is_on() -> None:
    plain = instance()
    assert plain["PerformanceInsightsEnabled"] is False
    hidden = {"KmsKeyId", "MonitoringRoleArn", "PerformanceInsightsRetentionPeriod"}
    assert hidden.isdisjoint(plain)
    role = "arn:aws:iam::123456789012:role/monitoring"
    observed = instance(
        DBInstanceIdentifier="db-2",
        EnablePerformanceInsights=True,
        MonitoringInterval=1,
        MonitoringRoleArn=role,
        StorageEncrypted=True,
    )
    assert observed["PerformanceInsightsRetentionPeriod"] == 7
    assert (observed["MonitoringInterval"], observed["MonitoringRoleArn"]) == (1, role)
    assert observed["KmsKeyId"].startswith("arn:aws:kms:")


@pytest.mark.parametrize("status", ["insufficient-capacity", "creating"])
def test_an_instance_may_become_something_else_than_available(
    moments: Moments, monkeypatch: pytest.MonkeyPatch, status: str
) -> None:
    monkeypatch.setitem(Databases.later_statuses, "db-1", status)
    made = instance()
    assert (made["DBInstanceStatus"], messages("db-1")) == ("creating", [])
    moments.pass_by()
    assert made["DBInstanceStatus"] == status
