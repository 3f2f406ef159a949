import type { Messages } from './messages.ts';

/** Texts of the public pages in German. */
export const de: Messages = {
  'page.title': '{name} – Status',
  'page.title_with_status': '{headline} · {name}',
  'page.title_below': '{title} · {name}',
  'page.title_of_component': '{title}: {component}',

  'status.operational': 'Funktioniert',
  'status.under_maintenance': 'In Wartung',
  'status.degraded_performance': 'Eingeschränkt',
  'status.partial_outage': 'Teilausfall',
  'status.major_outage': 'Ausfall',
  'status.no_data': 'Keine Daten',
  'status.not_monitored': 'Nicht überwacht',

  'headline.operational': 'Alle Systeme funktionieren',
  'headline.under_maintenance': 'Wartungsarbeiten laufen',
  'headline.degraded_performance': 'Einige Systeme sind eingeschränkt',
  'headline.partial_outage': 'Teilausfall',
  'headline.major_outage': 'Größerer Ausfall',
  'headline.partly_known': 'Keine Störungen bekannt, aber nicht alles wird geprüft',
  'headline.no_data': 'Keine Daten',
  'headline.not_monitored': 'Derzeit nicht überwacht',
  'headline.no_components': 'Noch keine Komponenten',
  'banner.affected': {
    one: '{affected} von {count} Komponente betroffen',
    other: '{affected} von {count} Komponenten betroffen',
  },

  'as_of.notice': 'Diese Seite kann derzeit nicht aktualisiert werden. Sie zeigt den Stand von {time}.',

  'components.heading': 'Komponenten',
  'group.all_operational': { one: '{count} Komponente funktioniert', other: 'Alle {count} funktionieren' },
  'group.some': '{status} ({affected} von {total})',

  'uptime.heading': {
    one: 'Verfügbarkeit am letzten Tag',
    other: 'Verfügbarkeit der letzten {count} Tage',
  },
  'uptime.days_ago': { one: 'Vor {count} Tag', other: 'Vor {count} Tagen' },
  'uptime.today': 'Heute',
  'uptime.no_data': { one: 'Keine Daten für den letzten Tag', other: 'Keine Daten für die letzten {count} Tage' },
  'uptime.period': { one: '{count} Tag', other: '{count} Tagen' },
  'uptime.summary': '{uptime} Verfügbarkeit in {period}; {disruptions}',
  'uptime.disrupted': { one: '{count} Tag mit Störungen', other: '{count} Tage mit Störungen' },
  'uptime.undisrupted': 'keine Tage mit Störungen',
  'uptime.no_disruptions': 'Keine Störungen',
  'uptime.rule_heading': 'So wird die Verfügbarkeit berechnet',
  'uptime.rule':
    'Jeder Balken steht für einen Tag in UTC und hat die Farbe des schlechtesten Status an diesem Tag. Ein Ausfall zählt vollständig als Ausfallzeit, ein Teilausfall zu 30 %. Eingeschränkte Leistung und Wartung zählen nicht als Ausfallzeit. Zeiten ohne Daten sind grau und werden nicht gezählt, auch wenn für sie nachträglich ein Ausfall gemeldet wurde.',

  'disruptions.ongoing': 'Aktuell',
  'disruptions.planned_soon': 'Geplante Wartung in den nächsten 24 Stunden',
  'disruptions.planned': 'Geplante Wartung',
  'disruptions.past': { one: 'Letzter Tag', other: 'Letzte {count} Tage' },
  'disruptions.of_component': { one: 'Störungen am letzten Tag', other: 'Störungen der letzten {count} Tage' },
  'disruptions.none': 'Es wurde nichts gemeldet.',
  'disruptions.no_others': 'Sonst wurde nichts gemeldet.',
  'disruptions.open_omitted': 'Weitere aktuelle oder geplante Einträge, die nicht angezeigt werden: {number}',
  'disruptions.ended_omitted': 'Ältere Einträge, die nicht angezeigt werden: {number}',

  'automatic_title.operational': '{names}: Störung',
  'automatic_title.under_maintenance': '{names}: Wartung',
  'automatic_title.degraded_performance': '{names}: eingeschränkte Leistung',
  'automatic_title.partial_outage': '{names}: Teilausfall',
  'automatic_title.major_outage': '{names}: Ausfall',
  'automatic_title.no_names': 'Störung',
  'repeated.title': {
    one: '{title}, {count}-mal, insgesamt {total}',
    other: '{title}, {count}-mal, insgesamt {total}',
  },
  'repeated.times': { one: '{count} Mal', other: 'Alle {count} Male' },
  'names.more': { one: '{count} weitere', other: '{count} weitere' },

  'automatic.went_down': {
    one: '{names} funktioniert nicht wie erwartet. Wir untersuchen die Ursache.',
    other: '{names} funktionieren nicht wie erwartet. Wir untersuchen die Ursache.',
  },
  'automatic.went_down_no_names': 'Etwas funktioniert nicht wie erwartet. Wir untersuchen die Ursache.',
  'automatic.ended': 'Die Störung ist behoben. Sie dauerte {duration}.',
  'automatic.paused_down_too_long':
    'Die automatischen Prüfungen wurden nach 48 Stunden angehalten. Diese Meldung wird von Hand aktualisiert.',
  'automatic.paused_too_many_disruptions':
    'Die automatischen Prüfungen wurden nach zu vielen Störungen innerhalb von 24 Stunden angehalten. Diese Meldung wird von Hand aktualisiert.',
  'automatic.investigating': 'Wir untersuchen die Störung.',
  'automatic.identified': 'Wir kennen die Ursache und arbeiten an der Behebung.',
  'automatic.monitoring': 'Die Störung sollte behoben sein. Wir beobachten die Lage.',
  'automatic.resolved': 'Die Störung ist behoben.',
  'automatic.scheduled': 'Eine Wartung ist geplant.',
  'automatic.in_progress': 'Die Wartung hat begonnen.',
  'automatic.completed': 'Die Wartung ist abgeschlossen.',

  'update.investigating': 'Wird untersucht',
  'update.identified': 'Ursache gefunden',
  'update.monitoring': 'Wird beobachtet',
  'update.resolved': 'Behoben',
  'update.scheduled': 'Geplant',
  'update.in_progress': 'Läuft',
  'update.completed': 'Abgeschlossen',
  'update.edited': '{posted} · bearbeitet {edited}',
  'updates.label': 'Meldungen, neueste zuerst',
  'updates.earlier': { one: '{count} frühere Meldung', other: '{count} frühere Meldungen' },
  'updates.older_omitted': 'Ältere Meldungen werden nicht angezeigt.',

  'kind.minor': 'Geringe Auswirkung',
  'kind.major': 'Große Auswirkung',
  'kind.critical': 'Kritische Auswirkung',
  'kind.maintenance': 'Wartung',
  'period.open': '{kind} · {start}',
  'period.range': '{kind} · {start} – {end}',
  'period.over': '{kind} · {start} – {end} · Dauer: {duration}',

  'affected.label': 'Betroffene Komponenten',
  'inline.operational': 'funktioniert',
  'inline.under_maintenance': 'in Wartung',
  'inline.degraded_performance': 'eingeschränkt',
  'inline.partial_outage': 'Teilausfall',
  'inline.major_outage': 'Ausfall',
  'inline.no_data': 'keine Daten',
  'inline.not_monitored': 'nicht überwacht',
  'planned.operational': 'wird funktionieren',
  'planned.under_maintenance': 'wird gewartet',
  'planned.degraded_performance': 'wird eingeschränkt sein',
  'planned.partial_outage': 'wird teilweise ausfallen',
  'planned.major_outage': 'wird ausfallen',
  'affected.more': { one: 'und {count} weitere', other: 'und {count} weitere' },

  'history.title': 'Verlauf: {month}',
  'history.months': 'Monate',

  'links.support': 'Support',

  'footer.last_updated': 'Zuletzt aktualisiert: {time}',
  'footer.current_status': 'Aktueller Status',
  'footer.history': 'Verlauf',
  'footer.feed': 'Feed',
  'footer.calendar': 'Kalender',

  'theme.label': 'Farbschema',
  'theme.system': 'System',
  'theme.light': 'Hell',
  'theme.dark': 'Dunkel',

  'time.utc': '{time} UTC',
  'time.just_now': 'gerade eben',

  'not_found.title': 'Hier gibt es keine Statusseite',
  'not_found.text': 'Vielleicht ist die Adresse falsch geschrieben, oder die Seite ist nicht öffentlich.',
  'unavailable.title': 'Diese Seite ist vorübergehend nicht verfügbar',
  'unavailable.text':
    'Die Seite konnte nicht geladen werden. Über den Zustand der überwachten Systeme sagt das nichts aus. Bitte versuchen Sie es in einer Minute erneut.',
};
