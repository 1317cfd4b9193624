"""Creating, updating, rolling back and deleting stacks, each in a thread of its own."""

import threading
import traceback
from collections.abc import Callable, Iterable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import Any

from account.cloudformation.evaluator import Evaluator
from account.cloudformation.stacks import Order, Stack, now
from account.cloudformation.steps import ResourceError, change, delete_resource, make
from account.cloudformation.template import WAIT_CONDITION, creation_order, dependencies_of

_kept_in_rollback = {"Retain"}
_kept = {"Retain", "RetainExceptOnCreate"}
"""Deletion policies with which a resource stays if its stack, or its place in the stack, is removed."""


def start(work: Callable[..., None], stack: Stack, *arguments: Any) -> None:
    """Runs one operation after the operations that are running for the same stack."""

    def run() -> None:
        with stack.busy:
            try:
                work(stack, *arguments)
            # Any fault of the emulator: the operation on the stack must still end.
            except Exception as error:  # noqa: BLE001
                traceback.print_exc()
                stack.set_status(f"{stack.status.split('_')[0]}_FAILED", f"Emulator: {error!r}")

    threading.Thread(target=run, name=stack.name, daemon=True).start()


def create(stack: Stack, order: Order) -> None:
    stack.order = order
    evaluator = _evaluator(stack, order)
    try:
        _make_all(stack, order, evaluator)
    except ResourceError as failure:
        if not stack.stopping.is_set():
            _give_up_creation(stack, failure.logical_id)
        return
    if not stack.stopping.is_set():
        stack.outputs = _outputs(order, evaluator)
        stack.set_status("CREATE_COMPLETE")


def _make_all(stack: Stack, order: Order, evaluator: Evaluator) -> None:
    """Makes one resource after another, and wait conditions beside them, each from when it can be made.

    The real service makes everything side by side. Only a wait condition fails while something else is made
    in vain: then it ends that, too.

    :raises ResourceError: with the names of all that failed, the first one first
    """
    left, declared = _wanted(order, evaluator), order.template["Resources"]
    beside: dict[str, Future[None]] = {}
    failures: list[str] = []

    def attempt(logical_id: str) -> None:
        try:
            make(stack, order, evaluator, logical_id)
        except ResourceError:
            failures.append(logical_id)
            stack.failed.set()

    with ThreadPoolExecutor(max_workers=len(left) + 1) as conditions:
        while (left or beside) and not (stack.stopping.is_set() or stack.failed.is_set()):
            beside = {name: future for name, future in beside.items() if not future.done()}
            missing = {*left, *beside}
            ready = [name for name in left if dependencies_of(declared[name]).isdisjoint(missing)]
            waiting = [name for name in ready if declared[name]["Type"] == WAIT_CONDITION]
            beside |= {name: conditions.submit(attempt, name) for name in waiting}
            others = [name for name in ready if name not in waiting]
            left = [name for name in left if name not in [*waiting, *others[:1]]]
            if others:
                attempt(others[0])
            else:
                wait(beside.values(), return_when=FIRST_COMPLETED)
    if failures:
        raise ResourceError(", ".join(failures))


def _give_up_creation(stack: Stack, logical_id: str) -> None:
    reason = f"The following resource(s) failed to create: [{logical_id}]. "
    if stack.disable_rollback:
        stack.set_status("CREATE_FAILED", reason)
        return
    stack.set_status("ROLLBACK_IN_PROGRESS", f"{reason}Rollback requested by user.")
    undeleted = _delete_resources(stack, stack.resources, retained=_kept_in_rollback)
    if undeleted:
        stack.set_status(
            "ROLLBACK_FAILED", f"The following resource(s) failed to delete: [{', '.join(undeleted)}]. "
        )
    else:
        stack.set_status("ROLLBACK_COMPLETE")


def update(stack: Stack, order: Order) -> None:
    before = stack.order
    evaluator = _evaluator(stack, order)
    try:
        _become(stack, order, evaluator)
    except ResourceError as failure:
        if stack.status == "UPDATE_IN_PROGRESS":
            reason = f"The following resource(s) failed to update: [{failure.logical_id}]. "
            stack.set_status("UPDATE_ROLLBACK_IN_PROGRESS", reason)
        stack.failed.clear()
        _become(stack, before, _evaluator(stack, before))
        stack.set_status("UPDATE_ROLLBACK_COMPLETE_CLEANUP_IN_PROGRESS")
        _delete_unwanted(stack, before, retained=_kept_in_rollback)
        stack.set_status("UPDATE_ROLLBACK_COMPLETE")
        return
    stack.order = order
    stack.outputs = _outputs(order, evaluator)
    stack.set_status("UPDATE_COMPLETE_CLEANUP_IN_PROGRESS")
    _delete_unwanted(stack, order, retained=_kept)
    stack.set_status("UPDATE_COMPLETE")


def cancel_update(stack: Stack) -> None:
    """The update ends with the resource that it is making, and is rolled back.

    https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/using-cfn--stack-update-cancel.html
    """
    stack.set_status("UPDATE_ROLLBACK_IN_PROGRESS", "User Initiated")
    stack.failed.set()


def delete(stack: Stack, retained: list[str]) -> None:
    # AWS shows it from the beginning, also of a stack in DELETE_IN_PROGRESS.
    stack.deleted_at = now()
    for logical_id in retained:
        stack.resources.pop(logical_id, None)
    undeleted = _delete_resources(stack, stack.resources, retained=_kept)
    if undeleted:
        stack.set_status(
            "DELETE_FAILED", f"The following resource(s) failed to delete: [{', '.join(undeleted)}]. "
        )
        return
    stack.set_status("DELETE_COMPLETE")


def _become(stack: Stack, order: Order, evaluator: Evaluator) -> None:
    stack.updated_at = now()
    for logical_id in _wanted(order, evaluator):
        if stack.failed.is_set():
            raise ResourceError(logical_id)
        if logical_id in stack.resources:
            change(stack, order, evaluator, logical_id)
        else:
            make(stack, order, evaluator, logical_id)


def _delete_resources(stack: Stack, logical_ids: Iterable[str], *, retained: set[str]) -> list[str]:
    """Deletes resources, the newest first, so each after everything that depends on it.

    So it does not try to delete what a resource depends on that could not be deleted.
    Source: https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/aws-attribute-dependson.html

    :param retained: policies of resources that leave the stack, but are not deleted
    :return: the resources that could not be deleted
    """
    declared = stack.order.template["Resources"]
    undeleted: list[str] = []
    needed: set[str] = set()
    for logical_id in reversed(list(logical_ids)):
        resource = stack.resources[logical_id]
        if resource.deletion_policy in retained:
            stack.set_resource_status(resource, "DELETE_SKIPPED")
            del stack.resources[resource.logical_id]
            continue
        if logical_id not in needed:
            if delete_resource(stack, resource):
                continue
            undeleted.append(logical_id)
        needed |= dependencies_of(declared.get(logical_id, {}))
    return undeleted


def _delete_unwanted(stack: Stack, order: Order, *, retained: set[str]) -> None:
    wanted = set(_wanted(order, _evaluator(stack, order)))
    _delete_resources(stack, [name for name in stack.resources if name not in wanted], retained=retained)


def _wanted(order: Order, evaluator: Evaluator) -> list[str]:
    resources = {
        logical_id: declared
        for logical_id, declared in order.template["Resources"].items()
        if "Condition" not in declared or evaluator.condition(declared["Condition"])
    }
    return creation_order(resources)


def _evaluator(stack: Stack, order: Order) -> Evaluator:
    return Evaluator(
        order.template,
        order.resolved,
        (stack.name, stack.id),
        reference=lambda logical_id: stack.resources[logical_id].physical_id,
        attribute=lambda logical_id, name: stack.resources[logical_id].attributes[name],
    )


def _outputs(order: Order, evaluator: Evaluator) -> list[dict[str, str]]:
    return [
        {
            "OutputKey": key,
            "OutputValue": str(evaluator.value(output["Value"])),
            **({"Description": output["Description"]} if "Description" in output else {}),
        }
        for key, output in (order.template.get("Outputs") or {}).items()
        if "Condition" not in output or evaluator.condition(output["Condition"])
    ]
