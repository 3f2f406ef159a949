import { parse, stringify } from 'uuid';
import type { Alert } from '../domain/alert.ts';
import type { LinkedChange } from '../domain/notice.ts';
import type { OutageSubject } from '../domain/outage.ts';
import type { Change } from '../domain/storm.ts';
import type { LinkSigner } from './signed-links.ts';

/**
 * Links to the public pages of outages. Deriving a link requires a vault key, so a copy of the database does not reveal
 * the links.
 */
export interface OutageLinks {
  /**
   * Returns the URL of an alert's page. All alerts of one outage share a page.
   * @throws VaultError
   */
  linkTo(alert: Pick<Alert, 'id' | 'disruptionId'>): Promise<string>;
  /**
   * Returns the subject of a token; undefined if this installation did not create the token.
   * @throws VaultError
   */
  subjectOf(token: string): Promise<OutageSubject | undefined>;
}

/**
 * Adds the URL of the outage's page to each change that has an alert.
 * @throws VaultError
 */
export function linkChanges(links: OutageLinks, changes: readonly Change[]): Promise<LinkedChange[]> {
  return Promise.all(
    changes.map(async (change) => {
      const { alertId: id, disruptionId } = change;
      return id === undefined ? change : { ...change, outageLink: await links.linkTo({ id, disruptionId }) };
    }),
  );
}

export function createOutageLinks(signer: LinkSigner, baseUrl: string): OutageLinks {
  return {
    async linkTo({ id, disruptionId }) {
      const token = await signer.sign(disruptionId ? 'disruption' : 'alert', parse(disruptionId || id));
      return `${baseUrl}/o/${token}`;
    },

    async subjectOf(token) {
      const opened = await signer.open(token, ['disruption', 'alert']);
      return opened && { kind: opened.kind === 'disruption' ? 'disruption' : 'alert', id: stringify(opened.body) };
    },
  };
}
