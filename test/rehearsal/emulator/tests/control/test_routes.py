"""What a rehearsal can cause."""

import json
from collections.abc import Iterator
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen
from uuid import uuid4

import pytest

from account.databases.records import Databases
from account.names import Place
from tests.cloudformation.things import thing
from tests.machines.driver import running_driver
from tests.served import Served, eventually


@pytest.fixture
def database() -> Iterator[dict[str, Any]]:
    identifier = f"db-{uuid4()}"
    Databases.instances[identifier] = {
        "DBInstanceIdentifier": identifier,
        "DBInstanceStatus": "available",
        "DedicatedLogVolume": True,
    }
    yield Databases.instances[identifier]
    del Databases.instances[identifier]
    Databases.events.clear()


def _refusal(served: Served, *request: Any) -> tuple[int, str]:
    with pytest.raises(HTTPError) as refused:
        served.control(*request)
    with refused.value as answer:
        error: str = json.load(answer)["error"]
        return answer.code, error


def test_what_a_database_says_of_itself_can_be_set(served: Served, database: dict[str, Any]) -> None:
    wanted = {"status": "modifying", "dedicated_log_volume": False}
    served.control("POST", "database", {"identifier": database["DBInstanceIdentifier"], "set": wanted})
    assert database["DBInstanceStatus"] == "modifying"
    assert database["DedicatedLogVolume"] is False


def test_what_a_database_does_not_say_of_itself_cannot_be_set(
    served: Served, database: dict[str, Any]
) -> None:
    body = {"identifier": database["DBInstanceIdentifier"], "set": {"colour": "red", "status": "failed"}}
    code, error = _refusal(served, "POST", "database", body)
    assert code == 400
    assert "colour: not among db_instance_identifier, " in error
    assert database["DBInstanceStatus"] == "available"


def test_an_event_can_be_told_of_a_database_that_is_there(served: Served, database: dict[str, Any]) -> None:
    event = {"message": "DB instance restarted", "categories": ["availability"]}
    served.control("POST", "event", {"identifier": database["DBInstanceIdentifier"], **event})
    assert Databases.events[-1]["Message"] == "DB instance restarted"
    assert _refusal(served, "POST", "event", {"identifier": "missing", **event})[0] == 400


def test_the_policy_of_the_driver_can_be_read_and_replaced(served: Served) -> None:
    with running_driver(served, allowed="s3:PutObject") as driver:
        policy = served.control("GET", "driver-policy")
        assert policy["Statement"][0]["Action"] == "s3:PutObject"
        policy["Statement"][0]["Action"] = "s3:GetObject"
        served.control("PUT", "driver-policy", policy)
        stored = served.client("iam").get_role_policy(RoleName=driver.role, PolicyName=driver.policy)
        assert stored["PolicyDocument"]["Statement"][0]["Action"] == "s3:GetObject"


def test_without_a_driver_there_is_no_policy_of_it(served: Served) -> None:
    assert _refusal(served, "GET", "driver-policy") == (400, "LookupError('no instance is running')")


@pytest.mark.parametrize(("method", "what"), [("GET", "missing"), ("POST", "inventory")])
def test_a_route_that_is_not_there_is_named(served: Served, method: str, what: str) -> None:
    code, error = _refusal(served, method, what, {} if method == "POST" else None)
    assert code == 404
    assert f"{method} /rehearsal/{what}" in error


def test_a_signal_reaches_the_wait_condition_of_a_stack(served: Served) -> None:
    name = f"stack-{uuid4()}"
    resources = {
        "Handle": {"Type": "AWS::CloudFormation::WaitConditionHandle", "Properties": {}},
        "Wait": {
            "Type": "AWS::CloudFormation::WaitCondition",
            "Properties": {"Handle": {"Ref": "Handle"}, "Timeout": "20"},
        },
        "After": thing(Data={"Fn::GetAtt": ["Wait", "Data"]}),
    }
    change_set = served.order(name, "CREATE", resources)
    served.client("cloudformation").execute_change_set(ChangeSetName=change_set)
    eventually(lambda: True if ("Wait", "CREATE_IN_PROGRESS") in served.events(name) else None)
    address = served.physical_id(name, "Handle")
    assert address.startswith(f"{Place.url()}/rehearsal/wait-condition/")
    signal = json.dumps({"Status": "SUCCESS", "UniqueId": "i-1", "Data": "ready"}).encode()
    with pytest.raises(HTTPError, match="403") as refused:
        urlopen(Request(address, signal, {"Content-Type": "application/json"}, method="PUT"))  # noqa: S310
    refused.value.close()
    with urlopen(Request(address, signal, {"Content-Type": ""}, method="PUT")) as answer:  # noqa: S310
        assert answer.status == 200
    assert served.ended(name) == "CREATE_COMPLETE"
    served.destroy(name)
