import type { ShownStatus } from '../domain/shown-status.ts';
import type { Texts } from './messages/texts.ts';
import { NARROW_SCREEN } from './styles.ts';
import { DAY_CODES } from './uptime-html.ts';

/**
 * Script of every status page. It shows times in the visitor's time zone, with UTC as the tooltip. It also shows the
 * details of a day when the visitor points at its bar, touches it, or reaches it with the keyboard: if the bars or the
 * component's name has the focus, the arrow keys move from day to day. Without the script, times are in UTC and the
 * bars have a text alternative. In each language, the script formats numbers and dates with Western digits and the
 * Gregorian calendar, as the server does.
 */
export function pageScript(texts: Texts): string {
  const statuses = Object.keys(DAY_CODES) as ShownStatus[];
  const labels = Object.fromEntries(statuses.map((status) => [DAY_CODES[status], texts.text(`inline.${status}`)]));
  return `
(() => {
const LABELS = ${JSON.stringify(labels)};
const RTL = document.documentElement.dir === 'rtl';
const STYLE = { numberingSystem: 'latn', calendar: 'gregory' };
const lang = document.documentElement.lang;
const language = navigator.languages.find((one) => one.split('-')[0] === lang) ?? lang;
const showTimes = (onlyAbsolute) => {
  for (const element of document.querySelectorAll('time[datetime]:not([data-checked])')) {
    const time = new Date(element.dateTime);
    if (isNaN(time)) continue;
    element.title ||= element.textContent;
    const minutes = Math.round((Date.now() - time) / 60000);
    const isSameDay = new Date(element.dataset.from).toDateString() === time.toDateString();
    const date = isSameDay ? undefined : { day: 'numeric', month: 'short', year: 'numeric' };
    const local = new Intl.DateTimeFormat(language, { ...STYLE, ...date, hour: 'numeric', minute: '2-digit' }).format(time);
    if (onlyAbsolute || minutes < 0 || minutes >= 1440 || 'absolute' in element.dataset) element.textContent = local;
    else {
      const clock = new Intl.DateTimeFormat(language, { ...STYLE, timeStyle: 'short' }).format(time);
      const ago = new Intl.RelativeTimeFormat(language, { numeric: 'auto', style: 'short', numberingSystem: 'latn' });
      const passed = minutes < 1 ? ${JSON.stringify(texts.text('time.just_now'))} : minutes < 60 ? ago.format(-minutes, 'minute')
        : ago.format(-Math.floor(minutes / 60), 'hour');
      element.textContent = passed + ' · ' + clock;
    }
  }
};
const showChecked = (onlyAbsolute) => {
  const element = document.querySelector('time[data-checked]');
  if (!element) return;
  const seconds = Math.max(0, Math.round((Date.now() - Date.parse(element.dateTime)) / 1000));
  const ago = new Intl.RelativeTimeFormat(language, { style: 'short', numberingSystem: 'latn' });
  element.title = new Intl.DateTimeFormat(language, { ...STYLE, dateStyle: 'medium', timeStyle: 'long' }).format(new Date(element.dateTime));
  element.textContent = onlyAbsolute ? element.title : seconds < 60 ? ago.format(-seconds, 'second') : seconds < 3600
    ? ago.format(-Math.floor(seconds / 60), 'minute') : ago.format(-Math.floor(seconds / 3600), 'hour');
};
const narrow = matchMedia('${NARROW_SCREEN}');
// The text alternative of the bars covers the days that are visible.
const labelBars = () => {
  for (const bars of document.querySelectorAll('.bars svg')) {
    bars.dataset.wideLabel ??= bars.getAttribute('aria-label');
    bars.setAttribute('aria-label', narrow.matches ? bars.dataset.narrowLabel : bars.dataset.wideLabel);
  }
};
narrow.addEventListener('change', labelBars);
addEventListener('DOMContentLoaded', () => {
  showTimes();
  showChecked();
  labelBars();
  setInterval(() => showTimes(), 60000);
  setInterval(() => showChecked(), 1000);
});
addEventListener('contentchange', () => { showTimes(); showChecked(); labelBars(); hide(); });
// "5 min ago" has no meaning on paper.
addEventListener('beforeprint', () => { showTimes(true); showChecked(true); });
addEventListener('afterprint', () => { showTimes(); showChecked(); });

let tip, shown;
const hide = () => { if (tip) tip.hidden = true; shown = undefined; };
const unit = (count, name) => new Intl.NumberFormat(language, { style: 'unit', unit: name, numberingSystem: 'latn' }).format(count);
const spell = (minutes) => {
  const parts = [];
  if (minutes >= 60) parts.push(unit(Math.floor(minutes / 60), 'hour'));
  if (minutes < 60 || minutes % 60) parts.push(unit(minutes % 60, 'minute'));
  return new Intl.ListFormat(language, { type: 'unit', style: 'narrow' }).format(parts);
};
const textOf = (bars, day) => {
  for (const item of bars.dataset.days.split(' ').filter(Boolean)) {
    const [days, codes] = item.split(':');
    const [from, to = from] = days.split('-');
    if (day < +from || day > +to) continue;
    return codes.replace(/([a-z])(\\d*)/g, (_, code, minutes) =>
      '\\n' + LABELS[code][0].toLocaleUpperCase(lang) + LABELS[code].slice(1) + (minutes && ' · ' + spell(+minutes))).trim();
  }
  return ${JSON.stringify(texts.text('uptime.no_disruptions'))};
};
const show = (bars, day, byKeyboard = false) => {
  const count = bars.viewBox.baseVal.width;
  const box = bars.getBoundingClientRect();
  const frame = bars.parentElement.getBoundingClientRect();
  const first = Math.round(count * (1 - frame.width / box.width));
  day = Math.min(count - 1, Math.max(first, day));
  if (!tip) {
    tip = document.createElement('div');
    tip.className = 'tip';
    tip.setAttribute('role', 'status');
    document.body.append(tip);
  }
  const date = new Date(Date.parse(bars.closest('[data-today]').dataset.today) - (count - 1 - day) * 864e5);
  const name = new Intl.DateTimeFormat(language, { ...STYLE, day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' }).format(date);
  tip.textContent = name + '\\n' + textOf(bars, day);
  tip.hidden = false;
  const half = tip.offsetWidth / 2;
  const offset = (day + .5) * box.width / count;
  const middle = RTL ? box.right - offset : box.left + offset;
  tip.style.left = Math.min(document.documentElement.clientWidth - half - 8, Math.max(half + 8, middle)) + scrollX + 'px';
  // With the keyboard, the tooltip is below the bars, so that it does not cover the component's status. With a mouse,
  // it is above the bars, so that the pointer does not cover it.
  tip.classList.toggle('is-under', byKeyboard);
  tip.style.top = (byKeyboard ? box.bottom + 8 : box.top - 8) + scrollY + 'px';
  shown = { bars, day, byKeyboard };
};
const barsAt = ({ target }) => target instanceof Element ? target.closest('.bars svg') : null;
const focusedBars = ({ target }) => target instanceof Element && target.matches('.component > .name, .bars svg')
  ? target.closest('.component').querySelector('.bars svg') : null;
const point = (event) => {
  const bars = barsAt(event);
  if (!bars) { if (shown && !shown.byKeyboard) hide(); return; }
  const box = bars.getBoundingClientRect();
  const offset = RTL ? box.right - event.clientX : event.clientX - box.left;
  show(bars, Math.floor(offset / box.width * bars.viewBox.baseVal.width));
};
addEventListener('pointermove', point);
addEventListener('pointerdown', point);
addEventListener('focusin', (event) => {
  const bars = focusedBars(event);
  if (!bars) hide();
  else if (shown?.bars !== bars && event.target.matches(':focus-visible')) show(bars, bars.viewBox.baseVal.width - 1, true);
});
addEventListener('focusout', (event) => { if (focusedBars(event)) hide(); });
addEventListener('keydown', (event) => {
  if (event.key === 'Escape') return hide();
  const bars = focusedBars(event);
  const step = { ArrowLeft: RTL ? 1 : -1, ArrowRight: RTL ? -1 : 1, Home: -1000, End: 1000 }[event.key];
  const isShown = shown?.bars === bars;
  // While the tooltip is hidden, for example after Escape, the keys Home and End scroll the page.
  if (!bars || !step || event.altKey || event.ctrlKey || event.metaKey || (!isShown && event.key.length < 5)) return;
  event.preventDefault();
  show(bars, (isShown ? shown.day : bars.viewBox.baseVal.width - 1) + step, true);
});
})();
`;
}
