"""The calls about the resources of a stack."""

from typing import Any

from moto.cloudformation.exceptions import ValidationError
from moto.core.responses import ActionResult

from account.cloudformation.descriptions import described_resource
from account.cloudformation.stack_request import StackRequest


class ResourceCalls(StackRequest):
    def describe_stack_resources(self) -> ActionResult:
        wanted = self._get_param("LogicalResourceId")
        resources = self._resources()
        return ActionResult(
            {"StackResources": [r for r in resources if wanted in (None, r["LogicalResourceId"])]}
        )

    def describe_stack_resource(self) -> ActionResult:
        wanted = self._get_param("LogicalResourceId")
        found = next((r for r in self._resources() if r["LogicalResourceId"] == wanted), None)
        if found is None:
            raise ValidationError(
                message=f"Resource {wanted} does not exist for stack {self._get_param('StackName')}"
            )
        return ActionResult({"StackResourceDetail": {**found, "LastUpdatedTimestamp": found["Timestamp"]}})

    def list_stack_resources(self) -> ActionResult:
        return ActionResult(
            {
                "StackResourceSummaries": [
                    {**resource, "LastUpdatedTimestamp": resource["Timestamp"]}
                    for resource in self._resources()
                ]
            }
        )

    def _resources(self) -> list[dict[str, Any]]:
        stack = self._stack()
        return [described_resource(stack, resource) for resource in list(stack.resources.values())]
