"""A BabelQueue app on SQS that does as it is told: one JSON command a line on stdin, one JSON answer a line on stdout.

send     {queue, body, headers?}                       the SDK's transport sends the text as it is, with its attributes
publish  {queue, urn, data, headers?, trace_id?}       the SDK makes the envelope
consume  {queue, handlers: {urn: "ok"|"fail"}, dead_letter?, dlq?, on_unknown_urn?, max_attempts?, most, wait?}
redrive  {dlq, to?, bypass?, dry_run?, only_urn?, wait?}
decode   {bodies}                                      what the SDK makes of texts, without a queue

Every command takes `fifo` and `group`. The endpoint, the region and the credentials come from the environment.
"""

import json
import os
import sys

from babelqueue import BabelQueue, is_replay
from babelqueue.headers import headers_from_context
from babelqueue.redrive import redrive
from babelqueue.sqs_transport import SqsTransport


class Noted(SqsTransport):
    """The SDK's transport, which keeps the last body that it gave out."""

    last_body = None

    def pop(self, queue, timeout=1.0):
        received = super().pop(queue, timeout)
        self.last_body = None if received is None else received.body
        return received


_client = None


def transport(command):
    global _client
    options = {}
    if _client is not None:
        options["client"] = _client
    else:
        options["region"] = os.environ["AWS_REGION"]
        options["endpoint"] = os.environ["AWS_ENDPOINT_URL"]
    made = Noted(fifo=command.get("fifo", False), message_group_id=command.get("group"), **options)
    _client = made._sqs
    return made


def send(command):
    headers = command.get("headers")
    if headers:
        transport(command).publish_with_headers(command["queue"], command["body"], headers)
    else:
        transport(command).publish(command["queue"], command["body"])
    return {}


def publish(command):
    app = BabelQueue(transport=transport(command), queue=command["queue"])
    named = {"trace_id": command.get("trace_id")}
    message_id = app.publish_with_headers(command["urn"], command["data"], command.get("headers") or {}, **named)
    return {"id": message_id}


def consume(command):
    noted = transport(command)
    app = BabelQueue(
        transport=noted,
        queue=command["queue"],
        dead_letter=command.get("dead_letter", False),
        dead_letter_queue=command.get("dlq"),
        on_unknown_urn=command.get("on_unknown_urn", "fail"),
        max_attempts=command.get("max_attempts", 3),
    )
    seen = []

    def handle(fails):
        def handler(data, meta, envelope):
            seen.append(
                {
                    "urn": envelope["job"],
                    "data": json.dumps(data),
                    "trace_id": envelope.get("trace_id"),
                    "id": meta.get("id"),
                    "attempts": envelope.get("attempts"),
                    "replay": is_replay(),
                    "headers": dict(headers_from_context()),
                    "body": noted.last_body,
                }
            )
            if fails:
                raise TimeoutError("Payment gateway timeout")

        return handler

    for urn, how in command.get("handlers", {}).items():
        app.register(urn, handle(how == "fail"))
    processed = app.consume(max_messages=command["most"], timeout=command.get("wait", 1))
    return {"processed": processed, "seen": seen}


def redriven(command):
    only = command.get("only_urn")
    result = redrive(
        transport(command),
        command["dlq"],
        to_queue=command.get("to"),
        dry_run=command.get("dry_run", False),
        bypass=command.get("bypass", False),
        select=None if only is None else (lambda envelope: envelope.get("job") == only),
        timeout=command.get("wait", 1),
    )
    return {"redriven": result.redriven, "skipped": result.skipped}


def decode(command):
    # Of the newest release alone: both came with ADR-0035 and 0036.
    from babelqueue import EnvelopeCodec
    from babelqueue._poison_record import build_poison_record

    def read(body):
        if EnvelopeCodec.poison_cause(body) is None:
            return {"urn": EnvelopeCodec.urn(EnvelopeCodec.decode_lenient(body)), "record": None}
        block = {"reason": "poison", "original_queue": "orders", "attempts": 0}
        return {"urn": None, "record": build_poison_record(body, block)}

    return {"read": [read(body) for body in command["bodies"]]}


COMMANDS = {"send": send, "publish": publish, "consume": consume, "redrive": redriven, "decode": decode}

for line in sys.stdin:
    told = json.loads(line)
    try:
        answer = COMMANDS[told["do"]](told)
    except Exception as error:  # noqa: BLE001 - whatever the SDK throws is the answer
        answer = {"error": f"{type(error).__name__}: {error}"}
    print(json.dumps(answer), flush=True)
