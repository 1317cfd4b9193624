"""Wait conditions: signals, failures, and the time limit."""

import json
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from http import HTTPStatus
from typing import Any

import pytest

from account.cloudformation.types import Asked, WaitError
from account.cloudformation.waiting import WaitCondition, WaitConditionHandle, WaitingTime, take_signal
from account.names import Place


def _asked(handle: str = "", *, stopping: bool = False, **properties: Any) -> Asked:
    event = threading.Event()
    if stopping:
        event.set()
    wanted = {"Handle": handle, "Timeout": "0"} | properties
    return Asked("PreFlight", "stack", "arn:stack", "name", wanted, wanted, event)


@pytest.fixture
def handle() -> Iterator[str]:
    """The address that takes signals."""
    made = WaitConditionHandle().create(_asked())
    yield made.physical_id
    WaitConditionHandle().delete(made, {})


def _signal(handle: str, **signal: Any) -> HTTPStatus:
    sent = {"Status": "SUCCESS", "UniqueId": "i-1", "Data": "fine", "Reason": "done"} | signal
    return take_signal(handle.removeprefix(Place.url()), "PUT", "", json.dumps(sent).encode())[0]


def test_a_signal_of_failure_fails_the_condition_with_its_reason(handle: str) -> None:
    _signal(handle, Status="FAILURE", Reason="no certificate")
    with pytest.raises(WaitError) as failed:
        WaitCondition().create(_asked(handle))
    assert str(failed.value) == "WaitCondition received failed message: 'no certificate' for uniqueId: i-1"


def test_a_condition_needs_its_count_of_signals_from_different_senders(handle: str) -> None:
    _signal(handle)
    _signal(handle)
    with pytest.raises(WaitError, match="Received 1 conditions when expecting 2"):
        WaitCondition().create(_asked(handle, Count=2))
    _signal(handle, UniqueId="i-2", Data="too")
    made = WaitCondition().create(_asked(handle, Count=2))
    assert made.physical_id == "arn:stack/PreFlight"
    assert json.loads(made.attributes["Data"]) == {"i-1": "fine", "i-2": "too"}


def test_a_condition_fails_when_its_stack_is_to_be_deleted(handle: str) -> None:
    with pytest.raises(WaitError, match="Resource creation cancelled"):
        WaitCondition().create(_asked(handle, stopping=True, Timeout=20))


def test_a_condition_times_out_as_soon_as_its_time_has_passed(handle: str) -> None:
    with ThreadPoolExecutor() as beside:
        waiting = beside.submit(WaitCondition().create, _asked(handle, Timeout=3600))
        # What passes before the condition begins does not count.
        while not waiting.done():
            WaitingTime.pass_by(3600)
            time.sleep(0.01)
    with pytest.raises(WaitError, match="WaitCondition timed out"):
        waiting.result()


@pytest.mark.parametrize(
    "body", [b"", b"no json", b"[]", b"{}", b'{"Status": "SUCCESS"}', b'{"Status": "GOOD", "UniqueId": "a"}']
)
def test_other_content_is_accepted_and_ignored(handle: str, body: bytes) -> None:
    assert take_signal(handle.removeprefix(Place.url()), "PUT", "", body)[0] == HTTPStatus.OK
    with pytest.raises(WaitError, match="Received 0 conditions"):
        WaitCondition().create(_asked(handle))


@pytest.mark.parametrize(("method", "content_type"), [("PUT", "application/json"), ("POST", ""), ("GET", "")])
def test_an_upload_with_unsigned_headers_is_refused(handle: str, method: str, content_type: str) -> None:
    status, text = take_signal(handle.removeprefix(Place.url()), method, content_type, b"{}")
    assert status == HTTPStatus.FORBIDDEN
    assert "<Code>SignatureDoesNotMatch</Code>" in text


def test_an_unknown_or_deleted_address_accepts_nothing() -> None:
    made = WaitConditionHandle().create(_asked())
    assert _signal(made.physical_id) == HTTPStatus.OK
    WaitConditionHandle().delete(made, {})
    assert _signal(made.physical_id) == HTTPStatus.FORBIDDEN
    assert _signal(f"{made.physical_id}x") == HTTPStatus.FORBIDDEN
