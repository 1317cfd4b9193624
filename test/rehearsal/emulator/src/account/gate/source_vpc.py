"""From which VPC a request comes."""

from moto.ec2.models import ec2_backends

from account.names import ACCOUNT, REGION

# Services whose endpoint has another name than their actions in IAM.
_endpoints = {"cloudwatch": "monitoring"}


def source_vpc(principal: str, service: str) -> dict[str, str]:
    """``aws:SourceVpc``, if an instance asks by an endpoint of its VPC; otherwise a request does not have it.

    https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_condition-keys.html#condition-keys-sourcevpc

    :param principal: ARN of a session; the metadata service names that of an instance by its id
    """
    backend = ec2_backends[ACCOUNT][REGION]
    instance_id = principal.rpartition("/")[2]
    vpcs = {one.vpc_id for one in backend.all_instances() if one.id == instance_id}
    name = f"com.amazonaws.{REGION}.{_endpoints.get(service, service)}"
    for endpoint in backend.vpc_end_points.values():
        if endpoint.vpc_id in vpcs and endpoint.service_name == name:
            return {"aws:SourceVpc": str(endpoint.vpc_id)}
    return {}
