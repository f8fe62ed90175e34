"""Deletes objects, posts a form, and puts to a presigned URL, as botocore has all three done. Arguments: endpoint, bucket."""

import sys
import urllib.error
import urllib.request

import botocore.session
from botocore.config import Config

endpoint, bucket = sys.argv[1:3]
config = Config(s3={"addressing_style": "path"}, signature_version="s3v4", retries={"max_attempts": 1})
s3 = botocore.session.get_session().create_client("s3", endpoint_url=endpoint, config=config)


def keys():
    return [each["Key"] for each in s3.list_objects_v2(Bucket=bucket, Prefix="many/").get("Contents", [])]


for number in range(5):
    s3.put_object(Bucket=bucket, Key=f"many/{number} & more", Body=b"x")
named = [{"Key": key} for key in keys()[:3]] + [{"Key": "many/never there"}]
answer = s3.delete_objects(Bucket=bucket, Delete={"Objects": named})
print("deleted", len(answer["Deleted"]), "left", len(keys()))
answer = s3.delete_objects(Bucket=bucket, Delete={"Objects": [{"Key": key} for key in keys()], "Quiet": True})
print("quiet", answer.get("Errors"), "left", len(keys()))


def post(form, content, name):
    boundary = "of-the-script"
    parts = [f'--{boundary}\r\nContent-Disposition: form-data; name="{key}"\r\n\r\n{value}\r\n' for key, value in form["fields"].items()]
    file = f'--{boundary}\r\nContent-Disposition: form-data; name="file"; filename="{name}"\r\n\r\n'
    body = "".join([*parts, file]).encode() + content + f"\r\n--{boundary}--\r\n".encode()
    headers = {"Content-Type": f"multipart/form-data; boundary={boundary}"}
    try:
        return urllib.request.urlopen(urllib.request.Request(form["url"], body, headers)).status
    except urllib.error.HTTPError as error:
        return error.code


for size in (10, 3_000_000):
    content = bytes(range(256)) * (size // 256 + 1)
    form = s3.generate_presigned_post(bucket, f"posted/{size}/${{filename}}", Conditions=[["content-length-range", 1, 4_000_000]])
    print("posted", post(form, content, "a.bin"), end=" ")
    print("same" if s3.get_object(Bucket=bucket, Key=f"posted/{size}/a.bin")["Body"].read() == content else "different")
# urllib reads the answer when it has sent all
form = s3.generate_presigned_post(bucket, "posted/${filename}", Conditions=[["content-length-range", 1, 4_000_000]])
print("too large", post(form, bytes(4_000_001), "b.bin"))

content = bytes(range(256)) * 9_000
url = s3.generate_presigned_url("put_object", Params={"Bucket": bucket, "Key": "presigned/a b+ü.bin", "ContentType": "text/x"})
put = urllib.request.Request(url, content, {"Content-Type": "text/x"}, method="PUT")
print("presigned put", urllib.request.urlopen(put).status, end=" ")
print("same" if s3.get_object(Bucket=bucket, Key="presigned/a b+ü.bin")["Body"].read() == content else "different")
