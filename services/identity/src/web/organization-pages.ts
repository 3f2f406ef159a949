import { grants } from '@tocsin/enums';
import { type Html, html } from '@tocsin/html';
import type { Membership } from '../domain/membership.ts';
import { permissionsOf } from '../domain/role.ts';
import type { User } from '../domain/session.ts';
import { type Document, documentOf } from './shell.ts';

export function membersPath(organizationId: string): string {
  return `/account/organizations/${organizationId}/members`;
}

export function apiKeysPath(organizationId: string): string {
  return `/account/organizations/${organizationId}/api-keys`;
}

/** Renders a page of an organization, with links to its other pages. */
export function organizationPage(
  { organization, role }: Membership,
  { user, path, title, body, problem, message }: OrganizationShell,
): Document {
  const links = [
    { path: '/account', name: 'Account' },
    { path: membersPath(organization.id), name: 'Members' },
    ...(grants(permissionsOf(role), 'api_keys:read') ? [{ path: apiKeysPath(organization.id), name: 'API keys' }] : []),
  ];
  return documentOf({
    title: `${title} · ${organization.name}`,
    user,
    navigation: { label: organization.name, links, current: path },
    body: html`<h1>${title} of ${organization.name}</h1>
${problem && html`<p class="notice is-bad" role="alert">${problem}</p>`}
${message && html`<p class="notice" role="status">${message}</p>`}
${body}`,
  });
}

interface OrganizationShell {
  readonly user: User;
  /** Path of the page itself. */
  readonly path: string;
  readonly title: string;
  readonly body: Html;
  readonly problem?: string | undefined;
  readonly message?: string | undefined;
}
