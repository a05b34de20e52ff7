// Evidence in stored results: the tables in cases/ have a case for every state and every normalisation.

import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import type { ToolResultBlock } from '../core/schema/block.ts';
import { createMatcher, type EvidenceState, type Matcher, type StoredText } from './match.ts';
import { buildStoredText } from './storedText.ts';

/** A source of cases/sources.yaml. */
interface Source {
  tool: string;
  args: object;
  text?: string;
  file?: string;
  parts?: string[];
  shown?: string;
  reads?: string;
  isOwn?: true;
  noAnswer?: true;
  isError?: true;
}

/** A row of a table. */
interface Case {
  in: string;
  among?: string[];
  quote?: string;
  at?: string;
  value?: string;
  said?: string;
  is: EvidenceState;
  found?: string;
  line?: number;
}

const read = (path: string): string => readFileSync(new URL(path, import.meta.url), 'utf8');
const SOURCES = parse(read('cases/sources.yaml')) as Record<string, Source>;
const SEEN = parse(read('cases/seen.yaml')) as Case[];
const HELD_OUT = parse(read('cases/heldOut.yaml')) as Case[];
const ALERT = read('../../examples/crashloop/alert.json');
const START = Date.parse('2026-11-17T09:36:42.518Z');
const WINDOW = { from: START - 86_400_000, to: Date.parse('2026-11-17T15:00:00Z') };

/** The block of a source, as the conversation has it. */
function blockOf({ tool, text, file, parts, shown, noAnswer, isError }: Source): ToolResultBlock {
  const textContent = shown ?? text ?? (file === undefined ? '' : read(`../../examples/${file}`));
  return {
    blockType: 'tool_result',
    toolUseId: 'c',
    toolName: tool,
    isError: isError ?? false,
    textContent,
    ...(noAnswer && { noAnswer }),
    ...(parts && {
      stored: { id: 'r1', firstPart: 1, parts: parts.length, bytes: 1, lines: 1, digest: '0'.repeat(16) },
    }),
  };
}

function storedText(id: string, earlierTexts: readonly string[]): StoredText[] {
  const source = SOURCES[id];
  if (source === undefined || source.isOwn || source.reads !== undefined) return [];
  const text = buildStoredText(blockOf(source), source.parts);
  return text === undefined
    ? []
    : [{ id, text, arguments: JSON.stringify(source.args), key: id, earlierTexts }];
}

const READINGS = new Map(
  Object.entries(SOURCES).flatMap(([id, { reads }]) => (reads === undefined ? [] : [[id, reads] as const])),
);

/** What a case gives, in the words of the table. */
function outcomeOf(row: Case): Pick<Case, 'is' | 'found' | 'line'> {
  const ids = row.among ?? [row.in, SOURCES[row.in]?.reads ?? ''];
  const results = ids.flatMap((id) => storedText(id, row.said === undefined ? [] : [row.said]));
  const context = { readings: READINGS, alert: ALERT, window: WINDOW };
  const search = (find: Matcher) =>
    find({ result: row.in, quote: row.quote, pointer: row.at, value: row.value });
  const match = search(createMatcher({ ...context, results }));
  const added: StoredText[] = [];
  const find = createMatcher({ ...context, results: added });
  const matches = [...results, undefined].map((result) => {
    const before = search(find);
    if (result !== undefined) added.push(result);
    return before;
  });
  expect(matches.at(-1), 'with results that were added after the first search').toEqual(match);
  const { state, found, line } = match;
  return {
    is: state,
    ...(row.found !== undefined && found !== undefined && { found }),
    ...(row.line !== undefined && line !== undefined && { line }),
  };
}

const expected = ({ is, found, line }: Case) => ({
  is,
  ...(found !== undefined && { found }),
  ...(line !== undefined && { line }),
});
const titled = (rows: Case[]) =>
  rows.map(
    (row, index) => [`${index + 1}: ${row.in} ${row.quote ?? row.at ?? ''} is ${row.is}`, row] as const,
  );

it.each(titled(SEEN))('%s', (_, row) => {
  expect(outcomeOf(row)).toEqual(expected(row));
});

it.runIf(process.env.HELD_OUT !== '0').each(titled(HELD_OUT))('held out %s', (_, row) => {
  expect(outcomeOf(row)).toEqual(expected(row));
});

it.each([
  ['a quote, in one observation', ['memory of a is 200 MiB'], { quote: 'memory of a is 100 MiB' }, 'differs'],
  [
    'a quote, in two observations',
    ['memory of a is 200 MiB', 'memory of a is 300 MiB'],
    { quote: 'memory of a is 100 MiB' },
    'absent',
  ],
  ['a value, in one observation', ['{"used":2}'], { pointer: '/used', value: '1' }, 'differs'],
  ['a value, in two observations', ['{"used":2}', '{"used":3}'], { pointer: '/used', value: '1' }, 'absent'],
])('the other text for %s is the found one only if it is unique', (_, texts, evidence, state) => {
  const results = texts.map((text, index) => ({
    id: `r${index}`,
    text,
    arguments: '{}',
    key: String(index),
    earlierTexts: [],
  }));
  expect(createMatcher({ results, alert: '' })(evidence).state).toBe(state);
});

it.each([
  ['web-a1', 'held'],
  ['OOMKill', 'held'],
  ['256Mi', 'held'],
  ['12 pods', 'ambiguous'],
  ['restart', 'ambiguous'],
  ['restarts', 'held'],
])('the short quote %j is %s', (quote, state) => {
  const text = 'web-a1: 12 pods, 256Mi, OOMKill, restart and restarts';
  const results = [{ id: 'r1', text, arguments: '{}', key: 'k', earlierTexts: [] }];
  expect(createMatcher({ results, alert: '' })({ quote }).state).toBe(state);
});
