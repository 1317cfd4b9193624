"""Buckets, parameters, secrets, log groups and dashboards, made and changed by a stack."""

import json
import string
from typing import Any

from tests.served import Served


def test_a_password_follows_the_rules_of_the_template(served: Served, stack: str) -> None:
    rules = {"PasswordLength": 200, "ExcludePunctuation": True, "ExcludeCharacters": "abc"}
    secret = {"Type": "AWS::SecretsManager::Secret", "Properties": {"GenerateSecretString": rules}}
    served.deploy(stack, {"Secret": secret})
    secret_id = served.physical_id(stack, "Secret")
    password = served.client("secretsmanager").get_secret_value(SecretId=secret_id)["SecretString"]
    assert len(password) == 200
    assert set(password) <= set(string.ascii_letters + string.digits) - set("abc")
    assert set(password) & set(string.digits)


def test_a_parameter_cannot_be_renamed(served: Served, stack: str) -> None:
    def parameter(name: str) -> dict[str, Any]:
        properties = {"Name": name, "Type": "String", "Value": "a"}
        return {"Parameter": {"Type": "AWS::SSM::Parameter", "Properties": properties}}

    served.deploy(stack, parameter("/of-tests/binding"))
    status = served.deploy(stack, parameter("/of-tests/other"), kind="UPDATE")
    assert status == "UPDATE_ROLLBACK_COMPLETE"
    names = [one["Name"] for one in served.client("ssm").describe_parameters()["Parameters"]]
    assert "/of-tests/binding" in names
    assert "/of-tests/other" not in names


def test_a_bucket_has_the_settings_of_the_template(served: Served, stack: str) -> None:
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


def test_a_bucket_with_objects_cannot_be_deleted(served: Served, stack: str) -> None:
    served.deploy(stack, {"Bucket": {"Type": "AWS::S3::Bucket", "Properties": {}}})
    s3, bucket = served.client("s3"), served.physical_id(stack, "Bucket")
    s3.put_object(Bucket=bucket, Key="a", Body=b"a")
    assert served.destroy(stack) == "DELETE_FAILED"
    s3.delete_object(Bucket=bucket, Key="a")


def test_an_update_changes_the_retention_of_a_log_group(served: Served, stack: str) -> None:
    retentions = []
    for kind, days in (("CREATE", 7), ("UPDATE", 30)):
        group = {"Type": "AWS::Logs::LogGroup", "Properties": {"RetentionInDays": days}}
        served.deploy(stack, {"Logs": group}, kind=kind)
        name = served.physical_id(stack, "Logs")
        [found] = served.client("logs").describe_log_groups(logGroupNamePrefix=name)["logGroups"]
        retentions.append(found["retentionInDays"])
    assert retentions == [7, 30]


def test_a_dashboard_without_widgets_is_refused(served: Served, stack: str) -> None:
    properties = {"DashboardBody": json.dumps({"widgets": []})}
    dashboard = {"Type": "AWS::CloudWatch::Dashboard", "Properties": properties}
    assert served.deploy(stack, {"Dashboard": dashboard}) == "ROLLBACK_COMPLETE"


def test_a_parameter_is_refused_above_what_its_tier_holds(served: Served, stack: str) -> None:
    def deploy(size: int, **tier: str) -> str:
        properties = {"Name": "/of-tests/large", "Type": "String", "Value": "a" * size, **tier}
        status = served.deploy(stack, {"Large": {"Type": "AWS::SSM::Parameter", "Properties": properties}})
        served.destroy(stack)
        return status

    assert deploy(4097) == "ROLLBACK_COMPLETE"
    assert deploy(8192, Tier="Intelligent-Tiering") == "CREATE_COMPLETE"
    assert deploy(8193, Tier="Intelligent-Tiering") == "ROLLBACK_COMPLETE"


def test_a_dashboard_with_more_than_500_widgets_is_refused(served: Served, stack: str) -> None:
    properties = {"DashboardBody": json.dumps({"widgets": [{"type": "text"}] * 501})}
    dashboard = {"Type": "AWS::CloudWatch::Dashboard", "Properties": properties}
    assert served.deploy(stack, {"Dashboard": dashboard}) == "ROLLBACK_COMPLETE"
