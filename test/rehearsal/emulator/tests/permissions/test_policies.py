"""The verdict of identity-based policies."""

from typing import Any

import pytest

from account.names import ACCOUNT
from account.permissions.policies import judge
from tests.documents import policy, statement

_bucket = "arn:aws:s3:::results"


def _allows(one: dict[str, Any], action: str = "s3:PutObject", resource: str = f"{_bucket}/a") -> bool:
    return judge([policy(one)], action, resource) == "allowed"


def test_an_action_that_no_policy_names_is_denied() -> None:
    assert judge([], "s3:PutObject", _bucket) == "denied"
    assert judge([policy(statement(Action="s3:GetObject"))], "s3:PutObject", _bucket) == "denied"


def test_a_permission_in_one_policy_is_enough() -> None:
    policies = [policy(statement(Action="rds:*")), policy(statement())]
    assert judge(policies, "s3:PutObject", _bucket) == "allowed"


def test_an_explicit_deny_beats_every_permission_in_any_order() -> None:
    refusal = statement("Deny", Resource=f"{_bucket}/secret/*")
    for statements in ([refusal, statement()], [statement(), refusal]):
        documents = [policy(one) for one in statements]
        assert judge(documents, "s3:PutObject", f"{_bucket}/secret/a") == "denied explicitly"
        assert judge(documents, "s3:PutObject", f"{_bucket}/open/a") == "allowed"


def test_a_policy_may_have_one_statement_without_a_list() -> None:
    assert judge([{"Statement": statement()}], "s3:PutObject", _bucket) == "allowed"


@pytest.mark.parametrize(
    ("pattern", "allowed"),
    [
        ("s3:PutObject", True),
        ("S3:putobject", True),
        ("s3:Put*", True),
        ("s3:PutObjec?", True),
        ("*", True),
        (["s3:GetObject", "s3:PutObject"], True),
        ("s3:Put", False),
        ("s3:PutObject?", False),
        ("s3.PutObject", False),
    ],
)
def test_actions_match_as_a_whole_with_wildcards_in_any_case(pattern: str | list[str], allowed: bool) -> None:
    assert _allows(statement(Action=pattern)) is allowed


@pytest.mark.parametrize(
    ("pattern", "allowed"),
    [
        (f"{_bucket}/*", True),
        (f"{_bucket}/?", True),
        (f"{_bucket}*", True),
        (_bucket, False),
        (f"{_bucket.upper()}/*", False),
        ("arn:aws:s3:::result./*", False),
    ],
)
def test_resources_match_as_a_whole_with_wildcards_in_the_same_case(pattern: str, allowed: bool) -> None:
    assert _allows(statement(Resource=pattern)) is allowed


def test_not_action_concerns_every_other_action() -> None:
    others = {"Effect": "Allow", "NotAction": "s3:Delete*", "Resource": "*"}
    assert _allows(others, "s3:PutObject")
    assert not _allows(others, "s3:DeleteObject")


def test_not_resource_concerns_every_other_resource() -> None:
    others = {"Effect": "Allow", "Action": "*", "NotResource": f"{_bucket}/secret/*"}
    assert _allows(others, resource=f"{_bucket}/open")
    assert not _allows(others, resource=f"{_bucket}/secret/a")


@pytest.mark.parametrize(
    ("condition", "allowed"),
    [
        ({"StringEquals": {"aws:ResourceAccount": ACCOUNT}}, True),
        ({"StringEquals": {"aws:ResourceAccount": "210987654321"}}, False),
        ({"StringEquals": {"aws:ResourceAccount": ["210987654321", ACCOUNT]}}, True),
        ({"StringLike": {"aws:RequestedRegion": "us-*"}}, True),
        ({"StringLike": {"aws:RequestedRegion": "eu-*"}}, False),
        ({"StringNotEquals": {"aws:ResourceAccount": ACCOUNT}}, False),
        ({"StringNotLike": {"aws:RequestedRegion": "eu-*"}}, True),
        ({"StringEqualsIgnoreCase": {"aws:RequestedRegion": "US-EAST-1"}}, True),
        ({"StringEquals": {"aws:PrincipalAccount": ACCOUNT, "s3:ResourceAccount": ACCOUNT}}, True),
        ({"NumericLessThan": {"aws:PrincipalAccount": int(ACCOUNT) + 1}}, True),
        ({"NumericLessThan": {"aws:PrincipalAccount": ACCOUNT}}, False),
        ({"Bool": {"aws:SecureTransport": True}}, True),
        ({"Bool": {"aws:SecureTransport": "false"}}, False),
        ({"StringEquals": {"aws:PrincipalTag/team": "x"}}, False),
        ({"StringEqualsIfExists": {"aws:PrincipalTag/team": "x"}}, True),
        ({"StringEqualsIfExists": {"aws:RequestedRegion": "eu-west-1"}}, False),
        ({"Null": {"aws:PrincipalTag/team": "true"}}, True),
        ({"Null": {"aws:RequestedRegion": True}}, False),
    ],
)
def test_a_statement_counts_if_its_condition_is_true(condition: dict[str, Any], allowed: bool) -> None:
    assert _allows(statement(Condition=condition)) is allowed


def test_all_conditions_of_a_statement_must_be_true() -> None:
    held = {"aws:ResourceAccount": ACCOUNT}
    assert _allows(statement(Condition={"StringEquals": held, "Bool": {"aws:SecureTransport": "true"}}))
    assert not _allows(statement(Condition={"StringEquals": held | {"aws:RequestedRegion": "eu-west-1"}}))
    assert not _allows(statement(Condition={"StringEquals": held, "Bool": {"aws:SecureTransport": "false"}}))


def test_a_deny_with_a_false_condition_denies_nothing() -> None:
    over_http = statement("Deny", Condition={"Bool": {"aws:SecureTransport": "false"}})
    assert judge([policy(over_http), policy(statement())], "s3:PutObject", _bucket) == "allowed"


def test_an_unsupported_condition_is_an_error_and_no_permission() -> None:
    with pytest.raises(KeyError, match="IpAddress"):
        _allows(statement(Condition={"IpAddress": {"aws:SourceIp": "0.0.0.0/0"}}))
