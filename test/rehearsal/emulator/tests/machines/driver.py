"""The one instance that the account has, with a role of its own."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple
from uuid import uuid4

from moto.ec2.models import ec2_backends

from account.names import ACCOUNT, REGION
from tests.served import Served


class Driver(NamedTuple):
    instance_id: str
    role: str
    policy: str


def any_image() -> str:
    """Asks moto itself: the API takes seconds to describe all images."""
    image: str = next(iter(ec2_backends[ACCOUNT][REGION].amis))
    return image


@contextmanager
def running_driver(served: Served, *, allowed: str = "s3:PutObject") -> Iterator[Driver]:
    """:param allowed: the only action that its role allows"""
    iam, ec2, name = served.client("iam"), served.client("ec2"), f"driver-{uuid4()}"
    trust = _document(Action="sts:AssumeRole", Principal={"Service": "ec2.amazonaws.com"})
    iam.create_role(RoleName=name, AssumeRolePolicyDocument=trust)
    iam.put_role_policy(
        RoleName=name, PolicyName="inline", PolicyDocument=_document(Action=allowed, Resource="*")
    )
    iam.create_instance_profile(InstanceProfileName=name)
    iam.add_role_to_instance_profile(InstanceProfileName=name, RoleName=name)
    instance_id = ec2.run_instances(
        ImageId=any_image(),
        MinCount=1,
        MaxCount=1,
        InstanceType="c7i.large",
        IamInstanceProfile={"Name": name},
    )["Instances"][0]["InstanceId"]
    yield Driver(instance_id, name, "inline")
    ec2.terminate_instances(InstanceIds=[instance_id])
    iam.remove_role_from_instance_profile(InstanceProfileName=name, RoleName=name)
    iam.delete_instance_profile(InstanceProfileName=name)
    iam.delete_role_policy(RoleName=name, PolicyName="inline")
    iam.delete_role(RoleName=name)


def _document(**statement: Any) -> str:
    return json.dumps({"Version": "2012-10-17", "Statement": [{"Effect": "Allow", **statement}]})
