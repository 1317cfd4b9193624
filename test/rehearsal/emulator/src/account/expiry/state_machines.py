"""Adds to moto's state machines what a stack needs to delete itself: JSONata, and calls as its role.

moto has LocalStack's executor, but not the Java program that evaluates JSONata there; jsonata-python replaces
it. The executor calls other services with a fixed key. Here it uses the credentials of the role, so that the
gate checks the calls.
"""

import json
import re
from datetime import datetime
from typing import Any
from uuid import uuid4

from botocore.response import StreamingBody
from jsonata import Jsonata
from moto.stepfunctions.parser.asl.component.state.exec.state_task.credentials import StateCredentials
from moto.stepfunctions.parser.asl.component.state.exec.state_task.service import state_task_service_aws_sdk
from moto.stepfunctions.parser.asl.jsonata import jsonata

from account.clients import session_client
from account.permissions.roles import assume


def complete_moto() -> None:
    # moto keeps its evaluator here, once it has one.
    jsonata._eval_jsonata = _evaluate  # noqa: SLF001
    # The executor of aws-sdk tasks calls it by this name, which moto's types do not show.
    setattr(state_task_service_aws_sdk, "boto_client_for", _client_of_role)  # noqa: B010


def _evaluate(expression: str) -> Any:
    try:
        return Jsonata(expression).evaluate(None)
    except Exception as error:
        raise jsonata.JSONataException("UNKNOWN", str(error)) from error


def _client_of_role(
    region: str,  # noqa: ARG001 - the executor names it; there is one only
    service: str,
    state_credentials: StateCredentials,
) -> "_PlainClient":
    session = assume(state_credentials.role_arn, "states.amazonaws.com", uuid4().hex)
    return _PlainClient(session_client(service, session))


class _PlainClient:
    """A client that answers plain JSON: Step Functions shows times as texts in UTC."""

    def __init__(self, client: Any):
        self._client = client

    def __getattr__(self, method: str) -> Any:
        operation = self._client.meta.method_to_api_mapping[method]
        shape = self._client.meta.service_model.operation_model(operation).input_shape
        members = {sfn_name(name): (name, member) for name, member in shape.members.items()} if shape else {}

        def call(**arguments: Any) -> Any:
            converted = {}
            for key, value in arguments.items():
                name, member = members.get(key, (key, None))
                # Step Functions writes an object into a body as JSON.
                is_body = (
                    member is not None and member.type_name == "blob" and not isinstance(value, str | bytes)
                )
                converted[name] = json.dumps(value).encode() if is_body else value
            return plain(getattr(self._client, method)(**converted))

        return call


def sfn_name(name: str) -> str:
    """Step Functions writes names as the SDK for Java does: DbInstances, not DBInstances."""
    return re.sub(r"([A-Z])([A-Z]+)(?=[A-Z][a-z])", lambda found: found[1] + found[2].lower(), name)


def plain(value: Any) -> Any:
    """An answer of boto3, converted to JSON types."""
    if isinstance(value, dict):
        return {sfn_name(key): plain(item) for key, item in value.items()}
    if isinstance(value, list):
        return [plain(item) for item in value]
    if isinstance(value, StreamingBody):
        # The content of an object in S3: Step Functions shows it as a text.
        return value.read().decode()
    if isinstance(value, datetime):
        return value.isoformat(timespec="milliseconds").replace("+00:00", "Z")
    return value
