"""Who signed a request, and which policies apply."""

import json
from uuid import uuid4

import pytest

from account.names import ACCOUNT
from account.permissions.policies import documents_of, judge, principal_of
from account.permissions.roles import NotTrustedError, assume, trust_of
from tests.documents import policy, statement, trust
from tests.served import Served


def _allowing(action: str) -> str:
    return json.dumps(policy(statement(Action=action)))


@pytest.fixture
def role(served: Served) -> tuple[str, str]:
    """Name and ARN of a role that trusts EC2."""
    name, trusting = f"role-{uuid4()}", json.dumps(trust({"Service": "ec2.amazonaws.com"}))
    made = served.client("iam").create_role(RoleName=name, AssumeRolePolicyDocument=trusting)
    return name, made["Role"]["Arn"]


def test_an_unknown_key_has_no_principal() -> None:
    assert principal_of("AKIANOBODY", None) is None
    assert principal_of("ASIANOBODY", "token") is None


def test_a_user_has_inline_policies_attached_policies_and_those_of_its_groups(served: Served) -> None:
    iam, name = served.client("iam"), f"somebody-{uuid4()}"
    user, group = {"UserName": name}, {"GroupName": name}
    iam.create_user(**user)
    iam.create_group(**group)
    iam.add_user_to_group(**user, **group)
    iam.put_group_policy(**group, PolicyName="a", PolicyDocument=_allowing("ec2:RunInstances"))
    iam.put_user_policy(**user, PolicyName="b", PolicyDocument=_allowing("s3:GetObject"))
    iam.attach_user_policy(**user, PolicyArn="arn:aws:iam::aws:policy/AmazonRDSReadOnlyAccess")
    principal = principal_of(iam.create_access_key(**user)["AccessKey"]["AccessKeyId"], None)
    assert principal is not None
    assert principal.arn == f"arn:aws:iam::{ACCOUNT}:user/{name}"
    documents = documents_of(principal)
    for action in ("ec2:RunInstances", "s3:GetObject", "rds:DescribeDBInstances"):
        assert judge(documents, action, "*") == "allowed"
    assert judge(documents, "rds:DeleteDBInstance", "*") == "denied"


def test_a_session_has_the_policies_of_its_role(served: Served, role: tuple[str, str]) -> None:
    iam, (name, arn) = served.client("iam"), role
    iam.put_role_policy(RoleName=name, PolicyName="a", PolicyDocument=_allowing("s3:PutObject"))
    iam.attach_role_policy(RoleName=name, PolicyArn="arn:aws:iam::aws:policy/AmazonSSMManagedInstanceCore")
    session = assume(arn, "ec2.amazonaws.com", "i-1")
    principal = principal_of(session.key_id, session.token)
    assert principal is not None
    assert principal.arn == f"arn:aws:sts::{ACCOUNT}:assumed-role/{name}/i-1"
    documents = documents_of(principal)
    assert judge(documents, "s3:PutObject", "arn:aws:s3:::results/a") == "allowed"
    assert judge(documents, "ssm:UpdateInstanceInformation", "*") == "allowed"
    assert judge(documents, "s3:DeleteObject", "arn:aws:s3:::results/a") == "denied"


def test_the_key_of_a_session_is_invalid_without_its_own_token(role: tuple[str, str]) -> None:
    session = assume(role[1], "ec2.amazonaws.com", "i-1")
    assert principal_of(session.key_id, session.token) is not None
    assert principal_of(session.key_id, "another") is None
    assert principal_of(session.key_id, None) is None


def test_a_service_cannot_assume_a_role_that_does_not_trust_it(role: tuple[str, str]) -> None:
    with pytest.raises(NotTrustedError, match=role[0]):
        assume(role[1], "states.amazonaws.com", "i-1")


def test_a_missing_role_trusts_nobody() -> None:
    missing = f"arn:aws:iam::{ACCOUNT}:role/missing"
    assert trust_of(missing) == {"Statement": []}
    with pytest.raises(NotTrustedError):
        assume(missing, "ec2.amazonaws.com", "i-1")
