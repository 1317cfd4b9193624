"""Roles, and what is in a VPC, made and changed by a stack."""

from typing import Any

from tests.documents import policy, statement, trust
from tests.served import Served


def _role(**actions: str) -> dict[str, Any]:
    """:param actions: the action that each inline policy allows, by its name"""
    return {
        "Type": "AWS::IAM::Role",
        "Properties": {
            "AssumeRolePolicyDocument": trust({"Service": "ec2.amazonaws.com"}),
            "ManagedPolicyArns": ["arn:aws:iam::aws:policy/AmazonSSMManagedInstanceCore"],
            "Policies": [
                {"PolicyName": name, "PolicyDocument": policy(statement(Action=action))}
                for name, action in actions.items()
            ],
        },
    }


def _vpc() -> dict[str, Any]:
    return {"Type": "AWS::EC2::VPC", "Properties": {"CidrBlock": "10.1.0.0/16"}}


def test_an_update_replaces_the_policies_of_a_role(served: Served, stack: str) -> None:
    served.deploy(stack, {"Role": _role(kept="s3:GetObject", gone="s3:*")})
    after = {"Role": _role(kept="s3:PutObject", new="rds:*")}
    assert served.deploy(stack, after, kind="UPDATE") == "UPDATE_COMPLETE"
    role, iam = served.physical_id(stack, "Role"), served.client("iam")
    assert sorted(iam.list_role_policies(RoleName=role)["PolicyNames"]) == ["kept", "new"]
    document = iam.get_role_policy(RoleName=role, PolicyName="kept")["PolicyDocument"]
    assert document["Statement"][0]["Action"] == "s3:PutObject"
    [attached] = iam.list_attached_role_policies(RoleName=role)["AttachedPolicies"]
    assert attached["PolicyName"] == "AmazonSSMManagedInstanceCore"


def test_policies_of_a_role_are_refused_above_what_all_of_them_hold(served: Served, stack: str) -> None:
    role = _role(one="s3:GetObject")
    [only] = role["Properties"]["Policies"]
    only["PolicyDocument"]["Statement"][0]["Resource"] = [f"arn:aws:s3:::{'a' * 1000}{n}" for n in range(11)]
    assert served.deploy(stack, {"Role": role}) == "ROLLBACK_COMPLETE"


def test_a_vpc_that_is_not_empty_cannot_be_deleted(served: Served, stack: str) -> None:
    subnet = {"VpcId": {"Ref": "Vpc"}, "CidrBlock": "10.1.0.0/24"}
    resources = {"Vpc": _vpc(), "Subnet": {"Type": "AWS::EC2::Subnet", "Properties": subnet}}
    served.deploy(stack, resources)
    ec2 = served.client("ec2")
    made = ec2.create_network_interface(SubnetId=served.physical_id(stack, "Subnet"))
    interface = made["NetworkInterface"]["NetworkInterfaceId"]
    vpc = served.physical_id(stack, "Vpc")
    assert served.destroy(stack) == "DELETE_FAILED"
    events = served.client("cloudformation").describe_stack_events(StackName=stack)["StackEvents"]
    reasons = [event.get("ResourceStatusReason", "") for event in events]
    assert f"The vpc '{vpc}' has dependencies and cannot be deleted: {interface}" in reasons
    ec2.delete_network_interface(NetworkInterfaceId=interface)


def test_a_security_group_has_the_rules_of_the_template(served: Served, stack: str) -> None:
    def group(**properties: Any) -> dict[str, Any]:
        named = {"GroupDescription": "of tests", "VpcId": {"Ref": "Vpc"}, **properties}
        return {"Type": "AWS::EC2::SecurityGroup", "Properties": named}

    https = {"IpProtocol": "tcp", "FromPort": "443", "ToPort": 443, "CidrIp": "0.0.0.0/0"}
    postgres = {
        "GroupId": {"Ref": "Databases"},
        "IpProtocol": "tcp",
        "FromPort": 5432,
        "ToPort": 5432,
        "SourceSecurityGroupId": {"Ref": "Driver"},
    }
    groups = {"Vpc": _vpc(), "Driver": group(SecurityGroupEgress=[https]), "Databases": group()}
    rule = {"Type": "AWS::EC2::SecurityGroupIngress", "Properties": postgres}
    served.deploy(stack, {**groups, "Rule": rule})

    def described(resource: str) -> dict[str, Any]:
        group_id = served.physical_id(stack, resource)
        found = served.client("ec2").describe_security_groups(GroupIds=[group_id])["SecurityGroups"]
        only: dict[str, Any] = found[0]
        return only

    def egress(resource: str) -> list[tuple[str, int | None]]:
        rules = described(resource)["IpPermissionsEgress"]
        return [(rule["IpProtocol"], rule.get("FromPort")) for rule in rules]

    # A group without rules of its own lets everything out.
    assert egress("Databases") == [("-1", None)]
    assert egress("Driver") == [("tcp", 443)]
    [ingress] = described("Databases")["IpPermissions"]
    assert [pair["GroupId"] for pair in ingress["UserIdGroupPairs"]] == [served.physical_id(stack, "Driver")]
    served.deploy(stack, groups, kind="UPDATE")
    assert described("Databases")["IpPermissions"] == []
