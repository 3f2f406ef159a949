import { type Answer, encode } from 'dns-packet';
import { type Asked, type Behaviour, type NameServerOptions, reply, startNameServer } from '../name-server.ts';
import type { Fixture, HostileTarget, Started } from './target.ts';

const ANSWERS: Answer[] = [{ type: 'A', name: 'example.com', data: '192.0.2.7' }];

function nameServer(behave: Behaviour, options?: NameServerOptions) {
  return async (fixture: Fixture): Promise<Started> => {
    const server = await startNameServer(behave, options);
    fixture.defer(() => void server[Symbol.asyncDispose]());
    return {
      type: 'dns',
      port: server.port,
      config: { host: 'example.com', nameserver: `127.0.0.1:${server.port}` },
    };
  };
}

/** Returns a name server that sends a truncated response over UDP, and misbehaves over TCP. */
function overTcp(behave: Behaviour, options?: NameServerOptions) {
  return nameServer(
    (question) => (question.over === 'udp' ? [reply(question, { truncated: true })] : behave(question)),
    options,
  );
}

/** Returns a response in which the header is followed by the given bytes. */
function damaged(question: Asked, body: Buffer): Buffer {
  return Buffer.concat([reply(question, { answers: ANSWERS }).subarray(0, 12), body]);
}

/** Name servers that misbehave. */
export const DNS: readonly HostileTarget[] = [
  {
    what: 'is a name server that never responds',
    start: nameServer(() => []),
    outcome: 'timeout',
    error: 'no response within 1000 ms, still waiting for the name server 127.0.0.1',
  },
  {
    what: 'responds with a wrong message id',
    start: nameServer((question) => [reply({ ...question, id: question.id ^ 1 }, { answers: ANSWERS })]),
    outcome: 'timeout',
    error: 'no response within 1000 ms, got 1 answers to another question from 127.0.0.1',
  },
  {
    what: 'responds to another question',
    start: nameServer((question) => [reply({ ...question, name: 'evil.example' }, { answers: ANSWERS })]),
    outcome: 'timeout',
    error: 'no response within 1000 ms, got 1 answers to another question from 127.0.0.1',
  },
  {
    what: 'responds with another record type',
    start: nameServer((question) => [reply({ ...question, type: 'TXT' }, { answers: ANSWERS })]),
    outcome: 'timeout',
    error: 'no response within 1000 ms, got 1 answers to another question from 127.0.0.1',
  },
  {
    what: 'responds with a query',
    start: nameServer(({ id }) => [
      encode({ type: 'query', id, questions: [{ name: 'example.com', type: 'A', class: 'IN' }] }),
    ]),
    outcome: 'timeout',
    error: 'no response within 1000 ms, got 1 answers to another question from 127.0.0.1',
  },
  {
    what: 'sends many responses to other questions',
    start: nameServer((question) =>
      Array.from({ length: 1_000 }, () => reply({ ...question, id: question.id ^ 1 }, { answers: ANSWERS })),
    ),
    outcome: 'error',
    error: '127.0.0.1 sent 100 answers to another question',
  },
  {
    what: 'sends many random packets',
    start: nameServer(() => Array.from({ length: 1_000 }, () => Buffer.alloc(1))),
    outcome: 'error',
    error: '127.0.0.1 sent 100 answers to another question',
  },
  {
    what: 'responds with random bytes over DNS',
    start: nameServer((question) => [damaged(question, Buffer.alloc(500, 0xa7))]),
    outcome: 'error',
    error: 'the name server answered with a damaged DNS message',
  },
  {
    what: 'responds with only a DNS header',
    start: nameServer((question) => [damaged(question, Buffer.alloc(0))]),
    outcome: 'error',
    error: 'the name server answered with a damaged DNS message',
  },
  {
    what: 'sends a compressed name that refers to itself',
    start: nameServer((question) => [damaged(question, Buffer.from([0xc0, 12, 0, 1, 0, 1]))]),
    outcome: 'error',
    error: 'the name server answered with a damaged DNS message',
  },
  {
    what: 'announces more records than it sends',
    start: nameServer((question) => {
      const message = reply(question, { answers: ANSWERS });
      message.writeUInt16BE(0xffff, 6);
      return [message];
    }),
    outcome: 'error',
    error: 'the name server answered with a damaged DNS message',
  },
  {
    what: 'sends a thousand records of another name and type',
    start: overTcp((question) => {
      const answers = Array.from({ length: 1_000 }, (): Answer => ({ type: 'TXT', name: 'x.example', data: 'y' }));
      return [reply(question, { answers })];
    }),
    outcome: 'fail',
    error: 'example.com has no A record',
  },
  {
    what: 'closes the TCP connection before its response',
    start: overTcp(() => [], { cutAt: 0 }),
    outcome: 'error',
    error: '127.0.0.1 closed the TCP connection in the middle of its response',
  },
  {
    what: 'closes the TCP connection during its response',
    start: overTcp((question) => [reply(question, { answers: ANSWERS })], { cutAt: 20 }),
    outcome: 'error',
    error: '127.0.0.1 closed the TCP connection in the middle of its response',
  },
  {
    what: 'responds to another question over TCP',
    start: overTcp((question) => [reply({ ...question, id: question.id ^ 1 }, { answers: ANSWERS })]),
    outcome: 'error',
    error: '127.0.0.1 answered another question over TCP',
  },
  {
    what: 'sends an empty message over TCP',
    start: overTcp(() => [Buffer.alloc(0)]),
    outcome: 'error',
    error: '127.0.0.1 answered another question over TCP',
  },
  {
    what: 'never responds over TCP',
    start: overTcp(() => []),
    outcome: 'timeout',
    error: 'no response within 1000 ms, still waiting for the name server 127.0.0.1 over TCP',
  },
  {
    what: 'marks its response as truncated over TCP as well',
    start: overTcp((question) => [reply(question, { truncated: true })]),
    outcome: 'error',
    error: 'the name server says over TCP, too, that its answer does not fit',
  },
];
