import type { MonitorState } from '@tocsin/enums';
import { decideRounds } from '../rounds/decide-rounds.ts';
import { type Confirmation, type EvaluatorState, initialEvaluatorState, markStale } from '../rounds/evaluate.ts';
import type { RegionOutcome } from '../rounds/round.ts';
import type { Change, Transition } from '../rounds/transition.ts';

/** A monitor's history, in chronological order. */
export type Memory =
  | { readonly kind: 'round'; readonly at: Date; readonly outcomes: readonly RegionOutcome[] }
  /** A transition that no round caused: the monitor was enabled, or became stale. */
  | { readonly kind: 'enabled' | 'silence'; readonly at: Date; readonly explanation: string };

/** Changes that replay takes from the history, because no rule about rounds decides them. */
export function memoryOf({ rule, enteredAt: at, explanation }: Transition): Memory | undefined {
  if (rule === 'enabled') return { kind: 'enabled', at, explanation };
  return rule === 'no_recent_checks' ? { kind: 'silence', at, explanation } : undefined;
}

export interface Replayed {
  readonly evaluatorState: EvaluatorState | undefined;
  readonly changes: readonly Change[];
}

/**
 * Applies today's rules to the past of a monitor, from an evaluator state on. Every result counts as if it had arrived
 * in time; `regions` are those that were expected beside the ones with a result.
 */
export function replay(
  known: EvaluatorState | undefined,
  memories: readonly Memory[],
  regions: readonly string[],
  confirmation: Confirmation,
): Replayed {
  let evaluatorState = known;
  const changes: Change[] = [];
  for (const memory of memories) {
    const { at } = memory;
    if (memory.kind === 'round') {
      const asked = [...new Set([...regions, ...memory.outcomes.map(({ region }) => region)])];
      const round = { monitorId: '', at, regions: asked, deadline: at };
      const judgement = decideRounds(evaluatorState, [round], () => memory.outcomes, confirmation, at);
      evaluatorState = judgement.evaluatorState;
      changes.push(...judgement.changes);
      continue;
    }
    const before = evaluatorState;
    evaluatorState =
      memory.kind === 'enabled'
        ? initialEvaluatorState(at, before)
        : markStale(before ?? initialEvaluatorState(at), at).evaluatorState;
    if (memory.kind === 'silence' && evaluatorState.state === (before?.state ?? 'pending')) continue;
    changes.push({ evaluatorState, error: '', explanation: memory.explanation });
  }
  return { evaluatorState, changes };
}

/** A moment at which today's rules would have entered another state than the one that was entered then. */
export interface Difference {
  readonly at: Date;
  /** Undefined where nothing was entered. */
  readonly entered: MonitorState | undefined;
  readonly today: MonitorState | undefined;
  /** Why: of today where today's rules enter a state, else of what was entered. */
  readonly explanation: string;
}

/** Where a history and its replay differ, oldest first. Both in the order of their times. */
export function differencesOf(
  kept: readonly Pick<Transition, 'state' | 'enteredAt' | 'explanation'>[],
  replayed: readonly Change[],
): Difference[] {
  const past = new Map(kept.map((transition) => [transition.enteredAt.getTime(), transition]));
  const today = new Map(
    replayed.map(({ evaluatorState, explanation }) => [
      evaluatorState.enteredAt.getTime(),
      { ...evaluatorState, explanation },
    ]),
  );
  const times = [...new Set([...past.keys(), ...today.keys()])].sort((a, b) => a - b);
  return times.flatMap((time) => {
    const [was, is] = [past.get(time), today.get(time)];
    if (was?.state === is?.state) return [];
    const explanation = is?.explanation ?? was?.explanation ?? '';
    return [{ at: new Date(time), entered: was?.state, today: is?.state, explanation }];
  });
}
