"""Reads an HTTP request before moto sees it: service, operation, key and parameters."""

import io
import json
import re
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs, unquote
from wsgiref.types import WSGIEnvironment

from botocore.model import ServiceModel
from moto.core.request import Request
from moto.core.routing import get_service_router
from moto.core.utils import get_service_model
from werkzeug.exceptions import NotFound

# Services that have another name in the signature than in botocore, or than as the prefix of IAM's actions.
_models = {"states": "stepfunctions", "monitoring": "cloudwatch"}
_prefixes = {"monitoring": "cloudwatch"}

_credential = re.compile(r"Credential=([^/,\s]+)/\d+/([^/]+)/([^/]+)/aws4_request")


@dataclass(frozen=True)
class ApiRequest:
    service: str
    """Prefix in IAM's actions, such as ``rds``."""
    protocol: str
    """Protocol in botocore's words: ``query``, ``ec2``, ``json``, ``rest-json``, ``rest-xml`` ..."""
    operation: str | None
    """Such as ``DescribeDBInstances``; None for S3, where the address determines the action."""
    key_id: str | None
    session_token: str | None
    method: str
    host: str
    path: str
    query: dict[str, list[str]]
    values: dict[str, Any] = field(default_factory=dict)
    """Parameters as they were sent: the fields of a form, or the members of a JSON object."""


def read_request(environ: WSGIEnvironment) -> ApiRequest | None:
    """None if the request is not signed: then it shows neither a principal nor a service."""
    query = parse_qs(environ.get("QUERY_STRING", ""), keep_blank_values=True)
    presigned = "".join(query.get("X-Amz-Credential", []))
    signed = environ.get("HTTP_AUTHORIZATION", "") or f"Credential={presigned}"
    found = _credential.search(signed)
    if found is None:
        return None
    key_id, _, name = found.groups()
    model = get_service_model(_models.get(name, name))
    protocol = str(model.metadata["protocol"])
    values = {} if name == "s3" else _values(environ, query)
    return ApiRequest(
        service=_prefixes.get(name, name),
        protocol=protocol,
        operation=None if name == "s3" else _operation(environ, model, values),
        key_id=key_id,
        session_token=environ.get("HTTP_X_AMZ_SECURITY_TOKEN")
        or "".join(query.get("X-Amz-Security-Token", []))
        or None,
        method=environ["REQUEST_METHOD"],
        host=environ.get("HTTP_HOST", ""),
        path=unquote(str(environ["RAW_URI"]).split("?")[0]),
        query=query,
        values=values,
    )


def _values(environ: WSGIEnvironment, query: dict[str, list[str]]) -> dict[str, Any]:
    body = _body(environ)
    if environ.get("CONTENT_TYPE", "").startswith("application/x-www-form-urlencoded"):
        query = query | parse_qs(body.decode(), keep_blank_values=True)
    elif body.startswith(b"{"):
        members: dict[str, Any] = json.loads(body)
        return members
    return {name: values[0] for name, values in query.items()}


def _body(environ: WSGIEnvironment) -> bytes:
    """Reads the body, and puts it back for moto."""
    body = environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0))
    environ["wsgi.input"] = io.BytesIO(body)
    return bytes(body)


def _operation(environ: WSGIEnvironment, model: ServiceModel, values: dict[str, Any]) -> str:
    target = environ.get("HTTP_X_AMZ_TARGET")
    if target:
        return str(target).split(".")[-1]
    if "Action" in values:
        return str(values["Action"])
    try:
        operation, _ = get_service_router(model.service_name).match(Request(environ.copy()))
    except (NotFound, NotImplementedError):
        return "Unknown"
    return str(operation.name)
