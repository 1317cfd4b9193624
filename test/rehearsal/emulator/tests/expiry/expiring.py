"""A stack that deletes itself, as those of the product do."""

import json
from typing import Any

from account.names import ACCOUNT

_task = "arn:aws:states:::aws-sdk:cloudformation"
_hours_old = (
    "{% ($toMillis($states.context.State.EnteredTime) - $toMillis($states.result.Stacks[0].CreationTime))"
    " / 3600000 %}"
)


def expiring(
    hours: int,
    *,
    trusted: str = "scheduler.amazonaws.com",
    starting: str = "states:StartExecution",
    allowed: str = "*",
) -> dict[str, Any]:
    """Resources of a template.

    :param trusted: the service that may assume the role of the schedule
    :param starting: what that role may do
    :param allowed: what the role of the state machine may do with CloudFormation
    """
    definition = {
        "QueryLanguage": "JSONata",
        "StartAt": "Look",
        "States": {
            "Look": {
                "Type": "Task",
                "Resource": f"{_task}:describeStacks",
                "Arguments": {"StackName": "STACK"},
                "Output": {"hoursOld": _hours_old},
                "Next": "TimeIsUp",
            },
            "TimeIsUp": {
                "Type": "Choice",
                "Choices": [{"Condition": f"{{% $states.input.hoursOld >= {hours} %}}", "Next": "Delete"}],
                "Default": "NotYet",
            },
            "NotYet": {"Type": "Succeed"},
            "Delete": {
                "Type": "Task",
                "Resource": f"{_task}:deleteStack",
                "Arguments": {"StackName": "STACK"},
                "End": True,
            },
        },
    }
    before, stack, after = json.dumps(definition).partition("STACK")
    middle, _, after = after.partition("STACK")
    parts = [before, {"Ref": "AWS::StackId"}, middle, {"Ref": "AWS::StackId"}, after]
    assert stack
    return {
        "MachineRole": _role("states.amazonaws.com", f"cloudformation:{allowed}"),
        "Machine": {
            "Type": "AWS::StepFunctions::StateMachine",
            "Properties": {
                "RoleArn": {"Fn::GetAtt": ["MachineRole", "Arn"]},
                "DefinitionString": {"Fn::Join": ["", parts]},
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


def _role(service: str, action: str) -> dict[str, Any]:
    trust = {
        "Effect": "Allow",
        "Action": "sts:AssumeRole",
        "Principal": {"Service": service},
        "Condition": {"StringEquals": {"aws:SourceAccount": ACCOUNT}},
    }
    permission = {"Effect": "Allow", "Action": action, "Resource": "*"}
    return {
        "Type": "AWS::IAM::Role",
        "Properties": {
            "AssumeRolePolicyDocument": {"Version": "2012-10-17", "Statement": [trust]},
            "Policies": [
                {
                    "PolicyName": "inline",
                    "PolicyDocument": {"Version": "2012-10-17", "Statement": [permission]},
                }
            ],
        },
    }
