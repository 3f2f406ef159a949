import { Code, ConnectError, createRouterTransport } from '@connectrpc/connect';
import { ComponentStatus } from '@tocsin/proto/statuspage/v1/component_status';
import { type LinkedComponent, StatusPageService } from '@tocsin/proto/statuspage/v1/statuspage';
import { expect, test } from 'vitest';
import { statuspageComponents } from './statuspage-components.ts';

type Responder = (monitorId: string) => { components: Omit<LinkedComponent, '$typeName'>[] };

function ask(response: Responder) {
  const transport = createRouterTransport(({ service }) => {
    service(StatusPageService, { listLinkedComponents: ({ monitorId }) => response(monitorId) });
  });
  return statuspageComponents(transport).whileDown('o1', 'm1');
}

function askForNames(
  response: (statusPageId: string, ids: string[]) => { components: { id: string; name: string }[] },
) {
  const transport = createRouterTransport(({ service }) => {
    service(StatusPageService, { resolveComponents: ({ statusPageId, ids }) => response(statusPageId, ids) });
  });
  return statuspageComponents(transport).namesOnPage('o1', 'p1', ['c1', 'c2']);
}

function link(downStatus: ComponentStatus) {
  return { id: 'c1', name: 'API', statusPageId: 'p1', downStatus, statusPageUrl: '' };
}

test('a linked component is returned with the status that its link defines for a monitor that is down', async () => {
  const asked: string[] = [];
  const components = await ask((monitorId) => {
    asked.push(monitorId);
    return { components: [link(ComponentStatus.DEGRADED_PERFORMANCE)] };
  });
  expect(asked).toEqual(['m1']);
  expect(components).toEqual([{ id: 'c1', name: 'API', statusPageId: 'p1', status: 'degraded_performance' }]);
});

test('an unknown status counts as a major outage', async () => {
  expect(await ask(() => ({ components: [link(99 as ComponentStatus)] }))).toMatchObject([{ status: 'major_outage' }]);
});

test.each([Code.Unavailable, Code.Unauthenticated, Code.NotFound, Code.InvalidArgument])(
  'a call that fails with code %i throws `unavailable`, so that the event is retried',
  async (code) => {
    const failing = ask(() => {
      throw new ConnectError('no', code);
    });
    await expect(failing).rejects.toMatchObject({ kind: 'unavailable' });
  },
);

test('the links of a page are requested for at most 1,000 monitors at once, and are returned by monitor', async () => {
  const sizes: number[] = [];
  const transport = createRouterTransport(({ service }) => {
    service(StatusPageService, {
      listPageLinks({ statusPageId, monitorIds }) {
        sizes.push(monitorIds.length);
        const component = { ...link(ComponentStatus.PARTIAL_OUTAGE), statusPageId };
        const linked = monitorIds.filter((id) => id === 'm1' || id === 'm1500');
        return { links: linked.map((monitorId) => ({ monitorId, component })) };
      },
    });
  });
  const monitorIds = Array.from({ length: 2_100 }, (_, index) => `m${index}`);
  const linked = await statuspageComponents(transport).onPageWhileDown('o1', 'p1', monitorIds);
  expect(sizes).toEqual([1_000, 1_000, 100]);
  const components = [{ id: 'c1', name: 'API', statusPageId: 'p1', status: 'partial_outage' }];
  expect([...linked]).toEqual([
    ['m1', components],
    ['m1500', components],
  ]);
});

test('components of a page are returned with their names', async () => {
  const names = await askForNames((statusPageId, ids) => {
    expect([statusPageId, ids]).toEqual(['p1', ['c1', 'c2']]);
    return { components: [{ id: 'c1', name: 'API' }] };
  });
  expect(names).toEqual(new Map([['c1', 'API']]));
});

test('the names of components are undefined if their page does not exist, and every other failed call throws `unavailable`', async () => {
  const failing = (code: Code) =>
    askForNames(() => {
      throw new ConnectError('no', code);
    });
  expect(await failing(Code.NotFound)).toBeUndefined();
  await expect(failing(Code.Unauthenticated)).rejects.toMatchObject({ kind: 'unavailable' });
  await expect(failing(Code.Unavailable)).rejects.toMatchObject({ kind: 'unavailable' });
});
