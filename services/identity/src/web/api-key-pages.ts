import { grants, PERMISSION_TEXTS, PERMISSIONS, type Permission } from '@tocsin/enums';
import { type Html, html } from '@tocsin/html';
import type { ApiKey } from '../domain/api-key.ts';
import type { Membership } from '../domain/membership.ts';
import type { User } from '../domain/session.ts';
import { apiKeysPath, organizationPage } from './organization-pages.ts';
import type { Document } from './shell.ts';
import { timeHtml } from './time-html.ts';

export interface ApiKeysView {
  readonly user: User;
  readonly membership: Membership;
  readonly keys: readonly ApiKey[];
  /** Permissions that the user can give to a key. */
  readonly held: readonly string[];
}

/** What a user entered for a new key. */
export interface KeyForm {
  readonly name: string;
  readonly permissions: readonly string[];
  readonly lifetime: string;
}

const EMPTY_FORM: KeyForm = { name: '', permissions: [], lifetime: '' };

/** Choices for a key's lifetime, in days. An empty value means that the key does not expire. */
export const LIFETIMES: readonly (readonly [days: string, text: string])[] = [
  ['', 'It does not expire'],
  ['30', '30 days'],
  ['90', '90 days'],
  ['365', '1 year'],
];

/** Outcome of the form that the user submitted. */
export interface ApiKeysChange {
  readonly problem?: string;
  /** What the user entered, if there is a problem. */
  readonly form?: KeyForm;
  readonly created?: { readonly name: string; readonly key: string };
  readonly isRevoked?: boolean;
}

/**
 * Renders the API keys of an organization, with a form for a new one. A new key is shown at the top, once. After a
 * problem, the form contains what the user entered.
 */
export function apiKeysPage(
  view: ApiKeysView,
  { problem, form = EMPTY_FORM, created, isRevoked }: ApiKeysChange,
): Document {
  const { user, membership, keys } = view;
  const path = apiKeysPath(membership.organization.id);
  return organizationPage(membership, {
    user,
    path,
    title: 'API keys',
    problem,
    message: isRevoked ? 'The key was revoked, with all keys that it created.' : undefined,
    body: html`${created && newKey(created)}
<p class="muted">Programs use API keys for <a href="/docs">the API</a>. Keys belong to the organization, and keep working when the member who created them leaves.</p>
<div class="card${keys.length > 0 && ' list-card'}">${keys.length > 0 ? html`<ul class="list">${keys.map((key) => keyItem(path, key))}</ul>` : html`<p>There are no keys.</p>`}</div>
${createForm(path, view.held, form)}`,
  });
}

function newKey({ name, key }: { name: string; key: string }): Html {
  return html`<section class="notice stack" role="status">
<p>The key “${name}” was created. Copy it now: it is not shown again.</p>
<code class="secret">${key}</code>
</section>`;
}

function keyItem(path: string, { id, name, permissions, createdAt, createdBy, lastUsedAt, expiresAt }: ApiKey): Html {
  return html`<li>
<div class="row"><span class="name">${name}</span><span class="muted">${lastUsedAt ? html`last used ${timeHtml(lastUsedAt)}` : 'never used'}</span></div>
<p class="muted">${permissions.join(', ')}</p>
<p class="muted">Created ${timeHtml(createdAt)}${createdBy && ` by ${createdBy}`}${expiresAt && html`, expires ${timeHtml(expiresAt)}`}</p>
<details><summary>Revoke ${name}</summary>
<form method="post" action="${path}/${id}/revoke">
<p>Programs with this key, and with keys that it created, lose access at once.</p>
<button class="danger">Revoke</button>
</form></details>
</li>`;
}

function createForm(path: string, held: readonly string[], form: KeyForm): Html {
  const resources = [...new Set(PERMISSIONS.map((permission) => permission.split(':')[0] ?? ''))];
  const choices = resources.map((resource) => {
    const options = (['read', 'read_write'] as const)
      .map((level) => `${resource}:${level}`)
      .filter((permission): permission is Permission => PERMISSIONS.some((known) => known === permission))
      .filter((permission) => grants(held, permission));
    if (options.length === 0) return undefined;
    return html`<div><label for="${resource}">${LABELS[resource] ?? resource}</label>
<select id="${resource}" name="permission"><option value="">No access</option>${options.map((permission) => option(permission, PERMISSION_TEXTS[permission], form.permissions.includes(permission)))}</select></div>`;
  });
  return html`<section class="stack" aria-labelledby="create"><h2 id="create">Create a key</h2>
<form class="card" method="post" action="${path}">
<div><label for="name">Name</label><input id="name" name="name" required maxlength="255" autocomplete="off" value="${form.name}"></div>
<fieldset class="stack"><legend>What it may do</legend>${choices}</fieldset>
<div><label for="lifetime">How long it works</label><select id="lifetime" name="lifetime">${LIFETIMES.map(([days, text]) => option(days, text, form.lifetime === days))}</select></div>
<button>Create the key</button>
</form></section>`;
}

function option(value: string, text: string, isSelected: boolean): Html {
  return html`<option value="${value}"${isSelected && html` selected`}>${text}</option>`;
}

/** Names of resources as pages show them. */
const LABELS: Readonly<Record<string, string>> = {
  monitors: 'Monitors and webhooks',
  status_pages: 'Status pages',
  alert_channels: 'Alert channels',
  incidents: 'Disruptions and maintenance',
  api_keys: 'API keys',
  audit_log: 'Audit log',
};
