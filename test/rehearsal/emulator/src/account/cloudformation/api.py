"""The API of CloudFormation, as far as the CDK's command line, the product and its state machine call it."""

from moto.cloudformation import urls

from account.cloudformation.change_set_calls import ChangeSetCalls
from account.cloudformation.resource_calls import ResourceCalls
from account.cloudformation.stack_calls import StackCalls


class StackResponse(ChangeSetCalls, StackCalls, ResourceCalls):
    """What answers every request; moto finds the method by the name of the action."""


def replace_moto() -> None:
    """Puts this in the place of moto's CloudFormation."""
    urls.url_paths["{0}/$"] = StackResponse.dispatch
