"""Buckets, parameters, secrets, log groups and dashboards, made and changed by a stack."""

import json
import string
from typing import Any

import pytest

from tests.served import Served


def _secret(**rules: Any) -> dict[str, Any]:
    return {"Secret": {"Type": "AWS::SecretsManager::Secret", "Properties": {"GenerateSecretString": rules}}}


def _text(served: Served, stack: str) -> str:
    secret_id = served.physical_id(stack, "Secret")
    text: str = served.client("secretsmanager").get_secret_value(SecretId=secret_id)["SecretString"]
    return text


def test_a_password_is_generated_by_the_rules_of_the_template(served: Served, stack: str) -> None:
    rules = {"PasswordLength": 200, "ExcludePunctuation": True, "ExcludeCharacters": "abc"}
    served.deploy(stack, _secret(**rules))
    password = _text(served, stack)
    assert len(password) == 200
    assert set(password) <= set(string.ascii_letters + string.digits) - set("abc")
    assert set(password) & set(string.digits)


def test_a_password_is_put_into_the_text_of_the_template(served: Served, stack: str) -> None:
    template = json.dumps({"username": "bench"})
    served.deploy(stack, _secret(SecretStringTemplate=template, GenerateStringKey="password"))
    found = json.loads(_text(served, stack))
    assert found["username"] == "bench"
    assert len(found["password"]) == 32


def _parameter(value: str, **properties: str) -> dict[str, Any]:
    wanted = {"Name": "/of-tests/binding", "Type": "String", "Value": value} | properties
    return {"Parameter": {"Type": "AWS::SSM::Parameter", "Properties": wanted}}


def test_the_value_of_a_parameter_is_changed_in_place(served: Served, stack: str) -> None:
    served.deploy(stack, _parameter("a"))
    assert served.deploy(stack, _parameter("b"), kind="UPDATE") == "UPDATE_COMPLETE"
    found = served.client("ssm").get_parameter(Name="/of-tests/binding")["Parameter"]
    assert (found["Value"], found["Version"]) == ("b", 2)


def test_a_parameter_is_not_renamed(served: Served, stack: str) -> None:
    served.deploy(stack, _parameter("a"))
    renamed = _parameter("a", Name="/of-tests/other")
    assert served.deploy(stack, renamed, kind="UPDATE") == "UPDATE_ROLLBACK_COMPLETE"
    names = [one["Name"] for one in served.client("ssm").describe_parameters()["Parameters"]]
    assert "/of-tests/binding" in names
    assert "/of-tests/other" not in names


def test_a_bucket_has_its_settings(served: Served, stack: str) -> None:
    block = dict.fromkeys(("BlockPublicAcls", "BlockPublicPolicy", "IgnorePublicAcls"), True)
    properties = {
        "VersioningConfiguration": {"Status": "Enabled"},
        "PublicAccessBlockConfiguration": {**block, "RestrictPublicBuckets": "true"},
    }
    outputs = {"Arn": {"Value": {"Fn::GetAtt": ["Bucket", "Arn"]}}}
    served.deploy(stack, {"Bucket": {"Type": "AWS::S3::Bucket", "Properties": properties}}, Outputs=outputs)
    s3, bucket = served.client("s3"), served.physical_id(stack, "Bucket")
    assert served.described(stack)["Outputs"][0]["OutputValue"] == f"arn:aws:s3:::{bucket}"
    assert s3.get_bucket_versioning(Bucket=bucket)["Status"] == "Enabled"
    found = s3.get_public_access_block(Bucket=bucket)["PublicAccessBlockConfiguration"]
    assert found == {**block, "RestrictPublicBuckets": True}


def test_a_bucket_with_objects_keeps_its_stack(served: Served, stack: str) -> None:
    served.deploy(stack, {"Bucket": {"Type": "AWS::S3::Bucket", "Properties": {}}})
    s3, bucket = served.client("s3"), served.physical_id(stack, "Bucket")
    s3.put_object(Bucket=bucket, Key="a", Body=b"a")
    assert served.destroy(stack) == "DELETE_FAILED"
    s3.delete_object(Bucket=bucket, Key="a")


def test_the_retention_of_a_log_group_is_changed_in_place(served: Served, stack: str) -> None:
    def group(days: int) -> dict[str, Any]:
        return {"Logs": {"Type": "AWS::Logs::LogGroup", "Properties": {"RetentionInDays": days}}}

    def retention() -> int:
        name = served.physical_id(stack, "Logs")
        [found] = served.client("logs").describe_log_groups(logGroupNamePrefix=name)["logGroups"]
        days: int = found["retentionInDays"]
        return days

    served.deploy(stack, group(7))
    assert retention() == 7
    served.deploy(stack, group(30), kind="UPDATE")
    assert retention() == 30


@pytest.mark.parametrize(
    ("body", "status"),
    [({"widgets": [{"type": "text"}]}, "CREATE_COMPLETE"), ({"widgets": []}, "ROLLBACK_COMPLETE")],
)
def test_a_dashboard_has_a_widget_at_least(
    served: Served, stack: str, body: dict[str, Any], status: str
) -> None:
    properties = {"DashboardBody": json.dumps(body)}
    dashboard = {"Type": "AWS::CloudWatch::Dashboard", "Properties": properties}
    assert served.deploy(stack, {"Dashboard": dashboard}) == status
