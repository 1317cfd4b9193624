"""How a stack is made, and what is left if it cannot be made."""

import re
import threading
from datetime import timedelta
from itertools import pairwise

import pytest

from account.cloudformation import operations
from account.cloudformation.stacks import Order, Stack
from tests.cloudformation.things import Thing, new_stack, order_of, thing, told
from tests.served import eventually


def _created(order: Order) -> Stack:
    stack = new_stack(order)
    operations.create(stack, order)
    return stack


def test_resources_are_made_one_after_the_other_in_the_order_of_dependencies() -> None:
    stack = _created(order_of({"C": thing("B"), "B": thing("A"), "A": thing()}))
    assert Thing.done == [("create", "A"), ("create", "B"), ("create", "C")]
    assert told(stack) == [
        *(("A", "CREATE_IN_PROGRESS"), ("A", "CREATE_IN_PROGRESS"), ("A", "CREATE_COMPLETE")),
        *(("B", "CREATE_IN_PROGRESS"), ("B", "CREATE_IN_PROGRESS"), ("B", "CREATE_COMPLETE")),
        *(("C", "CREATE_IN_PROGRESS"), ("C", "CREATE_IN_PROGRESS"), ("C", "CREATE_COMPLETE")),
        ("stack", "CREATE_COMPLETE"),
    ]
    assert stack.status == "CREATE_COMPLETE"


def test_a_resource_is_asked_for_with_what_others_have_become() -> None:
    second = thing(Of={"Ref": "First"}, Arn={"Fn::GetAtt": ["First", "Arn"]}, In={"Ref": "AWS::StackName"})
    stack = _created(order_of({"Second": second, "First": thing()}))
    assert Thing.asked["Second"] == {"Of": "id-of-First", "Arn": "arn-of-First", "In": "stack"}
    assert stack.resources["Second"].properties == Thing.asked["Second"]


def test_outputs_are_those_of_the_finished_resources() -> None:
    order = order_of(
        {"A": thing()},
        Conditions={"Never": {"Fn::Equals": ["a", "b"]}},
        Outputs={
            "Arn": {"Value": {"Fn::GetAtt": ["A", "Arn"]}, "Description": "of A"},
            "Left": {"Value": "out", "Condition": "Never"},
        },
    )
    assert _created(order).outputs == [{"OutputKey": "Arn", "OutputValue": "arn-of-A", "Description": "of A"}]


def test_a_resource_whose_condition_does_not_hold_is_not_made() -> None:
    never = {"Conditions": {"Never": {"Fn::Equals": ["a", "b"]}}}
    stack = _created(order_of({"A": thing(), "B": thing() | {"Condition": "Never"}}, **never))
    assert list(stack.resources) == ["A"]


def test_a_failure_takes_back_what_was_made_in_reverse_order() -> None:
    resources = {"A": thing(), "B": thing("A"), "C": thing("B", Fails="create"), "D": thing("C")}
    stack = _created(order_of(resources))
    assert Thing.done == [("create", "A"), ("create", "B"), ("delete", "B"), ("delete", "A")]
    assert stack.status == "ROLLBACK_COMPLETE"
    assert stack.resources == {}
    assert ("D", "CREATE_IN_PROGRESS") not in told(stack)


@pytest.mark.parametrize(
    ("fails", "reason"),
    [
        ("create", "A does not create"),
        ("refused", 'Resource handler returned message: "Too many." (HandlerErrorCode: ThingQuotaFault)'),
        ("fault", "Emulator: ZeroDivisionError()"),
    ],
)
def test_a_failure_is_told_with_its_reason_at_the_resource_and_by_name_at_the_stack(
    fails: str, reason: str
) -> None:
    stack = _created(order_of({"A": thing(Fails=fails)}))
    reasons = {event.status: event.reason for event in stack.events}
    assert reasons["CREATE_FAILED"] == reason
    assert reasons["ROLLBACK_IN_PROGRESS"] == (
        "The following resource(s) failed to create: [A]. Rollback requested by user."
    )


def test_without_rollback_everything_stays_as_it_is() -> None:
    order = order_of({"A": thing(), "B": thing("A", Fails="create")})
    stack = new_stack(order)
    stack.disable_rollback = True
    operations.create(stack, order)
    assert stack.status == "CREATE_FAILED"
    assert Thing.done == [("create", "A")]
    assert list(stack.resources) == ["A", "B"]


def test_a_rollback_leaves_what_is_to_be_retained_even_then() -> None:
    resources = {
        "Kept": thing(policy="Retain"),
        "Gone": thing("Kept", policy="RetainExceptOnCreate"),
        "Bad": thing("Gone", Fails="create"),
    }
    stack = _created(order_of(resources))
    assert [logical_id for what, logical_id in Thing.done if what == "delete"] == ["Gone"]
    assert ("Kept", "DELETE_SKIPPED") in told(stack)
    assert stack.status == "ROLLBACK_COMPLETE"


def test_a_rollback_that_cannot_delete_something_says_so() -> None:
    stack = _created(order_of({"A": thing(Fails="delete"), "B": thing("A", Fails="create")}))
    assert stack.status == "ROLLBACK_FAILED"
    assert stack.reason == "The following resource(s) failed to delete: [A]. "
    assert list(stack.resources) == ["A"]


def test_a_creation_gives_way_to_a_deletion() -> None:
    order = order_of({"A": thing()})
    stack = new_stack(order)
    stack.stopping.set()
    operations.create(stack, order)
    assert Thing.done == []
    assert stack.status == "CREATE_IN_PROGRESS"


def test_a_deletion_in_the_midst_of_a_creation_starts_no_rollback_of_its_own() -> None:
    resources = {"A": thing(), "B": thing("A", kind="Test::Interrupted"), "C": thing("B")}
    stack = _created(order_of(resources))
    assert Thing.done == [("create", "A")]
    assert ("B", "CREATE_FAILED") in told(stack)
    assert stack.status == "CREATE_IN_PROGRESS"


def test_a_resource_without_a_name_gets_one_that_every_service_takes() -> None:
    order = order_of({"A" * 100: thing(kind="Test::Named")})
    stack = Stack("s" * 23 + "-" + "s" * 50, order)
    operations.create(stack, order)
    [resource] = stack.resources.values()
    assert re.fullmatch(r"s{23}-A{24}-[A-Za-z0-9]{12}", resource.physical_id)


def test_a_fault_of_the_emulator_ends_the_operation_all_the_same() -> None:
    stack = new_stack(order_of({"A": thing()}))

    def fail(_: Stack) -> None:
        raise ZeroDivisionError

    operations.start(fail, stack)
    eventually(lambda: True if stack.status == "CREATE_FAILED" else None)
    assert stack.reason == "Emulator: ZeroDivisionError()"


def test_operations_on_one_stack_wait_for_each_other() -> None:
    stack = new_stack(order_of({"A": thing()}))
    begun, go_on, done = threading.Event(), threading.Event(), list[str]()

    def first(_: Stack) -> None:
        begun.set()
        assert go_on.wait(10)
        done.append("first")

    operations.start(first, stack)
    assert begun.wait(10)
    operations.start(lambda _: done.append("second"), stack)
    go_on.set()
    eventually(lambda: True if len(done) == 2 else None)
    assert done == ["first", "second"]


def test_no_two_events_of_a_stack_have_the_same_time() -> None:
    stack = _created(order_of({name: thing() for name in "ABCDEFGH"}))
    times = [event.time for event in stack.events]
    assert all(later - earlier >= timedelta(milliseconds=1) for earlier, later in pairwise(times))
