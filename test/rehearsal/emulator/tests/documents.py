"""Policies of IAM."""

from typing import Any

from account.permissions.policies import Document


def statement(effect: str = "Allow", **parts: Any) -> dict[str, Any]:
    """A statement about s3:PutObject on every resource, unless its parts say otherwise."""
    return {"Effect": effect, "Action": "s3:PutObject", "Resource": "*"} | parts


def policy(*statements: dict[str, Any]) -> Document:
    return {"Version": "2012-10-17", "Statement": list(statements)}


def trust(principal: Any, **parts: Any) -> Document:
    """A trust policy.

    :param parts: other parts of its only statement
    """
    return policy({"Effect": "Allow", "Action": "sts:AssumeRole", "Principal": principal} | parts)
