"""Puts objects in every way that botocore can, and says of each what was stored. Arguments: endpoint, bucket."""

import io
import sys

import botocore.session
from botocore.config import Config
from botocore.exceptions import ClientError

endpoint, bucket = sys.argv[1:3]
session = botocore.session.get_session()


def client(**options):
    return session.create_client(
        "s3",
        endpoint_url=endpoint,
        config=Config(s3={"addressing_style": "path", **options.pop("s3", {})}, retries={"max_attempts": 1}, **options),
    )


usual = client()
signed = client(s3={"payload_signing_enabled": True})
without = client(request_checksum_calculation="when_required")
content = bytes(range(256)) * 20_000

ways = {
    "usual": lambda key: usual.put_object(Bucket=bucket, Key=key, Body=content),
    "signed": lambda key: signed.put_object(Bucket=bucket, Key=key, Body=content),
    "unsigned": lambda key: without.put_object(Bucket=bucket, Key=key, Body=content),
    "empty": lambda key: usual.put_object(Bucket=bucket, Key=key, Body=b""),
    "metadata": lambda key: usual.put_object(Bucket=bucket, Key=key, Body=content, Metadata={"a": "b"}, ContentType="text/x"),
    "twice": lambda key: [usual.put_object(Bucket=bucket, Key=key, Body=body) for body in (b"first", content)],
}
for algorithm in ("CRC32", "SHA1", "SHA256"):
    ways[algorithm] = lambda key, algorithm=algorithm: usual.put_object(
        Bucket=bucket, Key=key, Body=io.BytesIO(content), ChecksumAlgorithm=algorithm
    )

for way, put in ways.items():
    key = f"botocore/{way}"
    put(key)
    body = usual.get_object(Bucket=bucket, Key=key)["Body"].read()
    expected = b"" if way == "empty" else content
    head = usual.head_object(Bucket=bucket, Key=key)
    print(way, "same" if body == expected else "different", head.get("ContentEncoding", "-"))

usual.delete_object(Bucket=bucket, Key="botocore/usual")
try:
    usual.get_object(Bucket=bucket, Key="botocore/usual")
    print("delete", "still there")
except ClientError as error:
    print("delete", error.response["Error"]["Code"])
