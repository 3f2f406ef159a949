import { timestampDate, timestampFromDate } from '@bufbuild/protobuf/wkt';
import type { ServiceImpl } from '@connectrpc/connect';
import { checkOutcomes, monitorStates, transitionRules } from '@tocsin/enums';
import { pagingOf } from '@tocsin/paging';
import type { HistoryService } from '@tocsin/proto/monitor/v1/history';
import { organizationOf } from '@tocsin/runtime';
import { getCertificate } from '../app/certificates/get-certificate.ts';
import { getResponseTimes, getUptime } from '../app/history/get-statistics.ts';
import { listRuns } from '../app/history/list-runs.ts';
import { listTransitions } from '../app/history/list-transitions.ts';
import type { Deps } from '../app/ports.ts';
import { getScreenshot } from '../app/rounds/get-screenshot.ts';
import { certificateToProto, resultToProto } from '../wire/check-result.ts';

export function historyRpc(deps: Deps): ServiceImpl<typeof HistoryService> {
  return {
    async getUptime(question, context) {
      const { percent, distribution } = await getUptime(deps, organizationOf(context), question);
      return { ...distribution, ...(percent !== undefined && { uptimePct: percent }) };
    },
    async getResponseTimes(question, context) {
      const { p95, locations } = await getResponseTimes(deps, organizationOf(context), question);
      const regions = locations.map(({ location, ...times }) => ({ region: location, ...times }));
      return { regions, ...(p95 !== undefined && { p95 }) };
    },
    async getCertificate({ monitorId }, context) {
      const { certificate, daysRemaining } = await getCertificate(deps, organizationOf(context), monitorId);
      return { certificate: certificateToProto(certificate), daysRemaining };
    },
    async listTransitions({ monitorId, limit, cursor }, context) {
      const paging = pagingOf(limit, cursor);
      const response = await listTransitions(deps, organizationOf(context), { monitorId, paging });
      const transitions = response.transitions.map(({ id, error, explanation, streak, ...transition }) => ({
        id,
        error,
        explanation,
        state: monitorStates.toValue(transition.state),
        ...(transition.previousState && { previousState: monitorStates.toValue(transition.previousState) }),
        enteredAt: timestampFromDate(transition.enteredAt),
        rule: transitionRules.toValue(transition.rule),
        ...(streak && { rounds: streak.rounds, since: timestampFromDate(streak.since) }),
        votes: transition.votes.map((vote) => ({ ...vote, outcome: checkOutcomes.toValue(vote.outcome) })),
      }));
      return { transitions, nextCursor: response.nextCursor ?? '' };
    },
    async listRuns({ monitorId, limit, cursor, before }, context) {
      const page = {
        limit: Math.min(Math.max(limit, 1), 200),
        cursor: cursor || undefined,
        before: before && timestampDate(before),
      };
      const { runs, nextCursor } = await listRuns(deps, organizationOf(context), { monitorId, ...page });
      return {
        runs: runs.map((run) => ({
          id: run.id,
          roundAt: timestampFromDate(run.roundAt),
          results: run.results.map(resultToProto),
        })),
        nextCursor: nextCursor ?? '',
      };
    },
    async getScreenshot({ monitorId, runId, region }, context) {
      const question = { monitorId, runId, region: region || undefined };
      return { image: Uint8Array.from(await getScreenshot(deps, organizationOf(context), question)) };
    },
  };
}
