// Addresses of steps within a session: `#e-{executionId}.{n}`, with lines of its result `:L12-L18`.

/** A step that an address names. */
export interface StepAddress {
  executionId: string;
  sequenceNumber: number;
  lines?: { from: number; to: number };
}

const STEP = /^#?e-(.+)\.(\d+)(?::L(\d+)(?:-L(\d+))?)?$/;

/** The step that the fragment of an address names; undefined for any other fragment. */
export function parseStepAddress(hash: string): StepAddress | undefined {
  let decoded = hash;
  try {
    decoded = decodeURIComponent(hash);
  } catch {
    // Not encoded.
  }
  const [, executionId, number, from, to] = STEP.exec(decoded) ?? [];
  if (executionId === undefined || number === undefined) return undefined;
  const address: StepAddress = { executionId, sequenceNumber: Number(number) };
  if (from === undefined) return address;
  const [first, last] = [Number(from), Number(to ?? from)];
  return { ...address, lines: { from: Math.min(first, last), to: Math.max(first, last) } };
}

/** The id of a step's element. */
export function stepId({
  executionId,
  sequenceNumber,
}: {
  executionId: string;
  sequenceNumber: number;
}): string {
  return `e-${executionId}.${sequenceNumber}`;
}

/** The last part of a session's id, for people. */
export function shortId(sessionId: string): string {
  return sessionId.slice(sessionId.lastIndexOf('-') + 1);
}

/** An address with a parameter set, or left out when it is empty. The fragment is kept. */
export function withParameter(url: string, name: string, value: string): string {
  const made = new URL(url);
  if (value === '') made.searchParams.delete(name);
  else made.searchParams.set(name, value);
  return `${made.pathname}${made.search}${made.hash}`;
}

/** The address of two sessions side by side. */
export function compareAddress(a: string, b: string): string {
  return `/compare?${new URLSearchParams({ a, b })}`;
}
