# Decodes requests of OTLP with the official definitions: a line with the signal and the bytes in base64 becomes a line of JSON.

import base64
import json
import sys

from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

requests = {"traces": ExportTraceServiceRequest, "metrics": ExportMetricsServiceRequest, "logs": ExportLogsServiceRequest}


def plain(field, value):
    if field.type == field.TYPE_MESSAGE:
        return members(value)
    if field.type == field.TYPE_BYTES:
        return value.hex()
    if field.type == field.TYPE_FIXED64:
        return str(value)
    return int(value) if field.type == field.TYPE_BOOL else value


def members(message):
    found = {}
    for field, value in message.ListFields():
        is_list = field.is_repeated if hasattr(field, "is_repeated") else field.label == field.LABEL_REPEATED
        found[field.name] = [plain(field, each) for each in value] if is_list else plain(field, value)
    return found


def unknown(message):
    from google.protobuf.unknown_fields import UnknownFieldSet

    count = len(UnknownFieldSet(message))
    for field, value in message.ListFields():
        if field.type != field.TYPE_MESSAGE:
            continue
        is_list = field.is_repeated if hasattr(field, "is_repeated") else field.label == field.LABEL_REPEATED
        count += sum(unknown(each) for each in (value if is_list else [value]))
    return count


for line in sys.stdin:
    signal, encoded = line.split()
    request = requests[signal]()
    request.ParseFromString(base64.b64decode(encoded))
    print(json.dumps({"request": members(request), "unknown": unknown(request)}))
