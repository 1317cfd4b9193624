"""The resource that IAM asks about for each kind of request."""

from typing import Any
from uuid import uuid4

import pytest
from moto.secretsmanager.models import secretsmanager_backends

from account.cloudformation.stacks import Order, Stack, Stacks
from account.gate.resource_arns import resources_of
from account.names import ACCOUNT, REGION
from tests.wire import request_of

_rds = f"arn:aws:rds:{REGION}:{ACCOUNT}"
_stack = f"arn:aws:cloudformation:{REGION}:{ACCOUNT}:stack"
_machine = f"arn:aws:states:{REGION}:{ACCOUNT}:stateMachine:end"
_role = f"arn:aws:iam::{ACCOUNT}:role/driver"


@pytest.mark.parametrize(
    ("service", "operation", "arguments", "resources"),
    [
        ("rds", "DescribeDBInstances", {"DBInstanceIdentifier": "db-1"}, [f"{_rds}:db:db-1"]),
        ("rds", "DescribeDBInstances", {"DBInstanceIdentifier": f"{_rds}:db:db-1"}, [f"{_rds}:db:db-1"]),
        ("rds", "DescribeDBInstances", {}, [f"{_rds}:db:*"]),
        ("rds", "DescribeDBClusters", {}, [f"{_rds}:cluster:*"]),
        ("rds", "DescribeEvents", {"SourceIdentifier": "db-1", "SourceType": "db-instance"}, ["*"]),
        (
            "rds",
            "FailoverDBCluster",
            {"DBClusterIdentifier": "c", "TargetDBInstanceIdentifier": "c-2"},
            [f"{_rds}:db:c-2", f"{_rds}:cluster:c"],
        ),
        (
            "rds",
            "CreateDBInstance",
            {
                "DBInstanceIdentifier": "db-1",
                "DBInstanceClass": "db.m6g.large",
                "Engine": "postgres",
                "DBParameterGroupName": "fast",
                "DBSubnetGroupName": "private",
            },
            [f"{_rds}:db:db-1", f"{_rds}:pg:fast", f"{_rds}:subgrp:private"],
        ),
        ("iam", "GetRole", {"RoleName": "driver"}, [_role]),
        ("iam", "GetUser", {"UserName": "somebody"}, [f"arn:aws:iam::{ACCOUNT}:user/somebody"]),
        ("iam", "ListRoles", {}, ["*"]),
        (
            "logs",
            "GetLogEvents",
            {"logGroupName": "RDSOSMetrics", "logStreamName": "db-A"},
            [f"arn:aws:logs:{REGION}:{ACCOUNT}:log-group:RDSOSMetrics:log-stream:db-A"],
        ),
        ("sts", "AssumeRole", {"RoleArn": _role, "RoleSessionName": "somebody"}, [_role]),
        (
            "ssm",
            "GetParameters",
            {"Names": ["/cdk/version", "plain"]},
            [
                f"arn:aws:ssm:{REGION}:{ACCOUNT}:parameter/cdk/version",
                f"arn:aws:ssm:{REGION}:{ACCOUNT}:parameter/plain",
            ],
        ),
        ("stepfunctions", "StartExecution", {"stateMachineArn": _machine}, [_machine]),
        ("cloudformation", "DescribeStacks", {"StackName": "not-there"}, [f"{_stack}/not-there/*"]),
        ("cloudformation", "DescribeStacks", {}, ["*"]),
        ("ec2", "RunInstances", {"MinCount": 1, "MaxCount": 1}, ["*"]),
    ],
)
def test_a_request_is_about_what_it_names(
    service: str, operation: str, arguments: dict[str, Any], resources: list[str]
) -> None:
    assert sorted(resources_of(request_of(service, operation, **arguments))) == sorted(resources)


def test_a_stack_is_known_by_its_id_whatever_it_is_called_by() -> None:
    stack = Stack(f"stack-{uuid4()}", Order("", {}, {}, {}, {}, None))
    Stacks.add(stack)
    for name in (stack.name, stack.id):
        assert resources_of(request_of("cloudformation", "DescribeStacks", StackName=name)) == [stack.id]
    Stacks.all.remove(stack)


def test_a_secret_is_known_by_its_arn_with_the_letters_at_its_end() -> None:
    name = f"secret-{uuid4()}"
    secrets = secretsmanager_backends[ACCOUNT][REGION]
    secrets.create_secret(
        name,
        secret_string="a",
        secret_binary=None,
        description=None,
        tags=[],
        kms_key_id=None,
        client_request_token=None,
        replica_regions=[],
        force_overwrite=False,
    )
    [arn] = resources_of(request_of("secretsmanager", "GetSecretValue", SecretId=name))
    assert arn.startswith(f"arn:aws:secretsmanager:{REGION}:{ACCOUNT}:secret:{name}-")
    secrets.delete_secret(name, recovery_window_in_days=None, force_delete_without_recovery=True)
    assert resources_of(request_of("secretsmanager", "GetSecretValue", SecretId=name)) == [name]
