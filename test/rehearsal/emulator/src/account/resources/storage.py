"""Buckets, repositories, parameters, secrets, log groups and dashboards."""

import json
import secrets
import string
from typing import Any

from account.clients import client
from account.cloudformation.types import (
    Asked,
    CannotUpdateError,
    Made,
    Properties,
    ResourceType,
    arguments,
    call,
    without,
)
from account.names import PARTITION, REGION, arn


class Bucket(ResourceType):
    name = "AWS::S3::Bucket"

    def create(self, asked: Asked) -> Made:
        properties = asked.properties
        s3 = client("s3")
        bucket = properties.get("BucketName") or asked.generated_name.lower()
        s3.create_bucket(Bucket=bucket)
        if "VersioningConfiguration" in properties:
            s3.put_bucket_versioning(
                Bucket=bucket, VersioningConfiguration=properties["VersioningConfiguration"]
            )
        if "PublicAccessBlockConfiguration" in properties:
            settings = arguments(
                "s3",
                "PutPublicAccessBlock",
                {"PublicAccessBlockConfiguration": properties["PublicAccessBlockConfiguration"]},
            )
            s3.put_public_access_block(Bucket=bucket, **settings)
        # Life cycle rules and encryption have no effect within minutes, so they are not made.
        return Made(
            bucket,
            {
                "Arn": f"arn:{PARTITION}:s3:::{bucket}",
                "DomainName": f"{bucket}.s3.amazonaws.com",
                "RegionalDomainName": f"{bucket}.s3.{REGION}.amazonaws.com",
            },
        )

    def delete(self, made: Made, properties: Properties) -> None:
        client("s3").delete_bucket(Bucket=made.physical_id)


class BucketPolicy(ResourceType):
    """The stack knows it, but it is not applied: it denies plain HTTP, which would be everything here."""

    name = "AWS::S3::BucketPolicy"

    def create(self, asked: Asked) -> Made:
        return Made(asked.properties["Bucket"])

    def delete(self, made: Made, properties: Properties) -> None:
        """Does nothing: only the stack knows of it."""


class Repository(ResourceType):
    name = "AWS::ECR::Repository"

    def create(self, asked: Asked) -> Made:
        name = asked.properties["RepositoryName"]
        return Made(name, {"Arn": arn("ecr", f"repository/{name}")})

    def delete(self, made: Made, properties: Properties) -> None:
        """Does nothing: only `cdk bootstrap` has a repository, and nothing looks at it."""


# Bytes of a value: AWS Systems Manager User Guide, "Managing parameter tiers".
_PARAMETER_ROOM = {"Standard": 4096, "Advanced": 8192, "Intelligent-Tiering": 8192}


def _refuse_too_large(properties: Properties) -> None:
    tier = properties.get("Tier", "Standard")
    if len(properties["Value"].encode()) > _PARAMETER_ROOM[tier]:
        raise ValueError(
            f"{tier} tier parameters support a maximum parameter value of {_PARAMETER_ROOM[tier]} characters."
        )


class Parameter(ResourceType):
    name = "AWS::SSM::Parameter"

    def create(self, asked: Asked) -> Made:
        properties = asked.properties
        _refuse_too_large(properties)
        tags = [{"Key": key, "Value": value} for key, value in properties.get("Tags", {}).items()]
        name = properties.get("Name", asked.generated_name)
        call("ssm", "PutParameter", without(properties, "Tags") | {"Name": name, "Tags": tags})
        return Made(name, {"Type": properties["Type"], "Value": properties["Value"]})

    def update(self, asked: Asked, made: Made, before: Properties) -> Made:
        if asked.properties.get("Name", made.physical_id) != made.physical_id:
            raise CannotUpdateError("The emulator cannot rename a parameter")
        _refuse_too_large(asked.properties)
        call(
            "ssm",
            "PutParameter",
            without(asked.properties, "Tags") | {"Name": made.physical_id, "Overwrite": True},
        )
        return Made(made.physical_id, {"Type": asked.properties["Type"], "Value": asked.properties["Value"]})

    def delete(self, made: Made, properties: Properties) -> None:
        client("ssm").delete_parameter(Name=made.physical_id)


class Secret(ResourceType):
    name = "AWS::SecretsManager::Secret"

    def create(self, asked: Asked) -> Made:
        properties = asked.properties
        generate = properties.get("GenerateSecretString")
        text = properties.get("SecretString", "") if generate is None else _generated(generate)
        optional = {key: properties[key] for key in ("Description", "Tags") if key in properties}
        made = client("secretsmanager").create_secret(
            Name=properties.get("Name", f"{asked.logical_id}-{secrets.token_hex(6)}"),
            SecretString=text,
            **optional,
        )
        return Made(made["ARN"], {"Id": made["ARN"]})

    def delete(self, made: Made, properties: Properties) -> None:
        # CloudFormation deletes without a recovery window if the secret has no name in the template.
        client("secretsmanager").delete_secret(SecretId=made.physical_id, ForceDeleteWithoutRecovery=True)


def _generated(rules: Properties) -> str:
    def demanded(name: str) -> bool:
        return str(rules.get(name, False)).lower() == "true"

    kinds = {
        "ExcludeLowercase": string.ascii_lowercase,
        "ExcludeUppercase": string.ascii_uppercase,
        "ExcludeNumbers": string.digits,
        "ExcludePunctuation": string.punctuation,
    }
    letters = "".join(characters for rule, characters in kinds.items() if not demanded(rule))
    letters = "".join(letter for letter in letters if letter not in rules.get("ExcludeCharacters", ""))
    password = "".join(secrets.choice(letters) for _ in range(int(rules.get("PasswordLength", 32))))
    if "GenerateStringKey" not in rules:
        return password
    return json.dumps({**json.loads(rules["SecretStringTemplate"]), rules["GenerateStringKey"]: password})


class LogGroup(ResourceType):
    name = "AWS::Logs::LogGroup"

    def create(self, asked: Asked) -> Made:
        name = asked.properties.get("LogGroupName", asked.generated_name)
        client("logs").create_log_group(logGroupName=name)
        _retain(name, asked.properties)
        return Made(name, {"Arn": f"{arn('logs', f'log-group:{name}')}:*"})

    def update(self, asked: Asked, made: Made, before: Properties) -> Made:
        super().update(asked, made, before | {"RetentionInDays": asked.unresolved.get("RetentionInDays")})
        _retain(made.physical_id, asked.properties)
        return made

    def delete(self, made: Made, properties: Properties) -> None:
        client("logs").delete_log_group(logGroupName=made.physical_id)


def _retain(name: str, properties: Properties) -> None:
    if "RetentionInDays" in properties:
        client("logs").put_retention_policy(
            logGroupName=name, retentionInDays=int(properties["RetentionInDays"])
        )


class Dashboard(ResourceType):
    name = "AWS::CloudWatch::Dashboard"

    def create(self, asked: Asked) -> Made:
        name = asked.properties.get("DashboardName", asked.generated_name)
        _put_dashboard(name, asked.properties)
        return Made(name)

    def update(self, asked: Asked, made: Made, before: Properties) -> Made:
        _put_dashboard(made.physical_id, asked.properties)
        return made

    def delete(self, made: Made, properties: Properties) -> None:
        client("cloudwatch").delete_dashboards(DashboardNames=[made.physical_id])


_MAX_WIDGETS = 500


def _put_dashboard(name: str, properties: Properties) -> None:
    body: dict[str, Any] = json.loads(properties["DashboardBody"])
    if not body.get("widgets"):
        raise ValueError("The field widgets must be an array of at least one widget")
    # CloudWatch's quotas: https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/cloudwatch_limits.html
    if len(body["widgets"]) > _MAX_WIDGETS:
        raise ValueError(f"A dashboard can have up to {_MAX_WIDGETS} widgets")
    client("cloudwatch").put_dashboard(DashboardName=name, DashboardBody=properties["DashboardBody"])
