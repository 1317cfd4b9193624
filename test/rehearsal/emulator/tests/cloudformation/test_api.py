"""The API of CloudFormation, as its clients call it."""

from typing import Any
from uuid import uuid4

import pytest
from botocore.exceptions import ClientError

from tests.cloudformation.things import Thing, thing
from tests.served import Served


@pytest.fixture
def name() -> str:
    return f"stack-{uuid4()}"


def _refusal(call: Any, **arguments: Any) -> tuple[str, str]:
    with pytest.raises(ClientError) as refused:
        call(**arguments)
    error = refused.value.response["Error"]
    return error["Code"], error["Message"]


def test_a_stack_is_made_changed_and_deleted_through_change_sets(served: Served, name: str) -> None:
    assert served.deploy(name, {"A": thing(), "B": thing("A")}) == "CREATE_COMPLETE"
    assert served.deploy(name, {"A": thing(Size=2)}, kind="UPDATE") == "UPDATE_COMPLETE"
    stack_id = served.described(name)["StackId"]
    assert served.destroy(name) == "DELETE_COMPLETE"
    steps = [("create", "A"), ("create", "B"), ("update", "A"), ("delete", "B"), ("delete", "A")]
    assert Thing.done == steps
    assert served.events(stack_id)[0] == (name, "REVIEW_IN_PROGRESS")
    assert served.events(stack_id)[-1] == (name, "DELETE_COMPLETE")


def test_a_deleted_stack_is_known_by_its_id_and_its_name_is_free(served: Served, name: str) -> None:
    served.deploy(name, {"A": thing()})
    stack_id = served.described(name)["StackId"]
    served.destroy(name)
    assert served.described(stack_id)["StackStatus"] == "DELETE_COMPLETE"
    describe = served.client("cloudformation").describe_stacks
    assert _refusal(describe, StackName=name) == (
        "ValidationError",
        f"Stack with id {name} does not exist",
    )
    assert served.deploy(name, {"A": thing()}) == "CREATE_COMPLETE"
    served.destroy(name)


def test_a_stack_that_failed_is_not_updated_but_deleted(served: Served, name: str) -> None:
    assert served.deploy(name, {"A": thing(Fails="create")}) == "ROLLBACK_COMPLETE"
    code, message = _refusal(served.order, stack=name, kind="UPDATE", resources={"A": thing()})
    assert code == "ValidationError"
    assert message.endswith("is in ROLLBACK_COMPLETE state and can not be updated.")
    assert served.destroy(name) == "DELETE_COMPLETE"


def test_an_update_without_changes_is_no_change_set_that_could_be_executed(served: Served, name: str) -> None:
    served.deploy(name, {"A": thing()})
    cloudformation = served.client("cloudformation")
    change_set = served.order(name, "UPDATE", {"A": thing()})
    described = cloudformation.describe_change_set(ChangeSetName=change_set)
    assert described["Status"] == "FAILED"
    # The CDK looks for these words.
    assert "The submitted information didn't contain changes." in described["StatusReason"]
    assert _refusal(cloudformation.execute_change_set, ChangeSetName=change_set)[0] == "ValidationError"
    cloudformation.delete_change_set(ChangeSetName=change_set)
    assert cloudformation.list_change_sets(StackName=name)["Summaries"] == []
    served.destroy(name)


def test_a_name_is_taken_once(served: Served, name: str) -> None:
    served.deploy(name, {"A": thing()})
    code, message = _refusal(served.order, stack=name, kind="CREATE", resources={"A": thing()})
    assert (code, message) == ("AlreadyExistsException", f"Stack [{name}] already exists")
    served.destroy(name)


def test_a_protected_stack_is_not_deleted(served: Served, name: str) -> None:
    served.deploy(name, {"A": thing()})
    cloudformation = served.client("cloudformation")
    protect = cloudformation.update_termination_protection
    protect(StackName=name, EnableTerminationProtection=True)
    _, message = _refusal(cloudformation.delete_stack, StackName=name)
    assert "TerminationProtection is enabled" in message
    protect(StackName=name, EnableTerminationProtection=False)
    assert served.destroy(name) == "DELETE_COMPLETE"


def test_to_delete_what_is_not_there_is_no_error(served: Served, name: str) -> None:
    served.client("cloudformation").delete_stack(StackName=name)


def test_events_come_in_pages_newest_first_and_none_is_lost(served: Served, name: str) -> None:
    served.deploy(name, {f"A{number}": thing() for number in range(40)})
    events = served.events(name)
    assert len(events) == 1 + 1 + 3 * 40 + 1
    assert events[-1] == (name, "CREATE_COMPLETE")
    first = served.client("cloudformation").describe_stack_events(StackName=name)
    assert len(first["StackEvents"]) == 100
    assert first["StackEvents"][0]["ResourceStatus"] == "CREATE_COMPLETE"
    served.destroy(name)


def test_resources_are_listed_and_found_by_name(served: Served, name: str) -> None:
    served.deploy(name, {"A": thing(), "B": thing()})
    cloudformation = served.client("cloudformation")
    listed = cloudformation.list_stack_resources(StackName=name)["StackResourceSummaries"]
    assert [resource["LogicalResourceId"] for resource in listed] == ["A", "B"]
    assert served.physical_id(name, "B") == "id-of-B"
    _, message = _refusal(cloudformation.describe_stack_resource, StackName=name, LogicalResourceId="C")
    assert message == f"Resource C does not exist for stack {name}"
    served.destroy(name)


def test_the_template_is_given_back_as_it_was(served: Served, name: str) -> None:
    served.deploy(name, {"A": thing(Size=1)}, Description="one thing")
    cloudformation = served.client("cloudformation")
    body = cloudformation.get_template(StackName=name)["TemplateBody"]
    assert body["Description"] == "one thing"
    assert body["Resources"] == {"A": thing(Size=1)}
    assert cloudformation.get_template_summary(StackName=name)["ResourceTypes"] == ["Test::Thing"]
    served.destroy(name)


def test_a_secret_reaches_the_resource_and_nothing_else(served: Served, name: str) -> None:
    secret = served.client("secretsmanager").create_secret(Name=name, SecretString='{"password": "hidden"}')
    reference = f"{{{{resolve:secretsmanager:{secret['ARN']}:SecretString:password}}}}"
    served.deploy(name, {"A": thing(Password=reference)})
    assert Thing.asked["A"] == {"Password": "hidden"}
    # A later deploy compares the references, so it changes nothing.
    served.deploy(name, {"A": thing(Password=reference), "B": thing()}, kind="UPDATE")
    assert ("update", "A") not in Thing.done
    assert "hidden" not in str(served.client("cloudformation").describe_stack_resources(StackName=name))
    served.destroy(name)


def test_a_property_can_name_one_in_the_parameter_store(served: Served, name: str) -> None:
    served.client("ssm").put_parameter(Name=f"/{name}", Value="ami-1", Type="String")
    served.deploy(name, {"A": thing(Image=f"{{{{resolve:ssm:/{name}}}}}")})
    assert Thing.asked["A"] == {"Image": "ami-1"}
    served.destroy(name)


def test_a_parameter_can_be_the_name_of_one_in_the_parameter_store(served: Served, name: str) -> None:
    served.client("ssm").put_parameter(Name=f"/{name}", Value="ami-1", Type="String")
    kind = "AWS::SSM::Parameter::Value<AWS::EC2::Image::Id>"
    image = {"Image": {"Type": kind, "Default": f"/{name}"}}
    served.deploy(name, {"A": thing(Image={"Ref": "Image"})}, Parameters=image)
    assert Thing.asked["A"] == {"Image": "ami-1"}
    [described] = served.described(name)["Parameters"]
    assert (described["ParameterValue"], described["ResolvedValue"]) == (f"/{name}", "ami-1")
    served.destroy(name)
    missing = {"Image": {"Type": kind, "Default": "/missing"}}
    _, message = _refusal(
        served.order, stack=name, kind="CREATE", resources={"A": thing()}, Parameters=missing
    )
    assert message == "Unable to fetch parameters [/missing] from parameter store for this account."


@pytest.mark.parametrize(
    "address",
    [
        "https://s3.us-east-1.amazonaws.com/{bucket}/t.json",
        "https://{bucket}.s3.us-east-1.amazonaws.com/t.json",
        "http://localhost:5000/{bucket}/t.json",
        "http://{bucket}.localhost:5000/t.json",
    ],
)
def test_a_template_can_be_in_a_bucket(served: Served, name: str, address: str) -> None:
    bucket = f"bucket-{uuid4()}"
    served.client("s3").create_bucket(Bucket=bucket)
    served.client("s3").put_object(
        Bucket=bucket, Key="t.json", Body=b'{"Resources": {"A": {"Type": "Test::Thing"}}}'
    )
    made = served.client("cloudformation").create_change_set(
        StackName=name,
        ChangeSetName="first",
        ChangeSetType="CREATE",
        TemplateURL=address.format(bucket=bucket),
    )
    described = served.client("cloudformation").describe_change_set(ChangeSetName=made["Id"])
    assert described["Changes"][0]["ResourceChange"]["LogicalResourceId"] == "A"
    served.destroy(name)
