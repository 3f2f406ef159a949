import { grants } from '@tocsin/enums';
import { type Html, html } from '@tocsin/html';
import { managesMembers } from '../domain/member-rules.ts';
import type { Membership } from '../domain/membership.ts';
import { permissionsOf } from '../domain/role.ts';
import type { User } from '../domain/session.ts';
import { type Document, documentOf } from './shell.ts';
import { timeHtml } from './time-html.ts';

export function membersPath(organizationId: string): string {
  return `/account/organizations/${organizationId}/members`;
}

export function apiKeysPath(organizationId: string): string {
  return `/account/organizations/${organizationId}/api-keys`;
}

export function memberProgramsPath(organizationId: string): string {
  return `/account/organizations/${organizationId}/programs`;
}

export function settingsPath(organizationId: string): string {
  return `/account/organizations/${organizationId}/settings`;
}

/** Renders a page of an organization, with links to its other pages. */
export function organizationPage(
  { organization, role }: Membership,
  { user, path, title, body, problem, message }: OrganizationShell,
): Document {
  const links = [
    { path: '/account', name: 'Account' },
    { path: membersPath(organization.id), name: 'Members' },
    ...(managesMembers(role) ? [{ path: memberProgramsPath(organization.id), name: 'Programs' }] : []),
    ...(grants(permissionsOf(role), 'api_keys:read') ? [{ path: apiKeysPath(organization.id), name: 'API keys' }] : []),
    { path: settingsPath(organization.id), name: 'Settings' },
  ];
  return documentOf({
    title: `${title} · ${organization.name}`,
    user,
    navigation: { label: organization.name, links, current: path },
    body: html`<h1>${title} of ${organization.name}</h1>
${organization.deleteAt && html`<p class="notice is-bad">The organization is stopped: nothing is checked, no alert is sent, and its pages are not public. It will be deleted ${timeHtml(organization.deleteAt)}.</p>`}
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
