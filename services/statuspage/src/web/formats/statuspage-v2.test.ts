import { expect, test } from 'vitest';
import { aPublicPage } from '../../../test/a-public-page.ts';
import { viewPage } from '../../domain/page-view.ts';
import { componentsOf, type Entry } from '../../domain/tree.ts';
import { textsOf } from '../messages/texts.ts';
import { STATUSPAGE_V2 } from './statuspage-v2.ts';

function summaryOf(entries: readonly Entry[]): object | undefined {
  const content = { ...aPublicPage({ components: 2 }).content, entries };
  const view = viewPage(entries.flatMap(componentsOf), content.monitors, content.disruptions.shown);
  return STATUSPAGE_V2['summary.json']?.({ content, view, url: 'https://status.example.com', texts: textsOf('en') });
}

test('a group without components is left out, as on the page', () => {
  const { entries } = aPublicPage({ components: 2 }).content;
  const empty: Entry[] = entries.map((entry) =>
    entry.kind === 'group' ? { ...entry, group: { ...entry.group, id: 'empty' }, components: [] } : entry,
  );
  expect(summaryOf([...empty, ...entries])).toEqual(summaryOf(entries));
});

test('the indicator of a page without components is unknown, as on the page', () => {
  expect(summaryOf([])).toMatchObject({
    components: [],
    status: { indicator: 'unknown', description: 'No components yet' },
  });
});

test('updated_at of components and groups is the time of the last change of their status, if that is later', () => {
  const { entries } = aPublicPage({ components: 2 }).content;
  const [created, changed, renamed] = [new Date('2026-01-01'), new Date('2026-02-01'), new Date('2026-03-01')];
  const times = [
    { updatedAt: created, statusChangedAt: changed },
    { updatedAt: renamed, statusChangedAt: created },
  ];
  const changedEntries = entries.map((entry): Entry => {
    if (entry.kind !== 'group') return entry;
    const components = entry.components.map((component, index) => ({ ...component, ...times[index] }));
    return { ...entry, group: { ...entry.group, updatedAt: created }, components };
  });
  expect(summaryOf(changedEntries)).toMatchObject({
    components: [
      { group: true, updated_at: changed.toISOString() },
      { id: 'c0', updated_at: changed.toISOString() },
      { id: 'c1', updated_at: renamed.toISOString() },
    ],
  });
});
