"""Everything in the account that would be billed, or would be in the way of the next deploy.

It leaves out histories, such as deleted stacks and events, and what every account has: the default VPC with
its parts, default groups, managed policies.
"""

from collections.abc import Iterable, Iterator

from account.clients import client

Line = tuple[str, str, str]
"""Service, type, id."""

_public_image = "Auto-created snapshot for AMI"


def inventory() -> list[str]:
    lines = [*_compute(), *_network(), *_databases(), *_storage(), *_identity(), *_others()]
    return sorted(" ".join(line) for line in lines)


def _compute() -> Iterator[Line]:
    ec2 = client("ec2")
    for reservation in ec2.describe_instances()["Reservations"]:
        for instance in reservation["Instances"]:
            if instance["State"]["Name"] != "terminated":
                yield "ec2", "instance", instance["InstanceId"]
    yield from _named("ec2", "volume", "VolumeId", ec2.describe_volumes()["Volumes"])
    snapshots = ec2.describe_snapshots(OwnerIds=["self"])["Snapshots"]
    # Snapshots of public images belong to Amazon, but moto shows them as the account's own.
    own = (snapshot for snapshot in snapshots if not snapshot["Description"].startswith(_public_image))
    yield from _named("ec2", "snapshot", "SnapshotId", own)
    templates = ec2.describe_launch_templates()["LaunchTemplates"]
    yield from _named("ec2", "launch-template", "LaunchTemplateId", templates)
    yield from _named("ec2", "key-pair", "KeyName", ec2.describe_key_pairs()["KeyPairs"])


def _network() -> Iterator[Line]:
    ec2 = client("ec2")
    own = {vpc["VpcId"] for vpc in ec2.describe_vpcs()["Vpcs"] if not vpc["IsDefault"]}
    yield from (("ec2", "vpc", vpc_id) for vpc_id in own)
    for kind, key, described in (
        ("subnet", "SubnetId", ec2.describe_subnets()["Subnets"]),
        ("route-table", "RouteTableId", ec2.describe_route_tables()["RouteTables"]),
        ("security-group", "GroupId", ec2.describe_security_groups()["SecurityGroups"]),
        ("network-acl", "NetworkAclId", ec2.describe_network_acls()["NetworkAcls"]),
        ("vpc-endpoint", "VpcEndpointId", ec2.describe_vpc_endpoints()["VpcEndpoints"]),
    ):
        yield from _named("ec2", kind, key, (part for part in described if part["VpcId"] in own))
    interfaces = ec2.describe_network_interfaces()["NetworkInterfaces"]
    yield from _named("ec2", "network-interface", "NetworkInterfaceId", interfaces)
    yield from _named(
        "ec2", "internet-gateway", "InternetGatewayId", ec2.describe_internet_gateways()["InternetGateways"]
    )
    yield from _named("ec2", "nat-gateway", "NatGatewayId", ec2.describe_nat_gateways()["NatGateways"])
    yield from _named("ec2", "address", "PublicIp", ec2.describe_addresses()["Addresses"])


def _databases() -> Iterator[Line]:
    rds = client("rds")
    for kind, key, described in (
        ("instance", "DBInstanceIdentifier", rds.describe_db_instances()["DBInstances"]),
        ("cluster", "DBClusterIdentifier", rds.describe_db_clusters()["DBClusters"]),
        ("snapshot", "DBSnapshotIdentifier", rds.describe_db_snapshots()["DBSnapshots"]),
        ("proxy", "DBProxyName", rds.describe_db_proxies()["DBProxies"]),
        ("subnet-group", "DBSubnetGroupName", rds.describe_db_subnet_groups()["DBSubnetGroups"]),
        ("parameter-group", "DBParameterGroupName", rds.describe_db_parameter_groups()["DBParameterGroups"]),
        (
            "cluster-parameter-group",
            "DBClusterParameterGroupName",
            rds.describe_db_cluster_parameter_groups()["DBClusterParameterGroups"],
        ),
    ):
        yield from _named("rds", kind, key, (one for one in described if not one[key].startswith("default")))


def _storage() -> Iterator[Line]:
    s3 = client("s3")
    for bucket in s3.list_buckets()["Buckets"]:
        name = bucket["Name"]
        yield "s3", "bucket", name
        versions = s3.list_object_versions(Bucket=name)
        keys = {version["Key"] for version in versions.get("Versions", [])}
        yield from (("s3", "object", f"{name}/{key}") for key in keys)
        uploads = s3.list_multipart_uploads(Bucket=name).get("Uploads", [])
        yield from (("s3", "upload", f"{name}/{upload['Key']}") for upload in uploads)


def _identity() -> Iterator[Line]:
    iam = client("iam")
    yield from _named("iam", "role", "RoleName", iam.list_roles()["Roles"])
    yield from _named("iam", "user", "UserName", iam.list_users()["Users"])
    profiles = iam.list_instance_profiles()["InstanceProfiles"]
    yield from _named("iam", "instance-profile", "InstanceProfileName", profiles)
    yield from _named("iam", "policy", "Arn", iam.list_policies(Scope="Local")["Policies"])


def _others() -> Iterator[Line]:
    stacks = client("cloudformation").describe_stacks()["Stacks"]
    yield from _named("cloudformation", "stack", "StackId", stacks)
    yield from _named("logs", "log-group", "logGroupName", client("logs").describe_log_groups()["logGroups"])
    secrets = client("secretsmanager").list_secrets(IncludePlannedDeletion=True)["SecretList"]
    yield from _named("secretsmanager", "secret", "ARN", secrets)
    pages = client("ssm").get_paginator("describe_parameters").paginate()
    for page in pages:
        # Parameters below /aws/ are public.
        own = (one for one in page["Parameters"] if not one["Name"].startswith("/aws/"))
        yield from _named("ssm", "parameter", "Name", own)
    yield from _named("scheduler", "schedule", "Name", client("scheduler").list_schedules()["Schedules"])
    machines = client("stepfunctions").list_state_machines()["stateMachines"]
    yield from _named("states", "state-machine", "stateMachineArn", machines)
    yield from _named("sns", "topic", "TopicArn", client("sns").list_topics()["Topics"])
    cloudwatch = client("cloudwatch")
    yield from _named(
        "cloudwatch", "dashboard", "DashboardName", cloudwatch.list_dashboards()["DashboardEntries"]
    )
    yield from _named("cloudwatch", "alarm", "AlarmName", cloudwatch.describe_alarms()["MetricAlarms"])
    kms = client("kms")
    # Keys that services made for the account cost nothing and cannot be deleted, but moto shows them as
    # keys of the customer.
    of_services = {
        alias.get("TargetKeyId")
        for alias in kms.list_aliases()["Aliases"]
        if alias["AliasName"].startswith("alias/aws/")
    }
    own_keys = (key for key in kms.list_keys()["Keys"] if key["KeyId"] not in of_services)
    yield from _named("kms", "key", "KeyId", own_keys)


def _named(service: str, kind: str, key: str, described: Iterable[dict[str, str]]) -> Iterator[Line]:
    return ((service, kind, one[key]) for one in described)
