"""Topics and their subscriptions, made by a stack."""

from typing import Any

from tests.served import Served

_resources: dict[str, Any] = {
    "Topic": {"Type": "AWS::SNS::Topic"},
    "Policy": {
        "Type": "AWS::SNS::TopicPolicy",
        "Properties": {"Topics": [{"Ref": "Topic"}], "PolicyDocument": {"Statement": []}},
    },
    "Subscription": {
        "Type": "AWS::SNS::Subscription",
        "Properties": {"TopicArn": {"Ref": "Topic"}, "Protocol": "email", "Endpoint": "bob@example.com"},
    },
}


def test_a_topic_has_its_subscription_and_takes_messages(served: Served, stack: str) -> None:
    served.deploy(stack, _resources)
    topic = served.physical_id(stack, "Topic")
    sns = served.client("sns")
    [subscription] = sns.list_subscriptions_by_topic(TopicArn=topic)["Subscriptions"]
    assert (subscription["Protocol"], subscription["Endpoint"]) == ("email", "bob@example.com")
    assert sns.publish(TopicArn=topic, Message="it ends")["MessageId"]
    assert f"sns topic {topic}" in served.control("GET", "inventory")
