"""What passes the gate, what does not, and what is recorded."""

import json
from collections.abc import Iterable
from typing import Any
from uuid import uuid4
from wsgiref.types import StartResponse, WSGIEnvironment

import pytest
from botocore.exceptions import ClientError
from werkzeug.test import run_wsgi_app

from account.gate.gate import Gate
from account.names import ACCOUNT, INSIDER_KEY_ID, REGION
from tests.served import Served, connect
from tests.wire import KEY_ID, environ_of


class _Inner:
    """Replaces moto; it answers or fails."""

    def __init__(self, error: Exception | None = None):
        self.asked = 0
        self._error = error

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        del environ
        self.asked += 1
        if self._error:
            raise self._error
        start_response("200 OK", [])
        return [b"moto"]


class _User:
    """Makes a user with a key, and with a policy if there are statements."""

    def __init__(self, served: Served, *statements: dict[str, Any]):
        self.name = f"user-{uuid4()}"
        iam = served.client("iam")
        iam.create_user(UserName=self.name)
        if statements:
            document = json.dumps({"Version": "2012-10-17", "Statement": statements})
            iam.put_user_policy(UserName=self.name, PolicyName="all", PolicyDocument=document)
        self._key = iam.create_access_key(UserName=self.name)["AccessKey"]
        self.arn = f"arn:aws:iam::{ACCOUNT}:user/{self.name}"

    def client(self, service: str) -> Any:
        return connect(service, self._key["AccessKeyId"], self._key["SecretAccessKey"])


def _refusal(call: Any, **arguments: Any) -> tuple[str, str]:
    with pytest.raises(ClientError) as refused:
        call(**arguments)
    error = refused.value.response["Error"]
    return error["Code"], error["Message"]


@pytest.mark.usefixtures("served")
def test_an_unknown_key_and_no_signature_get_nothing() -> None:
    inner = _Inner()
    gate = Gate(inner)
    for environ in (environ_of("rds", "DescribeDBInstances"), {**environ_of("s3", "ListBuckets")}):
        environ.pop("HTTP_AUTHORIZATION")
        assert run_wsgi_app(gate, environ)[1].startswith("403")
    body, status, _ = run_wsgi_app(gate, environ_of("rds", "DescribeDBInstances"))
    assert status.startswith("403")
    assert b"InvalidClientTokenId" in b"".join(body)
    assert inner.asked == 0


def test_the_emulators_own_calls_pass_and_are_not_written_down(served: Served) -> None:
    environ = environ_of("rds", "DescribeDBSnapshots")
    environ["HTTP_AUTHORIZATION"] = environ["HTTP_AUTHORIZATION"].replace(KEY_ID, INSIDER_KEY_ID)
    before = served.recorded("rds:DescribeDBSnapshots")
    body, _, _ = run_wsgi_app(Gate(_Inner()), environ)
    assert list(body) == [b"moto"]
    assert served.recorded("rds:DescribeDBSnapshots") == before


@pytest.mark.usefixtures("served")
def test_a_refused_upload_is_read_to_its_end() -> None:
    environ = environ_of("s3", "PutObject", Bucket="results", Key="a", Body=b"a" * 3_000_000)
    _, status, _ = run_wsgi_app(Gate(_Inner()), environ)
    assert status.startswith("403")
    assert environ["wsgi.input"].read() == b""


def test_a_service_that_moto_lacks_is_said_to_be_missing(served: Served) -> None:
    environ = environ_of("rds", "DescribeDBSnapshots")
    key_id, _ = served.credentials
    environ["HTTP_AUTHORIZATION"] = environ["HTTP_AUTHORIZATION"].replace(KEY_ID, key_id)
    body, status, _ = run_wsgi_app(Gate(_Inner(NotImplementedError())), environ)
    assert status.startswith("403")
    assert b"The emulator has no rds:DescribeDBSnapshots" in b"".join(body)


def test_who_may_do_one_thing_may_do_that_and_nothing_else(served: Served) -> None:
    allowed = {"Effect": "Allow", "Action": "rds:DescribeDBInstances", "Resource": "*"}
    user = _User(served, allowed)
    assert user.client("rds").describe_db_instances()["DBInstances"] == []
    code, message = _refusal(user.client("rds").describe_db_clusters)
    assert code == "AccessDenied"
    assert message.startswith(f"User: {user.arn} is not authorized to perform: rds:DescribeDBClusters")


def test_an_action_is_judged_for_the_resource_that_is_asked_for(served: Served) -> None:
    bucket = f"bucket-{uuid4()}"
    served.client("s3").create_bucket(Bucket=bucket)
    user = _User(
        served, {"Effect": "Allow", "Action": "s3:PutObject", "Resource": f"arn:aws:s3:::{bucket}/runs/*"}
    )
    user.client("s3").put_object(Bucket=bucket, Key="runs/1", Body=b"a")
    code, message = _refusal(user.client("s3").put_object, Bucket=bucket, Key="other", Body=b"a")
    assert code == "AccessDenied"
    assert f'"arn:aws:s3:::{bucket}/other"' in message


def test_a_request_about_several_resources_needs_the_permission_for_each(served: Served) -> None:
    public = f"arn:aws:ssm:{REGION}:{ACCOUNT}:parameter/public/*"
    user = _User(served, {"Effect": "Allow", "Action": "ssm:GetParameters", "Resource": public})
    user.client("ssm").get_parameters(Names=["/public/a", "/public/b"])
    _, message = _refusal(user.client("ssm").get_parameters, Names=["/public/a", "/secret/b"])
    assert "parameter/secret/b" in message


def test_an_explicit_refusal_says_so(served: Served) -> None:
    user = _User(
        served,
        {"Effect": "Allow", "Action": "*", "Resource": "*"},
        {"Effect": "Deny", "Action": "logs:*", "Resource": "*"},
    )
    code, message = _refusal(user.client("logs").describe_log_groups)
    assert code == "AccessDeniedException"
    assert message.endswith("with an explicit deny in an identity-based policy")


def test_to_assume_a_role_needs_a_permission_and_the_trust_of_the_role(served: Served) -> None:
    user = _User(served, {"Effect": "Allow", "Action": "sts:AssumeRole", "Resource": "*"})
    others = _User(served)
    role, foreign = (_role_trusting(served, principal) for principal in (user.arn, others.arn))
    session = user.client("sts").assume_role(RoleArn=role, RoleSessionName="session")
    assert session["Credentials"]["SessionToken"]
    assert (
        _refusal(user.client("sts").assume_role, RoleArn=foreign, RoleSessionName="session")[0]
        == "AccessDenied"
    )
    assert _refusal(others.client("sts").assume_role, RoleArn=foreign, RoleSessionName="session")[0] == (
        "AccessDenied"
    )


def test_everybody_may_ask_who_they_are(served: Served) -> None:
    user = _User(served)
    assert user.client("sts").get_caller_identity()["Arn"] == user.arn


def test_every_judgement_is_written_down(served: Served) -> None:
    user = _User(served, {"Effect": "Allow", "Action": "scheduler:ListSchedules", "Resource": "*"})
    user.client("scheduler").list_schedules()
    _refusal(user.client("scheduler").list_schedule_groups)
    for action, allowed in (("scheduler:ListSchedules", True), ("scheduler:ListScheduleGroups", False)):
        [line] = [line for line in served.recorded(action) if line["principal"] == user.arn]
        assert (line["resource"], line["allowed"]) == ("*", allowed)


def _role_trusting(served: Served, principal: str) -> str:
    statement = {"Effect": "Allow", "Action": "sts:AssumeRole", "Principal": {"AWS": principal}}
    trust = json.dumps({"Version": "2012-10-17", "Statement": [statement]})
    role = served.client("iam").create_role(RoleName=f"role-{uuid4()}", AssumeRolePolicyDocument=trust)
    arn: str = role["Role"]["Arn"]
    return arn
