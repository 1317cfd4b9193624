"""Changes, reboots, failovers and deletions of existing databases.

RDS takes minutes for each of these. Here it takes a moment, in which the status shows what happens.
"""

from collections.abc import Callable
from threading import Timer

from moto.rds.exceptions import RDSClientError

from account.databases.records import STORAGE_OPERATION, Databases, Record, observation_of, storage_of

_moment_seconds = 3

# Properties that the emulator changes at once. It refuses any other change.
_changed_at_once = {
    "AllocatedStorage",
    "BackupRetentionPeriod",
    "CopyTagsToSnapshot",
    "DBInstanceClass",
    "DeletionProtection",
    "Iops",
    "PreferredBackupWindow",
    "PreferredMaintenanceWindow",
    "StorageThroughput",
    "StorageType",
}

# How an instance is observed, which CloudFormation sets after it has restored one.
_observation = {
    "DatabaseInsightsMode",
    "EnablePerformanceInsights",
    "MonitoringInterval",
    "MonitoringRoleArn",
    "PerformanceInsightsRetentionPeriod",
}

_announced = {
    "AllocatedStorage": "RDS-EVENT-0017",
    "DBInstanceClass": "RDS-EVENT-0014",
    "MonitoringInterval": "RDS-EVENT-0078",
}
"""Changes whose end RDS reports."""


_of_storage = {"AllocatedStorage", "Iops", "StorageThroughput", "StorageType"}
"""Changes after which RDS optimises the volume."""


def modify_instance(identifier: str, values: Record) -> Record:
    """The next reboot adds or removes a log volume; until then the change is pending.

    The emulator does not keep the password: the servers of a rehearsal have the one of the secret.
    """
    instance = available_instance(identifier)
    if values.get("EngineVersion", instance["EngineVersion"]) != instance["EngineVersion"]:
        raise RDSClientError("InvalidParameterValue", "The emulator cannot change EngineVersion")
    observed = {key: value for key, value in values.items() if key in _observation}
    apart = {*_observation, "DedicatedLogVolume", "EngineVersion", "MasterUserPassword"}
    wanted = _wanted({key: value for key, value in values.items() if key not in apart})
    log_volume = values.get("DedicatedLogVolume")
    if log_volume is True and instance["StorageType"] not in ("io1", "io2"):
        raise RDSClientError(
            "InvalidParameterCombination", "Dedicated log volumes are supported for io1 and io2 storage only."
        )
    if log_volume is not None and log_volume != instance["DedicatedLogVolume"]:
        instance["PendingModifiedValues"] = {"DedicatedLogVolume": log_volume}
    elif log_volume is not None and not wanted and not observed:
        return instance  # It has what is asked for.

    def finish() -> None:
        instance.update(wanted)
        instance.update(storage_of(instance))
        if wanted.keys() & _of_storage:
            work_on_storage(instance, "Optimizing")
        if observed:
            exports = {"EnableCloudwatchLogsExports": instance["EnabledCloudwatchLogsExports"]}
            instance.update(observation_of(observed | exports))
        for name, event_id in _announced.items():
            if name in values:
                Databases.add_event(instance["DBInstanceIdentifier"], event_id, number=values[name])

    pass_through(instance, "DBInstanceStatus", "modifying", finish)
    return instance


def modify_cluster(identifier: str, values: Record) -> Record:
    cluster = Databases.cluster(identifier)
    wanted = _wanted(values)
    pass_through(cluster, "Status", "modifying", lambda: cluster.update(wanted))
    return cluster


def reboot_instance(identifier: str, *, failover: bool) -> Record:
    instance = available_instance(identifier)
    name = instance["DBInstanceIdentifier"]
    if failover and not instance["MultiAZ"]:
        raise RDSClientError(
            "InvalidParameterCombination",
            "Cannot specify ForceFailover when the instance is not configured for MultiAZ.",
        )
    if failover:
        Databases.add_event(name, "RDS-EVENT-0013")

    def finish() -> None:
        for group in instance["DBParameterGroups"]:
            group["ParameterApplyStatus"] = "in-sync"
        pending = instance.pop("PendingModifiedValues")
        instance.update({**pending, "PendingModifiedValues": {}})
        Databases.add_event(name, "RDS-EVENT-0006")
        if failover:
            zones = instance["AvailabilityZone"], instance["SecondaryAvailabilityZone"]
            instance["SecondaryAvailabilityZone"], instance["AvailabilityZone"] = zones
            Databases.add_event(name, "RDS-EVENT-0049")

    pass_through(instance, "DBInstanceStatus", "rebooting", finish)
    return instance


def reboot_cluster(identifier: str) -> Record:
    """A reboot applies the parameter group on every member."""
    cluster = _available_cluster(identifier)

    def finish() -> None:
        for member in cluster["DBClusterMembers"]:
            member["DBClusterParameterGroupStatus"] = "in-sync"
            Databases.add_event(member["DBInstanceIdentifier"], "RDS-EVENT-0006")

    pass_through(cluster, "Status", "rebooting", finish)
    return cluster


def fail_over_cluster(identifier: str, target: str | None) -> Record:
    cluster = _available_cluster(identifier)
    standbys = [m["DBInstanceIdentifier"] for m in cluster["DBClusterMembers"] if not m["IsClusterWriter"]]
    chosen = target or standbys[0]
    if chosen not in standbys:
        raise RDSClientError(
            "InvalidDBInstanceState", f"{chosen} is not a reader of the DB cluster {identifier}."
        )
    name = cluster["DBClusterIdentifier"]
    Databases.add_event(name, "RDS-EVENT-0073", name=chosen)

    def finish() -> None:
        for member in cluster["DBClusterMembers"]:
            was_writer, is_writer = member["IsClusterWriter"], member["DBInstanceIdentifier"] == chosen
            member["IsClusterWriter"] = is_writer
            if was_writer or is_writer:
                Databases.add_event(member["DBInstanceIdentifier"], "RDS-EVENT-0006")
        Databases.add_event(name, "RDS-EVENT-0071", name=chosen)

    pass_through(cluster, "Status", "failing-over", finish)
    return cluster


def delete_instance(identifier: str, values: Record) -> Record:
    instance = Databases.instance(identifier)
    if instance.get("DBClusterIdentifier"):
        raise RDSClientError("InvalidDBInstanceState", f"{identifier} is a member of a Multi-AZ DB cluster.")
    _leave(instance, "DBInstanceIdentifier", values)
    return Databases.instances.pop(instance["DBInstanceIdentifier"]) | {"DBInstanceStatus": "deleting"}


def delete_cluster(identifier: str, values: Record) -> Record:
    cluster = Databases.cluster(identifier)
    _leave(cluster, "DBClusterIdentifier", values)
    for member in cluster["DBClusterMembers"]:
        del Databases.instances[member["DBInstanceIdentifier"]]
    return Databases.clusters.pop(cluster["DBClusterIdentifier"]) | {"Status": "deleting"}


def _wanted(values: Record) -> Record:
    no_changes = ("ApplyImmediately", "DBClusterIdentifier", "DBInstanceIdentifier")
    wanted = {key: value for key, value in values.items() if key not in no_changes}
    unknown = wanted.keys() - _changed_at_once
    if unknown:
        raise RDSClientError(
            "InvalidParameterValue", f"The emulator cannot change {', '.join(sorted(unknown))}"
        )
    return wanted


def _leave(database: Record, name: str, values: Record) -> None:
    if database["DeletionProtection"]:
        raise RDSClientError(
            "InvalidParameterCombination", "Cannot delete a protected database, disable deletion protection."
        )
    if values.get("SkipFinalSnapshot", False):
        return
    snapshot = values.get("FinalDBSnapshotIdentifier")
    if not snapshot:
        raise RDSClientError(
            "InvalidParameterCombination",
            "FinalDBSnapshotIdentifier is required unless SkipFinalSnapshot is specified.",
        )
    Databases.snapshots[snapshot] = {
        "DBSnapshotIdentifier": snapshot,
        name: database[name],
        "Status": "available",
    }


def available_instance(identifier: str) -> Record:
    instance = Databases.instance(identifier)
    if instance["DBInstanceStatus"] != "available":
        raise RDSClientError("InvalidDBInstanceState", f"Instance {identifier} is not in available state.")
    return instance


def _available_cluster(identifier: str) -> Record:
    cluster = Databases.cluster(identifier)
    if cluster["Status"] != "available":
        raise RDSClientError(
            "InvalidDBClusterStateFault", f"DB cluster {identifier} is not in available state."
        )
    return cluster


def pass_through(
    database: Record, key: str, status: str, finish: Callable[[], None], outcome: str = "available"
) -> None:
    """Shows the status for a moment, then the outcome."""
    database[key] = status

    def end() -> None:
        finish()
        database[key] = outcome

    _in_a_moment(end)


def work_on_storage(instance: Record, status: str) -> None:
    """Shows that RDS works on a volume, for a moment. The instance is available meanwhile.

    https://docs.aws.amazon.com/AmazonRDS/latest/APIReference/API_DBInstance.html
    """
    instance.update({"StorageOperationStatus": status, "StorageOperationPercentProgress": 0})

    def end() -> None:
        for name in STORAGE_OPERATION:
            instance.pop(name, None)

    _in_a_moment(end)


def _in_a_moment(end: Callable[[], None]) -> None:
    timer = Timer(_moment_seconds, end)
    timer.daemon = True
    timer.start()
