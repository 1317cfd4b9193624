"""The driver and its databases, made and changed by a stack."""

from typing import Any

import pytest

from account.databases.records import Databases
from account.names import REGION
from tests.databases.databases import COMMON
from tests.machines.driver import any_image, running_driver
from tests.served import Served


def _database(identifier: str, policy: str = "Delete", **properties: Any) -> dict[str, Any]:
    own = {
        "DBInstanceIdentifier": identifier,
        "DBInstanceClass": "db.m6g.large",
        "DBSubnetGroupName": {"Ref": "Group"},
    }
    return {
        "Group": {
            "Type": "AWS::RDS::DBSubnetGroup",
            "Properties": {"DBSubnetGroupDescription": "of tests", "SubnetIds": {"Ref": "Subnets"}},
        },
        "Database": {
            "Type": "AWS::RDS::DBInstance",
            "DeletionPolicy": policy,
            "Properties": COMMON | own | properties,
        },
    }


@pytest.fixture
def subnets(served: Served) -> dict[str, Any]:
    """Parts of a template: a parameter with subnets of the default VPC."""
    found = served.client("ec2").describe_subnets()["Subnets"]
    ids = [one["SubnetId"] for one in found if one["AvailabilityZone"] in (f"{REGION}a", f"{REGION}b")]
    return {"Parameters": {"Subnets": {"Type": "CommaDelimitedList", "Default": ",".join(ids)}}}


def test_a_parameter_group_has_the_values_of_the_template(served: Served, stack: str) -> None:
    properties = {"Family": "postgres17", "Description": "of tests", "Parameters": {"max_wal_size": 4096}}
    served.deploy(stack, {"Group": {"Type": "AWS::RDS::DBParameterGroup", "Properties": properties}})
    group = served.physical_id(stack, "Group")
    parameters = served.client("rds").describe_db_parameters(DBParameterGroupName=group)["Parameters"]
    values = {one["ParameterName"]: one.get("ParameterValue") for one in parameters}
    assert values["max_wal_size"] == "4096"


def test_the_stack_waits_for_a_change_that_no_measurement_notices(
    served: Served, stack: str, subnets: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("account.databases.changes._moment_seconds", 0.2)
    served.deploy(stack, _database("changed", BackupRetentionPeriod=1), **subnets)
    changed = _database("changed", BackupRetentionPeriod=3)
    assert served.deploy(stack, changed, kind="UPDATE", **subnets) == "UPDATE_COMPLETE"
    made = Databases.instance("changed")
    assert (made["BackupRetentionPeriod"], made["DBInstanceStatus"]) == (3, "available")


def test_a_change_that_would_disturb_measurements_is_refused(
    served: Served, stack: str, subnets: dict[str, Any]
) -> None:
    served.deploy(stack, _database("fixed"), **subnets)
    status = served.deploy(stack, _database("fixed", Iops=20_000), kind="UPDATE", **subnets)
    assert status == "UPDATE_ROLLBACK_COMPLETE"
    assert Databases.instance("fixed")["Iops"] == 12_000


def test_a_database_with_the_policy_snapshot_leaves_a_snapshot(
    served: Served, stack: str, subnets: dict[str, Any]
) -> None:
    served.deploy(stack, _database("kept", policy="Snapshot"), **subnets)
    served.deploy(stack, {"Group": _database("kept")["Group"]}, kind="UPDATE", **subnets)
    assert Databases.snapshots.pop("kept-snapshot")["DBInstanceIdentifier"] == "kept"


def test_the_volumes_of_an_instance_get_its_tags_if_the_template_says_so(served: Served, stack: str) -> None:
    tag = {"Key": "owner", "Value": "alice"}
    with running_driver(served) as driver:
        properties = {
            "AvailabilityZone": f"{REGION}a",
            "IamInstanceProfile": driver.role,
            "ImageId": any_image(),
            "PropagateTagsToVolumeOnCreation": True,
            "Tags": [tag],
            "UserData": {"Fn::Base64": "#!/bin/sh\n"},
        }
        served.deploy(stack, {"Driver": {"Type": "AWS::EC2::Instance", "Properties": properties}})
        ec2, instance_id = served.client("ec2"), served.physical_id(stack, "Driver")
        [described] = ec2.describe_instances(InstanceIds=[instance_id])["Reservations"][0]["Instances"]
        volumes = [one["Ebs"]["VolumeId"] for one in described["BlockDeviceMappings"]]
        assert volumes
        for volume in ec2.describe_volumes(VolumeIds=volumes)["Volumes"]:
            assert tag in volume["Tags"]
        served.destroy(stack)
