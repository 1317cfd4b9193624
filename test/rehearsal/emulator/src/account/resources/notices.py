"""Topics, by which a stack announces that it deletes itself."""

from account.clients import client
from account.cloudformation.types import Asked, Made, Properties, ResourceType


class Topic(ResourceType):
    name = "AWS::SNS::Topic"

    def create(self, asked: Asked) -> Made:
        name = asked.properties.get("TopicName", asked.generated_name)
        made = client("sns").create_topic(Name=name)
        return Made(made["TopicArn"], {"TopicArn": made["TopicArn"], "TopicName": name})

    def delete(self, made: Made, properties: Properties) -> None:
        client("sns").delete_topic(TopicArn=made.physical_id)


class TopicPolicy(ResourceType):
    """The stack knows it, but it is not applied: it denies plain HTTP, which would be everything here."""

    name = "AWS::SNS::TopicPolicy"

    def create(self, asked: Asked) -> Made:
        return Made(asked.generated_name)

    def delete(self, made: Made, properties: Properties) -> None:
        """Does nothing: only the stack knows of it."""


class Subscription(ResourceType):
    """The subscription of a mail address. The emulator sends no mail."""

    name = "AWS::SNS::Subscription"

    def create(self, asked: Asked) -> Made:
        properties = asked.properties
        made = client("sns").subscribe(
            TopicArn=properties["TopicArn"],
            Protocol=properties["Protocol"],
            Endpoint=properties["Endpoint"],
            ReturnSubscriptionArn=True,
        )
        return Made(made["SubscriptionArn"])

    def delete(self, made: Made, properties: Properties) -> None:
        client("sns").unsubscribe(SubscriptionArn=made.physical_id)
