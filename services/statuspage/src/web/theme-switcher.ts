import { type Html, html } from '@tocsin/html';
import type { Texts } from './messages/texts.ts';

/** Renders the theme switcher. It is hidden until the script shows it, because it does not work without scripts. */
export function themeSwitcher(texts: Texts): Html {
  return html`
      <div class="themes" role="group" aria-label="${texts.text('theme.label')}" hidden>
        <button type="button" data-choice="system">${texts.text('theme.system')}</button>
        <button type="button" data-choice="light">${texts.text('theme.light')}</button>
        <button type="button" data-choice="dark">${texts.text('theme.dark')}</button>
      </div>`;
}

/**
 * Script that applies and stores the visitor's theme in the browser. Runs before the page is drawn, so that the page
 * does not flash in another theme.
 */
export const THEME_SCRIPT = `
const root = document.documentElement;
const read = () => { try { return localStorage.getItem('theme'); } catch { return null; } };
const show = (theme) => {
  root.dataset.theme = theme;
  for (const button of document.querySelectorAll('[data-choice]'))
    button.setAttribute('aria-pressed', String(button.dataset.choice === theme));
};
const chosen = read();
if (chosen) root.dataset.theme = chosen;
addEventListener('DOMContentLoaded', () => {
  for (const group of document.querySelectorAll('.themes')) group.hidden = false;
  show(root.dataset.theme);
});
addEventListener('click', ({ target }) => {
  const choice = target instanceof Element && target.closest('[data-choice]');
  if (!choice) return;
  show(choice.dataset.choice);
  try { localStorage.setItem('theme', choice.dataset.choice); } catch {}
});
`;
