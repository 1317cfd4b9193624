"""What the metadata service answers and refuses, and how long the end of an instance takes."""

import json
import time
from collections.abc import Iterator
from http import HTTPStatus
from pathlib import Path

import pytest
from botocore.exceptions import ClientError
from werkzeug.test import Client, TestResponse

from account.machines.metadata import Credentials, metadata_service
from account.machines.termination import await_orderly_stop
from account.names import ACCOUNT, REGION, Place
from tests.documents import policy, statement
from tests.machines.driver import Driver, running_driver
from tests.served import Served, connect, refusal

_service = Client(metadata_service)
_credentials = "/latest/meta-data/iam/security-credentials/"


@pytest.fixture(scope="module")
def driver(served: Served) -> Iterator[Driver]:
    with running_driver(served) as running:
        yield running


def _token(seconds: str = "60") -> str:
    answer = _service.put("/latest/api/token", headers={"X-aws-ec2-metadata-token-ttl-seconds": seconds})
    return answer.text


def _get(path: str, token: str | None = None) -> TestResponse:
    return _service.get(path, headers={"X-aws-ec2-metadata-token": token or _token()})


def test_the_service_answers_nothing_without_a_valid_token(driver: Driver) -> None:
    for path in ("/latest/meta-data/instance-id", _credentials, f"{_credentials}{driver.role}", "/missing"):
        assert _service.get(path).status_code == HTTPStatus.UNAUTHORIZED
        assert _get(path, "made-up").status_code == HTTPStatus.UNAUTHORIZED


def test_an_instance_asks_from_its_vpc_where_that_has_an_endpoint_of_the_service(
    served: Served, driver: Driver
) -> None:
    ec2, iam = served.client("ec2"), served.client("iam")
    [instance] = ec2.describe_instances(InstanceIds=[driver.instance_id])["Reservations"][0]["Instances"]
    outside = {"StringNotEquals": {"aws:SourceVpc": instance["VpcId"]}}
    statements = (
        statement(Action="rds:DescribeEvents"),
        statement("Deny", Action="*", Condition=outside | {"BoolIfExists": {"aws:ViaAWSService": "false"}}),
    )
    iam.put_role_policy(
        RoleName=driver.role, PolicyName="inside", PolicyDocument=json.dumps(policy(*statements))
    )
    keys = _get(f"{_credentials}{driver.role}").get_json(force=True)
    rds = connect("rds", keys["AccessKeyId"], keys["SecretAccessKey"], keys["Token"])
    assert refusal(rds.describe_events)[0] == "AccessDenied"
    endpoint = ec2.create_vpc_endpoint(
        VpcId=instance["VpcId"], ServiceName=f"com.amazonaws.{REGION}.rds", VpcEndpointType="Interface"
    )["VpcEndpoint"]["VpcEndpointId"]
    assert "Events" in rds.describe_events()
    ec2.delete_vpc_endpoints(VpcEndpointIds=[endpoint])
    iam.delete_role_policy(RoleName=driver.role, PolicyName="inside")


def test_a_token_needs_a_put_with_a_time_to_live() -> None:
    for seconds in ("1", "21600"):
        headers = {"X-aws-ec2-metadata-token-ttl-seconds": seconds}
        answer = _service.put("/latest/api/token", headers=headers)
        assert answer.status_code == HTTPStatus.OK
        assert answer.headers["X-aws-ec2-metadata-token-ttl-seconds"] == seconds
        assert _service.get("/latest/api/token", headers=headers).status_code == HTTPStatus.METHOD_NOT_ALLOWED


@pytest.mark.parametrize("seconds", [None, "", "0", "21601", "-1", "soon"])
def test_an_invalid_time_to_live_is_refused(seconds: str | None) -> None:
    headers = {} if seconds is None else {"X-aws-ec2-metadata-token-ttl-seconds": seconds}
    assert _service.put("/latest/api/token", headers=headers).status_code == HTTPStatus.BAD_REQUEST


def test_the_service_shows_the_instance_and_its_place(driver: Driver) -> None:
    identity = _get("/latest/dynamic/instance-identity/document").get_json(force=True)
    assert (identity["accountId"], identity["region"]) == (ACCOUNT, REGION)
    assert (identity["instanceId"], identity["instanceType"]) == (driver.instance_id, "c7i.large")
    assert identity["availabilityZone"].startswith(REGION)
    for path, value in (
        ("placement/availability-zone", identity["availabilityZone"]),
        ("placement/region", REGION),
        ("local-ipv4", identity["privateIp"]),
        ("instance-type", "c7i.large"),
        ("services/domain", "amazonaws.com"),
    ):
        assert _get(f"/latest/meta-data/{path}").text == value


@pytest.mark.usefixtures("driver")
def test_metadata_cannot_be_written() -> None:
    answer = _service.post("/latest/meta-data/instance-id", headers={"X-aws-ec2-metadata-token": _token()})
    assert answer.status_code == HTTPStatus.NOT_FOUND


@pytest.mark.usefixtures("driver")
def test_a_missing_path_is_not_found() -> None:
    for path in ("/latest/meta-data/spot/instance-action", f"{_credentials}another-role"):
        assert _get(path).status_code == HTTPStatus.NOT_FOUND


def test_expired_credentials_are_refused_and_can_be_renewed(
    driver: Driver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Credentials, "lifetime_seconds", 0)
    expired = _get(f"{_credentials}{driver.role}").get_json(force=True)
    keys = expired["AccessKeyId"], expired["SecretAccessKey"], expired["Token"]
    with pytest.raises(ClientError, match="ExpiredToken"):
        connect("s3", *keys).put_object(Bucket=driver.role, Key="a", Body=b"a")
    monkeypatch.undo()
    renewed = _get(f"{_credentials}{driver.role}").get_json(force=True)
    assert renewed["AccessKeyId"] != expired["AccessKeyId"]
    keys = renewed["AccessKeyId"], renewed["SecretAccessKey"], renewed["Token"]
    assert connect("sts", *keys).get_caller_identity()["Account"] == ACCOUNT


def test_without_a_running_instance_nothing_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("account.machines.metadata.running_instance", lambda _: None)
    assert _get("/latest/meta-data/instance-id").status_code == HTTPStatus.NOT_FOUND


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(Place, "folder", tmp_path)
    return tmp_path


def test_an_instance_without_a_machine_ends_at_once(folder: Path) -> None:
    await_orderly_stop("i-1")
    assert list(folder.iterdir()) == []


def test_a_machine_that_does_not_stop_has_no_more_time_than_in_ec2(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("account.machines.termination._limit_seconds", 0.3)
    (folder / "i-1.booted").touch()
    begin = time.monotonic()
    await_orderly_stop("i-1")
    assert 0.3 <= time.monotonic() - begin < 5
    assert (folder / "i-1.stop").exists()
