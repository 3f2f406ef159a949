import type { SubscriberMessages } from './messages.ts';

/** Texts for subscribers in Spanish. */
export const es: SubscriberMessages = {
  confirmSubject: '¿Quiere recibir las actualizaciones de {page}?',
  confirmText:
    'Alguien introdujo su dirección en la página de estado {page} para recibir un correo cuando se informe de algo en ella.',
  confirmHow:
    'Abra el enlace y confirme en un plazo de 7 días. Si no esperaba este correo, no haga nada: no recibirá ningún otro.',
  confirm: 'Confirmar',
  confirmFooter: 'Enviado por la página de estado {page}: {url}',
  open: 'Ver en la página de estado',
  footer: 'Recibe este correo porque está suscrito a {page}.',
  unsubscribe: 'Cancelar la suscripción',
  confirmTitle: 'Actualizaciones de {page}',
  confirmQuestion:
    'Recibirá un correo cuando en la página de estado se informe de una incidencia o un mantenimiento, cuando se actualice y cuando termine. Cada uno tiene un enlace para cancelar la suscripción.',
  confirmButton: 'Sí, enviarme las actualizaciones',
  confirmedTitle: 'Recibirá las actualizaciones',
  confirmedText:
    'A partir de ahora, los correos sobre {page} llegan a su dirección. Cada uno tiene un enlace para cancelar la suscripción.',
  unsubscribeTitle: '¿Dejar de recibir las actualizaciones de {page}?',
  unsubscribeQuestion: 'Si continúa, no recibirá más correos de esta página de estado y su dirección se eliminará.',
  unsubscribedTitle: 'Su suscripción está cancelada',
  unsubscribedText: '{page} no le enviará más correos. Su dirección se ha eliminado.',
  expiredTitle: 'Este enlace ha caducado',
  expiredText: 'Suscríbase de nuevo en la página de estado: recibirá otro enlace.',
  fullTitle: 'Hay demasiados suscriptores',
  fullText: '{page} ha alcanzado su número máximo de suscriptores. Su fuente web tiene las mismas actualizaciones.',
  toPage: 'A la página de estado',
  thisPage: 'esta página de estado',
};
