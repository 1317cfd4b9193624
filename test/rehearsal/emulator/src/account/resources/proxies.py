"""RDS proxies and their targets."""

import time

from account.clients import client
from account.cloudformation.types import Asked, Made, Properties, ResourceType, call


class Proxy(ResourceType):
    name = "AWS::RDS::DBProxy"

    def create(self, asked: Asked) -> Made:
        call("rds", "CreateDBProxy", asked.properties, RequireTls="RequireTLS")
        name = asked.properties["DBProxyName"]
        while True:
            described = client("rds").describe_db_proxies(DBProxyName=name)["DBProxies"][0]
            if described["Status"] == "available":
                break
            time.sleep(0.2)
        return Made(name, {"DBProxyArn": described["DBProxyArn"], "Endpoint": described["Endpoint"]})

    def delete(self, made: Made, properties: Properties) -> None:
        client("rds").delete_db_proxy(DBProxyName=made.physical_id)


class ProxyTargetGroup(ResourceType):
    """The one group of targets that comes with a proxy: it is not made, but changed and filled."""

    name = "AWS::RDS::DBProxyTargetGroup"

    def create(self, asked: Asked) -> Made:
        properties = asked.properties
        named = {key: properties[key] for key in ("DBProxyName", "TargetGroupName")}
        pool = properties["ConnectionPoolConfigurationInfo"]
        modified = call("rds", "ModifyDBProxyTargetGroup", named | {"ConnectionPoolConfig": pool})
        call(
            "rds",
            "RegisterDBProxyTargets",
            named | {"DBInstanceIdentifiers": properties["DBInstanceIdentifiers"]},
        )
        group = modified["DBProxyTargetGroup"]["TargetGroupArn"]
        return Made(group, {"TargetGroupArn": group})

    def delete(self, made: Made, properties: Properties) -> None:
        rds = client("rds")
        rds.deregister_db_proxy_targets(
            DBProxyName=properties["DBProxyName"], TargetGroupName=properties["TargetGroupName"]
        )
