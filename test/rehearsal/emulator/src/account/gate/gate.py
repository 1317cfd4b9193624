"""The WSGI application in front of moto.

moto can enforce IAM itself. But it knows the resource of a request only for four services, ignores
conditions, checks the signatures of REST-JSON reads wrongly, and its refusals differ from those of AWS. So
moto's own enforcement is off, and the gate checks everything. It does not verify signatures: the id of the
key and the token of the session identify the principal.
"""

import json
import threading
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any
from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

from account.gate.api_request import ApiRequest, read_request
from account.gate.refusals import (
    Answer,
    access_denied,
    expired_token,
    not_emulated,
    unknown_key,
    unsigned,
)
from account.gate.resource_arns import also_asked_for, resources_of
from account.gate.s3_actions import bucket_and_key, context_of, s3_action
from account.gate.source_vpc import source_vpc
from account.names import INSIDER_KEY_ID, PARTITION, Place
from account.permissions.policies import documents_of, judge, principal_of, trusts
from account.permissions.roles import has_expired, trust_of

# An action that needs no permission, and a service that the gate does not check: its keys belong to services,
# and nothing reads them here.
_free = {"sts:GetCallerIdentity"}
_unchecked_services = {"kms"}


class Gate:
    def __init__(self, inner: WSGIApplication):
        self._inner = inner
        self._recording = threading.Lock()

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        request = read_request(environ)
        if request is None:
            return _refuse(environ, start_response, unsigned())
        if request.key_id == INSIDER_KEY_ID:
            return self._inner(environ, start_response)
        refusal = self._refusal(request)
        if refusal is not None:
            return _refuse(environ, start_response, refusal)
        unknowable = _refusal_if_absent(request)
        try:
            if unknowable is not None:
                return _with_refusal_for_absent(self._inner, environ, start_response, unknowable)
            return self._inner(environ, start_response)
        except NotImplementedError:
            return _refuse(environ, start_response, not_emulated(request))

    def _refusal(self, request: ApiRequest) -> Answer | None:
        principal = principal_of(request.key_id or "", request.session_token)
        if principal is None:
            return unknown_key(request)
        if has_expired(request.key_id or ""):
            return expired_token(request)
        if request.operation is None:
            action, resource = s3_action(request)
            resources = [resource]
        else:
            action, resources = f"{request.service}:{request.operation}", resources_of(request)
        if action in _free or request.service in _unchecked_services:
            self._record(request, principal.arn, action, resources[0], allowed=True)
            return None
        documents = documents_of(principal)
        asked = [(action, resource) for resource in resources]
        for asked_action, resource in asked + also_asked_for(request, action, resources):
            context = _context(request, asked_action) | source_vpc(principal.arn, request.service)
            verdict = judge(documents, asked_action, resource, context)
            allowed = verdict == "allowed" and (
                action != "sts:AssumeRole" or trusts(trust_of(resource), principal.arn)
            )
            self._record(request, principal.arn, asked_action, resource, allowed=allowed)
            if not allowed:
                explicitly = verdict == "denied explicitly"
                return access_denied(request, principal.arn, asked_action, resource, explicitly=explicitly)
        return None

    def _record(
        self, request: ApiRequest, principal: str, action: str, resource: str, *, allowed: bool
    ) -> None:
        line = json.dumps(
            {
                "time": datetime.now(UTC).isoformat(),
                "principal": principal,
                "keyId": request.key_id,
                "action": action,
                "resource": resource,
                "allowed": allowed,
            }
        )
        with self._recording, (Place.folder / "requests.jsonl").open("a") as file:
            file.write(f"{line}\n")


def _context(request: ApiRequest, action: str) -> dict[str, str]:
    """What conditions may ask about a request. A role is passed on to the service that is called."""
    if action == "iam:PassRole":
        return {"iam:PassedToService": f"{request.service}.amazonaws.com"}
    if request.service == "rds":
        return {key: str(request.values[name]) for name, key in _rds_keys.items() if name in request.values}
    return context_of(request)


# https://docs.aws.amazon.com/service-authorization/latest/reference/list_amazonrds.html
_rds_keys = {
    "AllocatedStorage": "rds:StorageSize",
    "DBInstanceClass": "rds:DatabaseClass",
    "Iops": "rds:Piops",
    "MultiAZ": "rds:MultiAz",
}


def _refusal_if_absent(request: ApiRequest) -> Answer | None:
    """S3's answer if the object does not exist, to a principal that may read it but not list its bucket.

    https://docs.aws.amazon.com/AmazonS3/latest/API/API_GetObject.html, "Permissions": with s3:ListBucket it
    is 404, and without it 403. A permission to list only one prefix is not enough: a read has no prefix.
    """
    if request.operation is not None or request.service != "s3" or request.method not in ("GET", "HEAD"):
        return None
    bucket, key = bucket_and_key(request)
    principal = principal_of(request.key_id or "", request.session_token)
    if not key or principal is None:
        return None
    resource = f"arn:{PARTITION}:s3:::{bucket}"
    context = source_vpc(principal.arn, request.service)
    if judge(documents_of(principal), "s3:ListBucket", resource, context) == "allowed":
        return None
    return access_denied(request, principal.arn, "s3:ListBucket", resource, explicitly=False)


def _with_refusal_for_absent(
    inner: WSGIApplication, environ: WSGIEnvironment, start_response: StartResponse, refusal: Answer
) -> Iterable[bytes]:
    absent = False

    def start(status: str, headers: list[tuple[str, str]], exc_info: Any = None) -> Any:
        nonlocal absent
        absent = status.startswith("404")
        if absent:
            return None
        return start_response(status, headers, exc_info)

    body = inner(environ, start)
    return _refuse(environ, start_response, refusal) if absent else body


def _refuse(environ: WSGIEnvironment, start_response: StartResponse, answer: Answer) -> Iterable[bytes]:
    status, headers, body = answer
    # Refused in the middle of an upload, a client would see a broken pipe instead of the refusal.
    _read_rest(environ)
    start_response(status, [*headers, ("Content-Length", str(len(body)))])
    return [body]


def _read_rest(environ: WSGIEnvironment) -> None:
    length = int(environ.get("CONTENT_LENGTH") or 0)
    while length > 0:
        part = environ["wsgi.input"].read(min(length, 1 << 20))
        if not part:
            return
        length -= len(part)
