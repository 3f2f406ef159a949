"""Lists monitors over gRPC with a service credential, until the token was renewed once. Prints JSON."""

import json
import os
import time

import grpc
from tocsin.identity.v1 import identity_pb2, identity_pb2_grpc
from tocsin.monitor.v1 import monitor_pb2, monitor_pb2_grpc


class ServiceCredential:
    """Exchanges the secret of a service credential for tokens, and renews a token before it expires."""

    def __init__(self, identity: grpc.Channel, secret: str, audience: str):
        self._identity = identity_pb2_grpc.IdentityServiceStub(identity)
        self._request = identity_pb2.ExchangeServiceCredentialRequest(secret=secret, audience=audience)
        self._token, self._renew_at = "", 0.0

    def metadata(self):
        """Returns the metadata that authenticates a call."""
        now = time.time()
        if now >= self._renew_at:
            response = self._identity.ExchangeServiceCredential(self._request, timeout=10)
            expires_at = response.expires_at.ToNanoseconds() / 1e9
            self._token, self._renew_at = response.token, expires_at - (expires_at - now) / 5
        return [("authorization", f"Bearer {self._token}")]


credential = ServiceCredential(grpc.insecure_channel(os.environ["IDENTITY"]), os.environ["SECRET"], "monitor")
monitors = monitor_pb2_grpc.MonitorServiceStub(grpc.insecure_channel(os.environ["MONITOR"]))

tokens = []
while len(tokens) < 2:
    metadata = credential.metadata()
    if metadata[0][1] not in tokens:
        tokens.append(metadata[0][1])
    listed = monitors.ListMonitors(monitor_pb2.ListMonitorsRequest(), metadata=metadata, timeout=10)
    time.sleep(0.2)

try:
    monitors.DeleteMonitor(monitor_pb2.DeleteMonitorRequest(id=listed.monitors[0].id), metadata=metadata, timeout=10)
    deletion = "OK"
except grpc.RpcError as error:
    deletion = error.code().name

print(json.dumps({"names": [monitor.name for monitor in listed.monitors], "tokens": len(tokens), "deletion": deletion}))
