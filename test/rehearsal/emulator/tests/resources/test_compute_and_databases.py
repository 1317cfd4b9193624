"""The driver and its databases, made and changed by a stack."""

import base64
from typing import Any

import pytest

from account.databases.records import Databases
from account.names import REGION
from tests.machines.driver import any_image
from tests.served import Served


def _database(identifier: str, policy: str = "Delete", **properties: Any) -> dict[str, Any]:
    return {
        "Group": {
            "Type": "AWS::RDS::DBSubnetGroup",
            "Properties": {
                "DBSubnetGroupDescription": "of tests",
                "SubnetIds": {"Ref": "Subnets"},
            },
        },
        "Parameters": {
            "Type": "AWS::RDS::DBParameterGroup",
            "Properties": {
                "Family": "postgres17",
                "Description": "of tests",
                "Parameters": {"max_wal_size": 4096},
            },
        },
        "Database": {
            "Type": "AWS::RDS::DBInstance",
            "DeletionPolicy": policy,
            "Properties": {
                "DBInstanceIdentifier": identifier,
                "DBInstanceClass": "db.m6g.large",
                "Engine": "postgres",
                "EngineVersion": "17.9",
                "AllocatedStorage": "400",
                "StorageType": "io2",
                "Iops": 12_000,
                "DedicatedLogVolume": True,
                "MasterUsername": "bench",
                "MasterUserPassword": "not-a-secret",
                "DBSubnetGroupName": {"Ref": "Group"},
                "DBParameterGroupName": {"Ref": "Parameters"},
                "VPCSecurityGroups": ["sg-1"],
                "DeleteAutomatedBackups": True,
                **properties,
            },
        },
    }


@pytest.fixture
def subnets(served: Served) -> dict[str, Any]:
    """Parts of a template: a parameter with subnets of the default VPC."""
    found = served.client("ec2").describe_subnets()["Subnets"]
    ids = [one["SubnetId"] for one in found if one["AvailabilityZone"] in (f"{REGION}a", f"{REGION}b")]
    return {"Parameters": {"Subnets": {"Type": "CommaDelimitedList", "Default": ",".join(ids)}}}


def test_a_database_is_made_with_its_groups(served: Served, stack: str, subnets: dict[str, Any]) -> None:
    address = {"Address": {"Value": {"Fn::GetAtt": ["Database", "Endpoint.Address"]}}}
    status = served.deploy(stack, _database("made"), Outputs=address, **subnets)
    assert status == "CREATE_COMPLETE"
    made = Databases.instance("made")
    assert made["AllocatedStorage"] == 400
    assert made["VpcSecurityGroups"] == [{"VpcSecurityGroupId": "sg-1", "Status": "active"}]
    assert served.described(stack)["Outputs"][0]["OutputValue"] == made["Endpoint"]["Address"]
    group = served.physical_id(stack, "Parameters")
    parameters = served.client("rds").describe_db_parameters(DBParameterGroupName=group)["Parameters"]
    values = {one["ParameterName"]: one.get("ParameterValue") for one in parameters}
    assert values["max_wal_size"] == "4096"


def test_what_measures_nothing_is_changed_in_place_and_waited_for(
    served: Served, stack: str, subnets: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("account.databases.changes._moment_seconds", 0.2)
    served.deploy(stack, _database("changed", BackupRetentionPeriod=1), **subnets)
    changed = _database("changed", BackupRetentionPeriod=3)
    assert served.deploy(stack, changed, kind="UPDATE", **subnets) == "UPDATE_COMPLETE"
    made = Databases.instance("changed")
    assert (made["BackupRetentionPeriod"], made["DBInstanceStatus"]) == (3, "available")


def test_what_would_touch_a_measurement_is_not_changed(
    served: Served, stack: str, subnets: dict[str, Any]
) -> None:
    served.deploy(stack, _database("fixed"), **subnets)
    status = served.deploy(stack, _database("fixed", Iops=20_000), kind="UPDATE", **subnets)
    assert status == "UPDATE_ROLLBACK_COMPLETE"
    assert Databases.instance("fixed")["Iops"] == 12_000


def test_a_snapshot_is_left_of_a_database_whose_policy_says_so(
    served: Served, stack: str, subnets: dict[str, Any]
) -> None:
    served.deploy(stack, _database("kept", policy="Snapshot"), **subnets)
    served.deploy(stack, {"Group": _database("kept")["Group"]}, kind="UPDATE", **subnets)
    assert Databases.snapshots.pop("kept-snapshot")["DBInstanceIdentifier"] == "kept"


def test_an_instance_gets_its_image_from_the_parameter_of_its_launch_template(
    served: Served, stack: str
) -> None:
    image = any_image()
    served.client("ssm").put_parameter(Name="/of-tests/image", Value=image, Type="String")
    subnet = served.client("ec2").describe_subnets()["Subnets"][0]["SubnetId"]
    trust = {"Effect": "Allow", "Action": "sts:AssumeRole", "Principal": {"Service": "ec2.amazonaws.com"}}
    resources: dict[str, Any] = {
        "Role": {
            "Type": "AWS::IAM::Role",
            "Properties": {"AssumeRolePolicyDocument": {"Version": "2012-10-17", "Statement": [trust]}},
        },
        "Profile": {"Type": "AWS::IAM::InstanceProfile", "Properties": {"Roles": [{"Ref": "Role"}]}},
        "Template": {
            "Type": "AWS::EC2::LaunchTemplate",
            "Properties": {"LaunchTemplateData": {"ImageId": "resolve:ssm:/of-tests/image"}},
        },
        "Driver": {
            "Type": "AWS::EC2::Instance",
            "Properties": {
                "AvailabilityZone": f"{REGION}a",
                "IamInstanceProfile": {"Ref": "Profile"},
                "InstanceType": "c7i.large",
                "LaunchTemplate": {
                    "LaunchTemplateId": {"Ref": "Template"},
                    "Version": {"Fn::GetAtt": ["Template", "LatestVersionNumber"]},
                },
                "NetworkInterfaces": [{"DeviceIndex": "0", "SubnetId": subnet}],
                "PropagateTagsToVolumeOnCreation": True,
                "Tags": [{"Key": "owner", "Value": "alice"}],
                "UserData": {"Fn::Base64": "#!/bin/sh\n"},
            },
        },
    }
    assert served.deploy(stack, resources) == "CREATE_COMPLETE"
    ec2, instance_id = served.client("ec2"), served.physical_id(stack, "Driver")
    [described] = ec2.describe_instances(InstanceIds=[instance_id])["Reservations"][0]["Instances"]
    assert described["ImageId"] == image
    user_data = ec2.describe_instance_attribute(InstanceId=instance_id, Attribute="userData")["UserData"]
    assert base64.b64decode(user_data["Value"]) == b"#!/bin/sh\n"
    volumes = [one["Ebs"]["VolumeId"] for one in described["BlockDeviceMappings"]]
    for volume in ec2.describe_volumes(VolumeIds=volumes)["Volumes"]:
        assert {"Key": "owner", "Value": "alice"} in volume["Tags"]
    interfaces = [one["NetworkInterfaceId"] for one in described["NetworkInterfaces"]]
    served.deploy(stack, {"Role": resources["Role"]}, kind="UPDATE")
    left = ec2.describe_network_interfaces()["NetworkInterfaces"]
    assert not [one for one in left if one["NetworkInterfaceId"] in interfaces]
