"""Properties of templates as arguments of calls."""

import threading

import pytest

from account.cloudformation.types import Asked, arguments, changed_properties, specified_tags


def test_texts_become_what_the_call_wants() -> None:
    values = {
        "DBInstanceIdentifier": "db-1",
        "AllocatedStorage": "400",
        "MultiAZ": "true",
        "DeletionProtection": False,
        "VpcSecurityGroupIds": ["sg-1"],
        "Tags": [{"Key": "size", "Value": 3}],
    }
    assert arguments("rds", "CreateDBInstance", values) == {
        "DBInstanceIdentifier": "db-1",
        "AllocatedStorage": 400,
        "MultiAZ": True,
        "DeletionProtection": False,
        "VpcSecurityGroupIds": ["sg-1"],
        "Tags": [{"Key": "size", "Value": "3"}],
    }


def test_a_property_can_be_called_differently_in_the_api() -> None:
    cast = arguments(
        "rds", "CreateDBInstance", {"VPCSecurityGroups": ["sg-1"]}, VPCSecurityGroups="VpcSecurityGroupIds"
    )
    assert cast == {"VpcSecurityGroupIds": ["sg-1"]}


def test_maps_are_cast_by_their_values() -> None:
    tags = arguments("logs", "CreateLogGroup", {"logGroupName": "a", "tags": {"size": 3}})["tags"]
    assert tags == {"size": "3"}


@pytest.mark.parametrize(
    "values", [{"Colour": "red"}, {"Tags": [{"Key": "a", "Colour": "red"}]}], ids=["outer", "inner"]
)
def test_a_property_that_the_call_does_not_know_is_refused(values: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="Encountered unsupported property Colour"):
        arguments("rds", "CreateDBInstance", values)


def test_changed_is_what_came_went_or_differs() -> None:
    after = {"Same": 1, "Other": 2, "New": 3}
    asked = Asked("A", "stack", "arn:stack", "name", after, after, threading.Event())
    assert changed_properties(asked, {"Same": 1, "Other": 1, "Gone": 4}) == {"Other", "New", "Gone"}


def test_tags_are_given_at_creation_where_there_are_any() -> None:
    tags = [{"Key": "Name", "Value": "a"}]
    assert specified_tags({"Tags": tags}, "instance", "volume") == {
        "TagSpecifications": [
            {"ResourceType": "instance", "Tags": tags},
            {"ResourceType": "volume", "Tags": tags},
        ]
    }
    assert specified_tags({}, "vpc") == {}
