// Reads a payload as one adapter does.

import { type AlertAdapter, type AlertFacts, NO_FACTS } from '../fields/adapter.ts';
import { createFieldReader } from '../fields/fieldReader.ts';

/** The facts that an adapter reads from a payload; undefined when it does not recognise it. */
export function readWithAdapter(
  adapter: AlertAdapter,
  payload: unknown,
  receivedAt: Date | null = null,
): AlertFacts | undefined {
  const input = { payload, attributes: {}, receivedAt };
  if (adapter.recognise(input) === undefined) return undefined;
  return { ...NO_FACTS, ...adapter.read(createFieldReader(payload), input) };
}
