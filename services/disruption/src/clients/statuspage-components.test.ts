import { Code, ConnectError, createRouterTransport } from '@connectrpc/connect';
import { ComponentStatus } from '@tocsin/proto/statuspage/v1/component_status';
import { type LinkedComponent, StatusPageService } from '@tocsin/proto/statuspage/v1/statuspage';
import { expect, test } from 'vitest';
import { statuspageComponents } from './statuspage-components.ts';

type Answer = (monitorId: string) => { components: Omit<LinkedComponent, '$typeName'>[] };

function ask(answer: Answer) {
  const transport = createRouterTransport(({ service }) => {
    service(StatusPageService, { listLinkedComponents: ({ monitorId }) => answer(monitorId) });
  });
  return statuspageComponents(transport).whileDown('o1', 'm1');
}

function link(downStatus: ComponentStatus) {
  return { id: 'c1', name: 'API', statusPageId: 'p1', downStatus };
}

test('a linked component becomes what its link says', async () => {
  const asked: string[] = [];
  const components = await ask((monitorId) => {
    asked.push(monitorId);
    return { components: [link(ComponentStatus.DEGRADED_PERFORMANCE)] };
  });
  expect(asked).toEqual(['m1']);
  expect(components).toEqual([{ id: 'c1', name: 'API', statusPageId: 'p1', status: 'degraded_performance' }]);
});

test('a status that this version does not know counts as a major outage', async () => {
  expect(await ask(() => ({ components: [link(99 as ComponentStatus)] }))).toMatchObject([{ status: 'major_outage' }]);
});

test.each([Code.Unavailable, Code.Unauthenticated, Code.NotFound, Code.InvalidArgument])(
  'whatever goes wrong (%i) passes: the fact waits and is not given up',
  async (code) => {
    const failing = ask(() => {
      throw new ConnectError('no', code);
    });
    await expect(failing).rejects.toMatchObject({ kind: 'unavailable' });
  },
);
