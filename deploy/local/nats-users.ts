import type { NatsUser } from '@tocsin/dev-servers/nats';
import { EVENT_STREAM } from '@tocsin/outbox/stream';
import { JOB_STREAM, REPLY_SUBJECT, RESULT_STREAM } from '@tocsin/work-queue/streams';
import { type NatsUserName, type ProcessName, processNames } from './service-names.ts';

interface Permissions {
  readonly publish: readonly string[];
  readonly subscribe: readonly string[];
}

/**
 * Returns the NATS users. The operator has all permissions. Each process may publish and subscribe only to the subjects
 * that it needs, and can't delete anything.
 */
export function natsUsers(passwords: Readonly<Record<NatsUserName, string>>): [NatsUser, ...NatsUser[]] {
  return [
    { name: 'operator', password: passwords.operator },
    ...processNames.map((name) => ({ name, password: passwords[name], ...permissionsOf(name) })),
  ];
}

function permissionsOf(name: ProcessName): Permissions {
  const { publish, subscribe } = ownPermissions(name);
  return { publish: ['$JS.API.INFO', ...publish], subscribe: [`_INBOX_${name}.>`, ...subscribe] };
}

function ownPermissions(name: ProcessName): Permissions {
  switch (name) {
    case 'gateway':
      // The gateway subscribes directly instead of through the stream, because every replica needs each event.
      return { publish: [], subscribe: [eventsOf('identity'), eventsOf('statuspage')] };
    case 'checker':
      return {
        publish: [
          'result.>',
          `${REPLY_SUBJECT}.>`,
          ...maintain(JOB_STREAM),
          ...maintain(RESULT_STREAM),
          ...read(JOB_STREAM),
        ],
        subscribe: [],
      };
    case 'monitor':
      return {
        publish: [
          'job.>',
          ...[EVENT_STREAM, JOB_STREAM, RESULT_STREAM].flatMap(maintain),
          ...[EVENT_STREAM, RESULT_STREAM].flatMap(read),
          // This permission is needed to check whether a region has a checker.
          `$JS.API.CONSUMER.INFO.${JOB_STREAM}.>`,
          READ_EVENT,
          eventsOf(name),
        ],
        subscribe: [`${REPLY_SUBJECT}.>`],
      };
    case 'identity':
    case 'disruption':
    case 'statuspage':
    case 'notifier':
      return { publish: [...maintain(EVENT_STREAM), ...read(EVENT_STREAM), READ_EVENT, eventsOf(name)], subscribe: [] };
  }
}

function eventsOf(name: ProcessName): string {
  return `event.tocsin.${name}.v1.>`;
}

/** Returns the API subjects for creating and updating a stream. */
function maintain(stream: string): string[] {
  return ['INFO', 'CREATE', 'UPDATE'].map((action) => `$JS.API.STREAM.${action}.${stream}`);
}

/** Subject for reading single messages. With it, a relay checks whether the stream has lost its last events. */
const READ_EVENT = `$JS.API.STREAM.MSG.GET.${EVENT_STREAM}`;

/**
 * Returns the API subjects for reading a stream with durable consumers. The server's API has several forms of these
 * subjects.
 */
function read(stream: string): string[] {
  return [
    `$JS.API.CONSUMER.CREATE.${stream}`,
    `$JS.API.CONSUMER.CREATE.${stream}.>`,
    `$JS.API.CONSUMER.DURABLE.CREATE.${stream}.>`,
    `$JS.API.CONSUMER.INFO.${stream}.>`,
    `$JS.API.CONSUMER.MSG.NEXT.${stream}.>`,
    `$JS.ACK.${stream}.>`,
  ];
}
