import { invalid, ServiceError } from '@tocsin/errors';
import { problemOfLine } from '@tocsin/text';
import { type Acknowledgement, type Disruption, isOpen } from './disruption.ts';

/** Maximum length of the name of the person who acknowledges, in characters. */
export const MAX_ACKNOWLEDGED_BY = 255;

/**
 * Returns the acknowledged disruption, or the same object if it is already acknowledged.
 * @throws ServiceError `conflict` if the disruption has ended, or `invalid` if the name is empty or too long.
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
