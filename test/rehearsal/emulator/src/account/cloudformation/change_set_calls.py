"""The calls about change sets, which order the creation or change of a stack."""

from moto.cloudformation.exceptions import AlreadyExistsException, CloudFormationError, ValidationError
from moto.core.responses import ActionResult, EmptyResult

from account.cloudformation import operations
from account.cloudformation.change_sets import changes_of, is_same
from account.cloudformation.descriptions import described_parameters, described_tags
from account.cloudformation.orders import fetch_template, make_order
from account.cloudformation.stack_request import StackRequest
from account.cloudformation.stacks import ChangeSet, Order, Stack, Stacks


class ChangeSetCalls(StackRequest):
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
