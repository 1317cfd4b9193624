"""The parts by which a stack deletes itself: a schedule, and the state machine that it starts."""

from typing import Any

from account.clients import client
from account.cloudformation.types import Asked, Made, Properties, ResourceType, arguments


class StateMachine(ResourceType):
    name = "AWS::StepFunctions::StateMachine"

    def create(self, asked: Asked) -> Made:
        properties = asked.properties
        name = properties.get("StateMachineName", asked.generated_name)
        made = client("stepfunctions").create_state_machine(
            name=name,
            definition=properties["DefinitionString"],
            roleArn=properties["RoleArn"],
            tags=[{"key": tag["Key"], "value": tag["Value"]} for tag in properties.get("Tags", [])],
        )
        return Made(made["stateMachineArn"], {"Arn": made["stateMachineArn"], "Name": name})

    def update(self, asked: Asked, made: Made, before: Properties) -> Made:
        properties = asked.properties
        client("stepfunctions").update_state_machine(
            stateMachineArn=made.physical_id,
            definition=properties["DefinitionString"],
            roleArn=properties["RoleArn"],
        )
        return made

    def delete(self, made: Made, properties: Properties) -> None:
        client("stepfunctions").delete_state_machine(stateMachineArn=made.physical_id)


class Schedule(ResourceType):
    name = "AWS::Scheduler::Schedule"

    def create(self, asked: Asked) -> Made:
        name = asked.properties.get("Name", asked.generated_name)
        made = client("scheduler").create_schedule(**_schedule("CreateSchedule", name, asked.properties))
        return Made(name, {"Arn": made["ScheduleArn"]})

    def update(self, asked: Asked, made: Made, before: Properties) -> Made:
        client("scheduler").update_schedule(**_schedule("UpdateSchedule", made.physical_id, asked.properties))
        return made

    def delete(self, made: Made, properties: Properties) -> None:
        client("scheduler").delete_schedule(Name=made.physical_id)


def _schedule(operation: str, name: str, properties: Properties) -> dict[str, Any]:
    return arguments("scheduler", operation, properties | {"Name": name})
