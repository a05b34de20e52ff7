// Reads the facts of a payload by the row of its tool in the table of shapes.

import { isKnownSeverity } from '../../contract/severity.ts';
import { matchesAny } from '../../text/pattern.ts';
import type { AlertFacts, FactName, FactPlaces } from '../fields/adapter.ts';
import { looseDate } from '../fields/dates.ts';
import { firstText, joinTexts } from '../fields/fields.ts';
import { parseStatusWord, statusOfPhrase } from '../fields/status.ts';
import { KNOWN_PAYLOADS, type KnownPayload } from './knownPayloads.ts';

type Fields = Record<string, unknown>;
type Facts = { [Name in keyof AlertFacts]?: AlertFacts[Name] | undefined };

/**
 * The facts of a payload of a tool in the table; none for any other. The outermost layer that a row fits is
 * read.
 * @param places gets the tool for each fact that was read.
 */
export function factsOfShape(layers: readonly Fields[], places: FactPlaces): Partial<AlertFacts> {
  for (const fields of layers) {
    const shape = KNOWN_PAYLOADS.find(({ has }) =>
      has.some((conditions) => conditions.every((one) => isMet(one, fields))),
    );
    if (shape === undefined) continue;
    const facts = Object.entries(readShape(shape, fields)).filter(
      ([, value]) => value !== undefined && value !== null,
    );
    for (const [name] of facts) places[name as FactName] = [`the fields of ${shape.tool}`];
    return Object.fromEntries(facts);
  }
  return {};
}

/** A condition is a field with a value, or with certain values: `objectkind=pipeline|build`. */
function isMet(condition: string, fields: Fields): boolean {
  const end = condition.indexOf('=');
  if (end < 0) return Object.hasOwn(fields, condition) && fields[condition] !== null;
  const key = condition.slice(0, end);
  if (!Object.hasOwn(fields, key)) return false;
  const text = readShapeText(fields, [key])?.toLowerCase();
  return text !== undefined && matchesAny(text, condition.slice(end + 1).split('|'));
}

function readShape(shape: KnownPayload, fields: Fields): Facts {
  const identity = readShapeText(fields, shape.identity);
  const parts = (shape.identityParts ?? []).flatMap((key) => readShapeText(fields, [key]) ?? []);
  const title = readShapeText(fields, shape.title);
  return {
    title: title && joinTexts(title, readShapeText(fields, shape.titleSuffix)),
    status: readStatus(shape, fields),
    severity: readSeverity(shape, fields),
    identity: identity && [shape.tool.toLowerCase(), identity, ...parts].join(' '),
    summary: readShapeText(fields, shape.summary),
    url: readShapeText(fields, shape.url) ?? (shape.url && ''),
    startedAt: looseDate(readShapeText(fields, shape.startedAt)),
    endedAt: looseDate(readShapeText(fields, shape.endedAt)),
    labels: readShapeLabels(shape, fields),
  };
}

function readStatus(
  { status = [], states = {}, otherwise }: KnownPayload,
  fields: Fields,
): KnownPayload['otherwise'] {
  for (const key of status) {
    const word = readShapeText(fields, [key])?.trim();
    if (word === undefined) continue;
    const own = word.toLowerCase();
    const stated = Object.hasOwn(states, own) ? states[own] : undefined;
    // `Closed via the page` of GoAlert.
    const found = [stated ?? statusOfPhrase(word), stated ?? parseStatusWord(word.split(' ')[0])];
    const known = found.find((status) => status !== 'unknown');
    if (known !== undefined) return known;
  }
  return otherwise;
}

function readSeverity({ severity = [], severities }: KnownPayload, fields: Fields): string | undefined {
  for (const key of severity) {
    const word = readShapeText(fields, [key]);
    if (word === undefined) continue;
    if (severities === undefined) return word;
    const mapped = Object.hasOwn(severities, word.toLowerCase()) ? severities[word.toLowerCase()] : undefined;
    if (mapped !== undefined || isKnownSeverity(word)) return mapped ?? word;
  }
  return undefined;
}

/** Labels of a row replace those from the usual fields, also if the payload has none of them. */
function readShapeLabels({ labels }: KnownPayload, fields: Fields): Record<string, string> | undefined {
  const read = Object.entries(labels ?? {}).flatMap(([label, keys]): [string, string][] => {
    const texts = keys.flatMap((key) => readShapeText(fields, [key]) ?? []);
    const text = texts.map((one) => (isAddress(one) ? hostIn(one) : one)).find((one) => one !== undefined);
    return text === undefined ? [] : [[label, text]];
  });
  return labels && Object.fromEntries(read);
}

const isAddress = (text: string): boolean => /^\s*[a-z][a-z0-9+.-]*:\/\//i.test(text);

/** The host of an address such as `https://shop.example.com/cart`; undefined for any other text. */
export function hostIn(text: string): string | undefined {
  return (isAddress(text) && URL.parse(text.trim())?.hostname) || undefined;
}

/** The text of the first field with one. Of a list the first entry counts; flags are `true`, `false`. */
export function readShapeText(fields: Fields, keys: readonly string[] = []): string | undefined {
  for (const key of keys) {
    if (!Object.hasOwn(fields, key)) continue;
    const value = fields[key];
    const first = Array.isArray(value) ? value[0] : value;
    const text = typeof first === 'boolean' ? String(first) : firstText({ first }, 'first');
    if (text !== undefined) return text;
  }
  return undefined;
}
