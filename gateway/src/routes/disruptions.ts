import type { Noun } from '@tocsin/api-json';
import { ServiceError } from '@tocsin/errors';
import { Type } from 'typebox';
import type { Services } from '../clients/services.ts';
import { IdParams, NoContent, type Route, route } from '../endpoint/route.ts';
import { data, dataList } from '../schemas/common.ts';
import {
  disruptionChanges,
  disruptionFilter,
  newDisruption,
  schemasOf,
  toDisruptionJson,
} from '../schemas/disruption.ts';
import { Moment } from '../schemas/moment.ts';
import { required } from '../schemas/required.ts';

const read = { tag: 'Disruptions', permission: 'incidents:read' } as const;
const write = { tag: 'Disruptions', permission: 'incidents:read_write' } as const;

/** Path parameters of the endpoints for a timeline entry. */
const UpdateParams = Type.Object({
  ...IdParams.properties,
  update_id: Type.String({
    maxLength: 100,
    description: 'Id of an update of this timeline',
    examples: ['0192f0c1-7a1e-7c3a-9f55-0e5b1c2d3e4f'],
  }),
});

/**
 * Routes of disruptions and incidents, which are the same resource. Only a disruption has `started_at` in its body; an
 * incident starts when it is created.
 */
export function disruptionRoutes(services: Services): Route[] {
  const { Create } = schemasOf('disruption');
  return [
    ...routesOf(services, 'disruption', Type.Object({ ...Create.properties, started_at: Moment })),
    ...routesOf(services, 'incident', schemasOf('incident').Create),
  ];
}

function routesOf({ disruptions }: Services, noun: Noun, Create: ReturnType<typeof schemasOf>['Create']): Route[] {
  const { ResourceSchema, Patch, UpdatePatch, Filter } = schemasOf(noun);
  const path = `/${noun}s`;
  const a = noun === 'incident' ? 'an incident' : 'a disruption';
  return [
    route({
      ...read,
      method: 'GET',
      path,
      summary: `List ${noun}s, newest first`,
      query: Filter,
      response: dataList(ResourceSchema),
      async handle({ query, as, nextPage }) {
        const response = await disruptions.listDisruptions(disruptionFilter(noun, query), as);
        if (response.nextCursor) nextPage(response.nextCursor);
        return { data: response.disruptions.map((disruption) => toDisruptionJson(noun, disruption)) };
      },
    }),
    route({
      ...write,
      method: 'POST',
      path,
      summary: `Create ${a}, schedule a maintenance, or record one of the past`,
      body: Create,
      response: data(ResourceSchema),
      status: 201,
      async handle({ body, as }) {
        const { disruption } = await disruptions.createDisruption(newDisruption(noun, body), as);
        return { data: toDisruptionJson(noun, required(disruption)) };
      },
    }),
    route({
      ...read,
      method: 'GET',
      path: `${path}/:id`,
      summary: `Get ${a} with its timeline`,
      params: IdParams,
      response: data(ResourceSchema),
      async handle({ params: { id }, as }) {
        const { disruption } = await inWordsOf(noun, disruptions.getDisruption({ id }, as));
        return { data: toDisruptionJson(noun, required(disruption)) };
      },
    }),
    route({
      ...write,
      method: 'PATCH',
      mayConflict: true,
      path: `${path}/:id`,
      summary: `Update ${a}, add to its timeline, publish it to another page or take it off one; absent fields keep their values`,
      params: IdParams,
      body: Patch,
      response: data(ResourceSchema),
      async handle({ params: { id }, body, as }) {
        const changes = { id, ...disruptionChanges(noun, body) };
        const { disruption } = await inWordsOf(noun, disruptions.updateDisruption(changes, as));
        return { data: toDisruptionJson(noun, required(disruption)) };
      },
    }),
    route({
      ...write,
      method: 'POST',
      path: `${path}/:id/acknowledge`,
      summary: `Acknowledge ${a}: record who takes care of it; a repeated call changes nothing, one that has ended is a 409`,
      params: IdParams,
      response: data(ResourceSchema),
      async handle({ params: { id }, as }) {
        const { disruption } = await inWordsOf(noun, disruptions.acknowledgeDisruption({ id }, as));
        return { data: toDisruptionJson(noun, required(disruption)) };
      },
    }),
    route({
      ...write,
      method: 'PATCH',
      path: `${path}/:id/updates/:update_id`,
      summary: `Change the text of an update of ${a}`,
      params: UpdateParams,
      body: UpdatePatch,
      response: data(ResourceSchema),
      async handle({ params: { id, update_id: updateId }, body: { message, notify }, as }) {
        const edit = { id, updateId, message, silent: notify === false };
        const { disruption } = await inWordsOf(noun, disruptions.editUpdate(edit, as));
        return { data: toDisruptionJson(noun, required(disruption)) };
      },
    }),
    route({
      ...write,
      method: 'DELETE',
      mayConflict: true,
      path: `${path}/:id/updates/:update_id`,
      summary: `Delete an update of ${a}; the only one can't be deleted, and no webhook message is sent`,
      params: UpdateParams,
      response: NoContent,
      status: 204,
      async handle({ params: { id, update_id: updateId }, as }) {
        await inWordsOf(noun, disruptions.deleteUpdate({ id, updateId }, as));
        return null;
      },
    }),
    route({
      ...write,
      method: 'DELETE',
      path: `${path}/:id`,
      summary: `Delete ${a} with its timeline`,
      params: IdParams,
      response: NoContent,
      status: 204,
      async handle({ params: { id }, as }) {
        await inWordsOf(noun, disruptions.deleteDisruption({ id }, as));
        return null;
      },
    }),
  ];
}

/** Replaces the name of the resource in a service error with the name that the path uses, such as `incident`. */
async function inWordsOf<Result>(noun: Noun, response: Promise<Result>): Promise<Result> {
  try {
    return await response;
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const { kind, message, fields } = error;
    throw new ServiceError(kind, message.replaceAll('disruption', noun), { fields, cause: error });
  }
}
