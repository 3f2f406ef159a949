import { fromBinary } from '@bufbuild/protobuf';
import { MAX_EVENT_BYTES } from '@tocsin/outbox';
import {
  MonitorAlertDueSchema,
  MonitorCreatedSchema,
  MonitorStateChangedSchema,
} from '@tocsin/proto/monitor/v1/events';
import { expect, test } from 'vitest';
import { MAX_CONFIG_BYTES } from '../domain/monitors/limits.ts';
import { DEFAULT_SETTINGS, type Monitor } from '../domain/monitors/monitor.ts';
import type { EvaluatorState } from '../domain/rounds/evaluate.ts';
import { alertDue, monitorCreated, stateChanged } from './outgoing.ts';

const at = (time: string) => new Date(`2026-01-01T${time}Z`);
const words = { error: '', explanation: '' };

function aMonitor(id: string): Monitor {
  return {
    ...DEFAULT_SETTINGS,
    id,
    organizationId: '0192f0c1-0000-7000-8000-00000000000a',
    name: 'Shop',
    version: 1,
    checkType: 'http',
    configJson: '{}',
    alertChannelIds: [],
    heartbeatToken: undefined,
    createdAt: at('09:00:00'),
    updatedAt: at('09:00:00'),
  };
}

const shop = aMonitor('0192f0c1-7d7e-7b3c-9d51-1f0a6f3b2c4d');
const bank = aMonitor('0192f0c1-7d7e-7b3c-9d51-1f0a6f3b2c4e');

function evaluatorState(
  state: EvaluatorState['state'],
  enteredAt: Date,
  previous?: [EvaluatorState['state'], Date],
): EvaluatorState {
  const [previousState, previousEnteredAt] = previous ?? [];
  return { state, enteredAt, previousState, previousEnteredAt, streak: undefined, lastRoundAt: enteredAt };
}

function outageOf(monitor: Monitor, now: EvaluatorState): string {
  return fromBinary(MonitorStateChangedSchema, stateChanged(monitor, now, words).payload).outageId;
}

const down = evaluatorState('down', at('10:00:00'), ['up', at('09:00:00')]);

test('an outage has the same id at its start and at its end', () => {
  const id = outageOf(shop, down);
  expect(outageOf(shop, evaluatorState('up', at('10:05:00'), ['down', at('10:00:00')]))).toBe(id);
  expect(outageOf(shop, evaluatorState('pending', at('10:05:00'), ['down', at('10:00:00')]))).toBe(id);
  expect(fromBinary(MonitorAlertDueSchema, alertDue(shop, down, '').payload).outageId).toBe(id);
  // The expected id is a constant, because every later version of the service must derive the same id.
  expect(id).toBe('019b78ff-f900-72ec-90bb-4f4adcb7a01f');
});

test('outages have distinct ids that are sorted by their start', () => {
  const later = evaluatorState('down', at('10:00:00.001'), ['up', at('09:00:00')]);
  expect(outageOf(bank, down)).not.toBe(outageOf(shop, down));
  expect(outageOf(shop, later) > outageOf(shop, down)).toBe(true);
});

test('a state change outside an outage has no outage id', () => {
  expect(outageOf(shop, evaluatorState('up', at('10:00:00'), ['pending', at('09:00:00')]))).toBe('');
  expect(outageOf(shop, evaluatorState('stale', at('10:00:00'), ['up', at('09:00:00')]))).toBe('');
  const due = alertDue(shop, evaluatorState('stale', at('10:00:00'), ['up', at('09:00:00')]), '');
  expect(fromBinary(MonitorAlertDueSchema, due.payload).outageId).toBe('');
});

test('no event contains the heartbeat token', () => {
  const { payload } = monitorCreated({
    ...shop,
    checkType: 'heartbeat',
    heartbeatToken: { hash: 'canary-token', sealed: 'canary-token' },
  });
  expect(fromBinary(MonitorCreatedSchema, payload).monitor).toMatchObject({ id: shop.id, heartbeatToken: '' });
  expect(Buffer.from(payload).includes('canary-token')).toBe(false);
});

test('the event about the largest possible monitor is within the size limit, and a config that exceeds the limit is omitted', () => {
  const largest = {
    ...shop,
    name: '𝄞'.repeat(255),
    configJson: `{"a":"${'x'.repeat(MAX_CONFIG_BYTES - 8)}"}`,
    alertChannelIds: Array.from({ length: 50 }, () => crypto.randomUUID()),
    secretNames: Array.from({ length: 50 }, () => 'x'.repeat(64)),
  };
  const reasons = { error: '€'.repeat(1_000), explanation: '€'.repeat(1_200) };
  const changed = (monitor: Monitor) => {
    const { payload } = stateChanged(monitor, down, reasons);
    expect(payload.length).toBeLessThan(MAX_EVENT_BYTES);
    return fromBinary(MonitorStateChangedSchema, payload).monitor?.configJson;
  };
  expect(changed(largest)).toBe(largest.configJson);
  expect(changed({ ...largest, configJson: `{"a":"${'x'.repeat(1_000_000)}"}` })).toBe('{}');
});
