import type { ServiceImpl } from '@connectrpc/connect';
import { heartbeatSignals, monitorStates } from '@tocsin/enums';
import { invalid } from '@tocsin/errors';
import { type HeartbeatService, type Signal as SignalMessage, SignalOutcome } from '@tocsin/proto/monitor/v1/heartbeat';
import {
  type AnsweredSignal,
  recordSignals,
  type SignalResponse,
  type TokenSignal,
} from '../app/heartbeats/record-signals.ts';
import type { Deps } from '../app/ports.ts';

const MAX_SIGNALS = 1_000;

export function heartbeatRpc(deps: Deps): ServiceImpl<typeof HeartbeatService> {
  return {
    async recordSignals({ signals }) {
      if (signals.length > MAX_SIGNALS) throw invalid({ signals: [`must be at most ${MAX_SIGNALS}`] });
      const answered = await recordSignals(deps, signals.map(signalFrom));
      return { answers: answered.map(toProtoAnswer) };
    },
  };
}

function signalFrom({ token, kind }: SignalMessage): TokenSignal {
  const signal = heartbeatSignals.findName(kind);
  if (!signal) throw invalid({ kind: ['must be PING, FAIL or START'] });
  return { token, signal };
}

function toProtoAnswer({ response, organizationId = '' }: AnsweredSignal) {
  return { ...toProtoResponse(response), organizationId };
}

function toProtoResponse(response: SignalResponse) {
  switch (response.kind) {
    case 'recorded':
      return { outcome: SignalOutcome.HEARD, state: monitorStates.toValue(response.state) };
    case 'not_found':
      return { outcome: SignalOutcome.NOT_FOUND };
    case 'rate_limited':
      return { outcome: SignalOutcome.RATE_LIMITED };
    case 'locked':
      return { outcome: SignalOutcome.LOCKED };
  }
}
