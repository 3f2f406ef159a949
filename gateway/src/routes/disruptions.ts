import type { Services } from '../clients/services.ts';
import { IdParams, type Route, route } from '../http/route.ts';
import { data, dataList } from '../schemas/common.ts';
import { DisruptionAnswer, disruptionAnswer } from '../schemas/disruption.ts';
import { required } from '../schemas/required.ts';

const read = { tag: 'Disruptions', permission: 'incidents:read' } as const;

export function disruptionRoutes({ disruptions }: Services): Route[] {
  return [
    route({
      ...read,
      method: 'GET',
      path: '/disruptions',
      summary: 'List disruptions, newest first',
      answer: dataList(DisruptionAnswer),
      async handle({ as }) {
        const answer = await disruptions.listDisruptions({}, as);
        return { data: answer.disruptions.map(disruptionAnswer) };
      },
    }),
    route({
      ...read,
      method: 'GET',
      path: '/disruptions/:id',
      summary: 'Get a disruption with its timeline',
      params: IdParams,
      answer: data(DisruptionAnswer),
      async handle({ params: { id }, as }) {
        const { disruption } = await disruptions.getDisruption({ id }, as);
        return { data: disruptionAnswer(required(disruption)) };
      },
    }),
  ];
}
