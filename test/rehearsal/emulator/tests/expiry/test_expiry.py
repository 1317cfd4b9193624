"""What the roles of schedules and state machines prevent, and how expressions are evaluated."""

import json
from datetime import UTC, datetime
from typing import Any

import pytest
from moto.stepfunctions.parser.asl.jsonata import jsonata
from moto.stepfunctions.parser.asl.jsonata.jsonata import JSONataException

from account.expiry.state_machines import complete_moto, plain
from account.names import ACCOUNT
from tests.documents import policy, statement, trust
from tests.served import Served


def _role(service: str, action: str) -> dict[str, Any]:
    condition = {"StringEquals": {"aws:SourceAccount": ACCOUNT}}
    trusting = trust({"Service": service}, Condition=condition)
    policies = [{"PolicyName": "inline", "PolicyDocument": policy(statement(Action=action))}]
    properties = {"AssumeRolePolicyDocument": trusting, "Policies": policies}
    return {"Type": "AWS::IAM::Role", "Properties": properties}


def _fired(
    served: Served,
    stack: str,
    *,
    trusted: str = "scheduler.amazonaws.com",
    starting: str = "states:StartExecution",
    allowed: str = "cloudformation:DeleteStack",
) -> tuple[str, str, str]:
    """Deploys a stack with a schedule that deletes it, and fires the schedule in vain.

    :param trusted: the service that may assume the role of the schedule
    :param starting: what the role of the schedule allows
    :param allowed: what the role of the state machine allows
    :return: status, error and cause of the execution
    """
    task = {
        "Type": "Task",
        "Resource": "arn:aws:states:::aws-sdk:cloudformation:deleteStack",
        "Arguments": {"StackName": stack},
        "End": True,
    }
    definition = {"QueryLanguage": "JSONata", "StartAt": "Delete", "States": {"Delete": task}}
    resources = {
        "MachineRole": _role("states.amazonaws.com", allowed),
        "Machine": {
            "Type": "AWS::StepFunctions::StateMachine",
            "Properties": {
                "RoleArn": {"Fn::GetAtt": ["MachineRole", "Arn"]},
                "DefinitionString": json.dumps(definition),
            },
        },
        "ScheduleRole": _role(trusted, starting),
        "Schedule": {
            "Type": "AWS::Scheduler::Schedule",
            "Properties": {
                "FlexibleTimeWindow": {"Mode": "OFF"},
                "ScheduleExpression": "rate(1 hour)",
                "Target": {
                    "Arn": {"Fn::GetAtt": ["Machine", "Arn"]},
                    "RoleArn": {"Fn::GetAtt": ["ScheduleRole", "Arn"]},
                },
            },
        },
    }
    assert served.deploy(stack, resources) == "CREATE_COMPLETE"
    [fired] = served.control("POST", "fire-schedules", {})
    assert served.described(stack)["StackStatus"] == "CREATE_COMPLETE"
    return fired["status"], fired["error"], fired["cause"]


def test_a_state_machine_may_do_only_what_its_role_allows(served: Served, stack: str) -> None:
    status, _, cause = _fired(served, stack, allowed="cloudformation:DescribeStacks")
    assert status == "FAILED"
    role = served.physical_id(stack, "MachineRole")
    assert f"assumed-role/{role}/" in cause
    assert "is not authorized to perform: cloudformation:DeleteStack" in cause


def test_a_schedule_with_a_role_that_does_not_trust_the_scheduler_starts_nothing(
    served: Served, stack: str
) -> None:
    status, error, cause = _fired(served, stack, trusted="events.amazonaws.com")
    assert (status, error) == ("FAILED", "AccessDenied")
    assert "cannot be assumed by scheduler.amazonaws.com" in cause


def test_a_schedule_with_a_role_that_may_not_start_executions_starts_nothing(
    served: Served, stack: str
) -> None:
    status, error, cause = _fired(served, stack, starting="states:StopExecution")
    assert (status, error) == ("FAILED", "AccessDeniedException")
    assert "is not authorized to perform: states:StartExecution" in cause


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("1 + 2", 3),
        ('$states := {"input": {"hoursOld": 3.5}}; $states.input.hoursOld >= 3', True),
        ('($toMillis("2026-01-01T02:00:00.000Z") - $toMillis("2026-01-01T00:30:00Z")) / 3600000', 1.5),
        ('{"a": [1, 2]}.a[1]', 2),
        ("$exists(missing)", False),
    ],
)
def test_expressions_have_the_values_of_jsonata(expression: str, value: Any) -> None:
    complete_moto()
    assert jsonata.eval_jsonata_expression(f"({expression})") == value


@pytest.mark.parametrize("expression", ["1 +", '$toMillis("yesterday")', "$unheard()"])
def test_an_invalid_expression_is_an_error_of_the_state(expression: str) -> None:
    complete_moto()
    with pytest.raises(JSONataException):
        jsonata.eval_jsonata_expression(expression)


def test_times_have_the_form_of_step_functions() -> None:
    moment = datetime(2026, 1, 2, 3, 4, 5, 678_901, tzinfo=UTC)
    answer = {"Stacks": [{"CreationTime": moment, "StackName": "a", "Outputs": []}]}
    assert plain(answer) == {
        "Stacks": [{"CreationTime": "2026-01-02T03:04:05.678Z", "StackName": "a", "Outputs": []}]
    }
