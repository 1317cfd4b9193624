"""The driver: its launch template and the instance itself."""

import base64
from typing import Any

from account.clients import client
from account.cloudformation.types import (
    Asked,
    Made,
    Properties,
    ResourceType,
    arguments,
    call,
    specified_tags,
    without,
)
from account.machines.termination import await_orderly_stop


class LaunchTemplate(ResourceType):
    name = "AWS::EC2::LaunchTemplate"

    def create(self, asked: Asked) -> Made:
        properties = asked.properties
        made = call(
            "ec2",
            "CreateLaunchTemplate",
            {"LaunchTemplateName": properties.get("LaunchTemplateName", asked.generated_name)}
            | without(properties, "Tags"),
        )["LaunchTemplate"]
        return Made(
            made["LaunchTemplateId"],
            {
                "LaunchTemplateId": made["LaunchTemplateId"],
                "LatestVersionNumber": str(made["LatestVersionNumber"]),
                "DefaultVersionNumber": str(made["DefaultVersionNumber"]),
            },
        )

    def delete(self, made: Made, properties: Properties) -> None:
        client("ec2").delete_launch_template(LaunchTemplateId=made.physical_id)


class Instance(ResourceType):
    name = "AWS::EC2::Instance"

    def create(self, asked: Asked) -> Made:
        ec2 = client("ec2")
        instance = ec2.run_instances(**_run_arguments(asked.properties))["Instances"][0]
        instance_id = instance["InstanceId"]
        described = ec2.describe_instances(InstanceIds=[instance_id])["Reservations"][0]["Instances"][0]
        return Made(
            instance_id,
            {
                "InstanceId": instance_id,
                "AvailabilityZone": described["Placement"]["AvailabilityZone"],
                "PrivateIp": described.get("PrivateIpAddress", ""),
                "PublicIp": described.get("PublicIpAddress", ""),
            },
        )

    def delete(self, made: Made, properties: Properties) -> None:
        # EC2 answers the request at once and lets the machine shut down. CloudFormation waits until it is
        # terminated.
        await_orderly_stop(made.physical_id)
        client("ec2").terminate_instances(InstanceIds=[made.physical_id])


def _run_arguments(properties: Properties) -> dict[str, Any]:
    """Arguments of RunInstances. moto takes no image from a launch template, so it is looked up here."""
    plain = without(
        properties,
        "AvailabilityZone",
        "IamInstanceProfile",
        "LaunchTemplate",
        "Monitoring",
        "NetworkInterfaces",
        "PropagateTagsToVolumeOnCreation",
        "Tags",
        "UserData",
    )
    wanted = {
        **plain,
        "ImageId": properties.get("ImageId") or _image_of(properties["LaunchTemplate"]),
        "MinCount": 1,
        "MaxCount": 1,
        "Placement": {"AvailabilityZone": properties["AvailabilityZone"]},
        "IamInstanceProfile": {"Name": properties["IamInstanceProfile"]},
        "Monitoring": {"Enabled": properties.get("Monitoring", False)},
        # It is Base64 in the template and in the API. But the client encodes it by itself.
        "UserData": base64.b64decode(properties["UserData"]).decode(),
        "NetworkInterfaces": [_interface(interface) for interface in properties.get("NetworkInterfaces", [])],
    } | specified_tags(properties, *_tagged(properties))
    return arguments("ec2", "RunInstances", wanted)


def _tagged(properties: Properties) -> list[str]:
    """Kinds of resources that get the tags at the launch."""
    return ["instance", "volume"] if properties.get("PropagateTagsToVolumeOnCreation") else ["instance"]


def _interface(properties: Properties) -> Properties:
    """An interface that is deleted with its instance: EC2's default, which moto does not have."""
    renamed = {("Groups" if key == "GroupSet" else key): value for key, value in properties.items()}
    return {"DeleteOnTermination": True} | renamed


def _image_of(template: Properties) -> str:
    """The image. If the template names a parameter, EC2 looks the image up at the launch."""
    data = client("ec2").describe_launch_template_versions(
        LaunchTemplateId=template["LaunchTemplateId"], Versions=[str(template["Version"])]
    )["LaunchTemplateVersions"][0]["LaunchTemplateData"]
    image = str(data["ImageId"])
    prefix = "resolve:ssm:"
    if not image.startswith(prefix):
        return image
    return str(client("ssm").get_parameter(Name=image.removeprefix(prefix))["Parameter"]["Value"])
