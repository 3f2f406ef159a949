import { FeatureSet_FieldPresence, timestampFromDate } from '@bufbuild/protobuf/wkt';
import type { HandlerContext, ServiceImpl } from '@connectrpc/connect';
import { checkTypes, monitorStates } from '@tocsin/enums';
import { invalid } from '@tocsin/errors';
import { pagingOf } from '@tocsin/paging';
import {
  type CreateMonitorRequest,
  CreateMonitorRequestSchema,
  type MonitorService,
  type SecretChanges as SecretChangesMessage,
  type UpdateMonitorRequest,
} from '@tocsin/proto/monitor/v1/monitor';
import { idempotencyIdOf, limitsOf, organizationOf } from '@tocsin/runtime';
import { openHeartbeatToken } from '../app/heartbeats/heartbeat-token.ts';
import { listUnderMaintenance } from '../app/maintenance/list-under-maintenance.ts';
import { checkMonitor } from '../app/monitors/check-monitor.ts';
import { type Creator, createMonitors, type NewMonitor } from '../app/monitors/create-monitor.ts';
import { deleteMonitor } from '../app/monitors/delete-monitor.ts';
import { GatheredCreations } from '../app/monitors/gathered-creations.ts';
import { getMonitor } from '../app/monitors/get-monitor.ts';
import { listMonitors, resolveMonitors } from '../app/monitors/list-monitors.ts';
import { type MonitorChanges, updateMonitor } from '../app/monitors/update-monitor.ts';
import type { Deps } from '../app/ports.ts';
import { listLastRounds } from '../app/rounds/list-last-rounds.ts';
import type { MonitorView } from '../domain/monitors/monitor-view.ts';
import type { SecretChanges } from '../domain/monitors/secrets.ts';
import { resultToProto } from '../wire/check-result.ts';
import { monitorToProto } from '../wire/monitor.ts';

export function monitorRpc(deps: Deps): ServiceImpl<typeof MonitorService> {
  const toProto = ({ monitor, evaluatorState, channelsBroken }: MonitorView) => ({
    ...monitorToProto(monitor, evaluatorState, openHeartbeatToken(deps, monitor)),
    alertChannelsBroken: channelsBroken,
  });
  const response = (view: MonitorView) => ({ monitor: toProto(view) });
  const creations = new GatheredCreations(deps);
  return {
    async createMonitor(request, context) {
      const input = newMonitor(request);
      return response(await creations.create(creatorOf(context), input));
    },
    async createMonitors({ monitors }, context) {
      const inputs = monitors.map((request, index) => newMonitor(request, `monitors.${index}.`));
      const views = await createMonitors(deps, creatorOf(context), inputs);
      return { monitors: views.map(toProto) };
    },
    async getMonitor({ id }, context) {
      return response(await getMonitor(deps, organizationOf(context), id));
    },
    async listMonitors(request, context) {
      const { checkType, enabled, state, nameContains, limit, cursor } = request;
      const filter = {
        checkType: checkTypes.findName(checkType),
        enabled,
        state: monitorStates.findName(state),
        nameContains,
      };
      const paging = pagingOf(limit, cursor);
      const { views, nextCursor } = await listMonitors(deps, organizationOf(context), { filter, paging });
      const monitors = views.map(toProto);
      return { monitors, nextCursor: nextCursor ?? '' };
    },
    async updateMonitor(request, context) {
      return response(await updateMonitor(deps, organizationOf(context), request.id, changesOf(request)));
    },
    async deleteMonitor({ id }, context) {
      await deleteMonitor(deps, organizationOf(context), id);
      return {};
    },
    async checkMonitor({ id }, context) {
      const results = await checkMonitor(deps, organizationOf(context), id);
      return { results: results.map(resultToProto) };
    },
    async getMonitorState({ id }, context) {
      const { evaluatorState } = await getMonitor(deps, organizationOf(context), id);
      if (!evaluatorState) return {};
      return {
        state: monitorStates.toValue(evaluatorState.state),
        enteredAt: timestampFromDate(evaluatorState.enteredAt),
        ...(evaluatorState.previousState && { previousState: monitorStates.toValue(evaluatorState.previousState) }),
      };
    },
    async listUnderMaintenance({ ids }, context) {
      return { ids: await listUnderMaintenance(deps, organizationOf(context), ids) };
    },
    async resolveMonitors({ ids }, context) {
      return { ids: await resolveMonitors(deps, organizationOf(context), ids) };
    },
    async listLastRounds({ monitorIds }, context) {
      const { lastRounds, runningSince } = await listLastRounds(deps, organizationOf(context), monitorIds);
      return {
        ...(runningSince && { runningSince: timestampFromDate(runningSince) }),
        lastRounds: lastRounds.map(({ monitorId, at, expectedSince, intervalSeconds }) => ({
          monitorId,
          ...(at && { at: timestampFromDate(at) }),
          expectedSince: timestampFromDate(expectedSince),
          intervalSeconds,
        })),
      };
    },
  };
}

function creatorOf(context: HandlerContext): Creator {
  return {
    organizationId: organizationOf(context),
    idempotencyId: idempotencyIdOf(context),
    limit: limitsOf(context).monitors,
  };
}

/** Returns the monitor in a request. The field names in errors begin with `path`. */
function newMonitor(request: CreateMonitorRequest, path = ''): NewMonitor {
  const checkType = checkTypes.findName(request.checkType);
  if (!checkType) throw invalid({ [`${path}check_type`]: [`must be one of ${checkTypes.names.join(', ')}`] });
  return { name: request.name, checkType, configJson: request.configJson || '{}', ...optionalSettings(request) };
}

function changesOf(request: UpdateMonitorRequest): MonitorChanges {
  const checkType = checkTypes.findName(request.checkType);
  return {
    ...(request.name !== undefined && { name: request.name }),
    ...(request.configJson !== undefined && { configJson: request.configJson }),
    ...(checkType && { checkType }),
    ...optionalSettings(request),
  };
}

/** Names of the settings that a request may leave out and that need no conversion: the message's optional scalars. */
const OPTIONAL = CreateMonitorRequestSchema.fields
  .filter(({ fieldKind, presence }) => fieldKind === 'scalar' && presence === FeatureSet_FieldPresence.EXPLICIT)
  .map(({ localName }) => localName as keyof CreateMonitorRequest & keyof UpdateMonitorRequest);

/** Returns the settings in a request; fields that the request does not contain are absent. */
function optionalSettings(request: CreateMonitorRequest | UpdateMonitorRequest): MonitorChanges {
  const sent = OPTIONAL.filter((key) => request[key] !== undefined).map((key) => [key, request[key]]);
  return {
    ...Object.fromEntries(sent),
    ...(request.secrets && { secrets: secretChanges(request.secrets) }),
    ...(request.alertChannels && {
      alertChannelIds: request.alertChannels.ids,
      alertChannelLinks: request.alertChannels.settings,
    }),
  };
}

function secretChanges({ set, removed }: SecretChangesMessage): SecretChanges {
  return new Map([
    ...removed.map((name) => [name, null] as const),
    ...set.map(({ name, value }) => [name, value] as const),
  ]);
}
