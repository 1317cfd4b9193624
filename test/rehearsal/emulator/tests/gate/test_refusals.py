"""Refusals, read as a client of each protocol reads them."""

from typing import Any

import pytest
from botocore.model import StructureShape
from botocore.parsers import create_parser

from account.gate.api_request import ApiRequest
from account.gate.refusals import Answer, access_denied, expired_token, not_emulated, unknown_key, unsigned

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
    ("protocol", "status", "code", "begin"),
    [
        ("query", 403, "AccessDenied", ""),
        ("ec2", 403, "UnauthorizedOperation", "You are not authorized to perform this operation. "),
        ("json", 400, "AccessDeniedException", ""),
        ("rest-json", 403, "AccessDeniedException", ""),
        ("rest-xml", 403, "AccessDenied", ""),
    ],
)
def test_a_refusal_names_who_what_and_which_resource(
    protocol: str, status: int, code: str, begin: str
) -> None:
    answer = access_denied(_request(protocol), _principal, _action, "arn:db", explicitly=False)
    error = _error(protocol, answer)
    assert answer[0].startswith(f"{status} ")
    assert error["Code"] == code
    assert error["Message"] == (
        f"{begin}User: {_principal} is not authorized to perform: {_action} on resource: arn:db "
        f"because no identity-based policy allows the {_action} action"
    )


@pytest.mark.parametrize(
    ("protocol", "code"),
    [
        ("query", "ExpiredToken"),
        ("ec2", "RequestExpired"),
        ("json", "ExpiredTokenException"),
        ("rest-json", "ExpiredTokenException"),
        ("rest-xml", "ExpiredToken"),
    ],
)
def test_credentials_that_have_expired_are_refused_as_such(protocol: str, code: str) -> None:
    error = _error(protocol, expired_token(_request(protocol)))
    assert error["Code"] == code
    assert error["Message"] == "The security token included in the request is expired"


def test_an_explicit_refusal_is_told_from_a_missing_permission() -> None:
    error = _error("query", access_denied(_request("query"), _principal, _action, "*", explicitly=True))
    assert error["Message"].endswith("with an explicit deny in an identity-based policy")


def test_s3_shows_the_resource_in_quotation_marks() -> None:
    request = _request("rest-xml", service="s3")
    error = _error("rest-xml", access_denied(request, _principal, "s3:PutObject", "arn:b", explicitly=False))
    assert 'on resource: "arn:b" because' in error["Message"]


def test_what_is_special_in_xml_arrives_as_it_was() -> None:
    error = _error("query", access_denied(_request("query"), _principal, _action, "<a&b>", explicitly=False))
    assert "on resource: <a&b> because" in error["Message"]


def test_the_answer_to_head_has_no_body() -> None:
    status, _, body = access_denied(
        _request("rest-xml", service="s3", method="HEAD"), _principal, "s3:GetObject", "*", explicitly=False
    )
    assert (status, body) == ("403 Forbidden", b"")


@pytest.mark.parametrize(
    ("protocol", "code"),
    [
        ("query", "InvalidClientTokenId"),
        ("ec2", "AuthFailure"),
        ("json", "UnrecognizedClientException"),
        ("rest-xml", "InvalidAccessKeyId"),
    ],
)
def test_an_unknown_key_is_called_so(protocol: str, code: str) -> None:
    assert _error(protocol, unknown_key(_request(protocol)))["Code"] == code


def test_what_moto_lacks_is_no_fault_of_the_service_that_would_be_tried_again() -> None:
    answer = not_emulated(_request("query"))
    assert answer[0].startswith("403")
    assert _error("query", answer)["Message"] == "The emulator has no rds:RebootDBInstance"


def test_a_request_that_nobody_signed_is_refused() -> None:
    status, _, body = unsigned()
    assert status == "403 Forbidden"
    assert b"AccessDenied" in body
