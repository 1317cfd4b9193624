"""VPC and what is in it."""

from typing import Any

from account.clients import client
from account.cloudformation.types import Asked, Made, Properties, ResourceType, call, specified_tags, without


class Vpc(ResourceType):
    name = "AWS::EC2::VPC"

    def create(self, asked: Asked) -> Made:
        properties = asked.properties
        ec2 = client("ec2")
        made = call(
            "ec2",
            "CreateVpc",
            without(properties, "Tags", "EnableDnsHostnames", "EnableDnsSupport")
            | specified_tags(properties, "vpc"),
        )["Vpc"]
        vpc_id = made["VpcId"]
        for attribute in ("EnableDnsSupport", "EnableDnsHostnames"):
            if attribute in properties:
                value = str(properties[attribute]).lower() == "true"
                ec2.modify_vpc_attribute(VpcId=vpc_id, **{attribute: {"Value": value}})
        groups = ec2.describe_security_groups(Filters=[{"Name": "vpc-id", "Values": [vpc_id]}])[
            "SecurityGroups"
        ]
        return Made(
            vpc_id,
            {"VpcId": vpc_id, "CidrBlock": made["CidrBlock"], "DefaultSecurityGroup": groups[0]["GroupId"]},
        )

    def delete(self, made: Made, properties: Properties) -> None:
        ec2 = client("ec2")
        _demand_empty_vpc(ec2, made.physical_id)
        ec2.delete_vpc(VpcId=made.physical_id)


def _demand_empty_vpc(ec2: Any, vpc_id: str) -> None:
    """EC2 refuses to delete a VPC that still has network interfaces, which shows leftovers. moto does not."""
    left = ec2.describe_network_interfaces(Filters=[{"Name": "vpc-id", "Values": [vpc_id]}])[
        "NetworkInterfaces"
    ]
    if left:
        names = ", ".join(interface["NetworkInterfaceId"] for interface in left)
        raise ValueError(f"The vpc '{vpc_id}' has dependencies and cannot be deleted: {names}")


class Subnet(ResourceType):
    name = "AWS::EC2::Subnet"

    def create(self, asked: Asked) -> Made:
        properties = asked.properties
        made = call(
            "ec2",
            "CreateSubnet",
            without(properties, "Tags", "MapPublicIpOnLaunch") | specified_tags(properties, "subnet"),
        )["Subnet"]
        if str(properties.get("MapPublicIpOnLaunch")).lower() == "true":
            client("ec2").modify_subnet_attribute(
                SubnetId=made["SubnetId"], MapPublicIpOnLaunch={"Value": True}
            )
        return Made(
            made["SubnetId"],
            {key: made[key] for key in ("SubnetId", "AvailabilityZone", "VpcId", "CidrBlock")},
        )

    def delete(self, made: Made, properties: Properties) -> None:
        client("ec2").delete_subnet(SubnetId=made.physical_id)


class RouteTable(ResourceType):
    name = "AWS::EC2::RouteTable"

    def create(self, asked: Asked) -> Made:
        properties = asked.properties
        made = call(
            "ec2", "CreateRouteTable", without(properties, "Tags") | specified_tags(properties, "route-table")
        )
        table_id = made["RouteTable"]["RouteTableId"]
        return Made(table_id, {"RouteTableId": table_id})

    def delete(self, made: Made, properties: Properties) -> None:
        client("ec2").delete_route_table(RouteTableId=made.physical_id)


class SubnetRouteTableAssociation(ResourceType):
    name = "AWS::EC2::SubnetRouteTableAssociation"

    def create(self, asked: Asked) -> Made:
        association = call("ec2", "AssociateRouteTable", asked.properties)["AssociationId"]
        return Made(association, {"Id": association})

    def delete(self, made: Made, properties: Properties) -> None:
        client("ec2").disassociate_route_table(AssociationId=made.physical_id)


class Route(ResourceType):
    name = "AWS::EC2::Route"

    def create(self, asked: Asked) -> Made:
        call("ec2", "CreateRoute", asked.properties)
        return Made(f"{asked.properties['RouteTableId']}|{asked.properties['DestinationCidrBlock']}")

    def delete(self, made: Made, properties: Properties) -> None:
        table_id, destination = made.physical_id.split("|")
        client("ec2").delete_route(RouteTableId=table_id, DestinationCidrBlock=destination)


class InternetGateway(ResourceType):
    name = "AWS::EC2::InternetGateway"

    def create(self, asked: Asked) -> Made:
        made = call("ec2", "CreateInternetGateway", specified_tags(asked.properties, "internet-gateway"))
        gateway_id = made["InternetGateway"]["InternetGatewayId"]
        return Made(gateway_id, {"InternetGatewayId": gateway_id})

    def delete(self, made: Made, properties: Properties) -> None:
        client("ec2").delete_internet_gateway(InternetGatewayId=made.physical_id)


class VpcGatewayAttachment(ResourceType):
    name = "AWS::EC2::VPCGatewayAttachment"

    def create(self, asked: Asked) -> Made:
        call("ec2", "AttachInternetGateway", asked.properties)
        return Made(f"IGW|{asked.properties['VpcId']}")

    def delete(self, made: Made, properties: Properties) -> None:
        client("ec2").detach_internet_gateway(**properties)


class VpcEndpoint(ResourceType):
    name = "AWS::EC2::VPCEndpoint"

    def create(self, asked: Asked) -> Made:
        properties = asked.properties
        made = call(
            "ec2",
            "CreateVpcEndpoint",
            without(properties, "Tags") | specified_tags(properties, "vpc-endpoint"),
        )
        endpoint_id = made["VpcEndpoint"]["VpcEndpointId"]
        return Made(endpoint_id, {"Id": endpoint_id})

    def update(self, asked: Asked, made: Made, before: Properties) -> Made:
        # moto has no ModifyVpcEndpoint, and the policy is not enforced here anyway.
        policy = asked.properties.get("PolicyDocument")
        return super().update(asked, made, before if policy is None else before | {"PolicyDocument": policy})

    def delete(self, made: Made, properties: Properties) -> None:
        client("ec2").delete_vpc_endpoints(VpcEndpointIds=[made.physical_id])


class SecurityGroup(ResourceType):
    name = "AWS::EC2::SecurityGroup"

    def create(self, asked: Asked) -> Made:
        properties = asked.properties
        ec2 = client("ec2")
        group_id = ec2.create_security_group(
            GroupName=properties.get("GroupName", asked.generated_name),
            Description=properties["GroupDescription"],
            VpcId=properties["VpcId"],
            **specified_tags(properties, "security-group"),
        )["GroupId"]
        egress = properties.get("SecurityGroupEgress")
        if egress:
            # The rule that lets everything out exists only if the template names no rule.
            everything = {"IpProtocol": "-1", "IpRanges": [{"CidrIp": "0.0.0.0/0"}]}
            ec2.revoke_security_group_egress(GroupId=group_id, IpPermissions=[everything])
            ec2.authorize_security_group_egress(
                GroupId=group_id, IpPermissions=[_permission(r) for r in egress]
            )
        ingress = properties.get("SecurityGroupIngress")
        if ingress:
            ec2.authorize_security_group_ingress(
                GroupId=group_id, IpPermissions=[_permission(r) for r in ingress]
            )
        return Made(group_id, {"GroupId": group_id, "VpcId": properties["VpcId"]})

    def delete(self, made: Made, properties: Properties) -> None:
        client("ec2").delete_security_group(GroupId=made.physical_id)


class SecurityGroupIngress(ResourceType):
    name = "AWS::EC2::SecurityGroupIngress"

    def create(self, asked: Asked) -> Made:
        rules = client("ec2").authorize_security_group_ingress(
            GroupId=asked.properties["GroupId"], IpPermissions=[_permission(asked.properties)]
        )["SecurityGroupRules"]
        rule_id = rules[0]["SecurityGroupRuleId"]
        return Made(rule_id, {"Id": rule_id})

    def delete(self, made: Made, properties: Properties) -> None:
        client("ec2").revoke_security_group_ingress(
            GroupId=properties["GroupId"], IpPermissions=[_permission(properties)]
        )


class SecurityGroupEgress(ResourceType):
    name = "AWS::EC2::SecurityGroupEgress"

    def create(self, asked: Asked) -> Made:
        rules = client("ec2").authorize_security_group_egress(
            GroupId=asked.properties["GroupId"], IpPermissions=[_permission(asked.properties)]
        )["SecurityGroupRules"]
        rule_id = rules[0]["SecurityGroupRuleId"]
        return Made(rule_id, {"Id": rule_id})

    def delete(self, made: Made, properties: Properties) -> None:
        client("ec2").revoke_security_group_egress(
            GroupId=properties["GroupId"], IpPermissions=[_permission(properties)]
        )


def _permission(rule: Properties) -> dict[str, Any]:
    described = {"Description": rule["Description"]} if "Description" in rule else {}
    permission: dict[str, Any] = {"IpProtocol": str(rule["IpProtocol"])}
    if "FromPort" in rule:
        permission |= {"FromPort": int(rule["FromPort"]), "ToPort": int(rule["ToPort"])}
    group = rule.get("SourceSecurityGroupId") or rule.get("DestinationSecurityGroupId")
    if group:
        return permission | {"UserIdGroupPairs": [{"GroupId": group, **described}]}
    return permission | {"IpRanges": [{"CidrIp": rule["CidrIp"], **described}]}
