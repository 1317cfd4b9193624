"""Schedules that are fired, and what their state machines then do."""

from collections.abc import Iterator
from typing import Any
from uuid import uuid4

import pytest

from tests.expiry.expiring import expiring
from tests.served import Served


@pytest.fixture
def stack(served: Served) -> Iterator[str]:
    """Name of a stack that does not exist before the test, nor after it."""
    name = f"stack-{uuid4()}"
    yield name
    stacks = served.client("cloudformation").describe_stacks()["Stacks"]
    if any(left["StackName"] == name for left in stacks):
        served.destroy(name)


def _fire(served: Served, stack: str, age_hours: float) -> dict[str, Any]:
    [fired] = served.control("POST", "fire-schedules", {"stackAgeHours": age_hours})
    assert fired["schedule"].startswith(stack[:20])
    answer: dict[str, Any] = fired
    return answer


def test_before_its_time_a_stack_is_only_looked_at(served: Served, stack: str) -> None:
    served.deploy(stack, expiring(hours=24))
    assert _fire(served, stack, age_hours=23.9)["status"] == "SUCCEEDED"
    assert served.described(stack)["StackStatus"] == "CREATE_COMPLETE"


def test_after_its_time_a_stack_deletes_itself(served: Served, stack: str) -> None:
    served.deploy(stack, expiring(hours=24))
    stack_id = served.described(stack)["StackId"]
    assert _fire(served, stack, age_hours=24.1)["status"] == "SUCCEEDED"
    assert served.ended(stack_id) == "DELETE_COMPLETE"
    assert served.control("POST", "fire-schedules", {}) == []


def test_the_state_machine_calls_as_its_role(served: Served, stack: str) -> None:
    served.deploy(stack, expiring(hours=24))
    _fire(served, stack, age_hours=1)
    role = served.physical_id(stack, "MachineRole")
    [looked] = [
        request
        for request in served.recorded("cloudformation:DescribeStacks")
        if f":assumed-role/{role}/" in request["principal"]
    ]
    assert looked["resource"] == served.described(stack)["StackId"]


def test_what_the_role_may_not_do_fails_the_execution(served: Served, stack: str) -> None:
    served.deploy(stack, expiring(hours=24, allowed="DescribeStacks"))
    fired = _fire(served, stack, age_hours=25)
    assert fired["status"] == "FAILED"
    assert "is not authorized to perform: cloudformation:DeleteStack" in fired["cause"]
    assert served.described(stack)["StackStatus"] == "CREATE_COMPLETE"


def test_a_schedule_whose_role_does_not_trust_the_scheduler_starts_nothing(
    served: Served, stack: str
) -> None:
    served.deploy(stack, expiring(hours=24, trusted="events.amazonaws.com"))
    fired = _fire(served, stack, age_hours=25)
    assert (fired["status"], fired["error"]) == ("FAILED", "AccessDenied")
    assert "cannot be assumed by scheduler.amazonaws.com" in fired["cause"]


def test_a_schedule_whose_role_may_not_start_the_state_machine_says_so(served: Served, stack: str) -> None:
    served.deploy(stack, expiring(hours=24, starting="states:StopExecution"))
    fired = _fire(served, stack, age_hours=25)
    assert (fired["status"], fired["error"]) == ("FAILED", "AccessDeniedException")
    assert "is not authorized to perform: states:StartExecution" in fired["cause"]
