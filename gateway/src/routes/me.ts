import { Type } from 'typebox';
import { type Route, route } from '../endpoint/route.ts';
import { data, Id, Name, oneOf } from '../schemas/common.ts';

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
});

export function meRoutes(): Route[] {
  return [
    route({
      method: 'GET',
      path: '/me',
      summary: 'Who am I',
      tag: 'Account',
      answer: data(Me),
      async handle({ caller: { organization, credential } }) {
        const { kind, name, permissions } = credential;
        return {
          data: {
            organization: { id: organization.accountNumber, uuid: organization.id, name: organization.name },
            credential: { kind, name, permissions: [...permissions] },
          },
        };
      },
    }),
  ];
}
