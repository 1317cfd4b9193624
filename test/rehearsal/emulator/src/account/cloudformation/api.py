"""The API of CloudFormation, as far as the CDK's command line, the product and its state machine call it."""

from typing import Any

from moto.cloudformation import urls
from moto.cloudformation.exceptions import AlreadyExistsException, CloudFormationError, ValidationError
from moto.core.responses import ActionResult, BaseResponse, EmptyResult

from account.cloudformation import operations
from account.cloudformation.change_sets import changes_of, is_same
from account.cloudformation.descriptions import (
    described_event,
    described_parameters,
    described_resource,
    described_stack,
    described_tags,
)
from account.cloudformation.orders import fetch_template, make_order
from account.cloudformation.stacks import ChangeSet, Order, Stack, Stacks

_page = 100


class StackResponse(BaseResponse):
    def __init__(self) -> None:
        super().__init__(service_name="cloudformation")
        self.automated_parameter_parsing = True

    def create_change_set(self) -> ActionResult:
        name, kind = self._get_param("StackName"), self._get_param("ChangeSetType", "UPDATE")
        stack = Stacks.find(name)
        if kind == "UPDATE" and stack is None:
            raise ValidationError(name)
        if kind == "CREATE" and stack is not None and stack.status != "REVIEW_IN_PROGRESS":
            raise AlreadyExistsException(f"Stack [{name}] already exists")
        if stack is not None and kind == "UPDATE":
            _demand_updatable(stack)
        order = self._order(stack if kind == "UPDATE" else None)
        if stack is None:
            stack = Stack(name, order)
            stack.set_status("REVIEW_IN_PROGRESS", "User Initiated")
            Stacks.add(stack)
        change_set = ChangeSet(
            self._get_param("ChangeSetName"),
            kind,
            order,
            changes_of(stack, order),
            self._get_param("Description"),
        )
        if kind == "UPDATE" and is_same(stack.order, order):
            change_set.status, change_set.execution_status = "FAILED", "UNAVAILABLE"
            change_set.reason = (
                "The submitted information didn't contain changes. "
                "Submit different information to create a change set."
            )
        stack.change_sets.append(change_set)
        return ActionResult({"Id": change_set.id, "StackId": stack.id})

    def describe_change_set(self) -> ActionResult:
        stack, change_set = self._change_set()
        order = change_set.order
        return ActionResult(
            {
                "ChangeSetName": change_set.name,
                "ChangeSetId": change_set.id,
                "StackId": stack.id,
                "StackName": stack.name,
                "Description": change_set.description,
                "Parameters": described_parameters(order),
                "CreationTime": change_set.created_at,
                "ExecutionStatus": change_set.execution_status,
                "Status": change_set.status,
                "StatusReason": change_set.reason,
                "Tags": described_tags(order),
                "Changes": change_set.changes,
            }
        )

    def list_change_sets(self) -> ActionResult:
        stack = self._stack()
        return ActionResult(
            {"Summaries": [{"ChangeSetId": c.id, "Status": c.status} for c in stack.change_sets]}
        )

    def delete_change_set(self) -> ActionResult:
        found = self._find_change_set()
        if found is not None:
            stack, change_set = found
            stack.change_sets.remove(change_set)
        return EmptyResult()

    def execute_change_set(self) -> ActionResult:
        stack, change_set = self._change_set()
        if change_set.execution_status != "AVAILABLE":
            raise ValidationError(
                message=f"ChangeSet [{change_set.id}] cannot be executed in its current status"
            )
        change_set.execution_status = "EXECUTE_COMPLETE"
        stack.change_sets.remove(change_set)
        stack.disable_rollback = self._get_bool_param("DisableRollback", False)
        stack.set_status(f"{change_set.type}_IN_PROGRESS", "User Initiated")
        operations.start(
            operations.create if change_set.type == "CREATE" else operations.update, stack, change_set.order
        )
        return EmptyResult()

    def delete_stack(self) -> ActionResult:
        stack = Stacks.find(self._get_param("StackName"))
        # To delete what is not there, or is being deleted, is no error.
        if stack is None or stack.deleted or stack.status == "DELETE_IN_PROGRESS":
            return EmptyResult()
        if stack.termination_protection:
            raise ValidationError(
                message=f"Stack [{stack.name}] cannot be deleted while TerminationProtection is enabled"
            )
        if stack.status.startswith("UPDATE_") and stack.status.endswith("_IN_PROGRESS"):
            raise ValidationError(
                message=f"Stack [{stack.name}] cannot be deleted while in status {stack.status}"
            )
        stack.stopping.set()
        stack.set_status("DELETE_IN_PROGRESS", "User Initiated")
        operations.start(operations.delete, stack, self._get_param("RetainResources", []))
        return EmptyResult()

    def describe_stacks(self) -> ActionResult:
        if self._get_param("StackName"):
            return ActionResult({"Stacks": [described_stack(self._stack())]})
        return ActionResult(
            {"Stacks": [described_stack(stack) for stack in Stacks.every() if not stack.deleted]}
        )

    def list_stacks(self) -> ActionResult:
        wanted = self._get_param("StackStatusFilter", [])
        return ActionResult(
            {
                "StackSummaries": [
                    {
                        "StackId": stack.id,
                        "StackName": stack.name,
                        "CreationTime": stack.created_at,
                        "DeletionTime": stack.deleted_at,
                        "StackStatus": stack.status,
                        "StackStatusReason": stack.reason,
                    }
                    for stack in Stacks.every()
                    if not wanted or stack.status in wanted
                ]
            }
        )

    def describe_stack_events(self) -> ActionResult:
        stack = self._stack()
        newest_first = stack.events[::-1]
        begin = int(self._get_param("NextToken") or 0)
        end = begin + _page
        return ActionResult(
            {
                "StackEvents": [described_event(stack, event) for event in newest_first[begin:end]],
                "NextToken": str(end) if end < len(newest_first) else None,
            }
        )

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

    def get_template(self) -> ActionResult:
        return ActionResult(
            {"TemplateBody": self._stack().order.template_text, "StagesAvailable": ["Original", "Processed"]}
        )

    def get_template_summary(self) -> ActionResult:
        template = self._stack().order.template
        return ActionResult({"ResourceTypes": sorted({r["Type"] for r in template["Resources"].values()})})

    def update_termination_protection(self) -> ActionResult:
        stack = self._stack()
        stack.termination_protection = self._get_bool_param("EnableTerminationProtection")
        return ActionResult({"StackId": stack.id})

    def _order(self, before: Stack | None) -> Order:
        return make_order(
            self._template_text(before),
            self._get_param("Parameters", []),
            self._get_param("Tags", []),
            self._get_param("RoleARN"),
            before,
        )

    def _template_text(self, before: Stack | None) -> str:
        if before is not None and self._get_bool_param("UsePreviousTemplate", False):
            return before.order.template_text
        body = self._get_param("TemplateBody")
        return str(body) if body else fetch_template(self._get_param("TemplateURL"))

    def _stack(self) -> Stack:
        name = self._get_param("StackName")
        stack = Stacks.find(name)
        if stack is None:
            raise ValidationError(name)
        return stack

    def _resources(self) -> list[dict[str, Any]]:
        stack = self._stack()
        return [described_resource(stack, resource) for resource in list(stack.resources.values())]

    def _change_set(self) -> tuple[Stack, ChangeSet]:
        found = self._find_change_set()
        if found is None:
            name = self._get_param("ChangeSetName")
            raise CloudFormationError("ChangeSetNotFound", f"ChangeSet [{name}] does not exist")
        return found

    def _find_change_set(self) -> tuple[Stack, ChangeSet] | None:
        wanted, stack_name = self._get_param("ChangeSetName"), self._get_param("StackName")
        for stack in Stacks.every():
            for change_set in stack.change_sets:
                of_stack = stack_name in (stack.name, stack.id)
                if change_set.id == wanted or (of_stack and change_set.name == wanted):
                    return stack, change_set
        return None


def _demand_updatable(stack: Stack) -> None:
    if stack.status.endswith("_IN_PROGRESS") or stack.status in (
        "ROLLBACK_COMPLETE",
        "ROLLBACK_FAILED",
        "DELETE_FAILED",
    ):
        raise ValidationError(message=f"Stack:{stack.id} is in {stack.status} state and can not be updated.")


def replace_moto() -> None:
    """Puts this in the place of moto's CloudFormation."""
    urls.url_paths["{0}/$"] = StackResponse.dispatch
