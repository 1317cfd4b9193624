"""What the control API refuses."""

import json
from collections.abc import Iterator
from typing import Any
from urllib.error import HTTPError
from uuid import uuid4

import pytest

from account.databases.records import Databases
from tests.served import Served


@pytest.fixture
def database() -> Iterator[dict[str, Any]]:
    identifier = f"db-{uuid4()}"
    made = {"DBInstanceIdentifier": identifier, "DBInstanceStatus": "available"}
    Databases.instances[identifier] = made
    yield made
    del Databases.instances[identifier]


def _refusal(served: Served, *request: Any) -> tuple[int, str]:
    with pytest.raises(HTTPError) as refused:
        served.control(*request)
    with refused.value as answer:
        error: str = json.load(answer)["error"]
        return answer.code, error


def test_a_field_that_a_database_does_not_have_cannot_be_set(
    served: Served, database: dict[str, Any]
) -> None:
    body = {"identifier": database["DBInstanceIdentifier"], "set": {"colour": "red", "status": "failed"}}
    code, error = _refusal(served, "POST", "database", body)
    assert code == 400
    assert "colour: not among db_instance_identifier, " in error
    assert database["DBInstanceStatus"] == "available"


def test_a_missing_database_has_no_events(served: Served) -> None:
    event = {"identifier": "missing", "id": "RDS-EVENT-0006"}
    assert _refusal(served, "POST", "event", event) == (400, "KeyError('missing')")


def test_without_a_driver_there_is_no_driver_policy(served: Served) -> None:
    assert _refusal(served, "GET", "driver-policy") == (400, "LookupError('no instance is running')")


@pytest.mark.parametrize(("method", "what"), [("GET", "missing"), ("POST", "inventory")])
def test_the_refusal_names_a_missing_route(served: Served, method: str, what: str) -> None:
    code, error = _refusal(served, method, what, {} if method == "POST" else None)
    assert code == 404
    assert f"{method} /rehearsal/{what}" in error
