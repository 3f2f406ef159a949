import type { Messages } from './messages.ts';

/** Texts of the public pages in French. */
export const fr: Messages = {
  'page.title': 'Statut de {name}',
  'page.title_with_status': '{headline} · {name}',
  'page.title_below': '{title} · {name}',
  'page.title_of_component': '{title} : {component}',

  'status.operational': 'Opérationnel',
  'status.under_maintenance': 'En maintenance',
  'status.degraded_performance': 'Performances dégradées',
  'status.partial_outage': 'Panne partielle',
  'status.major_outage': 'Panne majeure',
  'status.no_data': 'Aucune donnée',
  'status.not_monitored': 'Non surveillé',

  'headline.operational': 'Tous les systèmes sont opérationnels',
  'headline.under_maintenance': 'Maintenance en cours',
  'headline.degraded_performance': 'Certains systèmes sont dégradés',
  'headline.partial_outage': 'Panne partielle',
  'headline.major_outage': 'Panne majeure',
  'headline.partly_known': 'Aucun problème connu, mais tout n’est pas vérifié',
  'headline.no_data': 'Aucune donnée',
  'headline.not_monitored': 'Non surveillé pour le moment',
  'headline.no_components': 'Aucun composant pour le moment',
  'banner.affected': {
    one: '{affected} composant sur {count} affecté',
    many: 'Composants affectés : {affected} sur {count}',
    other: 'Composants affectés : {affected} sur {count}',
  },
  'banner.checked': 'Vérifié {time}',
  'banner.not_checked': 'Rien n’a été vérifié depuis {since}',
  'banner.checks_unknown': 'On ne sait pas depuis {since} si des vérifications ont lieu',

  'as_of.notice': 'Cette page ne peut pas être actualisée pour le moment. Elle montre la situation connue au {time}.',

  'components.heading': 'Composants',
  'group.all_operational': {
    one: '{count} opérationnel',
    many: '{count} opérationnels',
    other: '{count} sur {count} opérationnels',
  },
  'group.some': '{status} ({affected}\u00a0sur\u00a0{total})',

  'uptime.heading': {
    one: 'Disponibilité du dernier jour',
    many: 'Disponibilité des {count} derniers jours',
    other: 'Disponibilité des {count} derniers jours',
  },
  'uptime.days_ago': { one: 'Il y a {count} jour', many: 'Il y a {count} jours', other: 'Il y a {count} jours' },
  'uptime.today': 'Aujourd’hui',
  'uptime.no_data': {
    one: 'Aucune donnée pour le dernier jour',
    many: 'Aucune donnée pour les {count} derniers jours',
    other: 'Aucune donnée pour les {count} derniers jours',
  },
  'uptime.period': { one: '{count} jour', many: '{count} jours', other: '{count} jours' },
  'uptime.summary': 'Disponibilité de {uptime} sur {period} ; {disruptions}',
  'uptime.disrupted': {
    one: '{count} jour avec des incidents',
    many: '{count} jours avec des incidents',
    other: '{count} jours avec des incidents',
  },
  'uptime.undisrupted': 'aucun jour avec des incidents',
  'uptime.no_disruptions': 'Aucun incident',
  'uptime.rule_heading': 'Comment la disponibilité est calculée',
  'uptime.rule':
    'Chaque barre représente un jour en UTC, dans la couleur du pire état de ce jour. La durée d’une panne majeure compte entièrement comme indisponibilité, celle d’une panne partielle à 30 %. Les périodes de performances dégradées ou de maintenance ne comptent pas comme indisponibilité. Les périodes sans données sont grises et ne sont pas prises en compte, même si une panne y a été signalée plus tard.',

  'disruptions.ongoing': 'En cours',
  'disruptions.planned_soon': 'Maintenance prévue dans les 24 heures',
  'disruptions.planned': 'Maintenance prévue',
  'disruptions.past': { one: 'Dernier jour', many: '{count} derniers jours', other: '{count} derniers jours' },
  'disruptions.of_component': {
    one: 'Incidents du dernier jour',
    many: 'Incidents des {count} derniers jours',
    other: 'Incidents des {count} derniers jours',
  },
  'disruptions.none': 'Rien n’a été signalé.',
  'disruptions.no_others': 'Rien d’autre n’a été signalé.',
  'disruptions.open_omitted': 'Autres éléments en cours ou prévus non affichés : {number}',
  'disruptions.ended_omitted': 'Éléments plus anciens non affichés : {number}',

  'automatic_title.operational': '{names} : incident',
  'automatic_title.under_maintenance': '{names} : maintenance',
  'automatic_title.degraded_performance': '{names} : performances dégradées',
  'automatic_title.partial_outage': '{names} : panne partielle',
  'automatic_title.major_outage': '{names} : panne majeure',
  'repeated.title': {
    one: '{title}, {count} fois, {total} au total',
    many: '{title}, {count} fois, {total} au total',
    other: '{title}, {count} fois, {total} au total',
  },
  'repeated.times': { one: '{count} fois', many: 'Les {count} fois', other: 'Les {count} fois' },
  'names.more': { one: '{count} autre', many: '{count} autres', other: '{count} autres' },

  'automatic.went_down': {
    one: '{names} ne fonctionne pas comme prévu. Nous recherchons la cause.',
    many: '{names} ne fonctionnent pas comme prévu. Nous recherchons la cause.',
    other: '{names} ne fonctionnent pas comme prévu. Nous recherchons la cause.',
  },
  'automatic.went_down_no_names': 'Un élément ne fonctionne pas comme prévu. Nous recherchons la cause.',
  'automatic.ended': 'L’incident est résolu. Il a duré {duration}.',
  'automatic.paused_down_too_long':
    'Les vérifications automatiques ont été suspendues au bout de 48 heures ; les informations sont mises à jour manuellement.',
  'automatic.paused_too_many_disruptions':
    'Les vérifications automatiques ont été suspendues après un trop grand nombre d’incidents en 24 heures ; les informations sont mises à jour manuellement.',
  'automatic.investigating': 'Nous recherchons la cause.',
  'automatic.identified': 'Nous connaissons la cause et travaillons à la résolution.',
  'automatic.monitoring': 'Un correctif est en place et nous surveillons la situation.',
  'automatic.resolved': 'L’incident est résolu.',
  'automatic.scheduled': 'Une maintenance est prévue.',
  'automatic.in_progress': 'La maintenance a commencé.',
  'automatic.completed': 'La maintenance est terminée.',

  'update.investigating': 'En cours d’analyse',
  'update.identified': 'Cause identifiée',
  'update.monitoring': 'Sous surveillance',
  'update.resolved': 'Résolu',
  'update.scheduled': 'Prévue',
  'update.in_progress': 'En cours',
  'update.completed': 'Terminée',
  'update.edited': '{posted} · modifié {edited}',
  'updates.label': 'Mises à jour, de la plus récente à la plus ancienne',
  'updates.earlier': {
    one: '{count} mise à jour antérieure',
    many: '{count} mises à jour antérieures',
    other: '{count} mises à jour antérieures',
  },
  'updates.older_omitted': 'Les mises à jour plus anciennes ne sont pas affichées.',
  'notice.headline': '{status}\u00a0: {title}',

  'kind.minor': 'Impact mineur',
  'kind.major': 'Impact majeur',
  'kind.critical': 'Impact critique',
  'kind.maintenance': 'Maintenance',
  'period.open': '{kind} · {start}',
  'period.range': '{kind} · {start} – {end}',
  'period.over': '{kind} · {start} – {end} · durée : {duration}',

  'affected.label': 'Composants affectés',
  'inline.operational': 'opérationnel',
  'inline.under_maintenance': 'en maintenance',
  'inline.degraded_performance': 'performances dégradées',
  'inline.partial_outage': 'panne partielle',
  'inline.major_outage': 'panne majeure',
  'inline.no_data': 'aucune donnée',
  'inline.not_monitored': 'non surveillé',
  'planned.operational': 'restera opérationnel',
  'planned.under_maintenance': 'sera en maintenance',
  'planned.degraded_performance': 'aura des performances dégradées',
  'planned.partial_outage': 'sera partiellement en panne',
  'planned.major_outage': 'sera en panne',
  'affected.more': { one: 'et {count} autre', many: 'et {count} autres', other: 'et {count} autres' },

  'history.title': 'Historique : {month}',
  'history.months': 'Mois',

  'links.support': 'Assistance',

  'footer.last_updated': 'Dernière mise à jour : {time}',
  'footer.current_status': 'État actuel',
  'footer.history': 'Historique',
  'footer.feed': 'Flux',
  'footer.calendar': 'Calendrier',

  'subscribe.label': 'Recevoir les mises à jour par e-mail',
  'subscribe.button': 'S’abonner',
  'subscribe.title': 'Mises à jour par e-mail',
  'subscribe.text':
    'Vous recevez un e-mail lorsqu’une perturbation ou une maintenance est signalée ici, et lorsqu’elle est terminée. Chacun contient un lien de désabonnement.',
  'subscribe.sent_title': 'Consultez votre boîte de réception',
  'subscribe.sent_text':
    'Si l’adresse n’est pas encore abonnée, elle reçoit un e-mail dans quelques minutes. Ouvrez le lien qu’il contient pour confirmer.',
  'subscribe.invalid': 'Ce n’est pas une adresse e-mail. Exemple\u00a0: jane@example.com.',
  'subscribe.full_title': 'Il y a trop d’abonnés',
  'subscribe.full_text': 'Cette page a atteint son nombre maximal d’abonnés. Le flux contient les mêmes mises à jour.',

  'theme.label': 'Thème',
  'theme.system': 'Système',
  'theme.light': 'Clair',
  'theme.dark': 'Sombre',

  'time.utc': '{time} UTC',
  'time.just_now': 'à l’instant',

  'not_found.title': 'Il n’y a pas de page de statut ici',
  'not_found.text': 'L’adresse est peut-être mal orthographiée, ou la page n’est pas publique.',
  'not_found.below': 'Il n’y a rien à cette adresse',
  'unavailable.title': 'Cette page est temporairement indisponible',
  'unavailable.text':
    'Nous n’avons pas pu charger cette page. Cela ne reflète pas l’état des systèmes surveillés. Veuillez réessayer dans une minute.',
};
