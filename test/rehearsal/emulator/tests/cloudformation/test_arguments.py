"""Properties of templates as arguments of calls."""

import threading

import pytest

from account.cloudformation.types import Asked, arguments, changed_properties


def test_values_are_cast_to_the_types_of_the_call() -> None:
    values = {
        "AllocatedStorage": "400",
        "MultiAZ": "true",
        "DeletionProtection": False,
        "Tags": [{"Key": "size", "Value": 3}],
    }
    assert arguments("rds", "CreateDBInstance", values) == {
        "AllocatedStorage": 400,
        "MultiAZ": True,
        "DeletionProtection": False,
        "Tags": [{"Key": "size", "Value": "3"}],
    }
    assert arguments("logs", "CreateLogGroup", {"tags": {"size": 3}}) == {"tags": {"size": "3"}}


@pytest.mark.parametrize(
    "values", [{"Colour": "red"}, {"Tags": [{"Key": "a", "Colour": "red"}]}], ids=["outer", "inner"]
)
def test_a_property_that_the_call_does_not_have_is_refused(values: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="Encountered unsupported property Colour"):
        arguments("rds", "CreateDBInstance", values)


def test_changed_properties_are_new_missing_or_different() -> None:
    after = {"Same": 1, "Other": 2, "New": 3}
    asked = Asked("A", "stack", "arn:stack", "name", after, after, threading.Event())
    assert changed_properties(asked, {"Same": 1, "Other": 1, "Gone": 4}) == {"Other", "New", "Gone"}
