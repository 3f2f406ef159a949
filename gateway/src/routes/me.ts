import { LIMIT_NAMES } from '@tocsin/enums';
import { Type } from 'typebox';
import type { CountUsage } from '../clients/usage.ts';
import { type Route, route } from '../endpoint/route.ts';
import { bytesWrittenToday } from '../plugins/rate-limit.ts';
import { data, Id, Name, nullable, oneOf } from '../schemas/common.ts';
import type { RateWindows } from '../storage/rate-windows.ts';

/**
 * Limits in the response: the limits on resources and on bytes per day. Limits per minute are in response headers
 * instead.
 */
const SHOWN_LIMITS = LIMIT_NAMES.filter((name) => !name.endsWith('_per_minute'));

const Limit = Type.Object({
  limit: Type.Integer({ description: 'The most there may be' }),
  used: nullable(Type.Integer({ description: 'How many there are now; null while they can not be counted' })),
});

const Me = Type.Object({
  organization: Type.Object({
    id: Type.Integer({ description: 'Public account number' }),
    uuid: Id,
    name: Name,
  }),
  credential: Type.Object({
    kind: oneOf(['api_key', 'oauth']),
    name: Name,
    permissions: Type.Array(Type.String({ maxLength: 64 }), {
      maxItems: 32,
      examples: [['monitors:read_write', 'status_pages:read']],
    }),
  }),
  limits: Type.Object(Object.fromEntries(SHOWN_LIMITS.map((name) => [name, Limit])), {
    description: 'Limits of the organization. Creating above one is a 422, sending above one a 429, which name it',
  }),
});

export function meRoutes(countUsage: CountUsage, windows: RateWindows): Route[] {
  return [
    route({
      method: 'GET',
      path: '/me',
      summary: 'Get the current organization, credential and limits',
      tag: 'Account',
      response: data(Me),
      async handle({ caller: { organization, credential, limits } }) {
        const { kind, name, permissions } = credential;
        const [usage, bytes] = await Promise.all([
          countUsage(organization.id),
          bytesWrittenToday(windows, organization.id, new Date()).catch(() => undefined),
        ]);
        const used = { ...usage, write_bytes_per_day: bytes };
        return {
          data: {
            organization: { id: organization.accountNumber, uuid: organization.id, name: organization.name },
            credential: { kind, name, permissions: [...permissions] },
            limits: Object.fromEntries(
              SHOWN_LIMITS.map((limit) => [limit, { limit: limits[limit], used: used[limit] ?? null }]),
            ),
          },
        };
      },
    }),
  ];
}
