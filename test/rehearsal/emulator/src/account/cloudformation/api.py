"""The API of CloudFormation, as far as the CDK's command line, the product and its state machine call it."""

from moto.cloudformation import urls

from account.cloudformation.change_set_calls import ChangeSetCalls
from account.cloudformation.resource_calls import ResourceCalls
from account.cloudformation.stack_calls import StackCalls


class StackResponse(ChangeSetCalls, StackCalls, ResourceCalls):
    """Answers every request; moto finds the method by the name of the action."""


def replace_moto() -> None:
    """Replaces moto's CloudFormation by this one."""
    urls.url_paths["{0}/$"] = StackResponse.dispatch
