"""Wait conditions and the addresses that accept their signals.

The real address is a presigned upload to a bucket of CloudFormation. It refuses an upload if its headers
differ from the signed ones. It accepts any content, and ignores what is not a signal.
"""

import json
import secrets
import threading
import time
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any, ClassVar
from xml.sax.saxutils import escape

from account.cloudformation.types import Asked, Made, Properties, ResourceType, WaitError
from account.names import Place

PATH = "/rehearsal/wait-condition/"


@dataclass
class Handle:
    url: str
    signals: dict[str, dict[str, Any]] = field(default_factory=dict)
    """Signals by UniqueId."""
    changed: threading.Condition = field(default_factory=threading.Condition)


_handles: dict[str, Handle] = {}


class WaitingTime:
    """The clock of wait conditions."""

    passed_seconds: ClassVar[float] = 0.0
    """How far it is ahead of other clocks."""

    @classmethod
    def now(cls) -> float:
        return time.monotonic() + cls.passed_seconds

    @classmethod
    def pass_by(cls, seconds: float) -> None:
        cls.passed_seconds += seconds
        for handle in list(_handles.values()):
            with handle.changed:
                handle.changed.notify_all()


def take_signal(path: str, method: str, content_type: str, body: bytes) -> tuple[HTTPStatus, str]:
    """Status and XML of the answer to a request below PATH."""
    handle = _handles.get(f"{Place.url()}{path}")
    if handle is None:
        return HTTPStatus.FORBIDDEN, _error("AccessDenied", "Request has expired or was never signed")
    if method != "PUT" or content_type:
        return HTTPStatus.FORBIDDEN, _error(
            "SignatureDoesNotMatch",
            f"The request signature we calculated does not match: {method}, Content-Type {content_type!r}",
        )
    try:
        signal = json.loads(body)
        status, unique_id = signal["Status"], str(signal["UniqueId"])
    except (ValueError, KeyError, TypeError):
        return HTTPStatus.OK, ""
    if status in ("SUCCESS", "FAILURE"):
        with handle.changed:
            handle.signals[unique_id] = signal
            handle.changed.notify_all()
    return HTTPStatus.OK, ""


def _error(code: str, message: str) -> str:
    return f"<Error><Code>{code}</Code><Message>{escape(message)}</Message></Error>"


class WaitConditionHandle(ResourceType):
    name = "AWS::CloudFormation::WaitConditionHandle"

    def create(self, asked: Asked) -> Made:
        url = f"{Place.url()}{PATH}{secrets.token_urlsafe(24)}"
        _handles[url] = Handle(url)
        return Made(url)

    def delete(self, made: Made, properties: Properties) -> None:
        _handles.pop(made.physical_id, None)


class WaitCondition(ResourceType):
    name = "AWS::CloudFormation::WaitCondition"

    def create(self, asked: Asked) -> Made:
        """:raises WaitError: if a signal reports a failure or is late, or the stack is to be deleted"""
        handle = _handles[asked.properties["Handle"]]
        count = int(asked.properties.get("Count", 1))
        deadline = WaitingTime.now() + float(asked.properties["Timeout"])
        with handle.changed:
            while True:
                for unique_id, signal in handle.signals.items():
                    if signal["Status"] == "FAILURE":
                        reason = signal.get("Reason", "")
                        raise WaitError(
                            f"WaitCondition received failed message: '{reason}' for uniqueId: {unique_id}"
                        )
                if len(handle.signals) >= count:
                    break
                if asked.is_ending:
                    raise WaitError("Resource creation cancelled")
                if WaitingTime.now() >= deadline:
                    raise WaitError(
                        "WaitCondition timed out. "
                        f"Received {len(handle.signals)} conditions when expecting {count}"
                    )
                handle.changed.wait(0.5)
            data = json.dumps(
                {unique_id: signal.get("Data", "") for unique_id, signal in handle.signals.items()}
            )
        return Made(f"{asked.stack_id}/{asked.logical_id}", {"Data": data})

    def delete(self, made: Made, properties: Properties) -> None:
        """Does nothing: only the stack knows of it."""
