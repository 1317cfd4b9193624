"""The instance metadata service, version 2 only. It answers for the instance of the machine that asks.

moto's metadata service returns fixed keys to anybody, without a token. Here the credentials belong to the
role in the instance profile, and the gate knows them. So the driver may do only what its role allows. Each
answer has new credentials, and a rehearsal can set their lifetime. The hop limit is not emulated.
"""

import json
import secrets
from collections.abc import Iterable
from datetime import UTC, datetime
from http import HTTPStatus
from typing import Any
from wsgiref.types import StartResponse, WSGIEnvironment

from moto.ec2.models import ec2_backends
from moto.iam.models import Role
from werkzeug.wrappers import Request, Response

from account.machines.caller import instance_at
from account.names import ACCOUNT, PARTITION, REGION
from account.permissions.roles import assume

_tokens: set[str] = set()
_lifetime_seconds = 21600


class Credentials:
    """The credentials that the service issues from now on."""

    lifetime_seconds = _lifetime_seconds


def metadata_service(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
    return _answer(Request(environ))(environ, start_response)


def _answer(request: Request) -> Response:
    if request.path == "/latest/api/token":
        return _token(request)
    if request.headers.get("X-aws-ec2-metadata-token") not in _tokens:
        return Response(status=HTTPStatus.UNAUTHORIZED)
    instance = running_instance(instance_at(int(request.environ.get("REMOTE_PORT", 0))))
    if request.method != "GET" or instance is None:
        return Response(status=HTTPStatus.NOT_FOUND)
    text = _values(instance, request.path.rstrip("/"))
    return Response(status=HTTPStatus.NOT_FOUND) if text is None else Response(text, mimetype="text/plain")


def _token(request: Request) -> Response:
    ttl = request.headers.get("X-aws-ec2-metadata-token-ttl-seconds")
    if request.method != "PUT":
        return Response(status=HTTPStatus.METHOD_NOT_ALLOWED)
    if ttl is None or not ttl.isdigit() or not 1 <= int(ttl) <= _lifetime_seconds:
        return Response(status=HTTPStatus.BAD_REQUEST)
    token = secrets.token_urlsafe(40)
    _tokens.add(token)
    return Response(token, headers={"X-aws-ec2-metadata-token-ttl-seconds": ttl}, mimetype="text/plain")


def running_instance(instance_id: str | None = None) -> Any | None:
    """The instance with this id; if it is not running, the newest instance."""
    running = ec2_backends[ACCOUNT][REGION].all_running_instances()
    own = [instance for instance in running if instance.id == instance_id]
    return own[0] if own else running[-1] if running else None


def _values(instance: Any, path: str) -> str | None:
    role = role_of(instance)
    identity = {
        "accountId": ACCOUNT,
        "architecture": "x86_64",
        "availabilityZone": instance.placement["AvailabilityZone"]
        if isinstance(instance.placement, dict)
        else instance.placement.zone,
        "imageId": instance.image_id,
        "instanceId": instance.id,
        "instanceType": instance.instance_type,
        "privateIp": instance.private_ip,
        "region": REGION,
    }
    zone = identity["availabilityZone"]
    profile = {"InstanceProfileArn": _profile_of(instance).arn, "InstanceProfileId": _profile_of(instance).id}
    table = {
        "/latest/dynamic/instance-identity/document": json.dumps(identity),
        "/latest/meta-data/ami-id": instance.image_id,
        "/latest/meta-data/hostname": instance.private_dns_name,
        "/latest/meta-data/iam/info": json.dumps({"Code": "Success", **profile}),
        "/latest/meta-data/iam/security-credentials": role.name,
        "/latest/meta-data/instance-id": instance.id,
        "/latest/meta-data/instance-type": instance.instance_type,
        "/latest/meta-data/local-hostname": instance.private_dns_name,
        "/latest/meta-data/local-ipv4": instance.private_ip,
        "/latest/meta-data/placement/availability-zone": zone,
        "/latest/meta-data/placement/region": REGION,
        "/latest/meta-data/services/domain": "amazonaws.com",
        "/latest/meta-data/services/partition": PARTITION,
    }
    if path == f"/latest/meta-data/iam/security-credentials/{role.name}":
        return json.dumps(_credentials(role, instance.id))
    return table.get(path)


def _profile_of(instance: Any) -> Any:
    associations = ec2_backends[ACCOUNT][REGION].iam_instance_profile_associations
    return associations[instance.id].iam_instance_profile


def role_of(instance: Any) -> Role:
    role: Role = _profile_of(instance).roles[0]
    return role


def _credentials(role: Role, instance_id: str) -> dict[str, str]:
    session = assume(role.arn, "ec2.amazonaws.com", instance_id, Credentials.lifetime_seconds)
    return {
        "Code": "Success",
        "LastUpdated": _iso(datetime.now(UTC)),
        "Type": "AWS-HMAC",
        "AccessKeyId": session.key_id,
        "SecretAccessKey": session.secret,
        "Token": session.token,
        "Expiration": _iso(session.expiration),
    }


def _iso(moment: datetime) -> str:
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")
