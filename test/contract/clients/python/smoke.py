"""A program against a client that openapi-python-client generated from /openapi.yaml."""

import json
import os

from tocsin_client import AuthenticatedClient
from tocsin_client.api.monitors import (
    create_monitor,
    delete_monitor,
    get_monitor,
    list_monitors,
    update_monitor,
)
from tocsin_client.models import CreateHttpMonitor, CreateHttpMonitorCheckType, HttpConfig, HttpMonitor, UpdateMonitor

client = AuthenticatedClient(base_url=os.environ["BASE_URL"], token=os.environ["KEY"])

created = create_monitor.sync(
    client=client,
    body=CreateHttpMonitor(
        name="Generated",
        check_type=CreateHttpMonitorCheckType.HTTP,
        config=HttpConfig(url="https://example.com/"),
        enabled=False,
        alert_channel_ids=[],
    ),
).data
assert isinstance(created, HttpMonitor), created
listed = list_monitors.sync(client=client, q="generated", enabled=False).data
got = get_monitor.sync(created.id, client=client).data
refused = update_monitor.sync_detailed(created.id, client=client, body=UpdateMonitor(interval_seconds=1))
changed = update_monitor.sync(created.id, client=client, body=UpdateMonitor(interval_seconds=60)).data
deleted = delete_monitor.sync_detailed(created.id, client=client)
gone = get_monitor.sync_detailed(created.id, client=client)

print(
    json.dumps(
        {
            "url": got.config.url,
            "state": got.current_state,
            "listed": len(listed),
            "interval": changed.interval_seconds,
            "message": refused.parsed.error.message,
            "errors": refused.parsed.error.errors.to_dict(),
            "statuses": [int(response.status_code) for response in (refused, deleted, gone)],
        }
    )
)
