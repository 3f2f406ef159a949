import type { Messages } from './messages.ts';

/** Texts of the public pages in Spanish. */
export const es: Messages = {
  'page.title': 'Estado de {name}',
  'page.title_with_status': '{headline} · {name}',
  'page.title_below': '{title} · {name}',
  'page.title_of_component': '{title}: {component}',

  'status.operational': 'Operativo',
  'status.under_maintenance': 'En mantenimiento',
  'status.degraded_performance': 'Rendimiento degradado',
  'status.partial_outage': 'Interrupción parcial',
  'status.major_outage': 'Interrupción grave',
  'status.no_data': 'Sin datos',
  'status.not_monitored': 'Sin supervisión',

  'headline.operational': 'Todos los sistemas operativos',
  'headline.under_maintenance': 'Mantenimiento en curso',
  'headline.degraded_performance': 'Algunos sistemas funcionan con problemas',
  'headline.partial_outage': 'Interrupción parcial',
  'headline.major_outage': 'Interrupción grave',
  'headline.partly_known': 'Sin problemas conocidos, pero no todo se está comprobando',
  'headline.no_data': 'Sin datos',
  'headline.not_monitored': 'Sin supervisión en este momento',
  'headline.no_components': 'Todavía no hay componentes',
  'banner.affected': {
    one: '{affected} de {count} componente afectado',
    many: 'Componentes afectados: {affected} de {count}',
    other: 'Componentes afectados: {affected} de {count}',
  },
  'banner.checked': 'Comprobado {time}',
  'banner.not_checked': 'No se ha comprobado nada desde {since}',
  'banner.checks_unknown': 'No se sabe desde {since} si se está comprobando algo',

  'as_of.notice': 'Esta página no se puede actualizar en este momento. Muestra lo que se sabía a las {time}.',

  'components.heading': 'Componentes',
  'group.all_operational': {
    one: '{count} operativo',
    many: '{count} operativos',
    other: 'Los {count} operativos',
  },
  'group.some': '{status} ({affected}\u00a0de\u00a0{total})',

  'uptime.heading': {
    one: 'Disponibilidad del último día',
    many: 'Disponibilidad de los últimos {count} días',
    other: 'Disponibilidad de los últimos {count} días',
  },
  'uptime.days_ago': { one: 'Hace {count} día', many: 'Hace {count} días', other: 'Hace {count} días' },
  'uptime.today': 'Hoy',
  'uptime.no_data': {
    one: 'Sin datos del último día',
    many: 'Sin datos de los últimos {count} días',
    other: 'Sin datos de los últimos {count} días',
  },
  'uptime.period': { one: '{count} día', many: '{count} días', other: '{count} días' },
  'uptime.summary': 'Disponibilidad del {uptime} en {period}; {disruptions}',
  'uptime.disrupted': {
    one: '{count} día con incidencias',
    many: '{count} días con incidencias',
    other: '{count} días con incidencias',
  },
  'uptime.undisrupted': 'ningún día con incidencias',
  'uptime.no_disruptions': 'Sin incidencias',
  'uptime.rule_heading': 'Cómo se calcula la disponibilidad',
  'uptime.rule':
    'Cada barra es un día en UTC, con el color del peor estado de ese día. El tiempo de una interrupción grave cuenta por completo como inactividad; el de una interrupción parcial cuenta el 30 %. El tiempo con rendimiento degradado o en mantenimiento no cuenta como inactividad. Los períodos sin datos aparecen en gris y no se cuentan, aunque después se haya notificado una interrupción.',

  'disruptions.ongoing': 'En curso',
  'disruptions.planned_soon': 'Mantenimiento programado en las próximas 24 horas',
  'disruptions.planned': 'Mantenimiento programado',
  'disruptions.past': { one: 'Último día', many: 'Últimos {count} días', other: 'Últimos {count} días' },
  'disruptions.of_component': {
    one: 'Incidencias del último día',
    many: 'Incidencias de los últimos {count} días',
    other: 'Incidencias de los últimos {count} días',
  },
  'disruptions.none': 'No se ha notificado nada.',
  'disruptions.no_others': 'No se ha notificado nada más.',
  'disruptions.open_omitted': 'Otros elementos en curso o programados que no se muestran: {number}',
  'disruptions.ended_omitted': 'Elementos anteriores que no se muestran: {number}',

  'automatic_title.operational': '{names}: incidencia',
  'automatic_title.under_maintenance': '{names}: mantenimiento',
  'automatic_title.degraded_performance': '{names}: rendimiento degradado',
  'automatic_title.partial_outage': '{names}: interrupción parcial',
  'automatic_title.major_outage': '{names}: interrupción grave',
  'repeated.title': {
    one: '{title}, {count} vez, {total} en total',
    many: '{title}, {count} veces, {total} en total',
    other: '{title}, {count} veces, {total} en total',
  },
  'repeated.times': { one: '{count} vez', many: 'Las {count} veces', other: 'Las {count} veces' },
  'names.more': { one: '{count} más', many: '{count} más', other: '{count} más' },

  'automatic.went_down': {
    one: '{names} no funciona como es debido. Estamos investigando la causa.',
    many: '{names} no funcionan como es debido. Estamos investigando la causa.',
    other: '{names} no funcionan como es debido. Estamos investigando la causa.',
  },
  'automatic.went_down_no_names': 'Algo no funciona como es debido. Estamos investigando la causa.',
  'automatic.ended': 'La incidencia está resuelta. Duró {duration}.',
  'automatic.paused_down_too_long':
    'Las comprobaciones automáticas se pausaron tras 48 horas; esta información se actualiza manualmente.',
  'automatic.paused_too_many_disruptions':
    'Las comprobaciones automáticas se pausaron tras demasiadas incidencias en 24 horas; esta información se actualiza manualmente.',
  'automatic.investigating': 'Lo estamos investigando.',
  'automatic.identified': 'Conocemos la causa y estamos trabajando en la solución.',
  'automatic.monitoring': 'Hemos aplicado una solución y la estamos supervisando.',
  'automatic.resolved': 'La incidencia está resuelta.',
  'automatic.scheduled': 'Hay un mantenimiento programado.',
  'automatic.in_progress': 'El mantenimiento ha comenzado.',
  'automatic.completed': 'El mantenimiento ha terminado.',

  'update.investigating': 'En investigación',
  'update.identified': 'Causa identificada',
  'update.monitoring': 'En observación',
  'update.resolved': 'Resuelto',
  'update.scheduled': 'Programado',
  'update.in_progress': 'En curso',
  'update.completed': 'Completado',
  'update.edited': '{posted} · editado {edited}',
  'updates.label': 'Actualizaciones, de la más reciente a la más antigua',
  'updates.earlier': {
    one: '{count} actualización anterior',
    many: '{count} actualizaciones anteriores',
    other: '{count} actualizaciones anteriores',
  },
  'updates.older_omitted': 'Las actualizaciones anteriores no se muestran.',
  'notice.period': 'Periodo',
  'notice.headline': '{status}: {title}',

  'kind.minor': 'Impacto leve',
  'kind.major': 'Impacto grave',
  'kind.critical': 'Impacto crítico',
  'kind.maintenance': 'Mantenimiento',
  'period.open': '{kind} · {start}',
  'period.range': '{kind} · {start} – {end}',
  'period.over': '{kind} · {start} – {end} · duración: {duration}',

  'affected.label': 'Componentes afectados',
  'inline.operational': 'operativo',
  'inline.under_maintenance': 'en mantenimiento',
  'inline.degraded_performance': 'rendimiento degradado',
  'inline.partial_outage': 'interrupción parcial',
  'inline.major_outage': 'interrupción grave',
  'inline.no_data': 'sin datos',
  'inline.not_monitored': 'sin supervisión',
  'planned.operational': 'seguirá operativo',
  'planned.under_maintenance': 'estará en mantenimiento',
  'planned.degraded_performance': 'tendrá un rendimiento degradado',
  'planned.partial_outage': 'tendrá una interrupción parcial',
  'planned.major_outage': 'tendrá una interrupción grave',
  'affected.more': { one: 'y {count} más', many: 'y {count} más', other: 'y {count} más' },

  'history.title': 'Historial: {month}',
  'history.months': 'Meses',

  'links.support': 'Soporte',

  'footer.last_updated': 'Última actualización: {time}',
  'footer.current_status': 'Estado actual',
  'footer.history': 'Historial',
  'footer.feed': 'Feed',
  'footer.calendar': 'Calendario',

  'subscribe.label': 'Recibir las actualizaciones por correo',
  'subscribe.button': 'Suscribirse',
  'subscribe.title': 'Actualizaciones por correo',
  'subscribe.text':
    'Recibirá un correo cuando aquí se informe de una incidencia o un mantenimiento, cuando se actualice y cuando termine. Cada uno tiene un enlace para cancelar la suscripción.',
  'subscribe.sent_title': 'Revise su buzón',
  'subscribe.sent_text':
    'Si la dirección aún no está suscrita, recibirá un correo en unos minutos. Abra su enlace para confirmar.',
  'subscribe.invalid': 'Esto no es una dirección de correo. Un ejemplo es jane@example.com.',
  'subscribe.full_title': 'Hay demasiados suscriptores',
  'subscribe.full_text':
    'Esta página ha alcanzado su número máximo de suscriptores. La fuente web tiene las mismas actualizaciones.',

  'theme.label': 'Tema',
  'theme.system': 'Sistema',
  'theme.light': 'Claro',
  'theme.dark': 'Oscuro',

  'time.utc': '{time} UTC',
  'time.just_now': 'ahora mismo',

  'not_found.title': 'Aquí no hay ninguna página de estado',
  'not_found.text': 'Es posible que la dirección esté mal escrita o que la página no sea pública.',
  'not_found.below': 'No hay nada en esta dirección',
  'unavailable.title': 'Esta página no está disponible temporalmente',
  'unavailable.text':
    'No hemos podido cargar esta página. Esto no refleja el estado de los sistemas supervisados. Vuelva a intentarlo en un minuto.',
};
