"""Whose key signed a request, and which policies apply then."""

import json
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import uuid4

import pytest
from moto.iam.models import iam_backends

from account.names import ACCOUNT, PARTITION, REGION
from account.permissions.policies import documents_of, judge, principal_of
from account.permissions.roles import NotTrustedError, assume, trust_of


def _allowing(action: str) -> str:
    statement = {"Effect": "Allow", "Action": action, "Resource": "*"}
    return json.dumps({"Version": "2012-10-17", "Statement": [statement]})


def _trusting(service: str) -> str:
    statement = {"Effect": "Allow", "Action": "sts:AssumeRole", "Principal": {"Service": service}}
    return json.dumps({"Statement": [statement]})


@pytest.fixture
def iam() -> Any:
    return iam_backends[ACCOUNT][PARTITION]


@pytest.fixture
def user(iam: Any) -> str:
    name = f"user-{uuid4()}"
    iam.create_user(REGION, name)
    return name


@pytest.fixture
def role(iam: Any) -> Any:
    return iam.create_role(
        role_name=f"role-{uuid4()}",
        assume_role_policy_document=_trusting("ec2.amazonaws.com"),
        path="/",
        permissions_boundary=None,
        description="",
        tags=[],
        max_session_duration=3600,
    )


def test_a_key_belongs_to_its_user(iam: Any, user: str) -> None:
    key = iam.create_access_key(user)
    principal = principal_of(key.access_key_id, None)
    assert principal is not None
    assert principal.arn == f"arn:aws:iam::{ACCOUNT}:user/{user}"


def test_an_unknown_key_belongs_to_nobody() -> None:
    assert principal_of("AKIANOBODY", None) is None
    assert principal_of("ASIANOBODY", "token") is None


def test_policies_of_a_user_are_inline_attached_and_those_of_its_groups(iam: Any, user: str) -> None:
    group = f"group-{uuid4()}"
    iam.create_group(group)
    iam.add_user_to_group(group, user)
    iam.put_group_policy(group, "of-group", _allowing("ec2:RunInstances"))
    iam.put_user_policy(user, "inline", _allowing("s3:GetObject"))
    iam.attach_user_policy(f"arn:{PARTITION}:iam::aws:policy/AmazonRDSReadOnlyAccess", user)
    principal = principal_of(iam.create_access_key(user).access_key_id, None)
    assert principal is not None
    documents = documents_of(principal)
    for action in ("ec2:RunInstances", "s3:GetObject", "rds:DescribeDBInstances"):
        assert judge(documents, action, "*") == "allowed"
    assert judge(documents, "rds:DeleteDBInstance", "*") == "denied"


def test_the_session_of_a_role_has_the_policies_of_the_role(iam: Any, role: Any) -> None:
    iam.put_role_policy(role.name, "inline", _allowing("s3:PutObject"))
    iam.attach_role_policy(f"arn:{PARTITION}:iam::aws:policy/AmazonSSMManagedInstanceCore", role.name)
    session = assume(role.arn, "ec2.amazonaws.com", "i-1")
    principal = principal_of(session.key_id, session.token)
    assert principal is not None
    assert principal.arn == f"arn:aws:sts::{ACCOUNT}:assumed-role/{role.name}/i-1"
    documents = documents_of(principal)
    assert judge(documents, "s3:PutObject", "arn:aws:s3:::results/a") == "allowed"
    assert judge(documents, "ssm:UpdateInstanceInformation", "*") == "allowed"
    assert judge(documents, "s3:DeleteObject", "arn:aws:s3:::results/a") == "denied"


def test_a_session_is_worth_nothing_without_its_own_token(role: Any) -> None:
    session = assume(role.arn, "ec2.amazonaws.com", "i-1")
    assert principal_of(session.key_id, session.token) is not None
    assert principal_of(session.key_id, "another") is None
    assert principal_of(session.key_id, None) is None


def test_a_session_lasts_as_long_as_was_asked_for(role: Any) -> None:
    session = assume(role.arn, "ec2.amazonaws.com", "i-1", seconds=7200)
    left = session.expiration.replace(tzinfo=UTC) - datetime.now(UTC)
    assert timedelta(minutes=119) < left <= timedelta(minutes=120)


def test_a_role_is_assumed_by_no_service_that_it_does_not_trust(role: Any) -> None:
    with pytest.raises(NotTrustedError, match=role.name):
        assume(role.arn, "states.amazonaws.com", "i-1")


def test_a_role_that_is_not_there_trusts_nobody() -> None:
    missing = f"arn:aws:iam::{ACCOUNT}:role/missing"
    assert trust_of(missing) == {"Statement": []}
    with pytest.raises(NotTrustedError):
        assume(missing, "ec2.amazonaws.com", "i-1")
