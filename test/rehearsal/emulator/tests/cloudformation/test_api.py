"""The API of CloudFormation, as its clients call it."""

from tests.cloudformation.things import Thing, thing
from tests.served import Served, refusal


def test_a_deleted_stack_is_found_by_its_id_but_not_by_its_name(served: Served, stack: str) -> None:
    served.deploy(stack, {"A": thing()})
    stack_id = served.described(stack)["StackId"]
    served.destroy(stack)
    assert served.described(stack_id)["StackStatus"] == "DELETE_COMPLETE"
    refused = refusal(served.client("cloudformation").describe_stacks, StackName=stack)
    assert refused == ("ValidationError", f"Stack with id {stack} does not exist")


def test_a_stack_that_failed_can_only_be_deleted(served: Served, stack: str) -> None:
    assert served.deploy(stack, {"A": thing(Fails="create")}) == "ROLLBACK_COMPLETE"
    code, message = refusal(served.order, stack=stack, kind="UPDATE", resources={"A": thing()})
    assert code == "ValidationError"
    assert message.endswith("is in ROLLBACK_COMPLETE state and can not be updated.")


def test_a_change_set_without_changes_cannot_be_executed(served: Served, stack: str) -> None:
    served.deploy(stack, {"A": thing()})
    cloudformation = served.client("cloudformation")
    change_set = served.order(stack, "UPDATE", {"A": thing()})
    described = cloudformation.describe_change_set(ChangeSetName=change_set)
    assert described["Status"] == "FAILED"
    # The CDK looks for these words.
    assert "The submitted information didn't contain changes." in described["StatusReason"]
    assert refusal(cloudformation.execute_change_set, ChangeSetName=change_set)[0] == "ValidationError"
    cloudformation.delete_change_set(ChangeSetName=change_set)
    assert cloudformation.list_change_sets(StackName=stack)["Summaries"] == []


def test_two_stacks_cannot_have_the_same_name(served: Served, stack: str) -> None:
    served.deploy(stack, {"A": thing()})
    refused = refusal(served.order, stack=stack, kind="CREATE", resources={"A": thing()})
    assert refused == ("AlreadyExistsException", f"Stack [{stack}] already exists")


def test_a_protected_stack_cannot_be_deleted(served: Served, stack: str) -> None:
    served.deploy(stack, {"A": thing()})
    cloudformation = served.client("cloudformation")
    protect = cloudformation.update_termination_protection
    protect(StackName=stack, EnableTerminationProtection=True)
    _, message = refusal(cloudformation.delete_stack, StackName=stack)
    assert "TerminationProtection is enabled" in message
    protect(StackName=stack, EnableTerminationProtection=False)


def test_deleting_a_missing_stack_is_no_error(served: Served, stack: str) -> None:
    served.client("cloudformation").delete_stack(StackName=stack)


def test_events_come_in_pages_newest_first(served: Served, stack: str) -> None:
    served.deploy(stack, {f"A{number}": thing() for number in range(40)})
    events = served.events(stack)
    assert len(events) == 1 + 1 + 3 * 40 + 1
    assert events[-1] == (stack, "CREATE_COMPLETE")
    first = served.client("cloudformation").describe_stack_events(StackName=stack)
    assert len(first["StackEvents"]) == 100
    assert first["StackEvents"][0]["ResourceStatus"] == "CREATE_COMPLETE"


def test_resources_are_listed_and_found_by_name(served: Served, stack: str) -> None:
    served.deploy(stack, {"A": thing(), "B": thing()})
    cloudformation = served.client("cloudformation")
    listed = cloudformation.list_stack_resources(StackName=stack)["StackResourceSummaries"]
    assert [resource["LogicalResourceId"] for resource in listed] == ["A", "B"]
    assert served.physical_id(stack, "B") == "id-of-B"
    refused = refusal(cloudformation.describe_stack_resource, StackName=stack, LogicalResourceId="C")
    assert refused == ("ValidationError", f"Resource C does not exist for stack {stack}")


def test_the_template_is_returned_unchanged(served: Served, stack: str) -> None:
    served.deploy(stack, {"A": thing(Size=1)}, Description="one thing")
    cloudformation = served.client("cloudformation")
    body = cloudformation.get_template(StackName=stack)["TemplateBody"]
    assert (body["Description"], body["Resources"]) == ("one thing", {"A": thing(Size=1)})
    assert cloudformation.get_template_summary(StackName=stack)["ResourceTypes"] == ["Test::Thing"]


def test_a_secret_reaches_the_resource_and_nothing_else(served: Served, stack: str) -> None:
    secret = served.client("secretsmanager").create_secret(Name=stack, SecretString='{"password": "hidden"}')
    reference = f"{{{{resolve:secretsmanager:{secret['ARN']}:SecretString:password}}}}"
    served.deploy(stack, {"A": thing(Password=reference)})
    assert Thing.asked["A"] == {"Password": "hidden"}
    # A later deploy compares the references, so it changes nothing.
    served.deploy(stack, {"A": thing(Password=reference), "B": thing()}, kind="UPDATE")
    assert ("update", "A") not in Thing.done
    assert "hidden" not in str(served.client("cloudformation").describe_stack_resources(StackName=stack))


def test_values_can_come_from_the_parameter_store(served: Served, stack: str) -> None:
    served.client("ssm").put_parameter(Name=f"/{stack}", Value="ami-1", Type="String")
    kind = "AWS::SSM::Parameter::Value<AWS::EC2::Image::Id>"
    slots = {"Image": {"Type": kind, "Default": f"/{stack}"}}
    resource = thing(Image={"Ref": "Image"}, Same=f"{{{{resolve:ssm:/{stack}}}}}")
    served.deploy(stack, {"A": resource}, Parameters=slots)
    assert Thing.asked["A"] == {"Image": "ami-1", "Same": "ami-1"}
    [described] = served.described(stack)["Parameters"]
    assert (described["ParameterValue"], described["ResolvedValue"]) == (f"/{stack}", "ami-1")


def test_a_value_missing_in_the_parameter_store_is_refused(served: Served, stack: str) -> None:
    slots = {"Image": {"Type": "AWS::SSM::Parameter::Value<String>", "Default": "/missing"}}
    refused = refusal(served.order, stack=stack, kind="CREATE", resources={"A": thing()}, Parameters=slots)
    assert refused[1] == "Unable to fetch parameters [/missing] from parameter store for this account."
