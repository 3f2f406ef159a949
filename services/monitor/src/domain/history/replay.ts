import type { MonitorState } from '@tocsin/enums';
import { decideRounds } from '../rounds/decide-rounds.ts';
import { type Confirmation, type EvaluatorState, initialEvaluatorState, markStale } from '../rounds/evaluate.ts';
import type { RegionOutcome } from '../rounds/round.ts';
import type { Change, Transition } from '../rounds/transition.ts';

/** An entry of a monitor's history: a round with its outcomes, or a state change that no round caused. */
export type Memory =
  | { readonly kind: 'round'; readonly at: Date; readonly outcomes: readonly RegionOutcome[] }
  /** A state change that no round caused: the monitor was enabled, or became stale. */
  | { readonly kind: 'enabled' | 'no_data'; readonly at: Date; readonly explanation: string };

/** Returns the history entry of a state change that no round caused; undefined for other state changes. */
export function memoryOf({ rule, enteredAt: at, explanation }: Transition): Memory | undefined {
  if (rule === 'enabled') return { kind: 'enabled', at, explanation };
  return rule === 'no_recent_checks' ? { kind: 'no_data', at, explanation } : undefined;
}

export interface Replayed {
  readonly evaluatorState: EvaluatorState | undefined;
  readonly changes: readonly Change[];
}

/**
 * Evaluates a monitor's history with the current rules, starting at the evaluator state `known`. Every result counts as
 * if it had arrived in time. Each round expects results from `regions` and from every other region that sent a result.
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
      const decision = decideRounds(evaluatorState, [round], () => memory.outcomes, confirmation, at);
      evaluatorState = decision.evaluatorState;
      changes.push(...decision.changes);
      continue;
    }
    const before = evaluatorState;
    evaluatorState =
      memory.kind === 'enabled'
        ? initialEvaluatorState(at, before)
        : markStale(before ?? initialEvaluatorState(at), at).evaluatorState;
    if (memory.kind === 'no_data' && evaluatorState.state === (before?.state ?? 'pending')) continue;
    changes.push({ evaluatorState, error: '', explanation: memory.explanation });
  }
  return { evaluatorState, changes };
}

/** A time at which the current rules enter a state other than the recorded one. */
export interface Difference {
  readonly at: Date;
  /** Recorded state; undefined if no state change was recorded at this time. */
  readonly entered: MonitorState | undefined;
  readonly today: MonitorState | undefined;
  /** Explanation of the replayed state, or of the recorded state if the replay entered no state at this time. */
  readonly explanation: string;
}

/** Returns the differences between recorded and replayed state changes, oldest first. */
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
