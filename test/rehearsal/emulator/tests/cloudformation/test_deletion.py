"""How a stack is deleted, and what it leaves."""

import pytest

from account.cloudformation import operations
from account.cloudformation.stacks import Stack
from account.cloudformation.types import Properties
from tests.cloudformation.things import Thing, new_stack, order_of, thing, told


def _deleted(resources: dict[str, Properties]) -> Stack:
    order = order_of(resources)
    stack = new_stack(order)
    operations.create(stack, order)
    Thing.done.clear()
    operations.delete(stack, [])
    return stack


def test_resources_go_in_the_reverse_order_of_their_creation() -> None:
    stack = _deleted({"A": thing(), "B": thing("A"), "C": thing("B")})
    assert Thing.done == [("delete", "C"), ("delete", "B"), ("delete", "A")]
    assert told(stack)[-3:] == [
        ("A", "DELETE_IN_PROGRESS"),
        ("A", "DELETE_COMPLETE"),
        ("stack", "DELETE_COMPLETE"),
    ]
    assert stack.status == "DELETE_COMPLETE"
    assert stack.deleted
    assert stack.deleted_at is not None


@pytest.mark.parametrize("policy", ["Retain", "RetainExceptOnCreate"])
def test_what_is_to_be_retained_stays(policy: str) -> None:
    stack = _deleted({"A": thing(), "Kept": thing("A", policy=policy)})
    assert Thing.done == [("delete", "A")]
    assert ("Kept", "DELETE_SKIPPED") in told(stack)
    assert stack.status == "DELETE_COMPLETE"


def test_a_snapshot_is_left_of_what_says_so() -> None:
    _deleted({"Plain": thing(), "Data": thing(policy="Snapshot")})
    assert Thing.snapshots == ["Data"]


def test_what_is_gone_already_counts_as_deleted() -> None:
    assert _deleted({"A": thing(Fails="gone")}).status == "DELETE_COMPLETE"


def test_one_that_cannot_be_deleted_keeps_the_stack_and_no_other_resource() -> None:
    stack = _deleted({"A": thing(), "Stuck": thing("A", Fails="delete"), "C": thing("Stuck")})
    assert Thing.done == [("delete", "C"), ("delete", "A")]
    assert stack.status == "DELETE_FAILED"
    assert stack.reason == "The following resource(s) failed to delete: [Stuck]. "
    assert list(stack.resources) == ["Stuck"]
    assert not stack.deleted


def test_a_second_deletion_can_leave_out_what_cannot_be_deleted() -> None:
    stack = _deleted({"Stuck": thing(Fails="delete")})
    operations.delete(stack, ["Stuck"])
    assert stack.status == "DELETE_COMPLETE"
    assert stack.resources == {}
