// Lists source files' mutants, and makes each file's text with all of them behind switches.

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Instrumenter } from '@stryker-mutator/instrumenter';
import type { Mutant } from './mutant.ts';

/** Mutators of texts and plain values: tests that would detect their mutants only repeat the source. */
const EXCLUDED_MUTATORS = ['StringLiteral', 'ObjectLiteral'];
/** Where a regular expression decides about security or about the meaning of a text. */
const WITH_PATTERNS = /^shared\/(masking|alerts|text\/react)\//;
const SHOWN_LENGTH = 100;

const silent = () => {};
const LOGGER = {
  isTraceEnabled: () => false,
  isDebugEnabled: () => false,
  isInfoEnabled: () => false,
  isWarnEnabled: () => false,
  isErrorEnabled: () => false,
  isFatalEnabled: () => false,
  trace: silent,
  debug: silent,
  info: silent,
  warn: silent,
  error: silent,
  fatal: silent,
};

/** The parts of a node of Babel that the ignorer reads. */
interface SyntaxNode {
  type: string;
  name?: string;
  callee?: SyntaxNode;
  object?: SyntaxNode;
  property?: SyntaxNode;
  expression?: SyntaxNode | boolean;
  body?: SyntaxNode | SyntaxNode[];
  /** Lines from 1, columns from 0. */
  loc?: { start: Position; end: Position } | null;
}

interface SyntaxPath {
  node: SyntaxNode;
  hub?: { file?: { opts?: { filename?: string } } };
}

/** Leaves out what only logs, such as `deps.log?.warn(…)`, and most regular expressions. */
const IGNORER = {
  shouldIgnore(path: unknown): string | undefined {
    const { node, hub } = path as SyntaxPath;
    if (node.type === 'RegExpLiteral' && !WITH_PATTERNS.test(hub?.file?.opts?.filename ?? ''))
      return 'a pattern';
    return onlyLogs(node) ? 'a line of the log' : undefined;
  },
};

/** Whether a node is a logger's call, or has only such a call. */
function onlyLogs({ type, callee, expression, body }: SyntaxNode): boolean {
  const logger = callee?.object;
  if (logger !== undefined)
    return /CallExpression$/.test(type) && [logger.name, logger.property?.name].includes('log');
  if (typeof expression === 'object') return onlyLogs(expression);
  const parts = [body ?? []].flat();
  return parts.length === 1 && parts.every(onlyLogs);
}

/** Leaves out nodes without a chosen mutant, so that tests are as fast as without switches. */
function keepChosenPlaces(chosen: readonly PlacedMutant[]) {
  const byFile = Map.groupBy(chosen, ({ file }) => file);
  return {
    shouldIgnore(path: unknown): string | undefined {
      const { node, hub } = path as SyntaxPath;
      const { loc } = node;
      const inFile = byFile.get(hub?.file?.opts?.filename ?? '') ?? [];
      if (!loc || inFile.some(({ start, end }) => isWithin(start, loc) && isWithin(end, loc)))
        return undefined;
      return 'not in the sample';
    },
  };
}

function isWithin(place: Position, { start, end }: { start: Position; end: Position }): boolean {
  const position = { line: place.line + 1, column: place.column };
  return comparePositions(start, position) <= 0 && comparePositions(position, end) <= 0;
}

function comparePositions(a: Position, b: Position): number {
  return a.line - b.line || a.column - b.column;
}

/**
 * Instruments files with a choice of their mutants. @returns these with the ids of the texts, and the texts.
 */
export async function instrumentChosen(
  root: string,
  chosen: readonly PlacedMutant[],
): Promise<{ mutants: PlacedMutant[]; texts: Map<string, string> }> {
  const files = [...new Set(chosen.map(({ file }) => file))].sort();
  const { mutants, texts } = await instrumentFiles(root, files, [keepChosenPlaces(chosen)]);
  const namePlace = ({ file, start, end, code }: PlacedMutant) => JSON.stringify([file, start, end, code]);
  const ids = new Map(mutants.map((mutant) => [namePlace(mutant), mutant.id]));
  return { mutants: chosen.map((mutant) => ({ ...mutant, id: ids.get(namePlace(mutant)) ?? '' })), texts };
}

/**
 * Instruments files.
 * @param files paths below `root`.
 * @param ignorers leave out nodes beside those that only log.
 * @returns their mutants in the order of the texts, and the instrumented text of each file. The environment
 * variable `__STRYKER_ACTIVE_MUTANT__` activates the mutant with its id.
 * @throws Error when a file cannot be read or is not TypeScript.
 */
export async function instrumentFiles(
  root: string,
  files: readonly string[],
  ignorers: { shouldIgnore(path: unknown): string | undefined }[] = [],
): Promise<{ mutants: PlacedMutant[]; texts: Map<string, string> }> {
  const contents = new Map<string, string>();
  for (const file of files) contents.set(file, await readFile(join(root, file), 'utf8'));
  const sources = [...contents].map(([name, content]) => ({ name, content, mutate: true }));
  const result = await new Instrumenter(LOGGER).instrument(sources, {
    plugins: null,
    excludedMutations: EXCLUDED_MUTATORS,
    ignorers: [IGNORER, ...ignorers],
  });
  const counts = new Map<string, number>();
  const mutants = result.mutants
    .filter(({ status }) => status !== 'Ignored')
    .map(({ id, fileName: file, location, mutatorName: mutator, replacement }): PlacedMutant => {
      const original = onOneLine(textBetween(contents.get(file) ?? '', location));
      const mutant = { file, mutator, original, replacement: onOneLine(replacement) };
      const key = JSON.stringify(mutant);
      const nth = (counts.get(key) ?? 0) + 1;
      counts.set(key, nth);
      return { id, line: location.start.line + 1, ...mutant, nth, ...location, code: replacement };
    });
  return { mutants, texts: new Map(result.files.map(({ name, content }) => [name, content])) };
}

/** A mutant with its place and its whole text. */
export interface PlacedMutant extends Mutant {
  start: Position;
  end: Position;
  code: string;
}

export interface Position {
  /** From 0. */
  line: number;
  column: number;
}

function textBetween(content: string, { start, end }: { start: Position; end: Position }): string {
  const lines = content.split('\n').slice(start.line, end.line + 1);
  lines.push((lines.pop() ?? '').slice(0, end.column));
  const [first = '', ...rest] = lines;
  return [first.slice(start.column), ...rest].join('\n');
}

function onOneLine(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length > SHOWN_LENGTH ? `${line.slice(0, SHOWN_LENGTH)}…` : line;
}
