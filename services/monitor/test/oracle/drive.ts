import { type Standing, startStanding } from '../../src/domain/rounds/evaluate.ts';
import { judge } from '../../src/domain/rounds/judge.ts';
import type { OpenRound, RegionAnswer } from '../../src/domain/rounds/round.ts';
import { look, type Presence } from '../../src/domain/rounds/silence.ts';
import type { Happening, Settings } from './naive-model.ts';

const time = (seconds: number) => new Date(seconds * 1000);

/** Every state that the product's own rules give a monitor, in order; what the stores would keep is kept in variables. */
export function drive(happenings: readonly Happening[], first: Settings): string[] {
  const states = ['pending'];
  const presences: Presence[] = [{ since: time(0), seenAt: time(0) }];
  const answers = new Map<number, RegionAnswer[]>();
  let rounds: OpenRound[] = [];
  let standing: Standing | undefined;
  let watch: { watchedFrom: Date; lookAt: Date } | undefined = { watchedFrom: time(0), lookAt: time(0) };
  let settings = first;

  const settle = (now: Date) => {
    const answersTo = (round: OpenRound) => answers.get(round.at.getTime()) ?? [];
    const judgement = judge(standing, rounds, answersTo, settings, now);
    rounds = rounds.filter((round) => !judgement.closed.includes(round));
    standing = judgement.standing;
    states.push(...judgement.changes.map((change) => change.standing.state));
  };

  for (const happening of happenings) {
    const now = time(happening.at);
    switch (happening.kind) {
      case 'round':
        if (watch)
          rounds.push({ monitorId: 'm', at: now, regions: happening.regions, deadline: time(happening.deadline) });
        break;
      case 'answer': {
        const round = time(happening.round).getTime();
        const known = answers.get(round) ?? [];
        const { region, says: outcome } = happening;
        if (!known.some((answer) => answer.region === region))
          answers.set(round, [...known, { region, outcome, error: '' }]);
        if (watch) settle(now);
        break;
      }
      case 'look':
        if (!watch) break;
        settle(now);
        if (watch.lookAt > now) break;
        {
          const { lookAt, change } = look({ ...settings, ...watch, standing }, presences, now);
          watch = { ...watch, lookAt };
          if (!change) break;
          standing = change.standing;
          states.push(standing.state);
        }
        break;
      case 'settings':
        settings = happening.settings;
        if (watch) watch = { watchedFrom: now, lookAt: now };
        break;
      case 'disable':
        watch = undefined;
        rounds = [];
        break;
      case 'enable':
        if (watch) break;
        watch = { watchedFrom: now, lookAt: now };
        if (!standing) break;
        standing = startStanding(now, standing);
        states.push('pending');
        break;
      case 'absence': {
        // A restart: nothing is left but what can be written down.
        const last = presences.pop();
        presences.push({ since: last?.since ?? now, seenAt: now }, { since: time(happening.until), seenAt: now });
        standing = structuredClone(standing);
        break;
      }
    }
  }
  return states;
}
