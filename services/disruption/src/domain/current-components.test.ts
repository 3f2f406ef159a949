import type { ComponentStatus } from '@tocsin/enums';
import { describe, expect, test } from 'vitest';
import { openAutomatic } from './automatic-disruption.ts';
import type { AffectedComponent } from './component.ts';
import { withCurrentComponents } from './current-components.ts';
import type { OpenDisruption } from './disruption.ts';

const began = new Date('2026-01-01T10:00:00Z');
const now = new Date('2026-01-01T11:00:00Z');

function component(id: string, status: ComponentStatus): AffectedComponent {
  return { id, name: `Component ${id}`, statusPageId: 'p1', status };
}

function given(...components: AffectedComponent[]): OpenDisruption {
  const monitor = { id: 'm1', name: 'Shop' };
  const event = { kind: 'went_down', outageId: 'd1', monitor, at: began, explanation: '' } as const;
  const posting = { updateId: 'u1', now: began, postedBy: 'tocsin@example.com' };
  return openAutomatic(event, components, { organizationId: 'o1', posting });
}

describe('withCurrentComponents()', () => {
  const before = given(component('c1', 'major_outage'), component('c2', 'partial_outage'));

  test('components are renamed and removed, and the disruption stays published on their pages', () => {
    const after = withCurrentComponents(
      before,
      new Map<string, string | undefined>([
        ['c1', undefined],
        ['c2', 'Shop'],
      ]),
      now,
    );
    expect(after.affectedComponents).toEqual([{ ...component('c2', 'partial_outage'), name: 'Shop' }]);
    expect(after).toMatchObject({ statusPageIds: ['p1'], hiddenPageIds: [], updatedAt: now });
    expect(after.updates).toBe(before.updates);
  });

  test('components that were not looked up stay, and the disruption is the same if nothing changes', () => {
    expect(withCurrentComponents(before, new Map(), now)).toBe(before);
    expect(withCurrentComponents(before, new Map([['c1', 'Component c1']]), now)).toBe(before);
    expect(withCurrentComponents(given(), new Map([['c1', undefined]]), now)).toMatchObject({ updatedAt: began });
  });

  test.each<[string, OpenDisruption, string[], OpenDisruption['impact']]>([
    ['of an automatic disruption matches its worst remaining component', before, ['c1'], 'major'],
    ['that a person set stays', { ...before, impact: 'minor' }, ['c1'], 'minor'],
    ["of a person's disruption stays", { ...before, origin: { kind: 'person' } }, ['c1'], 'critical'],
    ['stays if no component remains', before, ['c1', 'c2'], 'critical'],
  ])('the impact %s', (_, disruption, removed, impact) => {
    const current = new Map(removed.map((id) => [id, undefined]));
    expect(withCurrentComponents(disruption, current, now).impact).toBe(impact);
  });
});
