"""Requests as a client sends them, without a server that receives them."""

from functools import cache
from typing import Any, NoReturn
from urllib.parse import urlsplit
from wsgiref.types import WSGIEnvironment

import boto3
from botocore import xform_name
from botocore.awsrequest import AWSPreparedRequest, AWSRequest
from botocore.config import Config
from werkzeug.datastructures import Headers
from werkzeug.test import EnvironBuilder

from account.gate.api_request import ApiRequest, read_request
from account.names import REGION

KEY_ID = "AKIATEST"


class _SentError(Exception):
    """Ends a call when its request is ready."""

    def __init__(self, request: AWSPreparedRequest):
        super().__init__()
        self.request = request


@cache
def _client(service: str) -> Any:
    connect: Any = boto3.client
    client = connect(
        service,
        endpoint_url="http://localhost:5000",
        region_name=REGION,
        aws_access_key_id=KEY_ID,
        aws_secret_access_key="secret",
        config=Config(
            s3={"addressing_style": "path"},
            request_checksum_calculation="when_required",
            # Otherwise boto3 would presign in the old way, which the other clients no longer use.
            signature_version="s3v4" if service == "s3" else None,
        ),
    )

    def stop(request: AWSPreparedRequest, **_: Any) -> NoReturn:
        raise _SentError(request)

    client.meta.events.register("before-send", stop)
    return client


def environ_of(service: str, operation: str, **arguments: Any) -> WSGIEnvironment:
    """The environ of a call, such as ``environ_of("rds", "DescribeDBInstances")``."""
    try:
        getattr(_client(service), xform_name(operation))(**arguments)
    except _SentError as sent:
        return environ_from(sent.request)
    raise AssertionError("nothing was sent")


def environ_from(request: AWSPreparedRequest) -> WSGIEnvironment:
    """The environ that the server makes from the request."""
    address = urlsplit(request.url)
    body: Any = request.body or b""
    return EnvironBuilder(
        address.path,
        f"{address.scheme}://{address.netloc}",
        query_string=address.query,
        method=request.method,
        headers=Headers([(name, _text(value)) for name, value in request.headers.items()]),
        data=body,
    ).get_environ()


def _text(value: object) -> str:
    return value.decode() if isinstance(value, bytes) else str(value)


def presigned(operation: str, **arguments: Any) -> WSGIEnvironment:
    """The environ of a GET of a presigned S3 address."""
    url = _client("s3").generate_presigned_url(xform_name(operation), Params=arguments)
    return environ_from(AWSRequest("GET", url).prepare())


def request_of(service: str, operation: str, **arguments: Any) -> ApiRequest:
    request = read_request(environ_of(service, operation, **arguments))
    assert request is not None
    return request
