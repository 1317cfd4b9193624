"""Events that RDS publishes, with the type of source that it files each under, category and message.

Source: https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/USER_Events.Messages.html. What DescribeEvents
returns has no id, and no full stop after most messages. Only events that a rehearsal can cause are here.
"""

from typing import NamedTuple


class Published(NamedTuple):
    source_type: str
    category: str
    message: str


_INSTANCE, _CLUSTER, _CLUSTER_SNAPSHOT = "db-instance", "db-cluster", "db-cluster-snapshot"

PUBLISHED = {
    "RDS-EVENT-0001": Published(_INSTANCE, "backup", "Backing up DB instance"),
    "RDS-EVENT-0002": Published(_INSTANCE, "backup", "Finished DB instance backup"),
    "RDS-EVENT-0005": Published(_INSTANCE, "creation", "DB instance created"),
    "RDS-EVENT-0006": Published(_INSTANCE, "availability", "DB instance restarted"),
    "RDS-EVENT-0013": Published(_INSTANCE, "failover", "Multi-AZ instance failover started."),
    "RDS-EVENT-0014": Published(
        _INSTANCE, "configuration change", "Finished applying modification to DB instance class"
    ),
    "RDS-EVENT-0017": Published(
        _INSTANCE, "configuration change", "Finished applying modification to allocated storage"
    ),
    "RDS-EVENT-0049": Published(_INSTANCE, "failover", "Multi-AZ instance failover completed"),
    "RDS-EVENT-0071": Published(_CLUSTER, "failover", "Completed failover to DB instance: {name}"),
    "RDS-EVENT-0073": Published(_CLUSTER, "failover", "Started cross AZ failover to DB instance: {name}"),
    "RDS-EVENT-0078": Published(_INSTANCE, "configuration change", "Monitoring Interval changed to {number}"),
    "RDS-EVENT-0155": Published(
        _INSTANCE, "maintenance", "The DB instance has a DB engine minor version upgrade available."
    ),
    "RDS-EVENT-0156": Published(
        _CLUSTER, "maintenance", "The DB cluster has a DB engine minor version upgrade available."
    ),
    "RDS-EVENT-0168": Published(_CLUSTER_SNAPSHOT, "backup", "Creating automated cluster snapshot"),
    "RDS-EVENT-0169": Published(_CLUSTER_SNAPSHOT, "backup", "Automated cluster snapshot created"),
    "RDS-EVENT-0170": Published(_CLUSTER, "creation", "DB cluster created"),
    "RDS-EVENT-0278": Published(_INSTANCE, "failure", "The DB instance creation failed. {message}"),
}
"""By id."""

ARN_KINDS = {_INSTANCE: "db", _CLUSTER: "cluster", _CLUSTER_SNAPSHOT: "cluster-snapshot"}
"""How ARNs name each type of source."""
