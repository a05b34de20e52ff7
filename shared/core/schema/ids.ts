// Numbers in the ids of documents are zero-padded, so that the order of ids in the console is the order of
// events.

/** Digits of a sequence number in an id: a million events per execution sort correctly. */
const SEQUENCE_DIGITS = 6;
const PART_DIGITS = 3;

/** A number with leading zeros. */
export const pad = (value: number, digits: number): string => String(value).padStart(digits, '0');

/** The id of an event or message of an execution: `01-logs.000007`. */
export const numberedId = (executionId: string, sequenceNumber: number): string =>
  `${executionId}.${pad(sequenceNumber, SEQUENCE_DIGITS)}`;

/** The id of a part of a result: `01-logs.000007.001`. */
export const resultPartId = (executionId: string, sequenceNumber: number, part: number): string =>
  `${numberedId(executionId, sequenceNumber)}.${pad(part, PART_DIGITS)}`;
