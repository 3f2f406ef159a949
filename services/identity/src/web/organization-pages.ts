import { type Html, html } from '@tocsin/html';
import type { Membership } from '../domain/membership.ts';
import type { User } from '../domain/session.ts';
import { type Document, documentOf } from './shell.ts';

export function membersPath(organizationId: string): string {
  return `/account/organizations/${organizationId}/members`;
}

/** Renders a page of an organization, with links to its other pages. */
export function organizationPage(
  { organization }: Membership,
  { user, path, title, body, problem, message }: OrganizationShell,
): Document {
  const links = [{ path: membersPath(organization.id), name: 'Members' }];
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
