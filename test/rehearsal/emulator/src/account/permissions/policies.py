"""IAM policies, evaluated.

moto's own evaluation ignores most conditions, refuses trust in the account's root, and names neither the
resource nor the reason. So this module evaluates the documents of moto's IAM: identity-based policies and
trust policies. It ignores bucket policies, resource policies of secrets and keys, permissions boundaries,
service control policies and session policies.
"""

import json
import re
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from typing import Any, Literal

from moto.iam.access_control import (
    AssumedRoleAccessKey,
    CreateAccessKeyFailure,
    IAMUserAccessKey,
    create_access_key,
)
from moto.iam.models import Policy

from account.names import ACCOUNT, PARTITION, REGION

Document = dict[str, Any]
Verdict = Literal["allowed", "denied explicitly", "denied"]
Principal = IAMUserAccessKey | AssumedRoleAccessKey

# Keys that every request of this account has. The transport counts as TLS: the product uses TLS, although the
# emulator has none.
CONTEXT = {
    "aws:PrincipalAccount": ACCOUNT,
    "aws:RequestedRegion": REGION,
    "aws:ResourceAccount": ACCOUNT,
    "aws:SecureTransport": "true",
    "s3:ResourceAccount": ACCOUNT,
}


def principal_of(key_id: str, session_token: str | None) -> Principal | None:
    """The owner of the key; None if there is no such key, or if it has another session token."""
    headers = {} if session_token is None else {"X-Amz-Security-Token": session_token}
    try:
        return create_access_key(ACCOUNT, PARTITION, key_id, headers)
    except CreateAccessKeyFailure:
        return None


def documents_of(principal: Principal) -> list[Document]:
    """All policies of a user or of an assumed role: inline, attached, and those of a user's groups."""
    return [_document(policy) for policy in principal.collect_policies()]


def judge(
    documents: Iterable[Document], action: str, resource: str, context: Mapping[str, str] | None = None
) -> Verdict:
    """The verdict of all documents together: an explicit denial beats every permission."""
    known = CONTEXT | dict(context or {})
    effects = {
        statement["Effect"]
        for document in documents
        for statement in _list(document["Statement"])
        if _concerns(statement, action, resource, known)
    }
    if "Deny" in effects:
        return "denied explicitly"
    return "allowed" if "Allow" in effects else "denied"


def trusts(trust: Document, principal: str, context: Mapping[str, str] | None = None) -> bool:
    """Whether a role's trust policy lets a principal assume it.

    :param principal: an ARN of this account, or a service such as ``states.amazonaws.com``
    """
    known = CONTEXT | dict(context or {})
    return any(
        statement["Effect"] == "Allow"
        and _matches_any(_list(statement["Action"]), "sts:AssumeRole")
        and _names(statement.get("Principal", {}), principal)
        and _conditions_hold(statement.get("Condition", {}), known)
        for statement in _list(trust["Statement"])
    )


def _document(policy: Policy | Mapping[str, str] | str) -> Document:
    """The document of a policy: moto has one form for each kind of policy."""
    if isinstance(policy, Policy):
        text = next(version for version in policy.versions if version.is_default).document
    elif isinstance(policy, Mapping):
        text = policy["policy_document"]
    else:
        text = policy
    document: Document = json.loads(text)
    return document


def _concerns(statement: Document, action: str, resource: str, context: Mapping[str, str]) -> bool:
    if "NotAction" in statement:
        concerned = not _matches_any(_list(statement["NotAction"]), action, ignore_case=True)
    else:
        concerned = _matches_any(_list(statement["Action"]), action, ignore_case=True)
    if "NotResource" in statement:
        concerned = concerned and not _matches_any(_list(statement["NotResource"]), resource)
    else:
        concerned = concerned and _matches_any(_list(statement["Resource"]), resource)
    return concerned and _conditions_hold(statement.get("Condition", {}), context)


def _names(trusted: Any, principal: str) -> bool:
    if trusted == "*":
        return True
    for kind, values in trusted.items():
        for value in _list(values):
            # The number or the root of the account means all of its principals.
            root = kind == "AWS" and value in (ACCOUNT, f"arn:{PARTITION}:iam::{ACCOUNT}:root")
            if value in ("*", principal) or (root and f"::{ACCOUNT}:" in principal):
                return True
    return False


_operators: dict[str, Callable[[str, str], bool]] = {
    "StringEquals": lambda actual, wanted: actual == wanted,
    "StringEqualsIgnoreCase": lambda actual, wanted: actual.lower() == wanted.lower(),
    "StringLike": lambda actual, wanted: _matches(wanted, actual),
    "ArnEquals": lambda actual, wanted: _matches(wanted, actual),
    "ArnLike": lambda actual, wanted: _matches(wanted, actual),
    "Bool": lambda actual, wanted: actual.lower() == wanted.lower(),
    "NumericLessThan": lambda actual, wanted: float(actual) < float(wanted),
    "NumericLessThanEquals": lambda actual, wanted: float(actual) <= float(wanted),
}
_negated = {"StringNotEquals": "StringEquals", "StringNotLike": "StringLike", "ArnNotLike": "ArnLike"}


def _conditions_hold(conditions: Document, context: Mapping[str, str]) -> bool:
    return all(
        _condition_holds(operator, _list(wanted), context.get(key))
        for operator, keys in conditions.items()
        for key, wanted in keys.items()
    )


def _condition_holds(operator: str, wanted: list[Any], actual: str | None) -> bool:
    if operator == "Null":
        return str(actual is None).lower() == str(wanted[0]).lower()
    if operator.endswith("IfExists"):
        return actual is None or _condition_holds(operator.removesuffix("IfExists"), wanted, actual)
    if operator in _negated:
        return not _condition_holds(_negated[operator], wanted, actual)
    compare = _operators[operator]
    return actual is not None and any(compare(actual, str(value)) for value in wanted)


def _matches_any(patterns: list[str], text: str, *, ignore_case: bool = False) -> bool:
    return any(_matches(pattern, text, ignore_case=ignore_case) for pattern in patterns)


def _matches(pattern: str, text: str, *, ignore_case: bool = False) -> bool:
    return _compiled(pattern, ignore_case).fullmatch(text) is not None


@cache
def _compiled(pattern: str, ignore_case: bool) -> re.Pattern[str]:
    escaped = re.escape(pattern).replace(r"\*", ".*").replace(r"\?", ".")
    return re.compile(escaped, re.DOTALL | (re.IGNORECASE if ignore_case else 0))


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]
