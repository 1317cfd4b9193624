"""Roles: whom they trust, and their sessions."""

import json
from datetime import UTC, datetime
from typing import NamedTuple

from moto.iam.models import iam_backends
from moto.sts.models import sts_backends

from account.names import ACCOUNT, PARTITION, REGION
from account.permissions.policies import Document, trusts


class NotTrustedError(Exception):
    """A role that does not exist, or does not let the service assume it."""


class Session(NamedTuple):
    key_id: str
    secret: str
    token: str
    expiration: datetime


def trust_of(role_arn: str) -> Document:
    """The trust policy of a role; if there is no such role, a policy that trusts nobody."""
    roles = iam_backends[ACCOUNT][PARTITION].roles.values()
    trust = next((role.assume_role_policy_document for role in roles if role.arn == role_arn), None)
    document: Document = json.loads(trust) if trust else {"Statement": []}
    return document


def has_expired(key_id: str) -> bool:
    """Whether the key belongs to a session that has expired."""
    session = sts_backends[ACCOUNT][PARTITION].get_assumed_role_from_access_key(key_id)
    return session is not None and session.expiration.replace(tzinfo=UTC) <= datetime.now(UTC)


def assume(role_arn: str, service: str, session_name: str, seconds: int = 3600) -> Session:
    """Makes a session of the role for a service of this account, such as ``ec2.amazonaws.com``.

    :raises NotTrustedError:
    """
    if not trusts(trust_of(role_arn), service, {"aws:SourceAccount": ACCOUNT}):
        raise NotTrustedError(f"The role {role_arn} cannot be assumed by {service}")
    made = sts_backends[ACCOUNT][PARTITION].assume_role(
        region_name=REGION,
        role_session_name=session_name,
        role_arn=role_arn,
        policy="",
        duration=seconds,
        external_id="",
    )
    return Session(made.access_key_id, made.secret_access_key, made.session_token, made.expiration)
