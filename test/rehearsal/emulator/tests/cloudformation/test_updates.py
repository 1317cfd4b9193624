"""Changes in place, and the rollback of changes that fail."""

from account.cloudformation import operations
from account.cloudformation.stacks import Order, Stack
from account.cloudformation.types import Properties
from tests.cloudformation.things import Thing, new_stack, order_of, thing, told


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


def test_only_what_differs_is_changed_and_in_place() -> None:
    stack = _stack_of({"A": thing(Size=1), "B": thing("A", Size=1), "C": thing("B", Size=1)})
    order = _update(stack, {"A": thing(Size=1), "B": thing("A", Size=2), "C": thing("B", Size=3)})
    assert Thing.done == [("update", "B"), ("update", "C")]
    assert stack.resources["B"].physical_id == "id-of-B"
    assert stack.resources["B"].properties == {"Size": 2}
    assert stack.order is order
    assert stack.status == "UPDATE_COMPLETE"
    changes = [event for event in told(stack) if event[0] != "stack"]
    assert changes == [
        *(("B", "UPDATE_IN_PROGRESS"), ("B", "UPDATE_COMPLETE")),
        *(("C", "UPDATE_IN_PROGRESS"), ("C", "UPDATE_COMPLETE")),
    ]


def test_new_resources_are_made_before_those_that_are_not_wanted_any_more_go() -> None:
    stack = _stack_of({"Old": thing(), "Older": thing("Old")})
    _update(stack, {"New": thing()})
    assert Thing.done == [("create", "New"), ("delete", "Older"), ("delete", "Old")]
    assert list(stack.resources) == ["New"]
    statuses = [status for logical_id, status in told(stack) if logical_id == "stack"]
    assert statuses == ["UPDATE_IN_PROGRESS", "UPDATE_COMPLETE_CLEANUP_IN_PROGRESS", "UPDATE_COMPLETE"]


def test_what_is_to_be_retained_leaves_the_stack_and_stays() -> None:
    for policy in ("Retain", "RetainExceptOnCreate"):
        stack = _stack_of({"A": thing(), "Kept": thing(policy=policy)})
        _update(stack, {"A": thing()})
        assert Thing.done == []
        assert ("Kept", "DELETE_SKIPPED") in told(stack)
        assert list(stack.resources) == ["A"]


def test_another_deletion_policy_alone_is_taken_over_without_a_change() -> None:
    stack = _stack_of({"A": thing()})
    _update(stack, {"A": thing(policy="Retain")})
    assert Thing.done == []
    assert stack.resources["A"].deletion_policy == "Retain"


def test_a_failed_change_is_taken_back_together_with_those_before_it() -> None:
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


def test_a_resource_that_cannot_be_made_does_not_stay_in_the_stack() -> None:
    stack = _stack_of({"A": thing()})
    _update(stack, {"A": thing(), "New": thing(Fails="create")})
    assert list(stack.resources) == ["A"]
    assert stack.status == "UPDATE_ROLLBACK_COMPLETE"


def test_a_type_that_does_not_say_how_is_not_changed() -> None:
    stack = _stack_of({"A": thing(kind="Test::Rock", Size=1)})
    _update(stack, {"A": thing(kind="Test::Rock", Size=2)})
    reasons = {event.status: event.reason for event in stack.events}
    assert reasons["UPDATE_FAILED"] == "The emulator cannot change Size of Test::Rock"
    assert stack.status == "UPDATE_ROLLBACK_COMPLETE"


def test_tags_alone_change_without_a_call() -> None:
    stack = _stack_of({"A": thing(kind="Test::Rock", Tags=[{"Key": "owner", "Value": "a"}])})
    _update(stack, {"A": thing(kind="Test::Rock", Tags=[{"Key": "owner", "Value": "b"}])})
    assert stack.status == "UPDATE_COMPLETE"
    assert stack.resources["A"].properties == {"Tags": [{"Key": "owner", "Value": "b"}]}


def test_outputs_are_those_of_the_new_template() -> None:
    stack = _stack_of({"A": thing()})
    operations.update(stack, order_of({"A": thing()}, Outputs={"Id": {"Value": {"Ref": "A"}}}))
    assert stack.outputs == [{"OutputKey": "Id", "OutputValue": "id-of-A"}]
