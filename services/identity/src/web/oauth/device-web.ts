import { isWithinLimit } from '../../app/limit-attempts.ts';
import { decideDevice, findDevice, formatUserCode, normalizeUserCode } from '../../app/oauth/device-codes.ts';
import { listMembershipsOf } from '../../app/oauth/grants.ts';
import { requestedPermissions } from '../../domain/oauth/scope.ts';
import type { SignedIn } from '../../domain/session.ts';
import { forUser } from '../accounts.ts';
import { readForm, sendPage } from '../exchange.ts';
import type { WebRoute } from '../identity-web.ts';
import { type AccessRequest, codePage, decisionPage, resultPage, TOO_MANY_GRANTS } from './decision-pages.ts';
import { type DecisionParts, readDecision } from './read-decision.ts';

const CODE_PROBLEMS = {
  unknown: 'This code is not known. Compare it with the one that is shown, or ask for another one.',
  expired: 'This code has expired. Start again at the program or device.',
  decided: 'This code was already used. Start again at the program or device.',
};

/** Returns the page on which a user enters the code of a device and decides about its access (RFC 8628 §3.3). */
export function deviceRoute({ deps, accounts, shownClient }: DecisionParts): WebRoute {
  async function read(typed: string, signedIn: SignedIn): Promise<AccessRequest | keyof typeof CODE_PROBLEMS> {
    const userCode = normalizeUserCode(typed);
    const device = await findDevice(deps, userCode);
    if (typeof device === 'string') return device;
    const client = await shownClient(device.clientId);
    if (!client) return 'unknown';
    return {
      signedIn,
      client,
      memberships: await listMembershipsOf(deps, signedIn.user.id),
      permissions: requestedPermissions(device.scope),
      redirectUri: undefined,
      userCode: formatUserCode(userCode),
    };
  }

  return {
    path: '/oauth/device',
    get: forUser(accounts, async (exchange, signedIn) => {
      const typed = (exchange.url.searchParams.get('user_code') ?? '').slice(0, 20);
      if (typed === '') return sendPage(exchange, 200, codePage(signedIn.user));
      const request = await read(typed, signedIn);
      if (typeof request !== 'string') return sendPage(exchange, 200, decisionPage(request));
      sendPage(exchange, 404, codePage(signedIn.user, { typed, problem: CODE_PROBLEMS[request] }));
    }),
    post: forUser(accounts, async (exchange, signedIn) => {
      const { user } = signedIn;
      const form = await readForm(exchange);
      const request = await read(form.get('user_code') ?? '', signedIn);
      if (typeof request === 'string') {
        return sendPage(exchange, 404, codePage(user, { problem: CODE_PROBLEMS[request] }));
      }
      const decision = readDecision(form, request);
      if ('problem' in decision) return sendPage(exchange, 422, decisionPage({ ...request, ...decision }));
      const { approval } = decision;
      if (approval && !(await isWithinLimit(deps, 'grant_of_user', user.id))) {
        return sendPage(exchange, 429, decisionPage({ ...request, problem: TOO_MANY_GRANTS }));
      }
      const userCode = normalizeUserCode(request.userCode ?? '');
      if (!(await decideDevice(deps, { userCode, approval }))) {
        return sendPage(exchange, 404, codePage(user, { problem: CODE_PROBLEMS.decided }));
      }
      sendPage(exchange, 200, resultPage(user, { isAllowed: approval !== undefined, name: request.client.name }));
    }),
  };
}
