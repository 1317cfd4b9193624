"""The resource of each kind of request, as IAM sees it."""

from typing import Any
from uuid import uuid4

import pytest

from account.cloudformation.stacks import Order, Stack, Stacks
from account.gate.resource_arns import resources_of
from account.names import ACCOUNT, REGION
from tests.served import Served
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
def test_the_resources_of_a_request_are_those_that_it_names(
    service: str, operation: str, arguments: dict[str, Any], resources: list[str]
) -> None:
    assert sorted(resources_of(request_of(service, operation, **arguments))) == sorted(resources)


def test_the_resource_is_the_id_of_a_stack_even_if_the_request_has_its_name() -> None:
    stack = Stack(f"stack-{uuid4()}", Order("", {}, {}, {}, {}, None))
    Stacks.add(stack)
    for name in (stack.name, stack.id):
        assert resources_of(request_of("cloudformation", "DescribeStacks", StackName=name)) == [stack.id]
    Stacks.all.remove(stack)


def test_the_resource_is_the_whole_arn_of_a_secret_even_if_the_request_has_its_name(served: Served) -> None:
    name, secrets = f"secret-{uuid4()}", served.client("secretsmanager")
    secrets.create_secret(Name=name, SecretString="a")
    [arn] = resources_of(request_of("secretsmanager", "GetSecretValue", SecretId=name))
    assert arn.startswith(f"arn:aws:secretsmanager:{REGION}:{ACCOUNT}:secret:{name}-")
    secrets.delete_secret(SecretId=name, ForceDeleteWithoutRecovery=True)
    assert resources_of(request_of("secretsmanager", "GetSecretValue", SecretId=name)) == [name]
