import { openDatabase } from '@tocsin/database';
import { testDatabase } from '@tocsin/testing';
import { v7 } from 'uuid';
import { expect, test } from 'vitest';
import { explanations } from '../src/storage/migrations/005-explanations.ts';
import { migrations } from '../src/storage/migrations/index.ts';

const SEEN = '\n\nWhat was seen: status 502';

test('the migration moves explanations from automatic texts to a column, and does not change texts that people wrote', async () => {
  await using storage = await testDatabase('disruption');
  const organizationId = v7();
  const [automatic, manual] = [v7(), v7()];
  const [start, reply, first] = [v7(), v7(), v7()];
  {
    const earlier = migrations.slice(0, migrations.indexOf(explanations));
    await using before = await openDatabase({ url: storage.url, entities: [], migrations: earlier });
    await before.transaction({ organizationId }, async (tx) => {
      const open = (id: string, autoCreated: boolean) =>
        tx.query(
          `insert into disruption (id, organization_id, title, type, status, impact, auto_created, monitor_id, started_at,
             status_page_ids, created_at, updated_at)
           values ($1, $2, 'Shop is down', 'disruption', 'investigating', 'major', $3, $4, now(), '{}', now(), now())`,
          [id, organizationId, autoCreated, autoCreated ? v7() : null],
        );
      const say = (id: string, disruptionId: string, body: string, minutes: number) =>
        tx.query(
          `insert into disruption_update (id, disruption_id, organization_id, status, body, posted_at, posted_by)
           values ($1, $2, $3, 'investigating', $4, now() + $5 * interval '1 minute', 'jane@example.com')`,
          [id, disruptionId, organizationId, body, minutes],
        );
      await open(automatic, true);
      await open(manual, false);
      await say(start, automatic, `Shop does not work.${SEEN}`, 0);
      await say(reply, automatic, `We are on it.${SEEN}`, 1);
      await say(first, manual, `It is broken.${SEEN}`, 0);
    });
  }
  await using after = await openDatabase({ url: storage.url, entities: [], migrations });
  const rows = await after.transaction({ organizationId }, (tx) =>
    tx.query<{ id: string; body: string; explanation: string | null }>(
      'select id, body, explanation from disruption_update',
    ),
  );
  expect(new Map(rows.map(({ id, body, explanation }) => [id, [body, explanation]]))).toEqual(
    new Map([
      [start, ['Shop does not work.', 'status 502']],
      [reply, [`We are on it.${SEEN}`, null]],
      [first, [`It is broken.${SEEN}`, null]],
    ]),
  );
});
