"""Who may assume a role, by its trust policy."""

from typing import Any

import pytest

from account.names import ACCOUNT
from account.permissions.policies import Document, trusts

_user = f"arn:aws:iam::{ACCOUNT}:user/somebody"
_foreign_user = "arn:aws:iam::210987654321:user/somebody"


def _trust(principal: Any, **parts: Any) -> Document:
    return {
        "Statement": [{"Effect": "Allow", "Action": "sts:AssumeRole", "Principal": principal} | parts],
    }


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
def test_a_role_trusts_whom_its_policy_names(principal: Any, asking: str, trusted: bool) -> None:
    assert trusts(_trust(principal), asking) is trusted


def test_trust_needs_the_action_of_assuming() -> None:
    assert not trusts(_trust("*", Action="sts:TagSession"), _user)
    assert trusts(_trust("*", Action=["sts:TagSession", "sts:AssumeRole"]), _user)
    assert trusts(_trust("*", Action="sts:*"), _user)


def test_trust_under_a_condition_needs_what_the_service_says_of_itself() -> None:
    condition = {"StringEquals": {"aws:SourceAccount": ACCOUNT}}
    trust = _trust({"Service": "scheduler.amazonaws.com"}, Condition=condition)
    assert trusts(trust, "scheduler.amazonaws.com", {"aws:SourceAccount": ACCOUNT})
    assert not trusts(trust, "scheduler.amazonaws.com", {"aws:SourceAccount": "210987654321"})
    assert not trusts(trust, "scheduler.amazonaws.com")


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
def test_arns_in_conditions_are_patterns(operator: str, pattern: str, holds: bool) -> None:
    trust = _trust({"Service": "scheduler.amazonaws.com"}, Condition={operator: {"aws:SourceArn": pattern}})
    source = {"aws:SourceArn": "arn:aws:scheduler:us-east-1:1:schedule/a"}
    assert trusts(trust, "scheduler.amazonaws.com", source) is holds


def test_a_statement_that_denies_gives_no_trust() -> None:
    assert not trusts(_trust("*", Effect="Deny"), _user)
