"""IAM's action and resource for a request to S3, from its method, address and sub-resource."""

from account.gate.api_request import ApiRequest
from account.names import PARTITION

_bucket_reads = {
    "acl": "GetBucketAcl",
    "encryption": "GetEncryptionConfiguration",
    "lifecycle": "GetLifecycleConfiguration",
    "location": "GetBucketLocation",
    "policy": "GetBucketPolicy",
    "publicAccessBlock": "GetBucketPublicAccessBlock",
    "tagging": "GetBucketTagging",
    "uploads": "ListBucketMultipartUploads",
    "versioning": "GetBucketVersioning",
    "versions": "ListBucketVersions",
}
_bucket_writes = {
    "acl": "PutBucketAcl",
    "encryption": "PutEncryptionConfiguration",
    "lifecycle": "PutLifecycleConfiguration",
    "policy": "PutBucketPolicy",
    "publicAccessBlock": "PutBucketPublicAccessBlock",
    "tagging": "PutBucketTagging",
    "versioning": "PutBucketVersioning",
}


def s3_action(request: ApiRequest) -> tuple[str, str]:
    """Action and resource, such as ``('s3:PutObject', 'arn:aws:s3:::bucket/key')``."""
    bucket, key = bucket_and_key(request)
    if not bucket:
        return "s3:ListAllMyBuckets", "*"
    if key:
        return f"s3:{_object_action(request)}", f"arn:{PARTITION}:s3:::{bucket}/{key}"
    resource = f"arn:{PARTITION}:s3:::{bucket}"
    if request.method == "POST":
        return "s3:DeleteObject", f"{resource}/*"
    return f"s3:{_bucket_action(request)}", resource


def context_of(request: ApiRequest) -> dict[str, str]:
    """The keys of conditions that a request to S3 has: the prefix of a list."""
    return (
        {"s3:prefix": request.query["prefix"][0]}
        if request.operation is None and "prefix" in request.query
        else {}
    )


def bucket_and_key(request: ApiRequest) -> tuple[str, str]:
    """Bucket and key, for both spellings: with the bucket in the path, and in the host name."""
    host = request.host.split(":")[0]
    if host.endswith(".localhost"):
        return host.removesuffix(".localhost"), request.path.lstrip("/")
    bucket, _, key = request.path.lstrip("/").partition("/")
    return bucket, key


def _object_action(request: ApiRequest) -> str:
    tagging = "Tagging" if "tagging" in request.query else ""
    match request.method:
        case "GET" | "HEAD":
            return "ListMultipartUploadParts" if "uploadId" in request.query else f"GetObject{tagging}"
        case "DELETE":
            return "AbortMultipartUpload" if "uploadId" in request.query else f"DeleteObject{tagging}"
        case _:
            # The start, a part and the end of an upload need the same permission as an upload in one piece.
            return f"PutObject{tagging}"


def _bucket_action(request: ApiRequest) -> str:
    reading = request.method in ("GET", "HEAD")
    for name, action in (_bucket_reads if reading else _bucket_writes).items():
        if name in request.query:
            return action
    return "ListBucket" if reading else "CreateBucket" if request.method == "PUT" else "DeleteBucket"
