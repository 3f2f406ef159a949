import { confirmEmailChange, readEmailChange, readUndoableChange, undoEmailChange } from '../app/email-changes.ts';
import type { Deps } from '../app/ports.ts';
import { type Accounts, deviceOf, forUser } from './accounts.ts';
import { confirmEmailPage, GONE_CHANGE, GONE_UNDO, TAKEN_ADDRESS, UNDONE, undoEmailPage } from './email-pages.ts';
import { redirectTo, sendPage } from './exchange.ts';
import type { WebRoute } from './identity-web.ts';

/**
 * Returns the routes for the links that confirm and undo a change of mail address. A GET changes nothing, because
 * programs open links in emails.
 */
export function emailRoutes(deps: Deps, accounts: Accounts): WebRoute[] {
  return [
    {
      path: '/account/email/:secret',
      get: forUser(accounts, async (exchange, { user }) => {
        const secret = exchange.params.secret ?? '';
        const change = await readEmailChange(deps, { secret, userId: user.id });
        sendPage(exchange, change ? 200 : 410, change ? confirmEmailPage(user, change) : GONE_CHANGE);
      }),
      post: forUser(accounts, async (exchange, signedIn) => {
        const outcome = await confirmEmailChange(deps, signedIn, exchange.params.secret ?? '');
        switch (outcome) {
          case 'changed':
            return redirectTo(exchange, '/account?done=email');
          case 'taken':
            return sendPage(exchange, 409, TAKEN_ADDRESS);
          case 'gone':
            return sendPage(exchange, 410, GONE_CHANGE);
          default:
            return outcome satisfies never;
        }
      }),
    },
    {
      path: '/account/email/undo/:secret',
      async get(exchange) {
        const change = await readUndoableChange(deps, exchange.params.secret ?? '');
        sendPage(exchange, change ? 200 : 410, change ? undoEmailPage(change) : GONE_UNDO);
      },
      async post(exchange) {
        const { params, request } = exchange;
        const outcome = await undoEmailChange(deps, { secret: params.secret ?? '', device: deviceOf(request) });
        switch (outcome) {
          case 'undone':
            return sendPage(exchange, 200, UNDONE);
          case 'taken':
            return sendPage(exchange, 409, TAKEN_ADDRESS);
          case 'gone':
            return sendPage(exchange, 410, GONE_UNDO);
          default:
            return outcome satisfies never;
        }
      },
    },
  ];
}
