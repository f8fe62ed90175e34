"""Uploads in parts and copies as boto3's transfers do them, and says of each what is stored. Arguments: endpoint, bucket."""

import hashlib
import io
import os
import sys

import boto3
from boto3.s3.transfer import TransferConfig
from botocore.config import Config

endpoint, bucket = sys.argv[1:3]
client = boto3.client(
    "s3",
    endpoint_url=endpoint,
    config=Config(s3={"addressing_style": "path"}, retries={"max_attempts": 1}),
)
parallel = TransferConfig(multipart_threshold=5 * 1024**2, multipart_chunksize=5 * 1024**2, max_concurrency=4)
content = os.urandom(23 * 1024**2 + 7)


def tell(what, key):
    body = client.get_object(Bucket=bucket, Key=key)["Body"].read()
    same = hashlib.sha256(body).digest() == hashlib.sha256(content).digest()
    print(what, "same" if same else "different")


for times in ("first", "again"):
    client.upload_fileobj(io.BytesIO(content), bucket, "boto3/up", Config=parallel, ExtraArgs={"ContentType": "text/x"})
    tell(f"upload {times}", "boto3/up")
    content = content[:-1] + b"!"
    client.upload_fileobj(io.BytesIO(content), bucket, "boto3/up", Config=parallel)
    tell(f"upload changed {times}", "boto3/up")

source = {"Bucket": bucket, "Key": "boto3/up"}
client.copy_object(Bucket=bucket, Key="boto3/a b+ü?.bin", CopySource=source)
tell("copy object", "boto3/a b+ü?.bin")
client.copy({"Bucket": bucket, "Key": "boto3/a b+ü?.bin"}, bucket, "boto3/parts", Config=parallel)
tell("copy in parts", "boto3/parts")

upload = client.create_multipart_upload(Bucket=bucket, Key="boto3/left")["UploadId"]
client.upload_part(Bucket=bucket, Key="boto3/left", UploadId=upload, PartNumber=1, Body=b"x")
# MinIO lists the uploads of one key alone
listed = client.list_multipart_uploads(Bucket=bucket, Prefix="boto3/left").get("Uploads", [])
parts = client.list_parts(Bucket=bucket, Key="boto3/left", UploadId=upload)["Parts"]
print("listed", [each["Key"] for each in listed], len(parts))
client.abort_multipart_upload(Bucket=bucket, Key="boto3/left", UploadId=upload)
print("listed", len(client.list_multipart_uploads(Bucket=bucket, Prefix="boto3/left").get("Uploads", [])))
