"""Clients by which the emulator calls its own API. The gate lets their key pass and does not record their requests."""

from functools import cache
from typing import Any

import boto3
from botocore.config import Config

from account.names import INSIDER_KEY_ID, REGION, Place


@cache
def client(service: str) -> Any:
    return boto3.client(
        service,
        endpoint_url=Place.url(),
        region_name=REGION,
        aws_access_key_id=INSIDER_KEY_ID,
        aws_secret_access_key="insider",
        config=Config(
            retries={"total_max_attempts": 1},
            max_pool_connections=32,
            s3={"addressing_style": "path"},
            request_checksum_calculation="when_required",
        ),
    )


def session_client(service: str, credentials: dict[str, str]) -> Any:
    """A client with the credentials of an assumed role, whose calls are checked and recorded like anybody's."""
    return boto3.client(
        service,
        endpoint_url=Place.url(),
        region_name=REGION,
        aws_access_key_id=credentials["AccessKeyId"],
        aws_secret_access_key=credentials["SecretAccessKey"],
        aws_session_token=credentials["SessionToken"],
        config=Config(retries={"total_max_attempts": 1}),
    )
