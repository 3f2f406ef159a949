import { checkTypes } from '@tocsin/enums';
import type { Monitor } from '@tocsin/proto/monitor/v1/monitor';
import type { Static } from 'typebox';
import type { Services } from '../clients/services.ts';
import { MAX_BATCH_BYTES } from '../endpoint/body-limits.ts';
import { IdParams, NoContent, type Route, route } from '../endpoint/route.ts';
import { rawJsonItems, rawJsonMember } from '../raw-json/raw-member.ts';
import { data, dataList } from '../schemas/common.ts';
import {
  CheckSchema,
  MonitorBatch,
  MonitorCreate,
  MonitorPatch,
  MonitorQuery,
  MonitorSchema,
  monitorFields,
  monitorFilter,
  StateSchema,
  toCheckJson,
  toMonitorJson,
  toStateJson,
} from '../schemas/monitor.ts';
import { monitorConfigs } from '../schemas/monitor-config.ts';
import { required } from '../schemas/required.ts';

const read = { tag: 'Monitors', permission: 'monitors:read' } as const;
const write = { tag: 'Monitors', permission: 'monitors:read_write' } as const;

/** Timeout of an on-demand check in milliseconds: the longest timeout of a monitor plus time for the transport. */
const CHECK_TIMEOUT_MS = 75_000;

/** Returns the RPC message for a new monitor. `config` is the JSON text of its config exactly as it was sent. */
function newMonitor(body: Static<typeof MonitorCreate>, config: string | undefined) {
  return {
    name: body.name,
    checkType: checkTypes.toValue(body.check_type),
    configJson: body.config && config,
    ...monitorFields(body),
  };
}

export function monitorRoutes({ monitors }: Services, baseUrl: string): Route[] {
  const shown = (monitor: Monitor | undefined) => toMonitorJson(required(monitor), baseUrl);
  return [
    route({
      ...read,
      method: 'GET',
      path: '/monitors',
      summary: 'List monitors, newest first',
      query: MonitorQuery,
      response: dataList(MonitorSchema),
      async handle({ query, as, nextPage }) {
        const response = await monitors.listMonitors(monitorFilter(query), as);
        if (response.nextCursor) nextPage(response.nextCursor);
        return { data: response.monitors.map(shown) };
      },
    }),
    route({
      ...write,
      method: 'POST',
      path: '/monitors',
      summary: 'Create a monitor; its first check runs immediately',
      body: MonitorCreate,
      configs: monitorConfigs,
      response: data(MonitorSchema),
      status: 201,
      async handle({ body, textOf, as }) {
        const { monitor } = await monitors.createMonitor(newMonitor(body, textOf('config')), as);
        return { data: shown(monitor) };
      },
    }),
    route({
      ...write,
      method: 'POST',
      path: '/monitors/batch',
      summary: 'Create up to 200 monitors: all of them, or none if one is invalid',
      body: MonitorBatch,
      maxBodyBytes: MAX_BATCH_BYTES,
      configs: monitorConfigs,
      response: dataList(MonitorSchema),
      status: 201,
      async handle({ body, textOf, as }) {
        const texts = rawJsonItems(textOf('monitors') ?? '[]');
        const created = await monitors.createMonitors(
          {
            monitors: body.monitors.map((monitor, index) =>
              newMonitor(monitor, rawJsonMember(texts[index] ?? '{}', 'config')),
            ),
          },
          as,
        );
        return { data: created.monitors.map(shown) };
      },
    }),
    route({
      ...read,
      method: 'GET',
      path: '/monitors/:id',
      summary: 'Get a monitor',
      params: IdParams,
      response: data(MonitorSchema),
      async handle({ params: { id }, as }) {
        const { monitor } = await monitors.getMonitor({ id }, as);
        return { data: shown(monitor) };
      },
    }),
    route({
      ...write,
      method: 'PATCH',
      path: '/monitors/:id',
      summary: 'Update a monitor; absent fields keep their values',
      params: IdParams,
      body: MonitorPatch,
      configs: monitorConfigs,
      response: data(MonitorSchema),
      async handle({ params: { id }, body, textOf, as }) {
        const { monitor } = await monitors.updateMonitor(
          {
            id,
            name: body.name,
            checkType: checkTypes.toValue(body.check_type),
            configJson: body.config && textOf('config'),
            ...monitorFields(body),
          },
          as,
        );
        return { data: shown(monitor) };
      },
    }),
    route({
      ...write,
      method: 'DELETE',
      path: '/monitors/:id',
      summary: 'Delete a monitor with its history',
      params: IdParams,
      response: NoContent,
      status: 204,
      async handle({ params: { id }, as }) {
        await monitors.deleteMonitor({ id }, as);
        return null;
      },
    }),
    route({
      ...write,
      method: 'POST',
      path: '/monitors/:id/check',
      isWaiting: true,
      summary: 'Run a check in every region and return the results; the state does not change',
      params: IdParams,
      response: dataList(CheckSchema),
      async handle({ params: { id }, as }) {
        const { results } = await monitors.checkMonitor({ id }, { ...as, timeoutMs: CHECK_TIMEOUT_MS });
        return { data: results.map((result) => toCheckJson(result)) };
      },
    }),
    route({
      ...read,
      method: 'GET',
      path: '/monitors/:id/state',
      bucket: 'stats',
      summary: 'Get the state of a monitor',
      params: IdParams,
      response: data(StateSchema),
      async handle({ params: { id }, as }) {
        return { data: toStateJson(await monitors.getMonitorState({ id }, as)) };
      },
    }),
  ];
}
