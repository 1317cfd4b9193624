"""The verdict of several identity-based policies."""

from typing import Any

import pytest

from account.names import ACCOUNT
from account.permissions.policies import Document, judge

_bucket = "arn:aws:s3:::results"


def _policy(*statements: dict[str, Any]) -> Document:
    return {"Version": "2012-10-17", "Statement": list(statements)}


def _statement(effect: str = "Allow", **parts: Any) -> dict[str, Any]:
    return {"Effect": effect, "Action": "s3:PutObject", "Resource": "*"} | parts


def _allows(statement: dict[str, Any], action: str = "s3:PutObject", resource: str = f"{_bucket}/a") -> bool:
    return judge([_policy(statement)], action, resource) == "allowed"


def test_nothing_is_allowed_that_no_policy_names() -> None:
    assert judge([], "s3:PutObject", _bucket) == "denied"
    assert judge([_policy(_statement(Action="s3:GetObject"))], "s3:PutObject", _bucket) == "denied"


def test_a_permission_in_any_of_the_policies_counts() -> None:
    policies = [_policy(_statement(Action="rds:*")), _policy(_statement())]
    assert judge(policies, "s3:PutObject", _bucket) == "allowed"


def test_an_explicit_refusal_beats_every_permission_whatever_their_order() -> None:
    refusal = _statement("Deny", Resource=f"{_bucket}/secret/*")
    for statements in ([refusal, _statement()], [_statement(), refusal]):
        documents = [_policy(statement) for statement in statements]
        assert judge(documents, "s3:PutObject", f"{_bucket}/secret/a") == "denied explicitly"
        assert judge(documents, "s3:PutObject", f"{_bucket}/open/a") == "allowed"


def test_a_single_statement_needs_no_list() -> None:
    assert judge([{"Statement": _statement()}], "s3:PutObject", _bucket) == "allowed"


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
def test_actions_match_whole_with_wildcards_and_in_any_case(pattern: str | list[str], allowed: bool) -> None:
    assert _allows(_statement(Action=pattern)) is allowed


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
def test_resources_match_whole_with_wildcards_and_in_their_case(pattern: str, allowed: bool) -> None:
    assert _allows(_statement(Resource=pattern)) is allowed


def test_not_action_concerns_every_other_action() -> None:
    statement = {"Effect": "Allow", "NotAction": "s3:Delete*", "Resource": "*"}
    assert _allows(statement, "s3:PutObject")
    assert not _allows(statement, "s3:DeleteObject")


def test_not_resource_concerns_every_other_resource() -> None:
    statement = {"Effect": "Allow", "Action": "*", "NotResource": f"{_bucket}/secret/*"}
    assert _allows(statement, resource=f"{_bucket}/open")
    assert not _allows(statement, resource=f"{_bucket}/secret/a")


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
def test_a_statement_counts_where_its_condition_holds(condition: dict[str, Any], allowed: bool) -> None:
    assert _allows(_statement(Condition=condition)) is allowed


def test_all_conditions_of_a_statement_have_to_hold() -> None:
    held = {"aws:ResourceAccount": ACCOUNT}
    assert _allows(_statement(Condition={"StringEquals": held, "Bool": {"aws:SecureTransport": "true"}}))
    assert not _allows(_statement(Condition={"StringEquals": held | {"aws:RequestedRegion": "eu-west-1"}}))
    assert not _allows(_statement(Condition={"StringEquals": held, "Bool": {"aws:SecureTransport": "false"}}))


def test_a_refusal_whose_condition_does_not_hold_refuses_nothing() -> None:
    over_http = _statement("Deny", Condition={"Bool": {"aws:SecureTransport": "false"}})
    assert judge([_policy(over_http), _policy(_statement())], "s3:PutObject", _bucket) == "allowed"


def test_a_condition_that_is_not_judged_is_an_error_and_no_permission() -> None:
    with pytest.raises(KeyError, match="IpAddress"):
        _allows(_statement(Condition={"IpAddress": {"aws:SourceIp": "0.0.0.0/0"}}))
