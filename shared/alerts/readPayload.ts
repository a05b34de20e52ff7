// Reads one payload without envelopes: by the adapter that recognises it, else by the names that fields
// commonly have. In a list of several, each entry can be of a known source, and in envelopes of its own.

import { type EntryReader, readJsonAlert, readTextAlert } from './adapters/fallback.ts';
import {
  type AlertAdapter,
  type AlertFacts,
  type AlertPayload,
  type FactName,
  type FactPlaces,
  NO_FACTS,
} from './fields/adapter.ts';
import { createFieldReader } from './fields/fieldReader.ts';
import { removeEnvelopes } from './removeEnvelopes.ts';

/** Most entries of a list that are read one by one; of longer lists only the names of fields are read. */
const MAX_ENTRIES = 1_000;

interface PayloadReading {
  /** The `source` of the adapter that read it. */
  source: string;
  /** Why the adapter recognised it, for people. */
  reason: string;
  /** The fields of the alert. */
  facts: AlertFacts;
  /** The places that the fields were read from. */
  places: FactPlaces;
}

/**
 * Reads a payload; a payload without content has the facts of an empty alert. Never throws.
 * @param kind the kind of the body itself.
 */
export function readPayload(
  input: AlertPayload,
  adapters: readonly AlertAdapter[],
  kind: 'json' | 'text',
): PayloadReading {
  const known = readKnown(input, adapters);
  if (known !== undefined) return known;
  const { payload } = input;
  if (typeof payload === 'string') {
    const reason = kind === 'text' ? 'text: its first line is the title' : 'text in JSON';
    const facts = readTextAlert(payload);
    return { source: kind, reason, facts, places: listFactPlaces(facts, 'the first line') };
  }
  const sources = new Set<string>();
  const places: FactPlaces = {};
  let entries = 0;
  const readEntry: EntryReader = (entry) => {
    if (++entries > MAX_ENTRIES) return undefined;
    const { payload: inner, attributes } = removeEnvelopes(entry, input.attributes);
    const reading = readKnown({ ...input, payload: inner, attributes }, adapters);
    sources.add(reading?.source ?? 'json');
    return reading?.facts;
  };
  const facts = readJsonAlert(payload, { readEntry, places });
  const [only = 'json', ...others] = sources;
  const source = others.length === 0 ? only : 'json';
  const reason =
    source === 'json' ? 'JSON of no known source: fields by their usual names' : `a list of ${source}`;
  return { source, reason, facts, places };
}

function readKnown(input: AlertPayload, adapters: readonly AlertAdapter[]): PayloadReading | undefined {
  for (const adapter of adapters) {
    const reason = adapter.recognise(input);
    if (reason === undefined) continue;
    const fields = createFieldReader(input.payload);
    const facts = { ...NO_FACTS, ...adapter.read(fields, input) };
    return { source: adapter.source, reason, facts, places: usedPlaces(facts, fields.places) };
  }
  return undefined;
}

/** Drops places of empty fields: an adapter can discard a value after reading it. */
function usedPlaces(facts: AlertFacts, places: FactPlaces): FactPlaces {
  const used = Object.entries(places).filter(([name]) => hasValue(facts, name as FactName));
  return Object.fromEntries(used);
}

function listFactPlaces(facts: AlertFacts, place: string): FactPlaces {
  return usedPlaces(facts, { title: [place], status: [place] });
}

function hasValue(facts: AlertFacts, name: FactName): boolean {
  const value = facts[name];
  if (Array.isArray(value)) return value.length > 0;
  return value !== undefined && value !== null && value !== '' && value !== 'unknown';
}
