import type { SubscriberMessages } from './messages.ts';

/** Texts for subscribers in German. */
export const de: SubscriberMessages = {
  confirmSubject: 'Möchten Sie Meldungen von {page} erhalten?',
  confirmText:
    'Jemand hat Ihre Adresse auf der Statusseite {page} eingetragen, um eine E-Mail zu erhalten, wenn dort etwas gemeldet wird.',
  confirmHow:
    'Öffnen Sie den Link und bestätigen Sie innerhalb von 7 Tagen. Wenn Sie das nicht erwarten, tun Sie nichts: Sie erhalten dann keine E-Mails.',
  confirm: 'Bestätigen',
  confirmFooter: 'Gesendet von der Statusseite {page}: {url}',
  open: 'Auf der Statusseite ansehen',
  footer: 'Sie erhalten diese E-Mail, weil Sie {page} abonniert haben.',
  unsubscribe: 'Abbestellen',
  confirmTitle: 'Meldungen von {page}',
  confirmQuestion:
    'Sie erhalten eine E-Mail, wenn auf der Statusseite eine Störung oder Wartung gemeldet oder aktualisiert wird, und wenn sie vorbei ist. Jede enthält einen Link zum Abbestellen.',
  confirmButton: 'Ja, Meldungen senden',
  confirmedTitle: 'Sie erhalten Meldungen',
  confirmedText: 'E-Mails über {page} kommen ab jetzt an Ihre Adresse. Jede enthält einen Link zum Abbestellen.',
  unsubscribeTitle: 'Keine Meldungen von {page} mehr?',
  unsubscribeQuestion:
    'Wenn Sie fortfahren, erhalten Sie keine E-Mails dieser Statusseite mehr, und Ihre Adresse wird gelöscht.',
  unsubscribedTitle: 'Sie haben abbestellt',
  unsubscribedText: '{page} sendet Ihnen keine E-Mails mehr. Ihre Adresse wurde gelöscht.',
  expiredTitle: 'Dieser Link ist abgelaufen',
  expiredText: 'Abonnieren Sie die Statusseite noch einmal: Sie erhalten dann einen neuen Link.',
  fullTitle: 'Es gibt zu viele Abonnenten',
  fullText: '{page} hat so viele Abonnenten, wie möglich sind. Der Feed enthält dieselben Meldungen.',
  toPage: 'Zur Statusseite',
  thisPage: 'dieser Statusseite',
};
