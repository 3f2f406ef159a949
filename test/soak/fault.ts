/** Name of a program, such as `monitor` or `checker-west`. */
export type Program = string;

export type Server = 'postgres' | 'nats';

/** Connection of a program to something that it needs: a server, another program, or the receiver of alerts. */
export interface Link {
  readonly from: Program;
  readonly to: string;
}

/**
 * What a link does while it is cut. `refused`: connections are closed and refused. `frozen`: nothing passes in either
 * direction, and neither side notices. `mute`: requests pass, but no response comes back. `slow`: everything arrives
 * late.
 */
export const CUTS = ['refused', 'frozen', 'mute', 'slow'] as const;
export type Cut = (typeof CUTS)[number];

/** A disturbance of an installation. */
export type Disturbance =
  | { readonly kind: 'kill'; readonly victim: Program | Server }
  | { readonly kind: 'pause'; readonly victim: Program | Server }
  | { readonly kind: 'cut'; readonly link: Link; readonly cut: Cut }
  | { readonly kind: 'clock'; readonly victims: readonly Program[]; readonly byMs: number }
  | { readonly kind: 'full disk'; readonly victim: Server }
  | { readonly kind: 'lost store' };

export type FaultKind = Disturbance['kind'];

export interface Fault {
  /** Milliseconds from the start of the soak. */
  readonly startMs: number;
  /** Milliseconds for which the fault lasts; 0 if it is over at once. */
  readonly lastsMs: number;
  readonly disturbance: Disturbance;
}

/** Returns a disturbance as text, such as "cut monitor to nats (frozen)". */
export function describeDisturbance(disturbance: Disturbance): string {
  const { kind } = disturbance;
  switch (kind) {
    case 'kill':
    case 'pause':
    case 'full disk':
      return `${kind} of ${disturbance.victim}`;
    case 'cut':
      return `cut from ${disturbance.link.from} to ${disturbance.link.to} (${disturbance.cut})`;
    case 'clock':
      return `clock of ${disturbance.victims.join(', ')} by ${disturbance.byMs / 3_600_000} h`;
    case 'lost store':
      return 'lost store of nats';
    default:
      return kind satisfies never;
  }
}
