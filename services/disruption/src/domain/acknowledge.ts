import { invalid, ServiceError } from '@tocsin/errors';
import { problemOfLine } from '@tocsin/text';
import { type Acknowledgement, type Disruption, isOpen } from './disruption.ts';

/** Characters of the name of who acknowledges. */
export const MAX_ACKNOWLEDGED_BY = 255;

/**
 * Returns the acknowledged disruption; the same object when somebody acknowledged it before.
 * @throws ServiceError `conflict` when it has ended, `invalid` for a name that is empty or too long.
 */
export function acknowledge(disruption: Disruption, acknowledgement: Acknowledgement): Disruption {
  if (disruption.acknowledgement) return disruption;
  if (!isOpen(disruption)) {
    throw new ServiceError('conflict', 'the disruption has ended: only an open disruption can be acknowledged');
  }
  const problem = problemOfLine(acknowledgement.by, MAX_ACKNOWLEDGED_BY);
  if (problem) throw invalid({ acknowledged_by: [problem] });
  return { ...disruption, acknowledgement, updatedAt: acknowledgement.at };
}
