"""What becomes older when time passes."""

from datetime import UTC, datetime, timedelta
from typing import Any

from account.databases.records import Databases
from tests.served import Served


def test_stacks_databases_and_objects_become_older_by_the_same_time(served: Served, stack: str) -> None:
    assert served.deploy(stack, {"Bucket": {"Type": "AWS::S3::Bucket"}}) == "CREATE_COMPLETE"
    s3, bucket = served.client("s3"), served.physical_id(stack, "Bucket")
    s3.put_object(Bucket=bucket, Key="status.json", Body=b"{}")
    database = {"DBInstanceIdentifier": stack, "InstanceCreateTime": datetime.now(UTC)}
    Databases.instances[stack] = database

    def times() -> list[Any]:
        modified = s3.head_object(Bucket=bucket, Key="status.json")["LastModified"]
        return [served.described(stack)["CreationTime"], modified, database["InstanceCreateTime"]]

    before = times()
    served.control("POST", "pass-time", {"minutes": 90})
    assert [earlier - later for earlier, later in zip(before, times(), strict=True)] == [
        timedelta(minutes=90)
    ] * 3
    del Databases.instances[stack]
    s3.delete_object(Bucket=bucket, Key="status.json")
