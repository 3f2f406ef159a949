import type { Email } from './email.ts';

const BLUE = '#2E90FA';

/**
 * Returns the email that asks whether the recipient wants the alerts of an organization. The recipient gets no other
 * email before confirming.
 */
export function confirmationEmail(organizationName: string, link: string): Email {
  const headline = `Do you want alerts from ${organizationName}?`;
  return {
    subject: headline,
    headline,
    color: BLUE,
    paragraphs: [
      `Somebody at ${organizationName} entered your address to get alerts when something that they monitor goes down.`,
      'Open the link and confirm within 7 days. If you do not expect this, do nothing: you get no alerts.',
    ],
    details: [],
    action: { label: 'Confirm', url: link },
    footer: `Sent by Tocsin for ${organizationName}.`,
  };
}
