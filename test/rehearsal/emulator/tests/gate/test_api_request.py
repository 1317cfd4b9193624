"""What is read from a request before moto sees it."""

from typing import Any

import pytest
from werkzeug.test import EnvironBuilder

from account.gate.api_request import read_request
from tests.wire import KEY_ID, environ_of, presigned, request_of


@pytest.mark.parametrize(
    ("service", "operation", "arguments", "expected"),
    [
        ("rds", "DescribeDBInstances", {}, ("rds", "query")),
        ("ec2", "DescribeVpcs", {}, ("ec2", "ec2")),
        ("secretsmanager", "GetSecretValue", {"SecretId": "a"}, ("secretsmanager", "json")),
        ("scheduler", "GetSchedule", {"Name": "a"}, ("scheduler", "rest-json")),
        ("stepfunctions", "ListStateMachines", {}, ("states", "json")),
    ],
)
def test_service_and_operation_are_those_of_iams_actions(
    service: str, operation: str, arguments: dict[str, Any], expected: tuple[str, str]
) -> None:
    request = request_of(service, operation, **arguments)
    assert (request.service, request.protocol) == expected
    assert request.operation == operation
    assert request.key_id == KEY_ID


def test_cloudwatch_has_another_name_in_its_signatures() -> None:
    request = request_of("cloudwatch", "ListDashboards")
    assert (request.service, request.operation) == ("cloudwatch", "ListDashboards")


def test_parameters_of_a_form_and_members_of_json_are_values() -> None:
    form = request_of("rds", "DescribeDBInstances", DBInstanceIdentifier="db-1")
    assert form.values["DBInstanceIdentifier"] == "db-1"
    members = request_of("ssm", "GetParameters", Names=["a", "b"])
    assert members.values["Names"] == ["a", "b"]


def test_a_form_is_still_there_for_moto() -> None:
    environ = environ_of("rds", "DescribeDBInstances", DBInstanceIdentifier="db-1")
    read_request(environ)
    assert b"DBInstanceIdentifier=db-1" in environ["wsgi.input"].read()


def test_the_body_of_an_upload_is_left_alone() -> None:
    environ = environ_of("s3", "PutObject", Bucket="results", Key="a", Body=b'{"no": "parameters"}')
    request = read_request(environ)
    assert request is not None
    assert request.values == {}
    assert environ["wsgi.input"].read() == b'{"no": "parameters"}'


def test_keys_of_objects_are_decoded() -> None:
    request = request_of("s3", "GetObject", Bucket="results", Key="run 1/é+?.json")
    assert request.path == "/results/run 1/é+?.json"
    assert request.operation is None


def test_a_presigned_address_says_who_signed_it() -> None:
    request = read_request(presigned("GetObject", Bucket="results", Key="a"))
    assert request is not None
    assert (request.service, request.key_id) == ("s3", KEY_ID)


def test_the_token_of_a_session_is_read() -> None:
    environ = environ_of("rds", "DescribeDBInstances") | {"HTTP_X_AMZ_SECURITY_TOKEN": "token"}
    request = read_request(environ)
    assert request is not None
    assert request.session_token == "token"
    assert request_of("rds", "DescribeDBInstances").session_token is None


def test_without_a_signature_nothing_is_known() -> None:
    assert read_request(EnvironBuilder("/results/a").get_environ()) is None
