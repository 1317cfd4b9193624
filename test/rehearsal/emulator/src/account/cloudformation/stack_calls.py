"""The calls that show a stack, its events or its template, or delete it."""

from moto.cloudformation.exceptions import ValidationError
from moto.core.responses import ActionResult, EmptyResult

from account.cloudformation import operations
from account.cloudformation.descriptions import described_event, described_stack
from account.cloudformation.stack_request import StackRequest
from account.cloudformation.stacks import Stacks

_page = 100
"""Number of events in one answer."""


class StackCalls(StackRequest):
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

    def cancel_update_stack(self) -> ActionResult:
        stack = self._stack()
        # https://docs.aws.amazon.com/AWSCloudFormation/latest/APIReference/API_CancelUpdateStack.html
        if stack.status != "UPDATE_IN_PROGRESS":
            raise ValidationError(message="CancelUpdateStack cannot be called from current stack status")
        operations.cancel_update(stack)
        return EmptyResult()

    def delete_stack(self) -> ActionResult:
        stack = Stacks.find(self._get_param("StackName"))
        # It is no error to delete a stack that is not there, or is being deleted.
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
        # Once a stack has a role, it keeps it, unless an operation names another.
        stack.order.role_arn = self._get_param("RoleARN") or stack.order.role_arn
        stack.stopping.set()
        stack.set_status("DELETE_IN_PROGRESS", "User Initiated")
        operations.start(operations.delete, stack, self._get_param("RetainResources", []))
        return EmptyResult()
