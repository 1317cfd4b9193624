"""How a stack is created, and what a failed creation leaves."""

import json
import re
import threading
import time
from datetime import timedelta
from itertools import pairwise

import pytest

from account.cloudformation import operations
from account.cloudformation.stacks import Order, Stack
from account.cloudformation.types import Asked, Properties
from account.cloudformation.waiting import WaitConditionHandle, take_signal
from account.names import Place
from tests.cloudformation.things import Thing, events_of, new_stack, order_of, thing
from tests.served import eventually


def _created(order: Order) -> Stack:
    stack = new_stack(order)
    operations.create(stack, order)
    return stack


def test_every_step_is_an_event() -> None:
    stack = _created(order_of({"B": thing("A"), "A": thing()}))
    assert events_of(stack) == [
        *(("A", "CREATE_IN_PROGRESS"), ("A", "CREATE_IN_PROGRESS"), ("A", "CREATE_COMPLETE")),
        *(("B", "CREATE_IN_PROGRESS"), ("B", "CREATE_IN_PROGRESS"), ("B", "CREATE_COMPLETE")),
        ("stack", "CREATE_COMPLETE"),
    ]


def test_no_two_events_of_a_stack_have_the_same_time() -> None:
    stack = _created(order_of({name: thing() for name in "ABCDEFGH"}))
    times = [event.time for event in stack.events]
    assert all(later - earlier >= timedelta(milliseconds=1) for earlier, later in pairwise(times))


def test_a_false_condition_leaves_out_a_resource_or_an_output() -> None:
    order = order_of(
        {"A": thing(), "B": thing() | {"Condition": "Never"}},
        Conditions={"Never": {"Fn::Equals": ["a", "b"]}},
        Outputs={
            "Arn": {"Value": {"Fn::GetAtt": ["A", "Arn"]}, "Description": "of A"},
            "Left": {"Value": "out", "Condition": "Never"},
        },
    )
    stack = _created(order)
    assert list(stack.resources) == ["A"]
    assert stack.outputs == [{"OutputKey": "Arn", "OutputValue": "arn-of-A", "Description": "of A"}]


def test_a_resource_without_a_name_gets_a_name_that_every_service_accepts() -> None:
    order = order_of({"A" * 100: thing()})
    stack = Stack("s" * 23 + "-" + "s" * 50, order)
    operations.create(stack, order)
    [resource] = stack.resources.values()
    assert re.fullmatch(r"s{23}-A{24}-[A-Za-z0-9]{12}", resource.attributes["GeneratedName"])


def test_a_failed_creation_deletes_what_was_made_in_reverse_order() -> None:
    resources = {"A": thing(), "B": thing("A"), "C": thing("B", Fails="create"), "D": thing("C")}
    stack = _created(order_of(resources))
    assert Thing.done == [("create", "A"), ("create", "B"), ("delete", "B"), ("delete", "A")]
    assert stack.status == "ROLLBACK_COMPLETE"
    assert stack.resources == {}
    assert ("D", "CREATE_IN_PROGRESS") not in events_of(stack)


@pytest.mark.parametrize(
    ("fails", "reason"),
    [
        ("create", "A does not create"),
        ("refused", 'Resource handler returned message: "Too many." (HandlerErrorCode: ThingQuotaFault)'),
        ("fault", "Emulator: ZeroDivisionError()"),
    ],
)
def test_the_events_give_the_reason_of_a_failure_and_the_name_of_the_resource(
    fails: str, reason: str
) -> None:
    stack = _created(order_of({"A": thing(Fails=fails)}))
    reasons = {event.status: event.reason for event in stack.events}
    assert reasons["CREATE_FAILED"] == reason
    assert reasons["ROLLBACK_IN_PROGRESS"] == (
        "The following resource(s) failed to create: [A]. Rollback requested by user."
    )


def test_without_rollback_a_failed_creation_deletes_nothing() -> None:
    order = order_of({"A": thing(), "B": thing("A", Fails="create")})
    stack = new_stack(order)
    stack.disable_rollback = True
    operations.create(stack, order)
    assert stack.status == "CREATE_FAILED"
    assert Thing.done == [("create", "A")]
    assert list(stack.resources) == ["A", "B"]


def test_a_rollback_keeps_resources_with_the_policy_retain_only() -> None:
    resources = {
        "Kept": thing(policy="Retain"),
        "Gone": thing("Kept", policy="RetainExceptOnCreate"),
        "Bad": thing("Gone", Fails="create"),
    }
    stack = _created(order_of(resources))
    assert [logical_id for what, logical_id in Thing.done if what == "delete"] == ["Gone"]
    assert ("Kept", "DELETE_SKIPPED") in events_of(stack)
    assert stack.status == "ROLLBACK_COMPLETE"


def test_a_rollback_that_cannot_delete_a_resource_fails_and_names_it() -> None:
    stack = _created(order_of({"A": thing(Fails="delete"), "B": thing("A", Fails="create")}))
    assert stack.status == "ROLLBACK_FAILED"
    assert stack.reason == "The following resource(s) failed to delete: [A]. "
    assert list(stack.resources) == ["A"]


def test_a_creation_stops_if_the_stack_is_to_be_deleted() -> None:
    order = order_of({"A": thing()})
    stack = new_stack(order)
    stack.stopping.set()
    operations.create(stack, order)
    assert Thing.done == []
    assert stack.status == "CREATE_IN_PROGRESS"


def test_a_creation_that_a_deletion_interrupts_starts_no_rollback() -> None:
    resources = {"A": thing(), "B": thing("A", Fails="interrupted"), "C": thing("B")}
    stack = _created(order_of(resources))
    assert Thing.done == [("create", "A")]
    assert ("B", "CREATE_FAILED") in events_of(stack)
    assert stack.status == "CREATE_IN_PROGRESS"


def test_an_operation_ends_even_if_the_emulator_fails() -> None:
    stack = new_stack(order_of({"A": thing()}))

    def fail(_: Stack) -> None:
        raise ZeroDivisionError

    operations.start(fail, stack)
    eventually(lambda: True if stack.status == "CREATE_FAILED" else None)
    assert stack.reason == "Emulator: ZeroDivisionError()"


def test_operations_on_one_stack_wait_for_each_other() -> None:
    stack, done = new_stack(order_of({"A": thing()})), list[str]()
    with stack.busy:
        operations.start(lambda _: done.append("second"), stack)
        time.sleep(0.1)
        done.append("first")
    eventually(lambda: True if len(done) == 2 else None)
    assert done == ["first", "second"]


def _condition(handle: str, *after: str) -> Properties:
    return thing(*after, kind="AWS::CloudFormation::WaitCondition", Handle=handle, Timeout="20")


def test_a_wait_condition_that_fails_ends_the_creation_beside_it() -> None:
    handle = (
        WaitConditionHandle()
        .create(Asked("Handle", "stack", "arn", "name", {}, {}, threading.Event()))
        .physical_id
    )
    signal = {"Status": "FAILURE", "UniqueId": "driver", "Reason": "is insufficient-capacity"}
    take_signal(handle.removeprefix(Place.url()), "PUT", "", json.dumps(signal).encode())
    resources = {
        "A": thing(),
        "Slow": thing("A", Fails="slow"),
        "Failing": _condition(handle, "A"),
        "After": thing("Slow"),
    }
    stack = _created(order_of(resources))
    reasons = {event.logical_id: event.reason for event in stack.events if event.status == "CREATE_FAILED"}
    assert "is insufficient-capacity" in (reasons["Failing"] or "")
    assert reasons["Slow"] == "Resource creation cancelled"
    assert Thing.done == [("create", "A"), ("delete", "Slow"), ("delete", "A")]
    assert stack.status == "ROLLBACK_COMPLETE"
