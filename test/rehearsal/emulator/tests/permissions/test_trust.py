"""Who may assume a role according to its trust policy."""

from typing import Any

import pytest

from account.names import ACCOUNT
from account.permissions.policies import trusts
from tests.documents import trust

_user = f"arn:aws:iam::{ACCOUNT}:user/somebody"
_foreign_user = "arn:aws:iam::210987654321:user/somebody"


@pytest.mark.parametrize(
    ("principal", "asking", "trusted"),
    [
        ({"Service": "ec2.amazonaws.com"}, "ec2.amazonaws.com", True),
        ({"Service": ["ec2.amazonaws.com", "states.amazonaws.com"]}, "states.amazonaws.com", True),
        ({"Service": "ec2.amazonaws.com"}, "states.amazonaws.com", False),
        ({"AWS": _user}, _user, True),
        ({"AWS": _user}, f"{_user}-else", False),
        ({"AWS": ACCOUNT}, _user, True),
        ({"AWS": f"arn:aws:iam::{ACCOUNT}:root"}, _user, True),
        ({"AWS": f"arn:aws:iam::{ACCOUNT}:root"}, _foreign_user, False),
        ({"AWS": f"arn:aws:iam::{ACCOUNT}:root"}, "ec2.amazonaws.com", False),
        ({"AWS": "*"}, _foreign_user, True),
        ("*", _foreign_user, True),
        ({}, _user, False),
    ],
)
def test_a_role_trusts_the_principals_that_its_policy_names(
    principal: Any, asking: str, trusted: bool
) -> None:
    assert trusts(trust(principal), asking) is trusted


def test_trust_needs_the_action_assume_role() -> None:
    assert not trusts(trust("*", Action="sts:TagSession"), _user)
    assert trusts(trust("*", Action=["sts:TagSession", "sts:AssumeRole"]), _user)
    assert trusts(trust("*", Action="sts:*"), _user)


def test_a_condition_of_trust_needs_the_account_of_the_service() -> None:
    condition = {"StringEquals": {"aws:SourceAccount": ACCOUNT}}
    document = trust({"Service": "scheduler.amazonaws.com"}, Condition=condition)
    assert trusts(document, "scheduler.amazonaws.com", {"aws:SourceAccount": ACCOUNT})
    assert not trusts(document, "scheduler.amazonaws.com", {"aws:SourceAccount": "210987654321"})
    assert not trusts(document, "scheduler.amazonaws.com")


@pytest.mark.parametrize(
    ("operator", "pattern", "holds"),
    [
        ("ArnLike", "arn:aws:scheduler:*:schedule/*", True),
        ("ArnLike", "arn:aws:states:*", False),
        ("ArnEquals", "arn:aws:scheduler:us-east-1:1:schedule/a", True),
        ("ArnEquals", "arn:aws:scheduler:us-east-1:1:schedule/b", False),
        ("ArnNotLike", "arn:aws:states:*", True),
        ("ArnNotLike", "arn:aws:scheduler:*", False),
    ],
)
def test_an_arn_in_a_condition_may_have_wildcards(operator: str, pattern: str, holds: bool) -> None:
    document = trust({"Service": "scheduler.amazonaws.com"}, Condition={operator: {"aws:SourceArn": pattern}})
    source = {"aws:SourceArn": "arn:aws:scheduler:us-east-1:1:schedule/a"}
    assert trusts(document, "scheduler.amazonaws.com", source) is holds


def test_a_deny_is_notrust() -> None:
    assert not trusts(trust("*", Effect="Deny"), _user)
