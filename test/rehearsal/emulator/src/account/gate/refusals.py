"""Refusals in the words and the wire format of each kind of service."""

import json
from uuid import uuid4
from xml.sax.saxutils import escape

from account.gate.api_request import ApiRequest

Answer = tuple[str, list[tuple[str, str]], bytes]
"""Status line, headers, body."""

_codes = {"ec2": "UnauthorizedOperation", "query": "AccessDenied", "rest-xml": "AccessDenied"}
_expired_codes = {"ec2": "RequestExpired", "query": "ExpiredToken", "rest-xml": "ExpiredToken"}
_key_codes = {"ec2": "AuthFailure", "query": "InvalidClientTokenId", "rest-xml": "InvalidAccessKeyId"}


def access_denied(
    request: ApiRequest, principal: str, action: str, resource: str, *, explicitly: bool
) -> Answer:
    shown = f'"{resource}"' if request.service == "s3" else resource
    why = (
        "with an explicit deny in an identity-based policy"
        if explicitly
        else f"because no identity-based policy allows the {action} action"
    )
    message = f"User: {principal} is not authorized to perform: {action} on resource: {shown} {why}"
    if request.protocol == "ec2":
        message = f"You are not authorized to perform this operation. {message}"
    return _answer(request, _codes.get(request.protocol, "AccessDeniedException"), message)


def unknown_key(request: ApiRequest) -> Answer:
    code = _key_codes.get(request.protocol, "UnrecognizedClientException")
    return _answer(request, code, "The security token included in the request is invalid.")


def expired_token(request: ApiRequest) -> Answer:
    code = _expired_codes.get(request.protocol, "ExpiredTokenException")
    return _answer(request, code, "The security token included in the request is expired")


def not_emulated(request: ApiRequest) -> Answer:
    """Refuses a call that moto does not have. A fault of the service would make clients retry for minutes."""
    return _answer(request, "InvalidAction", f"The emulator has no {request.service}:{request.operation}")


def unsigned() -> Answer:
    return _xml("403 Forbidden", "<Error><Code>AccessDenied</Code><Message>Access Denied</Message></Error>")


def _answer(request: ApiRequest, code: str, message: str) -> Answer:
    error = f"<Code>{code}</Code><Message>{escape(message)}</Message>"
    match request.protocol:
        case "ec2":
            errors = f"<Errors><Error>{error}</Error></Errors>"
            body = f"<Response>{errors}<RequestID>{uuid4()}</RequestID></Response>"
            return _xml("403 Forbidden", body)
        case "query":
            body = (
                f"<ErrorResponse><Error><Type>Sender</Type>{error}</Error>"
                f"<RequestId>{uuid4()}</RequestId></ErrorResponse>"
            )
            return _xml("403 Forbidden", body)
        case "rest-xml":
            # An answer to HEAD has no body, so the client sees only the status. Step Functions reads the id.
            request_id = str(uuid4())
            whole = f"<Error>{error}<RequestId>{request_id}</RequestId></Error>"
            status, headers, content = _xml("403 Forbidden", "" if request.method == "HEAD" else whole)
            return status, [*headers, ("x-amz-request-id", request_id)], content
        case _:
            status = "403 Forbidden" if request.protocol == "rest-json" else "400 Bad Request"
            body = json.dumps({"__type": code, "message": message, "Message": message})
            headers = [("Content-Type", "application/x-amz-json-1.1"), ("x-amzn-ErrorType", code)]
            return status, headers, body.encode()


def _xml(status: str, body: str) -> Answer:
    return status, [("Content-Type", "text/xml")], body.encode()
