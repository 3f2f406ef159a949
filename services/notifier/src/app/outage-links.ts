import { parse, stringify } from 'uuid';
import type { Alert } from '../domain/alert.ts';
import type { OutageSubject } from '../domain/outage.ts';
import type { LinkSigner } from './signed-links.ts';

/** Links to the public pages of outages. Nothing in the database leads to one without a key of the vault. */
export interface OutageLinks {
  /** Returns the page of an alert; alerts of one outage share theirs. @throws VaultError */
  linkTo(alert: Pick<Alert, 'id' | 'disruptionId'>): Promise<string>;
  /** Returns the subject of a token; undefined for one that was not made here. @throws VaultError */
  subjectOf(token: string): Promise<OutageSubject | undefined>;
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
