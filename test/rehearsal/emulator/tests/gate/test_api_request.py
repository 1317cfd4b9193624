"""What the gate reads from a request before moto sees it."""

from typing import Any

import pytest
from werkzeug.test import EnvironBuilder

from account.gate.api_request import read_request
from tests.wire import KEY_ID, presigned, request_of


@pytest.mark.parametrize(
    ("service", "operation", "arguments", "expected"),
    [
        ("rds", "DescribeDBInstances", {}, ("rds", "query")),
        ("ec2", "DescribeVpcs", {}, ("ec2", "ec2")),
        ("secretsmanager", "GetSecretValue", {"SecretId": "a"}, ("secretsmanager", "json")),
        ("scheduler", "GetSchedule", {"Name": "a"}, ("scheduler", "rest-json")),
        ("stepfunctions", "ListStateMachines", {}, ("states", "json")),
        ("cloudwatch", "ListDashboards", {}, ("cloudwatch", "smithy-rpc-v2-cbor")),
    ],
)
def test_service_and_operation_are_the_parts_of_an_action_of_iam(
    service: str, operation: str, arguments: dict[str, Any], expected: tuple[str, str]
) -> None:
    request = request_of(service, operation, **arguments)
    assert (request.service, request.protocol) == expected
    assert request.operation == operation
    assert request.key_id == KEY_ID


def test_the_values_of_a_request_are_those_of_its_form_or_json() -> None:
    form = request_of("rds", "DescribeDBInstances", DBInstanceIdentifier="db-1")
    assert form.values["DBInstanceIdentifier"] == "db-1"
    members = request_of("ssm", "GetParameters", Names=["a", "b"])
    assert members.values["Names"] == ["a", "b"]


def test_the_key_of_an_object_is_decoded() -> None:
    request = request_of("s3", "GetObject", Bucket="results", Key="run 1/é+?.json")
    assert request.path == "/results/run 1/é+?.json"
    assert request.operation is None


def test_a_presigned_address_shows_who_signed_it() -> None:
    request = read_request(presigned("GetObject", Bucket="results", Key="a"))
    assert request is not None
    assert (request.service, request.key_id) == ("s3", KEY_ID)


def test_a_request_without_a_signature_shows_nothing() -> None:
    assert read_request(EnvironBuilder("/results/a").get_environ()) is None
