"""Databases and what belongs to them."""

import time
from typing import Any

from account.clients import client
from account.cloudformation.types import (
    Asked,
    CancelledError,
    Made,
    Properties,
    ResourceType,
    call,
    changed_properties,
    without,
)


class SubnetGroup(ResourceType):
    name = "AWS::RDS::DBSubnetGroup"

    def create(self, asked: Asked) -> Made:
        group = asked.properties.get("DBSubnetGroupName", asked.generated_name).lower()
        call("rds", "CreateDBSubnetGroup", asked.properties | {"DBSubnetGroupName": group})
        return Made(group)

    def delete(self, made: Made, properties: Properties) -> None:
        client("rds").delete_db_subnet_group(DBSubnetGroupName=made.physical_id)


class ParameterGroup(ResourceType):
    name = "AWS::RDS::DBParameterGroup"

    def create(self, asked: Asked) -> Made:
        properties = asked.properties
        group = properties.get("DBParameterGroupName", asked.generated_name).lower()
        rds = client("rds")
        rds.create_db_parameter_group(
            DBParameterGroupName=group,
            DBParameterGroupFamily=properties["Family"],
            Description=properties["Description"],
            Tags=properties.get("Tags", []),
        )
        if properties.get("Parameters"):
            rds.modify_db_parameter_group(DBParameterGroupName=group, Parameters=_parameters(properties))
        return Made(group)

    def delete(self, made: Made, properties: Properties) -> None:
        client("rds").delete_db_parameter_group(DBParameterGroupName=made.physical_id)


class ClusterParameterGroup(ResourceType):
    name = "AWS::RDS::DBClusterParameterGroup"

    def create(self, asked: Asked) -> Made:
        properties = asked.properties
        group = properties.get("DBClusterParameterGroupName", asked.generated_name).lower()
        client("rds").create_db_cluster_parameter_group(
            DBClusterParameterGroupName=group,
            DBParameterGroupFamily=properties["Family"],
            Description=properties["Description"],
            Tags=properties.get("Tags", []),
        )
        if properties.get("Parameters"):
            client("rds").modify_db_cluster_parameter_group(
                DBClusterParameterGroupName=group, Parameters=_parameters(properties)
            )
        return Made(group)

    def delete(self, made: Made, properties: Properties) -> None:
        client("rds").delete_db_cluster_parameter_group(DBClusterParameterGroupName=made.physical_id)


def _parameters(properties: Properties) -> list[dict[str, Any]]:
    return [
        {"ParameterName": name, "ParameterValue": str(value), "ApplyMethod": "pending-reboot"}
        for name, value in properties["Parameters"].items()
    ]


class Instance(ResourceType):
    name = "AWS::RDS::DBInstance"

    def create(self, asked: Asked) -> Made:
        identifier = asked.properties.get("DBInstanceIdentifier", asked.generated_name).lower()
        properties = {
            key: value
            for key, value in asked.properties.items()
            # These two are used when an instance is changed or deleted, not when it is made.
            if key not in ("AllowMajorVersionUpgrade", "DeleteAutomatedBackups")
        }
        named = properties | {"DBInstanceIdentifier": identifier}
        if "DBSnapshotIdentifier" in properties:
            made = _restored(named, identifier)
        else:
            call("rds", "CreateDBInstance", named, VPCSecurityGroups="VpcSecurityGroupIds")
            made = _available(asked, identifier)
        return Made(
            identifier,
            {
                "DBInstanceArn": made["DBInstanceArn"],
                "DbiResourceId": made["DbiResourceId"],
                "Endpoint.Address": made["Endpoint"]["Address"],
                "Endpoint.Port": str(made["Endpoint"]["Port"]),
            },
        )

    def update(self, asked: Asked, made: Made, before: Properties) -> Made:
        changes = _changes(asked, before)
        super().update(asked, made, before | changes)
        if changes:
            call("rds", "ModifyDBInstance", changes | {"DBInstanceIdentifier": made.physical_id, **_at_once})
            client("rds").get_waiter("db_instance_available").wait(
                DBInstanceIdentifier=made.physical_id, WaiterConfig={"Delay": 1}
            )
        return made

    def delete(self, made: Made, properties: Properties) -> None:
        client("rds").delete_db_instance(DBInstanceIdentifier=made.physical_id, **_last_snapshot(made))


_terminal = {
    "failed",
    "inaccessible-encryption-credentials",
    "incompatible-network",
    "incompatible-parameters",
    "incompatible-restore",
}
"""Statuses at which the handler of instances gives up, according to its source (DBInstanceStatus.java):
https://github.com/aws-cloudformation/aws-cloudformation-resource-providers-rds. In all others, such as
`insufficient-capacity`, it waits for up to 36 hours; the emulator waits for ever."""


def _available(asked: Asked, identifier: str) -> dict[str, Any]:
    """Waits for a new instance.

    :raises CancelledError: if it is broken, or if the stack gives up its creation
    """
    while True:
        found = client("rds").describe_db_instances(DBInstanceIdentifier=identifier)["DBInstances"]
        described: dict[str, Any] = found[0]
        status = described["DBInstanceStatus"]
        if status == "available":
            return described
        if status in _terminal:
            raise CancelledError(f"DB Instance is in state: {status}", identifier)
        if asked.is_ending:
            raise CancelledError("Resource creation cancelled", identifier)
        time.sleep(0.2)


_set_after_restoring = {
    "BackupRetentionPeriod",
    "DatabaseInsightsMode",
    "EnablePerformanceInsights",
    "EngineVersion",
    "MasterUserPassword",
    "MonitoringInterval",
    "MonitoringRoleArn",
    "PerformanceInsightsRetentionPeriod",
    "PreferredBackupWindow",
    "PreferredMaintenanceWindow",
}
"""What CloudFormation sets by ModifyDBInstance once it has restored an instance, according to its source:
https://github.com/aws-cloudformation/aws-cloudformation-resource-providers-rds"""


def _restored(properties: Properties, identifier: str) -> dict[str, Any]:
    """Restores an instance from its snapshot, sets the rest, and reboots it as CloudFormation does."""
    rds = client("rds")
    waiter = rds.get_waiter("db_instance_available")
    wait = {"DBInstanceIdentifier": identifier, "WaiterConfig": {"Delay": 1}}
    call(
        "rds",
        "RestoreDBInstanceFromDBSnapshot",
        without(properties, *_set_after_restoring),
        VPCSecurityGroups="VpcSecurityGroupIds",
    )
    rest = {key: value for key, value in properties.items() if key in _set_after_restoring}
    call("rds", "ModifyDBInstance", rest | {"DBInstanceIdentifier": identifier, **_at_once})
    waiter.wait(**wait)
    rds.reboot_db_instance(DBInstanceIdentifier=identifier)
    waiter.wait(**wait)
    described: dict[str, Any] = rds.describe_db_instances(DBInstanceIdentifier=identifier)["DBInstances"][0]
    return described


class Cluster(ResourceType):
    name = "AWS::RDS::DBCluster"

    def create(self, asked: Asked) -> Made:
        identifier = asked.properties.get("DBClusterIdentifier", asked.generated_name).lower()
        properties = {
            key: value for key, value in asked.properties.items() if key != "DeleteAutomatedBackups"
        }
        made = call(
            "rds",
            "CreateDBCluster",
            properties | {"DBClusterIdentifier": identifier},
            PerformanceInsightsEnabled="EnablePerformanceInsights",
        )["DBCluster"]
        return Made(
            identifier,
            {
                "DBClusterArn": made["DBClusterArn"],
                "DBClusterResourceId": made["DbClusterResourceId"],
                "Endpoint.Address": made["Endpoint"],
                "Endpoint.Port": str(made["Port"]),
                "ReadEndpoint.Address": made["ReaderEndpoint"],
            },
        )

    def update(self, asked: Asked, made: Made, before: Properties) -> Made:
        changes = _changes(asked, before)
        super().update(asked, made, before | changes)
        if changes:
            call("rds", "ModifyDBCluster", changes | {"DBClusterIdentifier": made.physical_id, **_at_once})
            client("rds").get_waiter("db_cluster_available").wait(
                DBClusterIdentifier=made.physical_id, WaiterConfig={"Delay": 1}
            )
        return made

    def delete(self, made: Made, properties: Properties) -> None:
        client("rds").delete_db_cluster(DBClusterIdentifier=made.physical_id, **_last_snapshot(made))


def _last_snapshot(made: Made) -> dict[str, Any]:
    if not made.final_snapshot:
        return {"SkipFinalSnapshot": True}
    return {"SkipFinalSnapshot": False, "FinalDBSnapshotIdentifier": f"{made.physical_id}-snapshot"}


_at_once = {"ApplyImmediately": True}

_changeable = {"BackupRetentionPeriod", "PreferredBackupWindow", "PreferredMaintenanceWindow"}
"""Properties that another deploy of an experiment may change without an effect on measurements."""


def _changes(asked: Asked, before: Properties) -> Properties:
    names = changed_properties(asked, before) & _changeable & asked.unresolved.keys()
    return {name: asked.unresolved[name] for name in names}
