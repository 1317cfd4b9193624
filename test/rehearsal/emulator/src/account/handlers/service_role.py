"""The role with which CloudFormation acts for a stack."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from threading import Lock
from typing import ClassVar

from botocore.exceptions import ClientError

from account.handlers.needs import needed_actions
from account.handlers.subjects import Handled, contexts, subjects
from account.names import ACCOUNT, arn
from account.permissions.policies import Document, documents_of, judge, principal_of, trusts
from account.permissions.roles import NotTrustedError, assume, trust_of

_service = "cloudformation.amazonaws.com"


@dataclass(frozen=True)
class Call:
    """One call of a handler, as the policies of the role judge it."""

    role: str
    type: str
    handler: str
    action: str
    resource: str
    context: Mapping[str, str]
    allowed: bool


class Calls:
    """All calls since the account was opened."""

    all: ClassVar[list[Call]] = []
    adding: ClassVar[Lock] = Lock()


def can_be_assumed(role_arn: str) -> bool:
    return trusts(trust_of(role_arn), _service, {"aws:SourceAccount": ACCOUNT})


def demand_handler(role_arn: str | None, handled: Handled, *, final_snapshot: bool = False) -> None:
    """Checks that the role may do everything that the handler calls.

    :param role_arn: None for a stack without a role: then the rights of the administrator count, who has all
    :raises ClientError: in the words of the service that refuses
    """
    if role_arn is None:
        return
    properties = set(handled.properties) | ({"FinalSnapshot"} if final_snapshot else set())
    for action in needed_actions(handled.type, handled.handler, properties):
        for subject in subjects(handled, action):
            for context in contexts(handled, action, subject):
                _demand(role_arn, handled, action, subject, context)


def demand_reference(role_arn: str | None, service: str, name: str, tags: Mapping[str, str]) -> None:
    """Checks that the role may read what a template refers to: a secret, or a parameter.

    :raises ClientError:
    """
    if role_arn is None:
        return
    action, resource = {
        "secretsmanager": ("secretsmanager:GetSecretValue", name),
        "ssm": ("ssm:GetParameters", arn("ssm", f"parameter/{name.removeprefix('/')}")),
    }[service]
    context = {f"aws:ResourceTag/{key}": value for key, value in tags.items()}
    _demand(role_arn, Handled("reference", "create", name, {}), action, resource, context)


def needless_statements(role_arn: str) -> Iterator[str]:
    """Ids of statements without which the role would still be allowed all that it was allowed so far."""
    documents = _documents(role_arn)
    allowed = [call for call in Calls.all if call.role == role_arn and call.allowed]
    for number, document in enumerate(documents):
        for statement in document["Statement"]:
            rest = [one for one in document["Statement"] if one is not statement]
            others = [*documents[:number], {**document, "Statement": rest}, *documents[number + 1 :]]
            if all(judge(others, call.action, call.resource, call.context) == "allowed" for call in allowed):
                yield str(statement.get("Sid"))


def _demand(role_arn: str, handled: Handled, action: str, resource: str, context: Mapping[str, str]) -> None:
    verdict = judge(_documents(role_arn), action, resource, context)
    allowed = verdict == "allowed"
    with Calls.adding:
        Calls.all.append(Call(role_arn, handled.type, handled.handler, action, resource, context, allowed))
    if not allowed:
        name = role_arn.rsplit("/", 1)[-1]
        user = f"arn:aws:sts::{ACCOUNT}:assumed-role/{name}/AWSCloudFormation"
        why = (
            "with an explicit deny in an identity-based policy"
            if verdict == "denied explicitly"
            else f"because no identity-based policy allows the {action} action"
        )
        message = f"User: {user} is not authorized to perform: {action} on resource: {resource} {why}"
        raise ClientError({"Error": {"Code": "AccessDenied", "Message": message}}, action.split(":")[1])


def _documents(role_arn: str) -> list[Document]:
    try:
        session = assume(role_arn, _service, "AWSCloudFormation")
    except NotTrustedError as error:
        raise ClientError({"Error": {"Code": "AccessDenied", "Message": str(error)}}, "AssumeRole") from error
    principal = principal_of(session.key_id, session.token)
    return documents_of(principal) if principal else []
