"""Which actions the handler of a resource calls.

The schema of a resource provider lists every action that its handlers may call, whatever the properties of
the resource. handlers.json has these lists, and make_handlers.py makes it. This module leaves out the actions
that belong to properties which a resource does not have.
"""

import json
from functools import cache
from pathlib import Path
from typing import Any, Literal

Handler = Literal["create", "read", "update", "delete"]

_snapshots = ("DBSnapshotIdentifier", "DBClusterSnapshotIdentifier", "SnapshotIdentifier")

_only_with: dict[str, tuple[str, ...]] = {
    # An instance gets its profile when it is launched.
    "ec2:AssociateIamInstanceProfile": (),
    "ec2:DisassociateIamInstanceProfile": (),
    "ec2:ReplaceIamInstanceProfileAssociation": (),
    "ec2:AttachVolume": ("Volumes",),
    "ec2:DetachVolume": ("Volumes",),
    "ec2:ModifyInstanceAttribute": ("SourceDestCheck", "DisableApiTermination"),
    "ec2:ModifyInstanceCreditSpecification": ("CreditSpecification",),
    "ec2:ModifyInstancePlacement": ("Affinity", "HostId", "Tenancy"),
    "ec2:ModifyPrivateDnsNameOptions": ("PrivateDnsNameOptions",),
    "ec2:StartInstances": ("Affinity",),
    "ssm:CreateAssociation": ("SsmAssociations",),
    "ec2:CreateVpcEncryptionControl": ("VpcEncryptionControl",),
    "ec2:AttachVpnGateway": ("VpnGatewayId",),
    "ec2:DetachVpnGateway": ("VpnGatewayId",),
    "vpc-lattice:CreateServiceNetworkVpcEndpointAssociation": ("ServiceNetworkArn",),
    "vpc-lattice:DescribeServiceNetworkVpcEndpointAssociation": ("ServiceNetworkArn",),
    "vpce:AllowMultiRegion": ("ServiceRegion",),
    "iam:AttachRolePolicy": ("ManagedPolicyArns",),
    "iam:DetachRolePolicy": ("ManagedPolicyArns",),
    "iam:PutRolePermissionsBoundary": ("PermissionsBoundary",),
    "iam:DeleteRolePermissionsBoundary": ("PermissionsBoundary",),
    **{f"iam:{verb}UserPolicy": ("Users",) for verb in ("Get", "Put", "Delete")},
    **{f"iam:{verb}GroupPolicy": ("Groups",) for verb in ("Get", "Put", "Delete")},
    "logs:PutDataProtectionPolicy": ("DataProtectionPolicy",),
    "logs:CreateLogDelivery": ("DataProtectionPolicy",),
    "s3:REST.PUT.OBJECT": ("DataProtectionPolicy",),
    "firehose:TagDeliveryStream": ("DataProtectionPolicy",),
    "logs:PutIndexPolicy": ("FieldIndexPolicies",),
    "logs:DeleteIndexPolicy": ("FieldIndexPolicies",),
    "logs:PutResourcePolicy": ("ResourcePolicyDocument",),
    "logs:DeleteResourcePolicy": ("ResourcePolicyDocument",),
    "logs:AssociateKmsKey": ("KmsKeyId",),
    "logs:DisassociateKmsKey": ("KmsKeyId",),
    "logs:PutBearerTokenAuthentication": ("BearerTokenAuthenticationEnabled",),
    "logs:PutLogGroupDeletionProtection": ("DeletionProtectionEnabled",),
    "iam:ListRoles": ("AssociatedRoles",),
    **{f"rds:AddRoleToDB{kind}": ("AssociatedRoles",) for kind in ("Cluster", "Instance")},
    **{f"rds:RemoveRoleFromDB{kind}": ("AssociatedRoles",) for kind in ("Cluster", "Instance")},
    "rds:CreateDBInstanceReadReplica": ("SourceDBInstanceIdentifier",),
    "rds:PromoteReadReplica": ("SourceDBInstanceIdentifier",),
    "rds:EnableHttpEndpoint": ("EnableHttpEndpoint",),
    "rds:DisableHttpEndpoint": ("EnableHttpEndpoint",),
    "rds:RemoveFromGlobalCluster": ("GlobalClusterIdentifier",),
    "rds:RestoreDBClusterFromSnapshot": _snapshots,
    "rds:RestoreDBInstanceFromDBSnapshot": _snapshots,
    "rds:RestoreDBClusterToPointInTime": ("RestoreType",),
    "rds:RestoreDBInstanceToPointInTime": ("RestoreTime",),
    "rds:StartDBInstanceAutomatedBackupsReplication": ("AutomaticBackupReplicationRegion",),
    "rds:StopDBInstanceAutomatedBackupsReplication": ("AutomaticBackupReplicationRegion",),
    "rds:CreateDBSnapshot": ("FinalSnapshot",),
    "rds:CreateDBClusterSnapshot": ("FinalSnapshot",),
    "secretsmanager:CreateSecret": ("ManageMasterUserPassword", "GenerateSecretString", "SecretString"),
    "secretsmanager:TagResource": ("ManageMasterUserPassword", "GenerateSecretString", "SecretString"),
    "secretsmanager:GetRandomPassword": ("GenerateSecretString",),
    "secretsmanager:ReplicateSecretToRegions": ("ReplicaRegions",),
    "secretsmanager:RemoveRegionsFromReplication": ("ReplicaRegions",),
    "sns:PutDataProtectionPolicy": ("DataProtectionPolicy",),
    "kms:CreateGrant": ("KmsKeyId",),
    "kms:Decrypt": ("EncryptionConfiguration",),
    "kms:DescribeKey": ("KmsKeyId", "EncryptionConfiguration"),
    "kms:GenerateDataKey": ("EncryptionConfiguration",),
    "AWS::StepFunctions::StateMachine s3:GetObject": ("DefinitionS3Location",),
    "AWS::StepFunctions::StateMachine s3:GetObjectVersion": ("DefinitionS3Location",),
    "AWS::RDS::DBCluster iam:PassRole": ("MonitoringRoleArn", "AssociatedRoles"),
    "AWS::RDS::DBInstance iam:PassRole": ("MonitoringRoleArn", "AssociatedRoles"),
    "AWS::RDS::DBInstance iam:GetRole": ("MonitoringRoleArn", "AssociatedRoles"),
    "AWS::SNS::Subscription iam:GetRole": ("SubscriptionRoleArn",),
    "AWS::SNS::Subscription iam:PassRole": ("SubscriptionRoleArn",),
    "AWS::SNS::Topic iam:GetRole": ("DeliveryStatusLogging",),
    "AWS::SNS::Topic iam:PassRole": ("DeliveryStatusLogging",),
}
"""The properties that an action is for, by action, or by type and action: it needs one of them."""


_also_called = {
    "ec2:CreateVpcEndpoint": "route53:AssociateVPCWithHostedZone",
    "ec2:RunInstances": "ssm:GetParameters",
}
"""What a service calls with the rights of its caller, if no schema says so. RunInstances looks up the image.

https://docs.aws.amazon.com/service-authorization/latest/reference/list_amazonec2.html
"""


@cache
def table() -> dict[str, Any]:
    known: dict[str, Any] = json.loads(Path(__file__).with_name("handlers.json").read_text())
    return known


def needed_actions(type_name: str, handler: Handler, properties: set[str]) -> list[str]:
    """The actions that a handler calls.

    :param properties: names of the properties that are set
    :raises KeyError: for a type whose handlers are not known
    """
    listed = table()["handlers"][type_name].get(handler, [])
    called = {action for action in listed if _concerns(f"{type_name} {action}", action, properties)}
    return sorted(called | {_also_called[action] for action in called & _also_called.keys()})


def _concerns(of_type: str, action: str, properties: set[str]) -> bool:
    wanted = _only_with.get(of_type, _only_with.get(action))
    return wanted is None or not properties.isdisjoint(wanted)
