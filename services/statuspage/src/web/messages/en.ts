/**
 * Texts of the public pages in English, by key. The other languages have the same keys, and the same placeholders in
 * braces. A text that depends on a number has one form per plural category of its language and gets the number as
 * `count`.
 */
export const en = {
  'page.title': '{name} status',
  'page.title_with_status': '{headline} · {name}',
  'page.title_below': '{title} · {name}',
  'page.title_of_component': '{title}: {component}',

  'status.operational': 'Operational',
  'status.under_maintenance': 'Under maintenance',
  'status.degraded_performance': 'Degraded performance',
  'status.partial_outage': 'Partial outage',
  'status.major_outage': 'Major outage',
  'status.no_data': 'No data',
  'status.not_monitored': 'Not monitored',

  'headline.operational': 'All systems operational',
  'headline.under_maintenance': 'Maintenance in progress',
  'headline.degraded_performance': 'Some systems are degraded',
  'headline.partial_outage': 'Partial outage',
  'headline.major_outage': 'Major outage',
  'headline.partly_known': 'No problems known, but not everything is being checked',
  'headline.no_data': 'No data',
  'headline.not_monitored': 'Not monitored at the moment',
  'headline.no_components': 'No components yet',
  'banner.affected': {
    one: '{affected} of {count} component affected',
    other: '{affected} of {count} components affected',
  },
  'banner.checked': 'Checked {time}',
  'banner.not_checked': 'Nothing has been checked since {since}',
  'banner.checks_unknown': 'Not known since {since} whether anything is being checked',

  'as_of.notice': 'This page can not be updated at the moment. It shows what was known as of {time}.',

  'components.heading': 'Components',
  'group.all_operational': { one: '{count} operational', other: 'All {count} operational' },
  'group.some': '{status} ({affected}\u00a0of\u00a0{total})',

  'uptime.heading': { one: 'Uptime over the last {count} day', other: 'Uptime over the last {count} days' },
  'uptime.days_ago': { one: '{count} day ago', other: '{count} days ago' },
  'uptime.today': 'Today',
  'uptime.no_data': { one: 'No data for the last {count} day', other: 'No data for the last {count} days' },
  'uptime.period': { one: '{count} day', other: '{count} days' },
  'uptime.summary': '{uptime} uptime over {period}; {disruptions}',
  'uptime.disrupted': { one: '{count} day with disruptions', other: '{count} days with disruptions' },
  'uptime.undisrupted': 'no days with disruptions',
  'uptime.no_disruptions': 'No disruptions',
  'uptime.rule_heading': 'How uptime is counted',
  'uptime.rule':
    'Each bar is a day in UTC, in the color of the worst status on it. The time of a major outage counts fully as downtime, the time of a partial outage counts 30%. Times with degraded performance or under maintenance do not count as downtime. Times without data are gray and left out, also where an outage was reported for them later.',

  'disruptions.ongoing': 'Ongoing',
  'disruptions.planned_soon': 'Scheduled maintenance within 24 hours',
  'disruptions.planned': 'Scheduled maintenance',
  'disruptions.past': { one: 'Last {count} day', other: 'Last {count} days' },
  'disruptions.of_component': {
    one: 'Disruptions of the last {count} day',
    other: 'Disruptions of the last {count} days',
  },
  'disruptions.none': 'Nothing was reported.',
  'disruptions.no_others': 'Nothing else was reported.',
  'disruptions.open_omitted': 'Further open or planned ones not shown: {number}',
  'disruptions.ended_omitted': 'Older ones not shown: {number}',

  'automatic_title.operational': '{names}: disruption',
  'automatic_title.under_maintenance': '{names}: maintenance',
  'automatic_title.degraded_performance': '{names}: degraded performance',
  'automatic_title.partial_outage': '{names}: partial outage',
  'automatic_title.major_outage': '{names}: major outage',
  'repeated.title': {
    one: '{title}, {count} time, {total} in total',
    other: '{title}, {count} times, {total} in total',
  },
  'repeated.times': { one: '{count} time', other: 'All {count} times' },
  'names.more': { one: '{count} more', other: '{count} more' },

  'automatic.went_down': {
    one: '{names} is not working as expected. We are investigating.',
    other: '{names} are not working as expected. We are investigating.',
  },
  'automatic.went_down_no_names': 'Something is not working as expected. We are investigating.',
  'automatic.ended': 'This is resolved. It lasted {duration}.',
  'automatic.paused_down_too_long': 'Automatic checks were paused after 48 hours; this is updated by hand.',
  'automatic.paused_too_many_disruptions':
    'Automatic checks were paused after too many disruptions within 24 hours; this is updated by hand.',
  'automatic.investigating': 'We are looking into it.',
  'automatic.identified': 'We know the cause and are working on it.',
  'automatic.monitoring': 'A fix is in place, and we are watching it.',
  'automatic.resolved': 'This is resolved.',
  'automatic.scheduled': 'Maintenance is planned.',
  'automatic.in_progress': 'Maintenance has begun.',
  'automatic.completed': 'Maintenance is complete.',

  'update.investigating': 'Investigating',
  'update.identified': 'Identified',
  'update.monitoring': 'Monitoring',
  'update.resolved': 'Resolved',
  'update.scheduled': 'Scheduled',
  'update.in_progress': 'In progress',
  'update.completed': 'Completed',
  'update.edited': '{posted} · edited {edited}',
  'updates.label': 'Updates, newest first',
  'updates.earlier': { one: '{count} earlier update', other: '{count} earlier updates' },
  'updates.older_omitted': 'Older entries are not shown.',
  'notice.period': 'Period',
  'notice.headline': '{status}: {title}',

  'kind.minor': 'Minor impact',
  'kind.major': 'Major impact',
  'kind.critical': 'Critical impact',
  'kind.maintenance': 'Maintenance',
  'period.open': '{kind} · {start}',
  'period.range': '{kind} · {start} – {end}',
  'period.over': '{kind} · {start} – {end} · lasted {duration}',

  'affected.label': 'Affected components',
  'inline.operational': 'operational',
  'inline.under_maintenance': 'under maintenance',
  'inline.degraded_performance': 'degraded performance',
  'inline.partial_outage': 'partial outage',
  'inline.major_outage': 'major outage',
  'inline.no_data': 'no data',
  'inline.not_monitored': 'not monitored',
  'planned.operational': 'will be operational',
  'planned.under_maintenance': 'will be under maintenance',
  'planned.degraded_performance': 'will have degraded performance',
  'planned.partial_outage': 'will have a partial outage',
  'planned.major_outage': 'will have a major outage',
  'affected.more': { one: 'and {count} more', other: 'and {count} more' },

  'history.title': 'History of {month}',
  'history.months': 'Months',

  'links.support': 'Support',

  'footer.last_updated': 'Last updated {time}',
  'footer.current_status': 'Current status',
  'footer.history': 'History',
  'footer.feed': 'Feed',
  'footer.calendar': 'Calendar',

  'subscribe.label': 'Get updates by mail',
  'subscribe.button': 'Subscribe',
  'subscribe.title': 'Updates by mail',
  'subscribe.text':
    'You get a mail when a disruption or maintenance is reported or updated here, and when it is over. Each one has a link to unsubscribe.',
  'subscribe.sent_title': 'Check your mailbox',
  'subscribe.sent_text':
    'If the address is not subscribed yet, it gets a mail within a few minutes. Open its link to confirm.',
  'subscribe.invalid': 'This is not a mail address. An example is jane@example.com.',
  'subscribe.full_title': 'There are too many subscribers',
  'subscribe.full_text': 'This page has as many subscribers as it may have. The feed has the same updates.',

  'theme.label': 'Theme',
  'theme.system': 'System',
  'theme.light': 'Light',
  'theme.dark': 'Dark',

  'time.utc': '{time} UTC',
  'time.just_now': 'just now',

  'not_found.title': 'There is no status page here',
  'not_found.text': 'The address may be misspelled, or the page may not be public.',
  'not_found.below': 'There is nothing at this address',
  'unavailable.title': 'This page is temporarily unavailable',
  'unavailable.text':
    'We could not load this page. This does not reflect the status of the monitored systems. Please try again in a minute.',
} as const;
