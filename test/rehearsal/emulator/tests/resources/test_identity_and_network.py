"""Roles, and what is in a VPC, made and changed by a stack."""

from typing import Any

from tests.served import Served


def _policy(name: str, action: str) -> dict[str, Any]:
    statement = {"Effect": "Allow", "Action": action, "Resource": "*"}
    return {"PolicyName": name, "PolicyDocument": {"Version": "2012-10-17", "Statement": [statement]}}


def _role(*policies: dict[str, Any]) -> dict[str, Any]:
    trust = {"Effect": "Allow", "Action": "sts:AssumeRole", "Principal": {"Service": "ec2.amazonaws.com"}}
    return {
        "Type": "AWS::IAM::Role",
        "Properties": {
            "AssumeRolePolicyDocument": {"Version": "2012-10-17", "Statement": [trust]},
            "ManagedPolicyArns": ["arn:aws:iam::aws:policy/AmazonSSMManagedInstanceCore"],
            "Policies": list(policies),
        },
    }


def _vpc() -> dict[str, Any]:
    return {"Type": "AWS::EC2::VPC", "Properties": {"CidrBlock": "10.1.0.0/16"}}


def test_the_policies_of_a_role_are_changed_in_place(served: Served, stack: str) -> None:
    served.deploy(stack, {"Role": _role(_policy("kept", "s3:GetObject"), _policy("gone", "s3:*"))})
    role, iam = served.physical_id(stack, "Role"), served.client("iam")
    assert sorted(iam.list_role_policies(RoleName=role)["PolicyNames"]) == ["gone", "kept"]
    after = {"Role": _role(_policy("kept", "s3:PutObject"), _policy("new", "rds:*"))}
    assert served.deploy(stack, after, kind="UPDATE") == "UPDATE_COMPLETE"
    assert served.physical_id(stack, "Role") == role
    assert sorted(iam.list_role_policies(RoleName=role)["PolicyNames"]) == ["kept", "new"]
    document = iam.get_role_policy(RoleName=role, PolicyName="kept")["PolicyDocument"]
    assert document["Statement"][0]["Action"] == "s3:PutObject"
    [attached] = iam.list_attached_role_policies(RoleName=role)["AttachedPolicies"]
    assert attached["PolicyName"] == "AmazonSSMManagedInstanceCore"


def test_an_instance_profile_has_its_role(served: Served, stack: str) -> None:
    properties = {"Roles": [{"Ref": "Role"}]}
    profile = {"Type": "AWS::IAM::InstanceProfile", "Properties": properties}
    served.deploy(stack, {"Role": _role(), "Profile": profile})
    found = served.client("iam").get_instance_profile(
        InstanceProfileName=served.physical_id(stack, "Profile")
    )
    [role] = found["InstanceProfile"]["Roles"]
    assert role["RoleName"] == served.physical_id(stack, "Role")


def test_a_vpc_with_something_left_in_it_is_not_deleted(served: Served, stack: str) -> None:
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


def test_a_security_group_lets_out_what_it_names_and_else_everything(served: Served, stack: str) -> None:
    def group(**properties: Any) -> dict[str, Any]:
        named = {"GroupDescription": "of tests", "VpcId": {"Ref": "Vpc"}, **properties}
        return {"Type": "AWS::EC2::SecurityGroup", "Properties": named}

    https = {"IpProtocol": "tcp", "FromPort": "443", "ToPort": 443, "CidrIp": "0.0.0.0/0"}
    resources = {"Vpc": _vpc(), "Open": group(), "Https": group(SecurityGroupEgress=[https])}
    served.deploy(stack, resources)

    def egress(resource: str) -> list[tuple[str, int | None]]:
        group_id = served.physical_id(stack, resource)
        [found] = served.client("ec2").describe_security_groups(GroupIds=[group_id])["SecurityGroups"]
        return [(rule["IpProtocol"], rule.get("FromPort")) for rule in found["IpPermissionsEgress"]]

    assert egress("Open") == [("-1", None)]
    assert egress("Https") == [("tcp", 443)]


def test_a_rule_between_groups_is_made_and_taken_away(served: Served, stack: str) -> None:
    named = {"GroupDescription": "of tests", "VpcId": {"Ref": "Vpc"}}
    group = {"Type": "AWS::EC2::SecurityGroup", "Properties": named}
    rule = {
        "Type": "AWS::EC2::SecurityGroupIngress",
        "Properties": {
            "GroupId": {"Fn::GetAtt": ["Databases", "GroupId"]},
            "IpProtocol": "tcp",
            "FromPort": 5432,
            "ToPort": 5432,
            "SourceSecurityGroupId": {"Fn::GetAtt": ["Driver", "GroupId"]},
        },
    }
    groups = {"Vpc": _vpc(), "Driver": group, "Databases": group}

    def sources() -> list[str]:
        group_id = served.physical_id(stack, "Databases")
        [found] = served.client("ec2").describe_security_groups(GroupIds=[group_id])["SecurityGroups"]
        return [pair["GroupId"] for rule in found["IpPermissions"] for pair in rule["UserIdGroupPairs"]]

    served.deploy(stack, {**groups, "Rule": rule})
    assert sources() == [served.physical_id(stack, "Driver")]
    served.deploy(stack, groups, kind="UPDATE")
    assert sources() == []
