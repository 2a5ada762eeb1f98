"""Talks to a Treeline server with the AWS SDK for Python; prints what it got as JSON."""
import json
import sys

import boto3
from botocore.exceptions import ClientError

client = boto3.client(
    "sagemaker-runtime",
    region_name="eu-west-1",
    endpoint_url=f"http://{sys.argv[1]}",
    aws_access_key_id="a",
    aws_secret_access_key="b",
)


def ask(name, body, **more):
    answer = client.invoke_endpoint(EndpointName=name, ContentType="text/csv", Body=body, **more)
    return answer["Body"].read().decode(), answer.get("CustomAttributes")


found = {
    "csv": ask("numbers", "1,2\n9,9\n")[0],
    "json": ask("small", "20,b,1\n", Accept="application/json")[0],
}
report = ask("numbers", "1,\n", CustomAttributes="treeline-report")
found["report"] = report[1]
try:
    ask("numbers", "1,2,3\n")
except ClientError as error:
    found["code"] = error.response["Error"]["Code"]
    found["refused"] = error.response["Error"]["Message"]
print(json.dumps(found))
