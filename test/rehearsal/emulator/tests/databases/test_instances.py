"""New instances, and which ones RDS refuses."""

from typing import Any

import pytest
from moto.rds.exceptions import DBInstanceNotFoundError, RDSClientError

from account.databases.records import Databases
from tests.databases.databases import instance, messages


def _refusal(**values: Any) -> str:
    with pytest.raises(RDSClientError) as refused:
        instance(**values)
    assert "db-1" not in Databases.instances
    return str(refused.value.message)


def test_an_instance_is_available_at_once_and_told_of() -> None:
    made = instance(DBInstanceIdentifier="DB-1")
    assert made["DBInstanceStatus"] == "available"
    assert Databases.instances == {"db-1": made}
    assert messages("db-1") == [
        "DB instance created",
        "Backing up DB instance",
        "Finished DB instance backup",
    ]


def test_without_backups_none_is_told_of() -> None:
    instance(BackupRetentionPeriod=0)
    assert messages("db-1") == ["DB instance created"]


def test_an_instance_is_found_by_its_name_in_any_case_and_by_its_arn() -> None:
    made = instance()
    for name in ("db-1", "DB-1", made["DBInstanceArn"]):
        assert Databases.instance(name) is made
    with pytest.raises(DBInstanceNotFoundError):
        Databases.instance("db-2")


def test_endpoints_and_resource_ids_are_different_ones() -> None:
    first, second = instance(), instance(DBInstanceIdentifier="db-2")
    assert first["Endpoint"]["Address"].startswith("db-1.")
    assert first["Endpoint"]["Address"].endswith(".us-east-1.rds.amazonaws.com")
    assert first["Endpoint"]["Port"] == 5432
    assert first["DbiResourceId"] != second["DbiResourceId"]


def test_a_name_is_taken_once() -> None:
    instance()
    with pytest.raises(RDSClientError, match="already exists") as refused:
        instance(DBInstanceIdentifier="DB-1")
    assert refused.value.code == "DBInstanceAlreadyExists"


def test_the_zone_is_the_one_that_was_asked_for_else_the_first() -> None:
    assert instance()["AvailabilityZone"] == "us-east-1a"
    chosen = instance(DBInstanceIdentifier="db-2", AvailabilityZone="us-east-1b")
    assert chosen["AvailabilityZone"] == "us-east-1b"


def test_the_primary_of_a_multi_az_instance_is_not_where_the_driver_is() -> None:
    made = instance(MultiAZ=True)
    assert (made["AvailabilityZone"], made["SecondaryAvailabilityZone"]) == ("us-east-1b", "us-east-1a")
    assert "SecondaryAvailabilityZone" not in instance(DBInstanceIdentifier="db-2")


def test_rds_chooses_the_zone_of_a_multi_az_instance() -> None:
    assert "not valid for Multi-AZ" in _refusal(MultiAZ=True, AvailabilityZone="us-east-1a")


@pytest.mark.parametrize("kind", ["io1", "io2"])
def test_a_log_volume_goes_with_provisioned_storage(kind: str) -> None:
    assert instance(StorageType=kind, DedicatedLogVolume=True)["DedicatedLogVolume"] is True


def test_a_log_volume_goes_with_no_other_storage() -> None:
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
def test_iops_fit_the_size_of_the_storage(kind: str, gib: int, iops: int, good: bool) -> None:
    values = {"StorageType": kind, "AllocatedStorage": gib, "Iops": iops}
    if good:
        assert instance(**values)["Iops"] == iops
    else:
        assert _refusal(**values).startswith("The IOPS to GiB ratio needs to be between 0.5 and")


@pytest.mark.parametrize(
    ("engine", "version"),
    [
        ("postgres", "17.8"),
        ("postgres", "17"),
        ("postgres", "14.20"),
        ("postgres", "99.1"),
        ("mysql", "17.9"),
    ],
)
def test_versions_that_cannot_be_created_any_more_are_refused(engine: str, version: str) -> None:
    assert _refusal(Engine=engine, EngineVersion=version) == f"Cannot find version {version} for {engine}"


@pytest.mark.parametrize("password", ["short", "with/slash", "with space", 'with"quote', "at@sign12", None])
def test_passwords_that_rds_does_not_take_are_refused(password: str | None) -> None:
    assert "MasterUserPassword" in _refusal(MasterUserPassword=password)


def test_a_parameter_group_has_to_be_there() -> None:
    assert _refusal(DBParameterGroupName="missing") == "DBParameterGroup not found: missing"
    [group] = instance()["DBParameterGroups"]
    assert group["DBParameterGroupName"] == "default.postgres17"


@pytest.mark.parametrize(
    ("values", "iops", "throughput"),
    [
        ({"StorageType": "gp3", "AllocatedStorage": 399, "Iops": None}, 3000, 125),
        ({"StorageType": "gp3", "AllocatedStorage": 400, "Iops": None}, 12_000, 500),
        (
            {"StorageType": "gp3", "AllocatedStorage": 400, "Iops": 16_000, "StorageThroughput": 700},
            16_000,
            700,
        ),
        ({"StorageType": "io2", "Iops": 12_000}, 12_000, 0),
        ({"StorageType": "gp2", "Iops": None}, None, 0),
    ],
)
def test_storage_has_the_baseline_of_its_kind_and_size(
    values: dict[str, Any], iops: int | None, throughput: int
) -> None:
    made = instance(**values)
    assert (made.get("Iops"), made["StorageThroughput"]) == (iops, throughput)


def test_what_observes_an_instance_is_told_where_it_was_asked_for() -> None:
    plain = instance()
    assert plain["PerformanceInsightsEnabled"] is False
    assert "PerformanceInsightsRetentionPeriod" not in plain
    role = "arn:aws:iam::123456789012:role/monitoring"
    watched = instance(
        DBInstanceIdentifier="db-2",
        EnablePerformanceInsights=True,
        MonitoringInterval=1,
        MonitoringRoleArn=role,
    )
    assert watched["PerformanceInsightsRetentionPeriod"] == 7
    assert (watched["MonitoringInterval"], watched["MonitoringRoleArn"]) == (1, role)


def test_encryption_names_a_key() -> None:
    assert instance(StorageEncrypted=True)["KmsKeyId"].startswith("arn:aws:kms:")
    assert "KmsKeyId" not in instance(DBInstanceIdentifier="db-2")
