"""The emulated account, used as its clients use it."""

import json
import time
from collections.abc import Callable
from functools import cache
from typing import Any, TypeVar
from urllib.request import Request, urlopen
from uuid import uuid4

import boto3
import pytest
from botocore.config import Config
from botocore.exceptions import ClientError

from account.cloudformation.stacks import Stacks
from account.names import REGION, Place

Seen = TypeVar("Seen")


def eventually(look: Callable[[], Seen | None], seconds: float = 20) -> Seen:
    """:return: the first value that is not None"""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        found = look()
        if found is not None:
            return found
        time.sleep(0.01)
    raise AssertionError(f"not within {seconds} seconds")


def refusal(call: Callable[..., Any], **arguments: Any) -> tuple[str, str]:
    """:return: code and message with which the account refuses a call"""
    with pytest.raises(ClientError) as refused:
        call(**arguments)
    error = refused.value.response["Error"]
    return error["Code"], error["Message"]


@cache
def connect(service: str, key_id: str, secret: str, token: str | None = None) -> Any:
    """A client with credentials of its own."""
    client: Any = boto3.client
    return client(
        service,
        endpoint_url=Place.url(),
        region_name=REGION,
        aws_access_key_id=key_id,
        aws_secret_access_key=secret,
        aws_session_token=token,
        config=Config(retries={"total_max_attempts": 1}, s3={"addressing_style": "path"}),
    )


class Served:
    """The account, as its administrator uses it."""

    def __init__(self, key_id: str, secret: str):
        self.credentials = key_id, secret

    def client(self, service: str) -> Any:
        return connect(service, *self.credentials)

    def order(
        self, stack: str, kind: str, resources: dict[str, Any], *, role: str | None = None, **parts: Any
    ) -> str:
        """Makes a change set, without executing it.

        :param kind: CREATE or UPDATE
        :param role: ARN of the role with which CloudFormation is to act
        :param parts: other parts of the template
        :return: its id
        """
        change_set: str = self.client("cloudformation").create_change_set(
            StackName=stack,
            ChangeSetName=f"c-{uuid4()}",
            ChangeSetType=kind,
            TemplateBody=json.dumps({"Resources": resources, **parts}),
            **({} if role is None else {"RoleARN": role}),
        )["Id"]
        return change_set

    def deploy(self, stack: str, resources: dict[str, Any], *, kind: str = "CREATE", **parts: Any) -> str:
        """:return: the status in which it ends"""
        change_set = self.order(stack, kind, resources, **parts)
        self.client("cloudformation").execute_change_set(ChangeSetName=change_set)
        return self.ended(stack)

    def destroy(self, stack: str) -> str:
        """:return: the status in which it ends"""
        stack_id: str = self.described(stack)["StackId"]
        self.client("cloudformation").delete_stack(StackName=stack)
        return self.ended(stack_id)

    def described(self, stack: str) -> dict[str, Any]:
        found: dict[str, Any] = self.client("cloudformation").describe_stacks(StackName=stack)["Stacks"][0]
        return found

    def ended(self, stack: str) -> str:
        """Looks into the emulator itself, so that waiting causes no requests.

        :return: the status in which it ends
        """

        def status() -> str | None:
            found = Stacks.find(stack)
            return None if found is None or found.status.endswith("_IN_PROGRESS") else found.status

        return eventually(status)

    def events(self, stack: str) -> list[tuple[str, str]]:
        """Resource and status of each event, oldest first."""
        pages = self.client("cloudformation").get_paginator("describe_stack_events").paginate(StackName=stack)
        events = [event for page in pages for event in page["StackEvents"]]
        return [(event["LogicalResourceId"], event["ResourceStatus"]) for event in reversed(events)]

    def physical_id(self, stack: str, resource: str) -> str:
        detail = self.client("cloudformation").describe_stack_resource(
            StackName=stack, LogicalResourceId=resource
        )
        found: str = detail["StackResourceDetail"]["PhysicalResourceId"]
        return found

    def control(self, method: str, what: str, body: Any = None) -> Any:
        """:raises HTTPError: if the control API refuses"""
        data = None if body is None else json.dumps(body).encode()
        request = Request(f"{Place.url()}/rehearsal/{what}", data, method=method)  # noqa: S310 - it is ours
        with urlopen(request) as answer:  # noqa: S310
            return json.load(answer)

    def recorded(self, action: str) -> list[dict[str, Any]]:
        """The requests for an action that the gate has judged, oldest first."""
        with (Place.folder / "requests.jsonl").open("a+") as file:
            file.seek(0)
            lines = file.readlines()
        return [request for request in map(json.loads, lines) if request["action"] == action]
