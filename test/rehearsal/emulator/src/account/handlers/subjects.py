"""The resources that the actions of a handler reach, and what a condition may ask about them."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from account.clients import client
from account.databases.proxies import arns_of_proxy
from account.handlers.needs import Handler, table
from account.names import ACCOUNT, PARTITION, REGION, arn


@dataclass(frozen=True)
class Handled:
    """A resource in the hands of its handler."""

    type: str
    handler: Handler
    name: str
    """Its physical id. Before it is made: the name that it will get, or ``*`` for an id that EC2 chooses."""
    properties: Mapping[str, Any]


def _iam(kind: str, name: str) -> str:
    return f"arn:{PARTITION}:iam::{ACCOUNT}:{kind}/{name}"


_ec2_kinds = {
    "AWS::EC2::Instance": "instance",
    "AWS::EC2::InternetGateway": "internet-gateway",
    "AWS::EC2::LaunchTemplate": "launch-template",
    "AWS::EC2::RouteTable": "route-table",
    "AWS::EC2::SecurityGroup": "security-group",
    "AWS::EC2::Subnet": "subnet",
    "AWS::EC2::VPC": "vpc",
    "AWS::EC2::VPCEndpoint": "vpc-endpoint",
}
_ec2_ids = {
    "igw": "internet-gateway",
    "lt": "launch-template",
    "rtb": "route-table",
    "sg": "security-group",
    "subnet": "subnet",
    "vpc": "vpc",
}
_ec2_id = re.compile(rf"({'|'.join(_ec2_ids)})-[0-9a-f]+")

_rds_kinds = {
    "AWS::RDS::DBCluster": "cluster",
    "AWS::RDS::DBClusterParameterGroup": "cluster-pg",
    "AWS::RDS::DBInstance": "db",
    "AWS::RDS::DBParameterGroup": "pg",
    "AWS::RDS::DBSubnetGroup": "subgrp",
}
_proxied = ("AWS::RDS::DBProxy", "AWS::RDS::DBProxyTargetGroup")
_rds_properties = {
    "DBClusterParameterGroupName": "cluster-pg",
    "DBClusterSnapshotIdentifier": "cluster-snapshot",
    "DBParameterGroupName": "pg",
    "DBSnapshotIdentifier": "snapshot",
    "DBSubnetGroupName": "subgrp",
}

_own: dict[str, tuple[str, str]] = {
    "AWS::CloudWatch::Dashboard": ("dashboard", f"arn:{PARTITION}:cloudwatch::{ACCOUNT}:dashboard/{{}}"),
    "AWS::IAM::InstanceProfile": ("instance-profile", _iam("instance-profile", "{}")),
    "AWS::IAM::Role": ("role", _iam("role", "{}")),
    "AWS::Logs::LogGroup": ("log-group", arn("logs", "log-group:{}")),
    "AWS::SNS::Topic": ("topic", arn("sns", "{}")),
    "AWS::SSM::Parameter": ("parameter", arn("ssm", "parameter/{}")),
    "AWS::Scheduler::Schedule": ("schedule", arn("scheduler", "schedule/default/{}")),
    "AWS::SecretsManager::Secret": ("Secret", arn("secretsmanager", "secret:{}")),
    "AWS::StepFunctions::StateMachine": ("statemachine", arn("states", "stateMachine:{}")),
}
"""The kind and the ARN of a resource with a name, by type."""

_name_properties = {
    "AWS::CloudWatch::Dashboard": "DashboardName",
    "AWS::IAM::InstanceProfile": "InstanceProfileName",
    "AWS::IAM::Role": "RoleName",
    "AWS::Logs::LogGroup": "LogGroupName",
    "AWS::RDS::DBCluster": "DBClusterIdentifier",
    "AWS::RDS::DBClusterParameterGroup": "DBClusterParameterGroupName",
    "AWS::RDS::DBInstance": "DBInstanceIdentifier",
    "AWS::RDS::DBParameterGroup": "DBParameterGroupName",
    "AWS::RDS::DBProxy": "DBProxyName",
    "AWS::RDS::DBSubnetGroup": "DBSubnetGroupName",
    "AWS::SNS::Topic": "TopicName",
    "AWS::SSM::Parameter": "Name",
    "AWS::Scheduler::Schedule": "Name",
    "AWS::SecretsManager::Secret": "Name",
    "AWS::StepFunctions::StateMachine": "StateMachineName",
}

_passed_to = {
    "AWS::EC2::Instance": "ec2.amazonaws.com",
    "AWS::IAM::InstanceProfile": "ec2.amazonaws.com",
    "AWS::RDS::DBCluster": "monitoring.rds.amazonaws.com",
    "AWS::RDS::DBInstance": "monitoring.rds.amazonaws.com",
    "AWS::RDS::DBProxy": "rds.amazonaws.com",
    "AWS::Scheduler::Schedule": "scheduler.amazonaws.com",
    "AWS::StepFunctions::StateMachine": "states.amazonaws.com",
}


def name_of_new(kind: str, properties: Mapping[str, Any], generated_name: str, logical_id: str) -> str:
    """The name that a resource will have; ``*`` for an id that EC2 chooses."""
    if kind not in _name_properties:
        return "*"
    # CloudFormation names a secret by its logical id alone.
    generated = f"{logical_id}-generated" if kind == "AWS::SecretsManager::Secret" else generated_name
    name = str(properties.get(_name_properties[kind], generated))
    return name.lower() if kind.startswith("AWS::RDS::") else name


def subjects(handled: Handled, action: str) -> list[str]:
    """ARNs of the resources that the action reaches; ``*`` if a policy cannot name any of them."""
    if action == "iam:CreateServiceLinkedRole":
        return [_iam("role", "aws-service-role/rds.amazonaws.com/AWSServiceRoleForRDS")]
    kinds = table()["kinds"].get(action, [])
    return sorted({resource for kind, resource in _resources(handled) if kind in kinds}) or ["*"]


def contexts(handled: Handled, action: str, subject: str) -> Iterator[dict[str, str]]:
    """What conditions may ask about a call; several if the handler calls it several times."""
    if action == "iam:PassRole":
        yield {"iam:PassedToService": _passed_to.get(handled.type, "")}
    elif action in ("iam:AttachRolePolicy", "iam:DetachRolePolicy"):
        yield from ({"iam:PolicyARN": policy} for policy in handled.properties.get("ManagedPolicyArns", []))
    elif action == "iam:CreateServiceLinkedRole":
        yield {"iam:AWSServiceName": "rds.amazonaws.com"}
    else:
        yield _tags_of(handled, subject)


def _resources(handled: Handled) -> Iterator[tuple[str, str]]:
    """Kind and ARN of the resource itself, and of those that its properties name."""
    kind, name = handled.type, handled.name
    texts = list(_texts(handled.properties))
    if kind in _own:
        own_kind, form = _own[kind]
        # The ARN of a parameter has the slash already with which its name may begin.
        text = name.removeprefix("/") if own_kind == "parameter" else name
        yield own_kind, name if name.startswith("arn:") else form.format(text)
    if kind.startswith("AWS::EC2::"):
        yield from _ec2(kind, name, texts)
    if kind.startswith("AWS::RDS::"):
        yield from _rds(handled)
    if kind.startswith("AWS::SNS::"):
        yield from (("topic", text) for text in texts if text.startswith("arn:aws:sns:"))
    roles = [*handled.properties.get("Roles", []), *_roles_of_profile(handled)]
    yield from (("role", _iam("role", role)) for role in roles)
    yield from (("role", text) for text in texts if re.fullmatch(_iam("role", ".+"), text))


def _ec2(kind: str, name: str, texts: list[str]) -> Iterator[tuple[str, str]]:
    if kind in _ec2_kinds:
        yield _ec2_kinds[kind], arn("ec2", f"{_ec2_kinds[kind]}/{name}")
    for text in texts:
        found = _ec2_id.fullmatch(text)
        if found:
            yield _ec2_ids[found[1]], arn("ec2", f"{_ec2_ids[found[1]]}/{text}")
    if kind == "AWS::EC2::Instance":
        yield "image", f"arn:{PARTITION}:ec2:{REGION}::image/ami-00000000000000000"
        yield from ((part, arn("ec2", f"{part}/*")) for part in ("network-interface", "volume"))
        image = "parameter/aws/service/ami-amazon-linux-latest/al2023-ami-kernel-default-x86_64"
        yield "parameter", f"arn:{PARTITION}:ssm:{REGION}::{image}"


def _rds(handled: Handled) -> Iterator[tuple[str, str]]:
    if handled.type in _proxied:
        yield from arns_of_proxy(handled.properties["DBProxyName"])
        databases = handled.properties.get("DBInstanceIdentifiers", [])
        yield from (("db", arn("rds", f"db:{database}")) for database in databases)
        return
    own = _rds_kinds[handled.type]
    yield own, arn("rds", f"{own}:{handled.name}")
    if own == "cluster":
        # Of a Multi-AZ cluster, RDS makes the members.
        yield "db", arn("rds", f"db:{handled.name}-instance-1")
    if own in ("cluster", "db") and handled.handler != "delete":
        yield "og", arn("rds", "og:default:postgres-16")
        for name, kind in _rds_properties.items():
            value = handled.properties.get(name)
            if value:
                yield kind, value if value.startswith("arn:") else arn("rds", f"{kind}:{value}")


def _roles_of_profile(handled: Handled) -> list[str]:
    profile = handled.properties.get("IamInstanceProfile")
    if not profile or handled.handler == "delete":
        return []
    found = client("iam").get_instance_profile(InstanceProfileName=profile)["InstanceProfile"]
    return [role["RoleName"] for role in found["Roles"]]


def _tags_of(handled: Handled, subject: str) -> dict[str, str]:
    """Tags of a resource that exists. What is being made has none yet: a service may add them later."""
    ec2_id = subject.rsplit("/", 1)[-1] if ":ec2:" in subject else None
    if ec2_id and "*" not in ec2_id:
        found = client("ec2").describe_tags(Filters=[{"Name": "resource-id", "Values": [ec2_id]}])["Tags"]
    elif handled.handler != "create" and isinstance(handled.properties.get("Tags"), list):
        found = handled.properties["Tags"]
    else:
        found = []
    return {f"aws:ResourceTag/{tag['Key']}": tag["Value"] for tag in found}


def _texts(value: Any) -> Iterator[str]:
    """The texts in properties, at any depth, except in policies."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for key, item in value.items():
            if key not in ("PolicyDocument", "DefinitionString", "UserData"):
                yield from _texts(item)
    elif isinstance(value, list):
        for item in value:
            yield from _texts(item)
