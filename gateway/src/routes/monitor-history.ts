import type { Services } from '../clients/services.ts';
import { IdParams, type Route, route } from '../endpoint/route.ts';
import { data, dataList } from '../schemas/common.ts';
import {
  CertificateSchema,
  RangeQuery,
  ResponseTimesSchema,
  RunParams,
  RunQuery,
  RunSchema,
  rangeHours,
  runPage,
  ScreenshotQuery,
  ScreenshotSchema,
  TransitionQuery,
  TransitionSchema,
  toCertificateJson,
  toResponseTimesJson,
  toRunJson,
  toTransitionJson,
  toUptimeJson,
  UptimeSchema,
} from '../schemas/monitor-history.ts';

const stats = {
  tag: 'Monitors',
  permission: 'monitors:read',
  bucket: 'stats',
  method: 'GET',
  params: IdParams,
} as const;

/**
 * Routes of a monitor's history: uptime, response times, certificate, transitions, runs. `baseUrl` is the public URL,
 * for links to runs.
 */
export function monitorHistoryRoutes({ history }: Services, baseUrl: string): Route[] {
  return [
    route({
      ...stats,
      path: '/monitors/:id/uptime',
      summary: 'Get the uptime of a monitor over a time range',
      query: RangeQuery,
      response: data(UptimeSchema),
      async handle({ params: { id }, query, as }) {
        return { data: toUptimeJson(await history.getUptime({ monitorId: id, rangeHours: rangeHours(query) }, as)) };
      },
    }),
    route({
      ...stats,
      path: '/monitors/:id/response-times',
      summary: 'Get the response times of a monitor by region over a time range',
      query: RangeQuery,
      response: data(ResponseTimesSchema),
      async handle({ params: { id }, query, as }) {
        const question = { monitorId: id, rangeHours: rangeHours(query) };
        return { data: toResponseTimesJson(await history.getResponseTimes(question, as)) };
      },
    }),
    route({
      ...stats,
      path: '/monitors/:id/cert',
      summary: 'Get the TLS certificate of a monitor; 404 when none was seen',
      response: data(CertificateSchema),
      async handle({ params: { id }, as }) {
        return { data: toCertificateJson(await history.getCertificate({ monitorId: id }, as)) };
      },
    }),
    route({
      ...stats,
      path: '/monitors/:id/transitions',
      summary: 'List changes of state with their reasons, newest first',
      query: TransitionQuery,
      response: dataList(TransitionSchema),
      async handle({ params: { id }, query: { limit, cursor }, as, nextPage }) {
        const page = await history.listTransitions({ monitorId: id, limit, cursor }, as);
        if (page.nextCursor) nextPage(page.nextCursor);
        return { data: page.transitions.map(toTransitionJson) };
      },
    }),
    route({
      ...stats,
      path: '/monitors/:id/runs',
      summary: 'List rounds of checks with their results by region, newest first',
      query: RunQuery,
      response: dataList(RunSchema),
      async handle({ params: { id }, query, as, nextPage }) {
        const page = await history.listRuns({ monitorId: id, ...runPage(query) }, as);
        if (page.nextCursor) nextPage(page.nextCursor);
        const runs = `${baseUrl}/api/v1/monitors/${id}/runs`;
        return { data: page.runs.map((run) => toRunJson(run, `${runs}/${run.id}`)) };
      },
    }),
    route({
      ...stats,
      path: '/monitors/:id/runs/:run_id/screenshot',
      summary: 'Get the screenshot of a failed script run; 404 when there is none. Screenshots are kept for 30 days',
      params: RunParams,
      query: ScreenshotQuery,
      response: ScreenshotSchema,
      media: 'image/jpeg',
      async handle({ params: { id, run_id: runId }, query: { region }, as }) {
        const { image } = await history.getScreenshot({ monitorId: id, runId, region }, as);
        return Buffer.from(image);
      },
    }),
  ];
}
