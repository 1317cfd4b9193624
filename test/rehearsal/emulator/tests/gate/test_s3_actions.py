"""The actions of IAM for requests to S3."""

from typing import Any

import pytest

from account.gate.api_request import ApiRequest
from account.gate.s3_actions import bucket_and_key, s3_action
from tests.wire import request_of

_bucket = {"Bucket": "results"}
_object = {"Bucket": "results", "Key": "runs/1/status.json"}
_upload = _object | {"UploadId": "u"}


@pytest.mark.parametrize(
    ("operation", "arguments", "action"),
    [
        ("PutObject", _object | {"Body": b"{}"}, "PutObject"),
        ("GetObject", _object, "GetObject"),
        ("HeadObject", _object, "GetObject"),
        ("DeleteObject", _object, "DeleteObject"),
        ("GetObjectTagging", _object, "GetObjectTagging"),
        ("DeleteObjectTagging", _object, "DeleteObjectTagging"),
        ("CreateMultipartUpload", _object, "PutObject"),
        ("UploadPart", _upload | {"PartNumber": 1, "Body": b"a"}, "PutObject"),
        ("CompleteMultipartUpload", _upload, "PutObject"),
        ("AbortMultipartUpload", _upload, "AbortMultipartUpload"),
        ("ListParts", _upload, "ListMultipartUploadParts"),
    ],
)
def test_a_request_for_an_object_needs_this_action(
    operation: str, arguments: dict[str, Any], action: str
) -> None:
    expected = (f"s3:{action}", "arn:aws:s3:::results/runs/1/status.json")
    assert s3_action(request_of("s3", operation, **arguments)) == expected


@pytest.mark.parametrize(
    ("operation", "arguments", "action"),
    [
        ("ListObjectsV2", {}, "ListBucket"),
        ("HeadBucket", {}, "ListBucket"),
        ("CreateBucket", {}, "CreateBucket"),
        ("DeleteBucket", {}, "DeleteBucket"),
        ("GetBucketLocation", {}, "GetBucketLocation"),
        ("GetBucketEncryption", {}, "GetEncryptionConfiguration"),
        ("ListObjectVersions", {}, "ListBucketVersions"),
        ("ListMultipartUploads", {}, "ListBucketMultipartUploads"),
        (
            "PutBucketVersioning",
            {"VersioningConfiguration": {"Status": "Enabled"}},
            "PutBucketVersioning",
        ),
        ("PutPublicAccessBlock", {"PublicAccessBlockConfiguration": {}}, "PutBucketPublicAccessBlock"),
    ],
)
def test_a_request_for_a_bucket_needs_this_action(
    operation: str, arguments: dict[str, Any], action: str
) -> None:
    request = request_of("s3", operation, **_bucket, **arguments)
    assert s3_action(request) == (f"s3:{action}", "arn:aws:s3:::results")


def test_the_list_of_all_buckets_needs_an_action_without_a_resource() -> None:
    assert s3_action(request_of("s3", "ListBuckets")) == ("s3:ListAllMyBuckets", "*")


def test_deleting_several_objects_needs_the_permission_for_all_objects() -> None:
    request = request_of("s3", "DeleteObjects", **_bucket, Delete={"Objects": [{"Key": "a"}]})
    assert s3_action(request) == ("s3:DeleteObject", "arn:aws:s3:::results/*")


@pytest.mark.parametrize(
    ("host", "path"),
    [("localhost:5000", "/results/runs/1"), ("results.localhost:5000", "/runs/1")],
)
def test_the_bucket_is_in_the_path_or_in_the_host(host: str, path: str) -> None:
    request = ApiRequest("s3", "rest-xml", None, None, None, "GET", host, path, {})
    assert bucket_and_key(request) == ("results", "runs/1")
