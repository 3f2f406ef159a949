import type { DescMethod } from '@bufbuild/protobuf';
import { Code } from '@connectrpc/connect';
import { type Context, type Span, SpanKind } from '@opentelemetry/api';
import { toConnectError } from '@tocsin/errors';
import { inSpan, setFailed } from './trace-headers.ts';

/**
 * Codes that are errors of a server. Others, such as `not_found`, are mistakes of the caller or expected. Source:
 * OpenTelemetry's semantic conventions for RPC spans.
 */
const SERVER_ERRORS: ReadonlySet<Code> = new Set([
  Code.Unknown,
  Code.DeadlineExceeded,
  Code.Unimplemented,
  Code.Internal,
  Code.Unavailable,
  Code.DataLoss,
]);

export interface RpcSpanOptions {
  readonly method: DescMethod;
  readonly kind: SpanKind.CLIENT | SpanKind.SERVER;
  readonly parent: Context;
  /** Headers of a received call, which show its protocol. Without them, the protocol is Connect. */
  readonly header?: Headers;
}

/**
 * Runs an RPC call in a span with the attributes of OpenTelemetry's semantic conventions for Connect and gRPC. An error
 * of `work` marks the span as failed, but that of a server only if the error is the server's.
 */
export function inRpcSpan<Result>(
  { method, kind, parent, header }: RpcSpanOptions,
  work: () => Promise<Result>,
): Promise<Result> {
  const service = method.parent.typeName;
  const isGrpc = () => header?.get('content-type')?.startsWith('application/grpc') ?? false;
  const call = (span: Span) => {
    if (span.isRecording()) {
      const system = isGrpc() ? 'grpc' : 'connect_rpc';
      span.setAttributes({ 'rpc.system': system, 'rpc.service': service, 'rpc.method': method.name });
    }
    return work();
  };
  return inSpan(`${service}/${method.name}`, kind, parent, call, (span, error) => {
    const { code } = toConnectError(error);
    if (isGrpc()) span.setAttribute('rpc.grpc.status_code', code);
    else span.setAttribute('rpc.connect_rpc.error_code', nameOf(code));
    if (kind === SpanKind.CLIENT || SERVER_ERRORS.has(code)) setFailed(span, error);
  });
}

/** Returns the name of a code in the conventions, such as `not_found`. They spell one differently than Connect. */
function nameOf(code: Code): string {
  if (code === Code.Canceled) return 'cancelled';
  return Code[code].replace(/(?!^)[A-Z]/g, '_$&').toLowerCase();
}
