"""The API of RDS: databases and their events are here, subnet and parameter groups in moto."""

from datetime import UTC, datetime, timedelta
from typing import Any

from moto.core.parse import XFormedDict
from moto.core.responses import ActionResult
from moto.core.utils import get_service_model
from moto.rds import urls
from moto.rds.responses import RDSResponse

from account.databases.changes import (
    delete_cluster,
    delete_instance,
    fail_over_cluster,
    modify_cluster,
    modify_instance,
    reboot_cluster,
    reboot_instance,
)
from account.databases.creation import create_cluster, create_instance
from account.databases.logs import log_files, log_portion
from account.databases.proxies import (
    create_proxy,
    delete_proxy,
    deregister_targets,
    modify_target_group,
    register_targets,
    target_group,
    targets,
)
from account.databases.records import STORAGE_OPERATION, Databases, Record
from account.databases.snapshots import create_snapshot, delete_snapshot, restore_instance


class DatabaseResponse(RDSResponse):
    def create_db_instance(self) -> ActionResult:
        return ActionResult({"DBInstance": create_instance(self._values())})

    def describe_db_instances(self) -> ActionResult:
        identifier = self._values().get("DBInstanceIdentifier")
        found = [Databases.instance(identifier)] if identifier else list(Databases.instances.values())
        return ActionResult({"DBInstances": found})

    def modify_db_instance(self) -> ActionResult:
        values = self._values()
        return ActionResult({"DBInstance": modify_instance(values["DBInstanceIdentifier"], values)})

    def reboot_db_instance(self) -> ActionResult:
        values = self._values()
        failover = values.get("ForceFailover", False)
        return ActionResult(
            {"DBInstance": reboot_instance(values["DBInstanceIdentifier"], failover=failover)}
        )

    def delete_db_instance(self) -> ActionResult:
        values = self._values()
        return ActionResult({"DBInstance": delete_instance(values["DBInstanceIdentifier"], values)})

    def create_db_cluster(self) -> ActionResult:
        return ActionResult({"DBCluster": create_cluster(self._values())})

    def describe_db_clusters(self) -> ActionResult:
        identifier = self._values().get("DBClusterIdentifier")
        found = [Databases.cluster(identifier)] if identifier else list(Databases.clusters.values())
        return ActionResult({"DBClusters": found})

    def modify_db_cluster(self) -> ActionResult:
        values = self._values()
        return ActionResult({"DBCluster": modify_cluster(values["DBClusterIdentifier"], values)})

    def reboot_db_cluster(self) -> ActionResult:
        return ActionResult({"DBCluster": reboot_cluster(self._values()["DBClusterIdentifier"])})

    def failover_db_cluster(self) -> ActionResult:
        values = self._values()
        target = values.get("TargetDBInstanceIdentifier")
        return ActionResult({"DBCluster": fail_over_cluster(values["DBClusterIdentifier"], target)})

    def delete_db_cluster(self) -> ActionResult:
        values = self._values()
        return ActionResult({"DBCluster": delete_cluster(values["DBClusterIdentifier"], values)})

    def create_db_snapshot(self) -> ActionResult:
        return ActionResult({"DBSnapshot": create_snapshot(self._values())})

    def describe_db_snapshots(self) -> ActionResult:
        identifier = self._values().get("DBSnapshotIdentifier")
        found = [Databases.snapshot(identifier)] if identifier else list(Databases.snapshots.values())
        return ActionResult({"DBSnapshots": found})

    def delete_db_snapshot(self) -> ActionResult:
        return ActionResult({"DBSnapshot": delete_snapshot(self._values()["DBSnapshotIdentifier"])})

    def restore_db_instance_from_db_snapshot(self) -> ActionResult:
        return ActionResult({"DBInstance": restore_instance(self._values())})

    def create_db_proxy(self) -> ActionResult:
        return ActionResult({"DBProxy": create_proxy(self._values())})

    def describe_db_proxies(self) -> ActionResult:
        name = self._values().get("DBProxyName")
        found = [Databases.proxy(name)] if name else list(Databases.proxies.values())
        return ActionResult({"DBProxies": found})

    def delete_db_proxy(self) -> ActionResult:
        return ActionResult({"DBProxy": delete_proxy(self._values()["DBProxyName"])})

    def describe_db_proxy_target_groups(self) -> ActionResult:
        return ActionResult({"TargetGroups": [target_group(self._values()["DBProxyName"])]})

    def modify_db_proxy_target_group(self) -> ActionResult:
        return ActionResult({"DBProxyTargetGroup": modify_target_group(self._values())})

    def register_db_proxy_targets(self) -> ActionResult:
        return ActionResult({"DBProxyTargets": register_targets(self._values())})

    def deregister_db_proxy_targets(self) -> ActionResult:
        deregister_targets(self._values())
        return ActionResult({})

    def describe_db_proxy_targets(self) -> ActionResult:
        return ActionResult({"Targets": targets(self._values()["DBProxyName"])})

    def describe_events(self) -> ActionResult:
        return ActionResult(
            {"Events": [event for event in Databases.events if _is_asked_for(event, self._values())]}
        )

    def describe_db_log_files(self) -> ActionResult:
        values = self._values()
        since = values.get("FileLastWritten", 0)
        return ActionResult({"DescribeDBLogFiles": log_files(values["DBInstanceIdentifier"], since)})

    def download_db_log_file_portion(self) -> ActionResult:
        values = self._values()
        return ActionResult(
            log_portion(values["DBInstanceIdentifier"], values["LogFileName"], values.get("Marker", ""))
        )

    def _values(self) -> dict[str, Any]:
        """For a request without parameters, moto's parser returns a plain dictionary."""
        params: Any = self.params
        return params.original_dict() if isinstance(params, XFormedDict) else params


def _is_asked_for(event: Record, wanted: Record) -> bool:
    end = _time(wanted.get("EndTime")) or datetime.now(UTC)
    begin = _time(wanted.get("StartTime")) or end - timedelta(minutes=wanted.get("Duration", 60))
    return (
        wanted.get("SourceIdentifier") in (None, event["SourceIdentifier"])
        and wanted.get("SourceType") in (None, event["SourceType"])
        and begin <= event["Date"] <= end
        and (
            not wanted.get("EventCategories")
            or bool(set(wanted["EventCategories"]) & set(event["EventCategories"]))
        )
    )


def _time(value: datetime | str | None) -> datetime | None:
    if value is None:
        return None
    moment = datetime.fromisoformat(value) if isinstance(value, str) else value
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def replace_moto() -> None:
    """Replaces moto's RDS by this one."""
    urls.url_paths["{0}/$"] = DatabaseResponse.dispatch
    _describe_storage_operations()


def _describe_storage_operations() -> None:
    """An answer has the fields that botocore describes, and its pinned version is older than these."""
    shapes = vars(get_service_model("rds"))["_service_description"]["shapes"]
    types = ("String", "IntegerOptional")
    for name, shape in zip(STORAGE_OPERATION, types, strict=True):
        shapes["DBInstance"]["members"].setdefault(name, {"shape": shape})
