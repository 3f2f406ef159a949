import { decideRounds } from '../../src/domain/rounds/decide-rounds.ts';
import { type EvaluatorState, initialEvaluatorState, maxCreditMs } from '../../src/domain/rounds/evaluate.ts';
import type { OpenRound, RegionOutcome } from '../../src/domain/rounds/round.ts';
import { checkStaleness, type OnlinePeriod } from '../../src/domain/rounds/staleness.ts';
import type { Happening, Settings } from './naive-model.ts';

const time = (seconds: number) => new Date(seconds * 1000);

/**
 * Applies the product's evaluation functions to a sequence of events, and returns the states that the monitor enters,
 * in order. Stores data in variables instead of a database.
 */
export function drive(happenings: readonly Happening[], first: Settings): string[] {
  const states = ['pending'];
  const presences: OnlinePeriod[] = [{ since: time(0), seenAt: time(0) }];
  const outcomes = new Map<number, RegionOutcome[]>();
  let rounds: OpenRound[] = [];
  let evaluatorState: EvaluatorState | undefined;
  let watch: { watchedFrom: Date; checkAt: Date } | undefined = { watchedFrom: time(0), checkAt: time(0) };
  let settings = first;

  const settle = (now: Date) => {
    const resultsOf = (round: OpenRound) => outcomes.get(round.at.getTime()) ?? [];
    const confirmation = { ...settings, maxCreditMs: maxCreditMs(settings.intervalSeconds) };
    const decision = decideRounds(evaluatorState, rounds, resultsOf, confirmation, now);
    rounds = rounds.filter((round) => !decision.closed.includes(round));
    evaluatorState = decision.evaluatorState;
    states.push(...decision.changes.map((change) => change.evaluatorState.state));
  };

  for (const happening of happenings) {
    const now = time(happening.at);
    switch (happening.kind) {
      case 'round':
        if (watch)
          rounds.push({ monitorId: 'm', at: now, regions: happening.regions, deadline: time(happening.deadline) });
        break;
      case 'result': {
        const round = time(happening.round).getTime();
        const known = outcomes.get(round) ?? [];
        const { region, says: outcome } = happening;
        if (!known.some((response) => response.region === region))
          outcomes.set(round, [...known, { region, outcome, error: '' }]);
        if (watch) settle(now);
        break;
      }
      case 'deadlines':
        if (!watch) break;
        settle(now);
        if (watch.checkAt > now) break;
        {
          const check = checkStaleness({ ...settings, ...watch, evaluatorState }, presences, now);
          watch = { ...watch, checkAt: check.checkAt };
          evaluatorState = check.evaluatorState ?? evaluatorState;
          if (check.change) states.push(check.change.evaluatorState.state);
        }
        break;
      case 'settings':
        settings = happening.settings;
        if (watch) watch = { watchedFrom: now, checkAt: now };
        break;
      case 'disable':
        watch = undefined;
        rounds = [];
        break;
      case 'enable':
        if (watch) break;
        watch = { watchedFrom: now, checkAt: now };
        if (!evaluatorState) break;
        evaluatorState = initialEvaluatorState(now, evaluatorState);
        states.push('pending');
        break;
      case 'absence': {
        // structuredClone() simulates a restart, after which only serializable data remains.
        const last = presences.pop();
        presences.push({ since: last?.since ?? now, seenAt: now }, { since: time(happening.until), seenAt: now });
        evaluatorState = structuredClone(evaluatorState);
        break;
      }
    }
  }
  return states;
}
