/**
 * Script for every documentation page. It redirects from the anchors that the reference had when it was one page,
 * stores the chosen sample language, and adds a search and copy buttons. Ctrl+K or ⌘K moves the focus to the search,
 * the arrow keys move through its results, and Escape closes it.
 */
export const DOCS_SCRIPT = `
(() => {
const all = (selector, root = document) => [...root.querySelectorAll(selector)];
const create = (name, properties, ...children) => {
  const element = Object.assign(document.createElement(name), properties);
  element.append(...children);
  return element;
};

const followAnchor = () => {
  const id = decodeURIComponent(location.hash.slice(1));
  const element = id && document.getElementById(id);
  const moved = element && element.querySelector('a[data-moved]');
  if (moved) location.replace(moved.href);
  else if (id && !element && location.pathname.startsWith('/docs/reference/')) location.replace('/docs' + location.hash);
};
addEventListener('hashchange', followAnchor);
followAnchor();

const STORED = 'tocsin-docs-language';
const choose = (language) => {
  for (const input of all('.samples input')) if (input.value === language) input.checked = true;
};
try { choose(localStorage.getItem(STORED)); } catch {}
addEventListener('change', ({ target }) => {
  if (!target.closest('.samples')) return;
  const top = target.getBoundingClientRect().top;
  choose(target.value);
  scrollBy({ top: target.getBoundingClientRect().top - top, behavior: 'instant' });
  try { localStorage.setItem(STORED, target.value); } catch {}
});

const copied = create('p', { className: 'hidden', role: 'status' });
document.body.append(copied);
const copy = async (text) => {
  // Browsers offer the clipboard only to pages served with TLS or from the same machine.
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  const area = create('textarea', { value: text });
  document.body.append(area);
  area.select();
  document.execCommand('copy');
  area.remove();
};
for (const pre of all('.samples pre:last-child, figure:not(.samples) pre, .guide pre')) {
  const figure = pre.closest('figure') || create('div', { className: 'code' });
  if (!figure.parentNode) {
    pre.replaceWith(figure);
    figure.append(pre);
  }
  const button = create('button', { type: 'button', className: 'copy' }, 'Copy');
  button.onclick = async () => {
    const shown = all('pre', figure).find((candidate) => candidate.checkVisibility ? candidate.checkVisibility() : candidate.offsetParent);
    await copy(shown.textContent.trimEnd());
    button.focus();
    button.textContent = copied.textContent = 'Copied';
    setTimeout(() => { button.textContent = 'Copy'; copied.textContent = ''; }, 2000);
  };
  figure.append(button);
}

const place = document.querySelector('.search');
const input = create('input', {
  type: 'search', id: 'search', autocomplete: 'off', spellcheck: false, placeholder: 'Search (Ctrl+K)', ariaLabel: 'Search the documentation',
});
const list = create('ul', { hidden: true });
const count = create('p', { className: 'hidden', role: 'status' });
place.append(input, list, count);
let entries;
const load = () => {
  entries ??= fetch('/docs/search.json').then((response) => {
    if (!response.ok) throw new Error(response.status);
    return response.json();
  }).catch(() => { entries = undefined; return []; });
  return entries;
};
const score = ({ title, context, words }, wanted) => {
  const texts = [title, context, words].map((text) => text.toLowerCase());
  let sum = 0;
  for (const word of wanted) {
    const points = texts.map((text, index) => {
      const at = text.indexOf(word);
      if (at < 0) return 0;
      const isWord = (' ' + text + ' ').split(/[^a-z0-9_]+/).includes(word);
      return (3 - index) * 4 + (isWord ? 2 : 0) + (at === 0 ? 1 : 0);
    });
    const best = Math.max(...points);
    if (best === 0) return 0;
    sum += best;
  }
  return sum;
};
const search = async () => {
  const wanted = input.value.toLowerCase().split(/\\s+/).filter(Boolean);
  const found = (await load())
    .map((entry) => ({ entry, points: wanted.length ? score(entry, wanted) : 0 }))
    .filter(({ points }) => points > 0)
    .sort((one, other) => other.points - one.points)
    .slice(0, 10);
  list.replaceChildren(...found.map(({ entry }) => create('li', {},
    create('a', { href: entry.path }, create('b', {}, entry.title), ' ', create('span', {}, entry.context)))));
  list.hidden = found.length === 0;
  count.textContent = wanted.length === 0 ? '' : found.length === 1 ? '1 result' : found.length + ' results';
  place.classList.toggle('empty', wanted.length > 0 && found.length === 0);
};
const close = () => { list.hidden = true; };
input.addEventListener('focus', load);
input.addEventListener('input', search);
list.addEventListener('click', close);
addEventListener('click', ({ target }) => { if (!place.contains(target)) close(); });
addEventListener('keydown', (event) => {
  if ((event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey && event.key.toLowerCase() === 'k') {
    event.preventDefault();
    input.focus();
    input.select();
  }
});
place.addEventListener('keydown', (event) => {
  const stops = [input, ...(list.hidden ? [] : all('a', list))];
  const at = stops.indexOf(document.activeElement);
  if (event.key === 'Escape') {
    // Without this call, the browser would also clear the search field.
    event.preventDefault();
    close();
    input.focus();
  } else if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
    event.preventDefault();
    const next = stops[at + (event.key === 'ArrowDown' ? 1 : -1)];
    if (next) next.focus();
  } else if (event.key === 'Enter' && at === 0 && stops[1]) {
    event.preventDefault();
    stops[1].click();
  }
});
})();
`;
