import { EVENT_KINDS, type EventKind, monitorStates } from '@tocsin/enums';
import { type TSchema, Type } from 'typebox';
import { Id, nullable, oneOf, shortText, Timestamp } from '../schemas/common.ts';
import { schemasOf } from '../schemas/disruption.ts';
import { MonitorSchema, StateSchema } from '../schemas/monitor.ts';
import { titleOf } from '../schemas/variants.ts';

const StateChange = Type.Object(
  {
    monitor: MonitorSchema,
    state: oneOf(monitorStates.names),
    previous_state: StateSchema.properties.previous_state,
    entered_at: StateSchema.properties.entered_at,
    error: nullable(shortText({ description: 'Reason of a failure; null otherwise' })),
  },
  { title: 'MonitorStateChange' },
);

const Disruption = schemasOf('disruption').ResourceSchema;

const events: Readonly<Record<EventKind | 'webhook.test', { readonly data: TSchema; readonly summary: string }>> = {
  'monitor.created': { data: MonitorSchema, summary: 'A monitor was created' },
  'monitor.updated': { data: MonitorSchema, summary: 'A monitor was changed' },
  'monitor.deleted': { data: MonitorSchema, summary: 'A monitor was deleted' },
  'monitor.state_changed': { data: StateChange, summary: 'The state of a monitor changed' },
  'disruption.created': { data: Disruption, summary: 'A disruption was opened' },
  'disruption.updated': { data: Disruption, summary: 'A disruption was changed' },
  'disruption.resolved': { data: Disruption, summary: 'A disruption was resolved' },
  'webhook.test': {
    data: Type.Object({ webhook_id: Id }, { title: 'WebhookTest' }),
    summary: 'Somebody tested the subscription',
  },
};

const header = (name: string, description: string, maxLength: number, example: string) => ({
  name,
  in: 'header',
  required: true,
  description,
  schema: { type: 'string', maxLength, examples: [example] },
});

const parameters = [
  header('webhook-id', 'Id of the delivery, the same for every attempt', 64, '0192f0c1-7a1e-7c3a-9f55-0e5b1c2d3e4f'),
  header('webhook-timestamp', 'Time of the attempt in Unix seconds', 16, '1795168860'),
  header(
    'webhook-signature',
    'Signatures of `{id}.{timestamp}.{body}` with the secret of the subscription (Standard Webhooks), separated by spaces',
    1_024,
    'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  ),
];

const responses = {
  '2XX': { description: 'The delivery arrived' },
  '410': { description: 'The receiver wants no more deliveries; the subscription is disabled' },
  default: { description: 'The delivery failed, and is tried again' },
};

/** Returns the OpenAPI descriptions of the requests that webhook subscriptions receive. */
export function webhooks(): object {
  return Object.fromEntries([...EVENT_KINDS, 'webhook.test' as const].map((kind) => [kind, { post: receive(kind) }]));
}

function receive(kind: keyof typeof events): object {
  const { data, summary } = events[kind];
  const schema = Type.Object(
    { type: oneOf([kind]), timestamp: Timestamp, data },
    { title: `${titleOf(...kind.split('.'))}Event` },
  );
  return {
    operationId: `on${titleOf(...kind.split('.'))}`,
    summary,
    description: 'Delivered at least once; events of one monitor arrive in order.',
    tags: ['Webhooks'],
    security: [],
    parameters,
    requestBody: { required: true, description: 'At most 256 KB', content: { 'application/json': { schema } } },
    responses,
  };
}
