/**
 * Script that keeps an open page current. The server announces each new version. The script then requests the page and
 * replaces the title, the icon and the elements with the attribute `data-live`. Without a connection it polls. If the
 * page could not be confirmed as current for a minute, the script shows a notice. Responses may arrive out of order.
 * The script ignores a response if it has already handled the response to a later request. Heartbeats of the connection
 * confirm the page only if the last announced version could be loaded. Other scripts get the event `contentchange`. A
 * document with the attribute `data-poll` only polls.
 *
 * A page of a snapshot has the URL of alive.json in the attribute `data-alive`. The time in this file confirms the page
 * as current, unless the file lists the page as outdated. The script shows the notice if the page was not confirmed for
 * two minutes. It compares the time in the file with the server's clock, because the visitor's clock may be wrong.
 */
export const LIVE_SCRIPT = `
(() => {
const path = location.pathname;
const seconds = (from, to) => 1000 * (from + Math.random() * (to - from));
const { alive, page: pageId, poll: onlyPolls, version: shown } = document.documentElement.dataset;
const limit = alive ? 120000 : 60000;
const contentOf = (etag) => etag.replace(/^W\\/|"/g, '').split('.')[0];
let version = shown;
let lastContact = alive ? Date.parse(document.lastModified) : Date.now();
let notice, waiting;

const contact = (at = Date.now()) => {
  lastContact = at;
  if (Date.now() - at >= limit) return checkContact();
  if (notice) notice.hidden = true;
  notice = undefined;
};
const setChecked = (time) => {
  const element = document.querySelector('time[data-checked]');
  if (element && Date.parse(time)) element.dateTime = time;
};
const checkContact = () => {
  const hidden = document.querySelector('.as-of[hidden]');
  if (!hidden || Date.now() - lastContact < limit) return;
  const time = hidden.querySelector('time');
  const at = new Date(lastContact);
  time.dateTime = at.toISOString();
  time.textContent = at.toLocaleString(document.documentElement.lang, { numberingSystem: 'latn', calendar: 'gregory' });
  hidden.hidden = false;
  notice = hidden;
};

const nameOf = (details) => details.id || details.querySelector('.name, h3, summary')?.textContent;
const toggled = new Map();
addEventListener('click', ({ target }) => {
  const details = target instanceof Element && target.closest('summary')?.parentElement;
  if (details) toggled.set(nameOf(details), !details.open);
});
const focusable = () => [...document.querySelectorAll('[data-live] :is(a[href], button, summary, [tabindex])')];

const replace = (page) => {
  const parts = (root) => [...root.querySelectorAll('[data-live]')];
  const head = (root) => [...root.querySelectorAll('head style, head script')].map((element) => element.textContent).join();
  const [before, after] = [parts(document), parts(page)];
  if (before.length !== after.length || head(document) !== head(page)) return location.reload();
  const focused = focusable().indexOf(document.activeElement);
  const [x, y] = [scrollX, scrollY];
  before.forEach((element, index) => element.replaceWith(after[index]));
  for (const details of document.querySelectorAll('[data-live] details'))
    if (toggled.has(nameOf(details))) details.open = toggled.get(nameOf(details));
  if (focused >= 0) focusable()[focused]?.focus({ preventScroll: true });
  scrollTo(x, y);
  document.title = page.title;
  const icon = (root) => root.querySelector('link[rel=icon]');
  if (icon(document) && icon(page)) icon(document).replaceWith(icon(page));
  notice = undefined;
  dispatchEvent(new Event('contentchange'));
};

let requests = 0;
let newest = 0;
let isBehind = false;
let announced;
const refresh = async () => {
  const request = ++requests;
  const response = await fetch(path, { cache: 'no-cache' });
  if (response.status === 404) return location.reload();
  if (!response.ok) throw new Error(response.status);
  const page = new DOMParser().parseFromString(await response.text(), 'text/html');
  if (request < newest) return;
  newest = request;
  isBehind = false;
  const content = alive ? page.documentElement.dataset.version : contentOf(response.headers.get('etag'));
  if (announced && content === version && content !== announced) throw new Error('old copy');
  if (content !== version) replace(page);
  else setChecked(page.querySelector('time[data-checked]')?.dateTime);
  version = content;
  if (!alive) contact();
};
const checkAlive = async () => {
  const response = await fetch(alive, { cache: 'no-store' });
  if (!response.ok) throw new Error(response.status);
  const clock = Date.parse(response.headers.get('date')) || Date.now();
  const { at, outdated } = await response.json();
  if (outdated?.includes(pageId)) throw new Error('outdated');
  contact(Date.now() - (clock - Date.parse(at)));
};
const refreshSoon = () => {
  clearTimeout(waiting);
  waiting = setTimeout(() => refresh().catch(refreshLater), seconds(0, 0.5));
};
const refreshLater = () => {
  isBehind = true;
  clearTimeout(waiting);
  waiting = setTimeout(() => refresh().catch(refreshLater), seconds(2, 5));
};

let polls = 0;
const poll = () => setTimeout(async () => {
  await refresh().catch(() => {});
  polls += 1;
  if (polls % 10 === 0 && onlyPolls === undefined) connect();
  else poll();
}, seconds(25, 35));
const connect = () => {
  const source = new EventSource(path.replace(/\\/$/, '') + '/events');
  source.addEventListener('alive', ({ data }) => {
    if (isBehind) return;
    contact();
    setChecked(data);
  });
  source.addEventListener('page', ({ data }) => {
    announced = contentOf(data);
    isBehind = announced !== version;
    if (isBehind) refreshSoon();
    else contact();
  });
  source.onerror = () => { if (source.readyState === EventSource.CLOSED) poll(); };
};
const pollSnapshot = async () => {
  await refresh().catch(() => {});
  await checkAlive().catch(checkContact);
  setTimeout(pollSnapshot, seconds(25, 35));
};
addEventListener('DOMContentLoaded', () => {
  if (alive) pollSnapshot();
  else if (onlyPolls === undefined) connect();
  else poll();
  setInterval(checkContact, 5000);
});
})();
`;
