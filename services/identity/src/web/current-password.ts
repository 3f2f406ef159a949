import { type Html, html } from '@tocsin/html';
import type { Proof } from '../app/read-account.ts';

/** Renders the field for the current password if a change needs it. */
export function currentPassword(proof: Proof, id: string): Html | undefined {
  if (proof !== 'current_password') return undefined;
  return html`<div><label for="${id}">Current password</label>
<input id="${id}" name="current" type="password" required maxlength="400" autocomplete="current-password"></div>`;
}
