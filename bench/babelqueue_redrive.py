"""The redrive of PyPI's babelqueue, as its documentation shows it: babelqueue_redrive.py <dlq> <target> <url prefix>."""

import os
import sys

from babelqueue.redrive import redrive
from babelqueue.sqs_transport import SqsTransport

dlq, target, prefix = sys.argv[1:]
transport = SqsTransport(
    region=os.environ["AWS_REGION"], endpoint=os.environ["AWS_ENDPOINT_URL"], queue_url_prefix=prefix
)
result = redrive(transport, dlq, to_queue=target)
print(f"{result.redriven} redriven, {result.skipped} skipped")
