"""What RDS refuses of proxies, and what it shows while it makes them."""

from typing import Any

from account.databases.proxies import (
    arns_of_proxy,
    create_proxy,
    delete_proxy,
    modify_target_group,
    register_targets,
    target_group,
    targets,
)
from account.databases.records import Databases
from tests.databases.conftest import Moments
from tests.databases.databases import instance, refusal

_wanted: dict[str, Any] = {
    "DBProxyName": "db-1",
    "EngineFamily": "POSTGRESQL",
    "Auth": [{"AuthScheme": "SECRETS"}],
    "RoleArn": "arn:aws:iam::123456789012:role/reads-the-password",
    "VpcSubnetIds": ["subnet-1"],
    "RequireTLS": True,
}
_targets: dict[str, Any] = {"DBProxyName": "db-1", "DBInstanceIdentifiers": ["db-1"]}


def test_a_proxy_is_available_after_a_moment_and_its_target_too(moments: Moments) -> None:
    instance()
    proxy = create_proxy(_wanted)
    assert proxy["Status"] == "creating"
    register_targets(_targets)
    assert targets("db-1")[0]["TargetHealth"] == {"State": "UNAVAILABLE", "Reason": "PENDING_PROXY_CAPACITY"}
    moments.pass_by()
    assert (proxy["Status"], targets("db-1")[0]["TargetHealth"]) == ("available", {"State": "AVAILABLE"})


def test_the_share_of_connections_is_that_of_the_target_group() -> None:
    create_proxy(_wanted)
    pool = {"MaxConnectionsPercent": 50}
    modify_target_group({"DBProxyName": "db-1", "TargetGroupName": "default", "ConnectionPoolConfig": pool})
    assert target_group("db-1")["ConnectionPoolConfig"] == pool
    assert refusal(target_group, "db-1", "other").startswith("DBProxyTargetGroupNotFoundFault: ")


def test_a_proxy_has_arns_for_as_long_as_it_is_there() -> None:
    assert list(arns_of_proxy("db-1")) == []
    create_proxy(_wanted)
    assert [kind for kind, _ in arns_of_proxy("db-1")] == ["proxy", "target-group"]
    assert refusal(create_proxy, _wanted).startswith("DBProxyAlreadyExistsFault: ")
    delete_proxy("db-1")
    assert refusal(Databases.proxy, "db-1") == "DBProxyNotFoundFault: DBProxy db-1 not found."


def test_what_the_emulator_has_no_proxies_for_is_refused() -> None:
    assert refusal(create_proxy, _wanted | {"EngineFamily": "MYSQL"}).startswith("InvalidParameterValue: ")
    create_proxy(_wanted)
    assert refusal(register_targets, {"DBProxyName": "db-1"}).startswith("InvalidParameterValue: ")
