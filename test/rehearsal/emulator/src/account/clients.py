"""Clients with which the emulator calls its own API. The gate lets their key pass and records no call."""

from collections.abc import Callable
from functools import cache
from typing import Any

import boto3
from botocore.config import Config

from account.names import INSIDER_KEY_ID, INSIDER_SECRET, REGION, Place
from account.permissions.roles import Session

_connect: Callable[..., Any] = boto3.client
"""boto3's types need the name of a service as a literal; here it is a value."""


@cache
def client(service: str) -> Any:
    return _connect(
        service,
        endpoint_url=Place.url(),
        region_name=REGION,
        aws_access_key_id=INSIDER_KEY_ID,
        aws_secret_access_key=INSIDER_SECRET,
        config=Config(
            retries={"total_max_attempts": 1},
            max_pool_connections=32,
            s3={"addressing_style": "path"},
            request_checksum_calculation="when_required",
        ),
    )


def session_client(service: str, session: Session) -> Any:
    """A client with the credentials of a role. The gate checks and records its calls."""
    return _connect(
        service,
        endpoint_url=Place.url(),
        region_name=REGION,
        aws_access_key_id=session.key_id,
        aws_secret_access_key=session.secret,
        aws_session_token=session.token,
        config=Config(retries={"total_max_attempts": 1}),
    )
