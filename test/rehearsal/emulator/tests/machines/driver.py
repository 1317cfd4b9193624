"""The only running instance of the account, with a role of its own."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple
from uuid import uuid4

from moto.ec2.models import ec2_backends

from account.names import ACCOUNT, REGION
from tests.documents import trust
from tests.served import Served


class Driver(NamedTuple):
    instance_id: str
    role: str


def any_image() -> str:
    """Looks into moto itself: the API takes seconds to describe all images."""
    image: str = next(iter(ec2_backends[ACCOUNT][REGION].amis))
    return image


@contextmanager
def running_driver(served: Served) -> Iterator[Driver]:
    iam, ec2, name = served.client("iam"), served.client("ec2"), f"driver-{uuid4()}"
    trusting = json.dumps(trust({"Service": "ec2.amazonaws.com"}))
    iam.create_role(RoleName=name, AssumeRolePolicyDocument=trusting)
    iam.create_instance_profile(InstanceProfileName=name)
    iam.add_role_to_instance_profile(InstanceProfileName=name, RoleName=name)
    instance_id = ec2.run_instances(
        ImageId=any_image(),
        MinCount=1,
        MaxCount=1,
        InstanceType="c7i.large",
        IamInstanceProfile={"Name": name},
    )["Instances"][0]["InstanceId"]
    yield Driver(instance_id, name)
    ec2.terminate_instances(InstanceIds=[instance_id])
    iam.remove_role_from_instance_profile(InstanceProfileName=name, RoleName=name)
    iam.delete_instance_profile(InstanceProfileName=name)
    iam.delete_role(RoleName=name)
