"""What the inventory of an account shows. A scenario compares it before a deploy and after a destroy."""

from collections.abc import Callable
from typing import Any
from uuid import uuid4

import pytest
from moto.ec2.models import ec2_backends

from account.names import ACCOUNT, REGION
from tests.served import Served


@pytest.fixture(scope="module", autouse=True)
def few_images(served: Served) -> None:
    """Keeps only a few of moto's public images: describing the snapshots of all of them takes seconds."""
    del served
    snapshots = ec2_backends[ACCOUNT][REGION].snapshots
    for snapshot_id in list(snapshots)[3:]:
        del snapshots[snapshot_id]


@pytest.fixture
def shown(served: Served) -> Callable[[], set[str]]:
    """Returns the lines that the inventory did not have when the test began."""
    before = set(served.control("GET", "inventory"))

    def new() -> set[str]:
        return set(served.control("GET", "inventory")) - before

    return new


def test_the_inventory_leaves_out_what_every_account_has(served: Served) -> None:
    lines = served.control("GET", "inventory")
    ec2, iam = served.client("ec2"), served.client("iam")
    [default] = [vpc["VpcId"] for vpc in ec2.describe_vpcs()["Vpcs"] if vpc["IsDefault"]]
    assert f"ec2 vpc {default}" not in lines
    default_parts = [subnet["SubnetId"] for subnet in ec2.describe_subnets()["Subnets"]]
    assert default_parts
    assert not [line for line in lines if line.split()[-1] in default_parts]
    assert iam.list_policies(Scope="AWS", MaxItems=1)["Policies"]
    assert not [line for line in lines if line.startswith("iam policy")]
    assert ec2.describe_snapshots(OwnerIds=["self"])["Snapshots"]
    assert not [line for line in lines if line.startswith(("ec2 snapshot", "rds parameter-group default"))]
    assert "iam user rehearsal-admin" in lines
    assert lines == sorted(lines)


def test_the_inventory_shows_a_stack_and_its_resources_until_their_deletion(
    served: Served, shown: Callable[[], set[str]], stack: str
) -> None:
    resources: dict[str, Any] = {
        "Vpc": {"Type": "AWS::EC2::VPC", "Properties": {"CidrBlock": "10.0.0.0/16"}},
        "Subnet": {
            "Type": "AWS::EC2::Subnet",
            "Properties": {"VpcId": {"Ref": "Vpc"}, "CidrBlock": "10.0.0.0/24"},
        },
        "Logs": {"Type": "AWS::Logs::LogGroup"},
        "Secret": {"Type": "AWS::SecretsManager::Secret", "Properties": {"SecretString": "a"}},
        "Parameter": {"Type": "AWS::SSM::Parameter", "Properties": {"Type": "String", "Value": "a"}},
        "Topic": {"Type": "AWS::SNS::Topic"},
    }
    assert served.deploy(stack, resources) == "CREATE_COMPLETE"
    ids = {resource: served.physical_id(stack, resource) for resource in resources}
    lines = shown()
    assert {
        f"cloudformation stack {served.described(stack)['StackId']}",
        f"ec2 vpc {ids['Vpc']}",
        f"ec2 subnet {ids['Subnet']}",
        f"logs log-group {ids['Logs']}",
        f"secretsmanager secret {ids['Secret']}",
        f"ssm parameter {ids['Parameter']}",
        f"sns topic {ids['Topic']}",
    } <= lines
    # EC2 made these together with the VPC.
    assert {" ".join(line.split()[:2]) for line in lines} >= {"ec2 route-table", "ec2 network-acl"}
    served.destroy(stack)
    assert shown() == set()


def test_the_inventory_shows_what_is_easily_overlooked(served: Served, shown: Callable[[], set[str]]) -> None:
    s3, secrets, bucket = served.client("s3"), served.client("secretsmanager"), f"bucket-{uuid4()}"
    s3.create_bucket(Bucket=bucket)
    s3.create_multipart_upload(Bucket=bucket, Key="unfinished")
    s3.put_bucket_versioning(Bucket=bucket, VersioningConfiguration={"Status": "Enabled"})
    s3.put_object(Bucket=bucket, Key="deleted", Body=b"a")
    s3.delete_object(Bucket=bucket, Key="deleted")
    secret = secrets.create_secret(Name=bucket, SecretString="a")["ARN"]
    secrets.delete_secret(SecretId=secret, RecoveryWindowInDays=7)
    assert shown() == {
        f"s3 bucket {bucket}",
        f"s3 object {bucket}/deleted",
        f"s3 upload {bucket}/unfinished",
        f"secretsmanager secret {secret}",
    }
