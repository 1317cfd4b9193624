"""Fires schedules when the rehearsal asks for it."""

import time
from typing import Any
from uuid import uuid4

from botocore.exceptions import ClientError
from moto.scheduler.models import scheduler_backends
from moto.stepfunctions.parser.models import stepfunctions_parser_backends

from account.clients import session_client
from account.names import ACCOUNT, REGION
from account.permissions.roles import NotTrustedError, assume

_limit_seconds = 330
"""A little more than the time limit of the state machine itself."""


def fire_all() -> list[dict[str, Any]]:
    """Starts the target of every schedule with the role of the schedule, and waits for its end.

    :return: the name of each schedule, with status, error and cause of its execution
    """
    groups = scheduler_backends[ACCOUNT][REGION].schedule_groups.values()
    schedules = [schedule for group in groups for schedule in group.schedules.values()]
    return [{"schedule": schedule.name, **_fire(schedule.target)} for schedule in schedules]


def _fire(target: dict[str, Any]) -> dict[str, str | None]:
    try:
        session = assume(target["RoleArn"], "scheduler.amazonaws.com", "schedule")
        started = session_client("stepfunctions", session).start_execution(
            stateMachineArn=target["Arn"], name=str(uuid4()), input=target.get("Input", "{}")
        )
    except NotTrustedError as error:
        return {"status": "FAILED", "error": "AccessDenied", "cause": str(error)}
    except ClientError as error:
        known = error.response["Error"]
        return {"status": "FAILED", "error": known["Code"], "cause": known["Message"]}
    # The object, not its description: by deleting the stack, the execution may delete its own machine.
    execution = stepfunctions_parser_backends[ACCOUNT][REGION].describe_execution(started["executionArn"])
    deadline = time.monotonic() + _limit_seconds
    while execution.stop_date is None and time.monotonic() < deadline:
        time.sleep(0.1)
    return {
        "status": str(execution.status),
        "error": getattr(execution, "error", None),
        "cause": getattr(execution, "cause", None),
    }
