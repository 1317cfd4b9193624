"""The metadata service, as the driver asks it."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from http import HTTPStatus

import pytest
from botocore.exceptions import ClientError
from werkzeug.test import Client, TestResponse

from account.machines.metadata import Credentials, metadata_service
from account.names import ACCOUNT, REGION
from tests.machines.driver import Driver, running_driver
from tests.served import Served, connect

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


def test_without_a_token_nothing_is_told(driver: Driver) -> None:
    for path in ("/latest/meta-data/instance-id", _credentials, f"{_credentials}{driver.role}", "/missing"):
        assert _service.get(path).status_code == HTTPStatus.UNAUTHORIZED
        assert _get(path, "made-up").status_code == HTTPStatus.UNAUTHORIZED


def test_a_token_is_asked_for_by_put_with_a_time_to_live() -> None:
    for seconds in ("1", "21600"):
        headers = {"X-aws-ec2-metadata-token-ttl-seconds": seconds}
        answer = _service.put("/latest/api/token", headers=headers)
        assert answer.status_code == HTTPStatus.OK
        assert answer.headers["X-aws-ec2-metadata-token-ttl-seconds"] == seconds
        assert _service.get("/latest/api/token", headers=headers).status_code == HTTPStatus.METHOD_NOT_ALLOWED


@pytest.mark.parametrize("seconds", [None, "", "0", "21601", "-1", "soon"])
def test_no_token_without_a_time_to_live_that_ec2_takes(seconds: str | None) -> None:
    headers = {} if seconds is None else {"X-aws-ec2-metadata-token-ttl-seconds": seconds}
    assert _service.put("/latest/api/token", headers=headers).status_code == HTTPStatus.BAD_REQUEST


def test_tokens_are_different_ones_and_each_is_good(driver: Driver) -> None:
    tokens = {_token() for _ in range(3)}
    assert len(tokens) == 3
    for token in tokens:
        assert _get("/latest/meta-data/instance-id", token).text == driver.instance_id


def test_the_driver_learns_what_it_is_and_where(driver: Driver) -> None:
    identity = _get("/latest/dynamic/instance-identity/document").get_json(force=True)
    assert identity["instanceId"] == driver.instance_id
    assert identity["instanceType"] == "c7i.large"
    assert (identity["accountId"], identity["region"]) == (ACCOUNT, REGION)
    for path, value in (
        ("placement/availability-zone", identity["availabilityZone"]),
        ("placement/region", REGION),
        ("local-ipv4", identity["privateIp"]),
        ("instance-type", "c7i.large"),
        ("services/domain", "amazonaws.com"),
    ):
        assert _get(f"/latest/meta-data/{path}").text == value
    assert identity["availabilityZone"].startswith(REGION)


@pytest.mark.usefixtures("driver")
def test_only_reading_is_possible() -> None:
    answer = _service.post("/latest/meta-data/instance-id", headers={"X-aws-ec2-metadata-token": _token()})
    assert answer.status_code == HTTPStatus.NOT_FOUND


@pytest.mark.usefixtures("driver")
def test_what_there_is_not_is_not_found() -> None:
    for path in ("/latest/meta-data/spot/instance-action", f"{_credentials}another-role"):
        assert _get(path).status_code == HTTPStatus.NOT_FOUND


def test_credentials_are_those_of_the_role_and_allow_what_it_may(served: Served, driver: Driver) -> None:
    assert _get(_credentials).text == driver.role
    found = _get(f"{_credentials}{driver.role}").get_json(force=True)
    assert (found["Code"], found["Type"]) == ("Success", "AWS-HMAC")
    left = datetime.fromisoformat(found["Expiration"]) - datetime.now(UTC)
    assert timedelta(hours=5) < left <= timedelta(hours=6)
    keys = found["AccessKeyId"], found["SecretAccessKey"], found["Token"]
    arn = connect("sts", *keys).get_caller_identity()["Arn"]
    assert arn == f"arn:aws:sts::{ACCOUNT}:assumed-role/{driver.role}/{driver.instance_id}"
    served.client("s3").create_bucket(Bucket=driver.role)
    connect("s3", *keys).put_object(Bucket=driver.role, Key="a", Body=b"a")
    with pytest.raises(ClientError, match="AccessDenied"):
        connect("s3", *keys).get_object(Bucket=driver.role, Key="a")


def test_credentials_last_as_long_as_was_said_and_are_refused_then(
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


def test_without_a_running_instance_there_is_nothing_to_tell(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("account.machines.metadata.running_instance", lambda _: None)
    assert _get("/latest/meta-data/instance-id").status_code == HTTPStatus.NOT_FOUND
