// The ids of collected calls.

const PREFIX = 'collect_';

/** The id of a collected call. @param index its position, from 0. */
export const collectedId = (index: number): string => `${PREFIX}${index + 1}`;

/** The number of a call in its list, from 1. */
export const numberOf = (callId: string): string => callId.slice(PREFIX.length);
