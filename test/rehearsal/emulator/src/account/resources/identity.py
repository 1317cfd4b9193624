"""Roles and what they may do."""

import json
from typing import Any

from account.clients import client
from account.cloudformation.types import Asked, Made, Properties, ResourceType, without
from account.names import ACCOUNT, PARTITION


class Role(ResourceType):
    name = "AWS::IAM::Role"

    def create(self, asked: Asked) -> Made:
        properties = asked.properties
        iam = client("iam")
        optional = {key: properties[key] for key in ("Description", "Path", "Tags") if key in properties}
        role = iam.create_role(
            RoleName=properties.get("RoleName", asked.generated_name),
            AssumeRolePolicyDocument=json.dumps(properties["AssumeRolePolicyDocument"]),
            **optional,
        )["Role"]
        for policy_arn in properties.get("ManagedPolicyArns", []):
            iam.attach_role_policy(RoleName=role["RoleName"], PolicyArn=policy_arn)
        _put_policies(iam, role["RoleName"], properties)
        return Made(role["RoleName"], {"Arn": role["Arn"], "RoleId": role["RoleId"]})

    def update(self, asked: Asked, made: Made, before: Properties) -> Made:
        super().update(asked, made, before | {"Policies": asked.unresolved.get("Policies")})
        iam = client("iam")
        kept = {policy["PolicyName"] for policy in asked.properties.get("Policies", [])}
        for policy in before.get("Policies", []):
            if policy["PolicyName"] not in kept:
                iam.delete_role_policy(RoleName=made.physical_id, PolicyName=policy["PolicyName"])
        _put_policies(iam, made.physical_id, asked.properties)
        return made

    def delete(self, made: Made, properties: Properties) -> None:
        iam = client("iam")
        name = made.physical_id
        for policy_name in iam.list_role_policies(RoleName=name)["PolicyNames"]:
            iam.delete_role_policy(RoleName=name, PolicyName=policy_name)
        for policy in iam.list_attached_role_policies(RoleName=name)["AttachedPolicies"]:
            iam.detach_role_policy(RoleName=name, PolicyArn=policy["PolicyArn"])
        iam.delete_role(RoleName=name)


# Of all inline policies of a role, without white space: "IAM and AWS STS quotas" in IAM's user guide.
_MAX_POLICY_CHARACTERS = 10_240


def _put_policies(iam: Any, role_name: str, properties: Properties) -> None:
    for policy in properties.get("Policies", []):
        iam.put_role_policy(
            RoleName=role_name,
            PolicyName=policy["PolicyName"],
            PolicyDocument=json.dumps(policy["PolicyDocument"]),
        )
    documents = [
        iam.get_role_policy(RoleName=role_name, PolicyName=name)["PolicyDocument"]
        for name in iam.list_role_policies(RoleName=role_name)["PolicyNames"]
    ]
    if sum(len(json.dumps(one, separators=(",", ":"))) for one in documents) > _MAX_POLICY_CHARACTERS:
        raise ValueError(
            f"Maximum policy size of {_MAX_POLICY_CHARACTERS} bytes exceeded for role {role_name}"
        )


class Policy(ResourceType):
    """An inline policy that several roles get."""

    name = "AWS::IAM::Policy"

    def create(self, asked: Asked) -> Made:
        properties = asked.properties
        for role in properties.get("Roles", []):
            _put_policies(client("iam"), role, {"Policies": [without(properties, "Roles")]})
        return Made(properties["PolicyName"])

    def delete(self, made: Made, properties: Properties) -> None:
        for role in properties.get("Roles", []):
            client("iam").delete_role_policy(RoleName=role, PolicyName=made.physical_id)


class InstanceProfile(ResourceType):
    name = "AWS::IAM::InstanceProfile"

    def create(self, asked: Asked) -> Made:
        iam = client("iam")
        name = asked.properties.get("InstanceProfileName", asked.generated_name)
        iam.create_instance_profile(InstanceProfileName=name)
        for role in asked.properties["Roles"]:
            iam.add_role_to_instance_profile(InstanceProfileName=name, RoleName=role)
        return Made(name, {"Arn": f"arn:{PARTITION}:iam::{ACCOUNT}:instance-profile/{name}"})

    def delete(self, made: Made, properties: Properties) -> None:
        iam = client("iam")
        for role in properties["Roles"]:
            iam.remove_role_from_instance_profile(InstanceProfileName=made.physical_id, RoleName=role)
        iam.delete_instance_profile(InstanceProfileName=made.physical_id)
