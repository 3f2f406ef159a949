import type { SubscriberMessages } from './messages.ts';

/** Texts for subscribers in French. */
export const fr: SubscriberMessages = {
  confirmSubject: 'Souhaitez-vous recevoir les mises à jour de {page}\u00a0?',
  confirmText:
    'Quelqu’un a saisi votre adresse sur la page de statut {page} pour recevoir un e-mail lorsqu’un événement y est signalé.',
  confirmHow:
    'Ouvrez le lien et confirmez sous 7 jours. Si vous n’êtes pas à l’origine de cette demande, ne faites rien\u00a0: vous ne recevrez aucun e-mail.',
  confirm: 'Confirmer',
  confirmFooter: 'Envoyé par la page de statut {page}\u00a0: {url}',
  open: 'Voir sur la page de statut',
  footer: 'Vous recevez cet e-mail parce que vous êtes abonné à {page}.',
  unsubscribe: 'Se désabonner',
  confirmTitle: 'Mises à jour de {page}',
  confirmQuestion:
    'Vous recevez un e-mail lorsqu’une perturbation ou une maintenance est signalée ou mise à jour sur la page de statut, et lorsqu’elle est terminée. Chacun contient un lien de désabonnement.',
  confirmButton: 'Oui, m’envoyer les mises à jour',
  confirmedTitle: 'Vous recevrez les mises à jour',
  confirmedText:
    'Les e-mails concernant {page} arrivent désormais à votre adresse. Chacun contient un lien de désabonnement.',
  unsubscribeTitle: 'Ne plus recevoir les mises à jour de {page}\u00a0?',
  unsubscribeQuestion:
    'Si vous continuez, vous ne recevrez plus d’e-mails de cette page de statut et votre adresse sera supprimée.',
  unsubscribedTitle: 'Vous êtes désabonné',
  unsubscribedText: '{page} ne vous envoie plus d’e-mails. Votre adresse a été supprimée.',
  expiredTitle: 'Ce lien a expiré',
  expiredText: 'Abonnez-vous de nouveau sur la page de statut\u00a0: vous recevrez un autre lien.',
  fullTitle: 'Il y a trop d’abonnés',
  fullText: '{page} a atteint son nombre maximal d’abonnés. Son flux contient les mêmes mises à jour.',
  toPage: 'Vers la page de statut',
  thisPage: 'cette page de statut',
};
