"""Which actions the handler of a resource calls."""

import pytest

import account.resources  # noqa: F401 - it makes the types known
from account.cloudformation.types import ResourceType
from account.handlers.needs import needed_actions, table


def test_the_handlers_of_every_type_are_known() -> None:
    types = {name for name in ResourceType.known if name.startswith("AWS::")}
    assert types <= table()["handlers"].keys()


def test_an_action_of_a_property_is_called_only_if_it_is_set() -> None:
    plain = needed_actions("AWS::RDS::DBInstance", "create", {"Engine"})
    assert "rds:CreateDBInstance" in plain
    assert "iam:PassRole" not in plain
    assert "iam:PassRole" in needed_actions("AWS::RDS::DBInstance", "create", {"MonitoringRoleArn"})


def test_what_a_service_calls_for_its_caller_is_called_too() -> None:
    assert "ssm:GetParameters" in needed_actions("AWS::EC2::Instance", "create", {"LaunchTemplate"})


def test_a_type_without_a_schema_is_refused() -> None:
    with pytest.raises(KeyError, match="AWS::Lambda::Function"):
        needed_actions("AWS::Lambda::Function", "create", set())
