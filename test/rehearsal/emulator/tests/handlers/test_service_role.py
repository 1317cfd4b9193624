"""A stack with a role: CloudFormation may do what the role may."""

import json
from collections.abc import Iterator
from typing import Any
from uuid import uuid4

import pytest

from account.names import ACCOUNT, arn
from tests.documents import policy, statement, trust
from tests.served import Served, connect, refusal

_parameters = arn("ssm", "parameter/role-test/*")
_all_of_ssm = statement(Sid="Parameters", Action="ssm:*", Resource=_parameters)
_everything_in_ec2 = statement(Sid="Network", Action="ec2:*")


class Role:
    """A role that CloudFormation can assume, with one policy."""

    def __init__(self, served: Served):
        self.name = f"role-{uuid4()}"
        self._iam = served.client("iam")
        trusted = trust({"Service": "cloudformation.amazonaws.com"})
        made = self._iam.create_role(RoleName=self.name, AssumeRolePolicyDocument=json.dumps(trusted))
        self.arn: str = made["Role"]["Arn"]

    def may(self, *statements: dict[str, Any]) -> None:
        document = json.dumps(policy(*statements))
        self._iam.put_role_policy(RoleName=self.name, PolicyName="only", PolicyDocument=document)


@pytest.fixture
def role(served: Served, stack: str) -> Iterator[Role]:
    """A role for the stack, which may do everything when the stack is deleted in the end."""
    made = Role(served)
    yield made
    assert stack
    made.may(statement(Action="*"))


def parameter(name: str = "a", value: str = "1") -> dict[str, Any]:
    properties = {"Name": f"/role-test/{name}", "Type": "String", "Value": value}
    return {"Type": "AWS::SSM::Parameter", "Properties": properties}


def vpc(*tags: tuple[str, str]) -> dict[str, Any]:
    properties = {"CidrBlock": "10.9.0.0/24", "Tags": [{"Key": key, "Value": value} for key, value in tags]}
    return {"Type": "AWS::EC2::VPC", "Properties": properties}


def reasons(served: Served, stack: str) -> str:
    events = served.client("cloudformation").describe_stack_events(StackName=stack)["StackEvents"]
    return "\n".join(event.get("ResourceStatusReason", "") for event in events)


def test_a_stack_is_made_changed_and_deleted_if_its_role_may(served: Served, stack: str, role: Role) -> None:
    role.may(_all_of_ssm)
    assert served.deploy(stack, {"A": parameter()}, role=role.arn) == "CREATE_COMPLETE"
    assert (
        served.deploy(stack, {"A": parameter(value="2")}, kind="UPDATE", role=role.arn) == "UPDATE_COMPLETE"
    )
    assert served.destroy(stack) == "DELETE_COMPLETE"


def test_a_resource_fails_by_the_action_that_its_role_may_not(served: Served, stack: str, role: Role) -> None:
    role.may(statement(Action=["ssm:PutParameter", "ssm:DeleteParameter"], Resource=_parameters))
    assert served.deploy(stack, {"A": parameter()}, role=role.arn) == "ROLLBACK_COMPLETE"
    assert (
        f'Resource handler returned message: "User: arn:aws:sts::{ACCOUNT}:assumed-role/{role.name}'
        "/AWSCloudFormation is not authorized to perform: ssm:AddTagsToResource on resource: "
        f"{arn('ssm', 'parameter/role-test/a')} because no identity-based policy allows the "
        'ssm:AddTagsToResource action" (HandlerErrorCode: AccessDenied)'
    ) in reasons(served, stack)


def test_a_resource_stays_if_its_role_may_not_delete_it(served: Served, stack: str, role: Role) -> None:
    role.may(_all_of_ssm)
    served.deploy(stack, {"A": parameter()}, role=role.arn)
    role.may(
        statement(Action=["ssm:*"], Resource=_parameters), statement("Deny", Action="ssm:DeleteParameter")
    )
    assert served.destroy(stack) == "DELETE_FAILED"
    assert "ssm:DeleteParameter" in reasons(served, stack)
    assert "with an explicit deny" in reasons(served, stack)


def test_tags_of_a_resource_decide_if_a_condition_asks_for_them(
    served: Served, stack: str, role: Role
) -> None:
    tagged = {"StringEquals": {"aws:ResourceTag/owner": "alice"}}
    role.may(
        statement(Action=["ec2:Describe*", "ec2:CreateVpc", "ec2:CreateTags", "ec2:ModifyVpcAttribute"]),
        statement(Action="ec2:DeleteVpc", Condition=tagged),
    )
    bob = f"{stack}-bob"
    served.deploy(bob, {"A": vpc(("owner", "bob"))}, role=role.arn)
    served.deploy(stack, {"A": vpc(("owner", "alice"))}, role=role.arn)
    assert served.destroy(bob) == "DELETE_FAILED"
    assert served.destroy(stack) == "DELETE_COMPLETE"
    role.may(_everything_in_ec2)
    assert served.destroy(bob) == "DELETE_COMPLETE"


def test_a_role_that_cloudformation_cannot_assume_is_refused(served: Served, stack: str) -> None:
    role = f"arn:aws:iam::{ACCOUNT}:role/nobody-has-made-it"
    code, message = refusal(served.order, stack=stack, kind="CREATE", resources={"A": parameter()}, role=role)
    assert (code, message) == ("ValidationError", f"Role {role} is invalid or cannot be assumed")


def test_who_hands_a_role_to_cloudformation_must_be_allowed_to_pass_it(
    served: Served, stack: str, role: Role
) -> None:
    iam = served.client("iam")
    user = f"user-{uuid4()}"
    iam.create_user(UserName=user)
    allowed = json.dumps(policy(statement(Action="cloudformation:*")))
    iam.put_user_policy(UserName=user, PolicyName="only", PolicyDocument=allowed)
    key = iam.create_access_key(UserName=user)["AccessKey"]
    cloudformation = connect("cloudformation", key["AccessKeyId"], key["SecretAccessKey"])
    request = {
        "StackName": stack,
        "ChangeSetName": "first",
        "ChangeSetType": "CREATE",
        "TemplateBody": json.dumps({"Resources": {"A": parameter()}}),
        "RoleARN": role.arn,
    }
    code, message = refusal(cloudformation.create_change_set, **request)
    assert code == "AccessDenied"
    assert f"is not authorized to perform: iam:PassRole on resource: {role.arn}" in message
    passes = statement(
        Action="iam:PassRole",
        Resource=role.arn,
        Condition={"StringEquals": {"iam:PassedToService": "cloudformation.amazonaws.com"}},
    )
    both = json.dumps(policy(statement(Action="cloudformation:*"), passes))
    iam.put_user_policy(UserName=user, PolicyName="only", PolicyDocument=both)
    cloudformation.create_change_set(**request)


def test_a_statement_that_no_call_has_needed_is_named(served: Served, stack: str, role: Role) -> None:
    role.may(_all_of_ssm, _everything_in_ec2)
    served.deploy(stack, {"A": parameter()}, role=role.arn)
    assert served.control("POST", "needless-statements", {"role": role.arn}) == ["Network"]
    served.destroy(stack)
    calls = [call for call in served.control("GET", "handler-calls") if call["role"] == role.arn]
    assert {"create", "read", "delete"} == {call["handler"] for call in calls}
    assert all(call["allowed"] for call in calls)


def test_a_parameter_that_a_template_reads_needs_a_right_of_its_own(
    served: Served, stack: str, role: Role
) -> None:
    role.may(_all_of_ssm)
    slot = {"Type": "AWS::SSM::Parameter::Value<String>", "Default": "/elsewhere/b"}
    code, message = refusal(
        served.order,
        stack=stack,
        kind="CREATE",
        resources={"A": parameter()},
        role=role.arn,
        Parameters={"B": slot},
    )
    assert code == "ValidationError"
    assert "Unable to fetch parameters [/elsewhere/b]" in message
