"""What all calls of the API have in common: they read parameters and find their stack."""

from moto.cloudformation.exceptions import ValidationError
from moto.core.responses import BaseResponse

from account.cloudformation.stacks import Stack, Stacks


class StackRequest(BaseResponse):
    def __init__(self) -> None:
        super().__init__(service_name="cloudformation")
        self.automated_parameter_parsing = True

    def _stack(self) -> Stack:
        """:raises ValidationError: if there is no stack with this name or id"""
        name = self._get_param("StackName")
        stack = Stacks.find(name)
        if stack is None:
            raise ValidationError(name)
        return stack
