"""What is added to moto's executor of state machines."""

from datetime import UTC, datetime
from io import BytesIO
from typing import Any

import pytest
from botocore.response import StreamingBody
from moto.stepfunctions.parser.asl.jsonata import jsonata
from moto.stepfunctions.parser.asl.jsonata.jsonata import JSONataException

from account.expiry.state_machines import complete_moto, plain


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("1 + 2", 3),
        ('$states := {"input": {"hoursOld": 3.5}}; $states.input.hoursOld >= 3', True),
        ('($toMillis("2026-01-01T02:00:00.000Z") - $toMillis("2026-01-01T00:30:00Z")) / 3600000', 1.5),
        ('{"a": [1, 2]}.a[1]', 2),
        ("$exists(missing)", False),
    ],
)
def test_expressions_have_the_values_of_jsonata(expression: str, value: Any) -> None:
    complete_moto()
    evaluated = jsonata.eval_jsonata_expression(f"({expression})")
    assert evaluated == value


@pytest.mark.parametrize("expression", ["1 +", '$toMillis("yesterday")', "$unheard()"])
def test_an_expression_that_cannot_be_evaluated_is_an_error_of_the_state(expression: str) -> None:
    complete_moto()
    with pytest.raises(JSONataException):
        jsonata.eval_jsonata_expression(expression)


def test_answers_show_the_content_of_an_object_as_a_text() -> None:
    content = b'{"deleteAfter": null}'
    answer = {"Body": StreamingBody(BytesIO(content), len(content))}
    assert plain(answer) == {"Body": '{"deleteAfter": null}'}


def test_answers_show_times_as_step_functions_does() -> None:
    moment = datetime(2026, 1, 2, 3, 4, 5, 678_901, tzinfo=UTC)
    answer = {"Stacks": [{"CreationTime": moment, "StackName": "a", "Outputs": []}]}
    assert plain(answer) == {
        "Stacks": [{"CreationTime": "2026-01-02T03:04:05.678Z", "StackName": "a", "Outputs": []}]
    }
