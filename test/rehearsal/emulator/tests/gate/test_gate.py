"""What the gate lets pass, what it refuses, and what it records."""

import json
from collections.abc import Iterable
from typing import Any
from uuid import uuid4
from wsgiref.types import StartResponse, WSGIEnvironment

import pytest
from werkzeug.test import run_wsgi_app

from account.gate.gate import Gate
from account.names import ACCOUNT, INSIDER_KEY_ID, REGION
from tests.documents import policy, statement, trust
from tests.served import Served, connect, refusal
from tests.wire import KEY_ID, environ_of


class _Inner:
    """Replaces moto, and answers or fails."""

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
            document = json.dumps(policy(*statements))
            iam.put_user_policy(UserName=self.name, PolicyName="all", PolicyDocument=document)
        self._key = iam.create_access_key(UserName=self.name)["AccessKey"]
        self.arn = f"arn:aws:iam::{ACCOUNT}:user/{self.name}"

    def client(self, service: str) -> Any:
        return connect(service, self._key["AccessKeyId"], self._key["SecretAccessKey"])


@pytest.mark.usefixtures("served")
def test_a_request_with_an_unknown_key_or_without_a_signature_is_refused() -> None:
    inner = _Inner()
    gate = Gate(inner)
    for signed, code in ((False, b"AccessDenied"), (True, b"InvalidClientTokenId")):
        environ = environ_of("rds", "DescribeDBInstances")
        if not signed:
            del environ["HTTP_AUTHORIZATION"]
        body, status, _ = run_wsgi_app(gate, environ)
        assert status.startswith("403")
        assert b"<Code>%b</Code>" % code in b"".join(body)
    assert inner.asked == 0


def test_calls_of_the_emulator_itself_pass_without_a_record(served: Served) -> None:
    environ = environ_of("rds", "DescribeDBSnapshots")
    environ["HTTP_AUTHORIZATION"] = environ["HTTP_AUTHORIZATION"].replace(KEY_ID, INSIDER_KEY_ID)
    before = served.recorded("rds:DescribeDBSnapshots")
    body, _, _ = run_wsgi_app(Gate(_Inner()), environ)
    assert list(body) == [b"moto"]
    assert served.recorded("rds:DescribeDBSnapshots") == before


@pytest.mark.usefixtures("served")
def test_the_gate_reads_a_refused_upload_to_its_end() -> None:
    environ = environ_of("s3", "PutObject", Bucket="results", Key="a", Body=b"a" * 3_000_000)
    _, status, _ = run_wsgi_app(Gate(_Inner()), environ)
    assert status.startswith("403")
    assert environ["wsgi.input"].read() == b""


def test_a_call_that_moto_does_not_have_is_refused_so_that_no_client_retries(served: Served) -> None:
    environ = environ_of("rds", "DescribeDBSnapshots")
    key_id, _ = served.credentials
    environ["HTTP_AUTHORIZATION"] = environ["HTTP_AUTHORIZATION"].replace(KEY_ID, key_id)
    body, status, _ = run_wsgi_app(Gate(_Inner(NotImplementedError())), environ)
    assert status.startswith("403")
    assert b"The emulator has no rds:DescribeDBSnapshots" in b"".join(body)


def test_a_user_may_do_only_what_a_policy_allows(served: Served) -> None:
    user = _User(served, statement(Action="rds:DescribeDBInstances"))
    assert user.client("rds").describe_db_instances()["DBInstances"] == []
    code, message = refusal(user.client("rds").describe_db_clusters)
    assert code == "AccessDenied"
    assert message.startswith(f"User: {user.arn} is not authorized to perform: rds:DescribeDBClusters")


def test_a_permission_for_one_resource_is_none_for_another(served: Served) -> None:
    bucket = f"bucket-{uuid4()}"
    served.client("s3").create_bucket(Bucket=bucket)
    user = _User(served, statement(Resource=f"arn:aws:s3:::{bucket}/runs/*"))
    user.client("s3").put_object(Bucket=bucket, Key="runs/1", Body=b"a")
    code, message = refusal(user.client("s3").put_object, Bucket=bucket, Key="other", Body=b"a")
    assert code == "AccessDenied"
    assert f'"arn:aws:s3:::{bucket}/other"' in message


def test_only_who_may_list_a_bucket_learns_what_is_not_in_it(served: Served) -> None:
    bucket = f"bucket-{uuid4()}"
    served.client("s3").create_bucket(Bucket=bucket)
    arn = f"arn:aws:s3:::{bucket}"
    read = statement(Action="s3:GetObject", Resource=f"{arn}/runs/*")
    own = {"StringLike": {"s3:prefix": "runs/*"}}
    reader = _User(served, read, statement(Action="s3:ListBucket", Resource=arn, Condition=own)).client("s3")
    everything = _User(served, read, statement(Action="s3:ListBucket", Resource=arn)).client("s3")
    assert refusal(everything.get_object, Bucket=bucket, Key="runs/1")[0] == "NoSuchKey"
    # A read has no prefix, so that a permission to list only one does not count for it.
    assert refusal(reader.get_object, Bucket=bucket, Key="runs/1")[0] == "AccessDenied"
    assert reader.list_objects_v2(Bucket=bucket, Prefix="runs/1")["KeyCount"] == 0
    assert refusal(reader.list_objects_v2, Bucket=bucket)[0] == "AccessDenied"
    served.client("s3").put_object(Bucket=bucket, Key="runs/1", Body=b"a")
    assert reader.get_object(Bucket=bucket, Key="runs/1")["Body"].read() == b"a"


def test_an_action_needs_those_that_it_depends_on(served: Served) -> None:
    cluster = statement(Action="rds:RebootDBCluster")
    code, message = refusal(_User(served, cluster).client("rds").reboot_db_cluster, DBClusterIdentifier="a")
    assert code == "AccessDenied"
    assert f"rds:RebootDBInstance on resource: arn:aws:rds:{REGION}:{ACCOUNT}:db:a-instance-1" in message
    both = _User(served, statement(Action=["rds:RebootDBCluster", "rds:RebootDBInstance"])).client("rds")
    assert refusal(both.reboot_db_cluster, DBClusterIdentifier="a")[0] != "AccessDenied"


def test_a_database_becomes_no_larger_than_a_condition_allows(served: Served) -> None:
    allowed = {
        "StringEqualsIfExists": {"rds:DatabaseClass": "db.r5.large"},
        "NumericLessThanEqualsIfExists": {"rds:Piops": "3000"},
    }
    user = _User(served, statement(Action="rds:ModifyDBInstance", Condition=allowed)).client("rds")

    def code(**changes: Any) -> str:
        return refusal(user.modify_db_instance, DBInstanceIdentifier="db-9", **changes)[0]

    assert code(DBInstanceClass="db.r5.24xlarge") == "AccessDenied"
    assert code(Iops=256_000) == "AccessDenied"
    for permitted in ({"DedicatedLogVolume": True}, {"DBInstanceClass": "db.r5.large", "Iops": 3000}):
        assert code(**permitted) == "DBInstanceNotFound"


def test_a_request_about_several_resources_needs_a_permission_for_each(served: Served) -> None:
    public = f"arn:aws:ssm:{REGION}:{ACCOUNT}:parameter/public/*"
    user = _User(served, statement(Action="ssm:GetParameters", Resource=public))
    user.client("ssm").get_parameters(Names=["/public/a", "/public/b"])
    _, message = refusal(user.client("ssm").get_parameters, Names=["/public/a", "/secret/b"])
    assert "parameter/secret/b" in message


def test_the_refusal_names_an_explicit_deny(served: Served) -> None:
    user = _User(served, statement(Action="*"), statement("Deny", Action="logs:*"))
    code, message = refusal(user.client("logs").describe_log_groups)
    assert code == "AccessDeniedException"
    assert message.endswith("with an explicit deny in an identity-based policy")


def test_assuming_a_role_needs_a_permission_and_the_trust_of_the_role(served: Served) -> None:
    user, others = _User(served, statement(Action="sts:AssumeRole")), _User(served)

    def role_trusting(principal: str) -> str:
        document = json.dumps(trust({"AWS": principal}))
        role = served.client("iam").create_role(RoleName=f"role-{uuid4()}", AssumeRolePolicyDocument=document)
        arn: str = role["Role"]["Arn"]
        return arn

    role, foreign = role_trusting(user.arn), role_trusting(others.arn)
    session = user.client("sts").assume_role(RoleArn=role, RoleSessionName="session")
    assert session["Credentials"]["SessionToken"]
    for one in (user, others):
        refused = refusal(one.client("sts").assume_role, RoleArn=foreign, RoleSessionName="session")
        assert refused[0] == "AccessDenied"


def test_every_user_may_call_get_caller_identity(served: Served) -> None:
    user = _User(served)
    assert user.client("sts").get_caller_identity()["Arn"] == user.arn
