/** Texts for subscribers in English. The other languages have the same keys and placeholders. */
export const en = {
  confirmSubject: 'Do you want updates from {page}?',
  confirmText:
    'Somebody entered your address on the status page {page}, to get a mail when something is reported there.',
  confirmHow: 'Open the link and confirm within 7 days. If you do not expect this, do nothing: you get no mails.',
  confirm: 'Confirm',
  confirmFooter: 'Sent by the status page {page}: {url}',
  open: 'Show on the status page',
  footer: 'You get this mail because you subscribed to {page}.',
  unsubscribe: 'Unsubscribe',
  confirmTitle: 'Updates from {page}',
  confirmQuestion:
    'You get a mail when a disruption or maintenance is reported or updated on the status page, and when it is over. Each one has a link that ends this.',
  confirmButton: 'Yes, send me updates',
  confirmedTitle: 'You get updates',
  confirmedText: 'Mails about {page} arrive at your address from now on. Each one has a link to unsubscribe.',
  unsubscribeTitle: 'No more updates from {page}?',
  unsubscribeQuestion: 'If you continue, you get no more mails of this status page, and your address is deleted.',
  unsubscribedTitle: 'You are unsubscribed',
  unsubscribedText: '{page} sends you no more mails. Your address was deleted.',
  expiredTitle: 'This link has expired',
  expiredText: 'Subscribe on the status page again: you then get another link.',
  fullTitle: 'There are too many subscribers',
  fullText: '{page} has as many subscribers as it may have. Its feed has the same updates.',
  toPage: 'To the status page',
  thisPage: 'this status page',
} as const;
