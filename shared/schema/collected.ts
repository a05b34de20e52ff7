// The ids of calls that code makes before an agent's model is asked: collected ones, and those for contrast.

const PREFIX = 'collect_';
const CONTRAST_PREFIX = 'contrast_';

/** The id of a collected call. @param index its position, from 0. */
export const collectedId = (index: number): string => `${PREFIX}${index + 1}`;

/** The id of a call for contrast in an agent's execution. @param index its position, from 0. */
export const contrastId = (index: number): string => `${CONTRAST_PREFIX}${index + 1}`;

/** Whether a call was collected. */
export const isCollected = (callId: string): boolean => callId.startsWith(PREFIX);

/** Whether a call was made for contrast in an agent's execution. */
export const isForContrast = (callId: string): boolean => callId.startsWith(CONTRAST_PREFIX);

/** The number of a call in its list, from 1. */
export const cutCallNumber = (callId: string): string => callId.slice(callId.lastIndexOf('_') + 1);
