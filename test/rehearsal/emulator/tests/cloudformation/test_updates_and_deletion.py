"""How stacks are updated and deleted, and what remains if that fails."""

import pytest

from account.cloudformation import operations
from account.cloudformation.stacks import Order, Stack
from account.cloudformation.types import Properties
from tests.cloudformation.things import Thing, events_of, new_stack, order_of, thing
from tests.served import Served, eventually, refusal


def _stack_of(resources: dict[str, Properties]) -> Stack:
    order = order_of(resources)
    stack = new_stack(order)
    operations.create(stack, order)
    assert stack.status == "CREATE_COMPLETE"
    Thing.done.clear()
    stack.events.clear()
    return stack


def _update(stack: Stack, resources: dict[str, Properties]) -> Order:
    order = order_of(resources)
    stack.set_status("UPDATE_IN_PROGRESS")
    operations.update(stack, order)
    return order


def _deleted(resources: dict[str, Properties]) -> Stack:
    stack = _stack_of(resources)
    operations.delete(stack, [])
    return stack


def test_an_update_changes_only_resources_that_differ_and_in_place() -> None:
    stack = _stack_of({"A": thing(Size=1), "B": thing("A", Size=1)})
    order = _update(stack, {"A": thing(Size=1), "B": thing("A", Size=2)})
    assert Thing.done == [("update", "B")]
    assert stack.resources["B"].physical_id == "id-of-B"
    assert stack.resources["B"].properties == {"Size": 2}
    assert stack.order is order
    assert stack.status == "UPDATE_COMPLETE"
    changes = [event for event in events_of(stack) if event[0] != "stack"]
    assert changes == [("B", "UPDATE_IN_PROGRESS"), ("B", "UPDATE_COMPLETE")]


def test_an_update_makes_new_resources_before_it_deletes_old_ones() -> None:
    stack = _stack_of({"Old": thing(), "Older": thing("Old")})
    _update(stack, {"New": thing()})
    assert Thing.done == [("create", "New"), ("delete", "Older"), ("delete", "Old")]
    assert list(stack.resources) == ["New"]
    statuses = [status for logical_id, status in events_of(stack) if logical_id == "stack"]
    assert statuses == ["UPDATE_IN_PROGRESS", "UPDATE_COMPLETE_CLEANUP_IN_PROGRESS", "UPDATE_COMPLETE"]


def test_a_retained_resource_leaves_the_stack_but_continues_to_exist() -> None:
    for policy in ("Retain", "RetainExceptOnCreate"):
        stack = _stack_of({"A": thing(), "Kept": thing(policy=policy)})
        _update(stack, {"A": thing()})
        assert Thing.done == []
        assert ("Kept", "DELETE_SKIPPED") in events_of(stack)
        assert list(stack.resources) == ["A"]


def test_another_deletion_policy_alone_changes_no_resource() -> None:
    stack = _stack_of({"A": thing()})
    _update(stack, {"A": thing(policy="Retain")})
    assert Thing.done == []
    assert stack.resources["A"].deletion_policy == "Retain"


def test_a_failed_change_is_rolled_back_together_with_the_changes_before_it() -> None:
    before = {"A": thing(Size=1), "B": thing("A", Size=1), "Old": thing()}
    stack = _stack_of(before)
    order = stack.order
    _update(stack, {"A": thing(Size=2), "New": thing("A"), "B": thing("New", Size=2, Fails="update")})
    assert Thing.done == [("update", "A"), ("create", "New"), ("update", "A"), ("delete", "New")]
    assert Thing.asked["A"] == {"Size": 1}
    assert set(stack.resources) == {"A", "B", "Old"}
    assert stack.order is order
    assert stack.status == "UPDATE_ROLLBACK_COMPLETE"
    reasons = {event.status: event.reason for event in stack.events}
    assert reasons["UPDATE_ROLLBACK_IN_PROGRESS"] == "The following resource(s) failed to update: [B]. "


def test_an_update_that_is_cancelled_is_rolled_back_and_only_then_the_stack_can_be_deleted(
    served: Served, stack: str
) -> None:
    cloudformation = served.client("cloudformation")
    served.deploy(stack, {"A": thing(Size=1)})
    assert refusal(cloudformation.cancel_update_stack, StackName=stack)[0] == "ValidationError"
    slow = served.order(stack, "UPDATE", {"A": thing(Size=2), "New": thing("A", Fails="slow")})
    cloudformation.execute_change_set(ChangeSetName=slow)
    eventually(lambda: ("New", "CREATE_IN_PROGRESS") in served.events(stack) or None)
    _, message = refusal(cloudformation.delete_stack, StackName=stack)
    assert message.endswith("cannot be deleted while in status UPDATE_IN_PROGRESS")
    cloudformation.cancel_update_stack(StackName=stack)
    assert served.ended(stack) == "UPDATE_ROLLBACK_COMPLETE"
    assert Thing.asked["A"] == {"Size": 1}
    statuses = [status for logical_id, status in served.events(stack) if logical_id == stack]
    assert statuses[-4:] == [
        "UPDATE_IN_PROGRESS",
        "UPDATE_ROLLBACK_IN_PROGRESS",
        "UPDATE_ROLLBACK_COMPLETE_CLEANUP_IN_PROGRESS",
        "UPDATE_ROLLBACK_COMPLETE",
    ]
    assert served.destroy(stack) == "DELETE_COMPLETE"


def test_a_resource_that_cannot_be_made_leaves_the_stack() -> None:
    stack = _stack_of({"A": thing()})
    _update(stack, {"A": thing(), "New": thing(Fails="create")})
    assert list(stack.resources) == ["A"]
    assert stack.status == "UPDATE_ROLLBACK_COMPLETE"


def test_a_type_without_an_update_refuses_changes() -> None:
    stack = _stack_of({"A": thing(kind="Test::Rock", Size=1)})
    _update(stack, {"A": thing(kind="Test::Rock", Size=2)})
    reasons = {event.status: event.reason for event in stack.events}
    assert reasons["UPDATE_FAILED"] == "The emulator cannot change Size of Test::Rock"
    assert stack.status == "UPDATE_ROLLBACK_COMPLETE"


def test_such_a_type_accepts_other_tags() -> None:
    stack = _stack_of({"A": thing(kind="Test::Rock", Tags=[{"Key": "owner", "Value": "a"}])})
    _update(stack, {"A": thing(kind="Test::Rock", Tags=[{"Key": "owner", "Value": "b"}])})
    assert stack.status == "UPDATE_COMPLETE"
    assert stack.resources["A"].properties == {"Tags": [{"Key": "owner", "Value": "b"}]}


def test_an_update_takes_the_outputs_of_the_new_template() -> None:
    stack = _stack_of({"A": thing()})
    operations.update(stack, order_of({"A": thing()}, Outputs={"Id": {"Value": {"Ref": "A"}}}))
    assert stack.outputs == [{"OutputKey": "Id", "OutputValue": "id-of-A"}]


@pytest.mark.parametrize("policy", ["Retain", "RetainExceptOnCreate"])
def test_a_resource_with_such_a_policy_stays(policy: str) -> None:
    stack = _deleted({"A": thing(), "Kept": thing("A", policy=policy)})
    assert Thing.done == [("delete", "A")]
    assert ("Kept", "DELETE_SKIPPED") in events_of(stack)
    assert stack.status == "DELETE_COMPLETE"


def test_a_resource_that_no_longer_exists_counts_as_deleted() -> None:
    assert _deleted({"A": thing(Fails="gone")}).status == "DELETE_COMPLETE"


def test_a_resource_that_cannot_be_deleted_keeps_its_stack_and_what_it_depends_on_but_no_other() -> None:
    first = {"First": thing(), "A": thing("First"), "Other": thing()}
    stack = _deleted({**first, "Stuck": thing("A", Fails="delete"), "C": thing("Stuck")})
    assert Thing.done == [("delete", "C"), ("delete", "Other")]
    assert stack.status == "DELETE_FAILED"
    assert stack.reason == "The following resource(s) failed to delete: [Stuck]. "
    assert list(stack.resources) == ["First", "A", "Stuck"]
    assert not stack.deleted
    operations.delete(stack, ["Stuck"])
    assert stack.status == "DELETE_COMPLETE"
    assert stack.resources == {}
