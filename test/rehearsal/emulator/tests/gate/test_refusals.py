"""Refusals, as a client of each protocol reads them."""

from typing import Any

import pytest
from botocore.model import StructureShape
from botocore.parsers import create_parser

from account.gate.api_request import ApiRequest
from account.gate.refusals import Answer, access_denied, expired_token, unknown_key

_principal = "arn:aws:sts::123456789012:assumed-role/driver/i-1"
_action = "rds:RebootDBInstance"


def _request(protocol: str, *, service: str = "rds", method: str = "POST") -> ApiRequest:
    return ApiRequest(service, protocol, "RebootDBInstance", "AKIA", None, method, "", "/", {})


def _error(protocol: str, answer: Answer) -> dict[str, Any]:
    status, headers, body = answer
    response = {
        "status_code": int(status.split()[0]),
        "headers": {name.lower(): value for name, value in headers},
        "body": body,
    }
    parsed = create_parser(protocol).parse(
        response, StructureShape("Output", {"type": "structure", "members": {}})
    )
    error: dict[str, Any] = parsed["Error"]
    return error


@pytest.mark.parametrize(
    ("protocol", "status", "denied", "expired", "unknown"),
    [
        ("query", 403, "AccessDenied", "ExpiredToken", "InvalidClientTokenId"),
        ("ec2", 403, "UnauthorizedOperation", "RequestExpired", "AuthFailure"),
        ("json", 400, "AccessDeniedException", "ExpiredTokenException", "UnrecognizedClientException"),
        ("rest-json", 403, "AccessDeniedException", "ExpiredTokenException", "UnrecognizedClientException"),
        ("rest-xml", 403, "AccessDenied", "ExpiredToken", "InvalidAccessKeyId"),
    ],
)
def test_every_protocol_has_codes_and_a_status_of_its_own(
    protocol: str, status: int, denied: str, expired: str, unknown: str
) -> None:
    request = _request(protocol)
    for code, answer in (
        (denied, access_denied(request, _principal, _action, "arn:db", explicitly=False)),
        (expired, expired_token(request)),
        (unknown, unknown_key(request)),
    ):
        assert answer[0].startswith(f"{status} ")
        assert _error(protocol, answer)["Code"] == code


@pytest.mark.parametrize("protocol", ["query", "ec2"])
def test_a_refusal_names_the_principal_the_action_and_the_resource(protocol: str) -> None:
    answer = access_denied(_request(protocol), _principal, _action, "arn:db", explicitly=False)
    begin = "You are not authorized to perform this operation. " if protocol == "ec2" else ""
    assert _error(protocol, answer)["Message"] == (
        f"{begin}User: {_principal} is not authorized to perform: {_action} on resource: arn:db "
        f"because no identity-based policy allows the {_action} action"
    )


@pytest.mark.parametrize("method", ["GET", "HEAD"])
def test_s3_names_the_request_without_which_step_functions_has_no_answer(method: str) -> None:
    request = _request("rest-xml", service="s3", method=method)
    _, headers, _ = access_denied(request, _principal, "s3:GetObject", "arn:b", explicitly=False)
    assert dict(headers)["x-amz-request-id"] != ""


def test_s3_quotes_the_resource() -> None:
    request = _request("rest-xml", service="s3")
    error = _error("rest-xml", access_denied(request, _principal, "s3:PutObject", "arn:b", explicitly=False))
    assert 'on resource: "arn:b" because' in error["Message"]


def test_special_characters_of_xml_are_escaped() -> None:
    error = _error("query", access_denied(_request("query"), _principal, _action, "<a&b>", explicitly=False))
    assert "on resource: <a&b> because" in error["Message"]


def test_the_refusal_of_a_head_request_has_no_body() -> None:
    status, _, body = access_denied(
        _request("rest-xml", service="s3", method="HEAD"), _principal, "s3:GetObject", "*", explicitly=False
    )
    assert (status, body) == ("403 Forbidden", b"")
