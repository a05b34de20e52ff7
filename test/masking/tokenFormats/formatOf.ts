// A rule of gitleaks as facts about tokens: how they begin, which characters follow, and how many.

import type { TokenFormat } from '../../../shared/masking/formats/tokenFormats.ts';
import { NoSequence, type Run, sequencesOf } from './pattern.ts';

/** A rule of gitleaks' `config/gitleaks.toml`, as far as it is read. */
export interface LeakRule {
  id: string;
  /** Undefined for a rule about names of files. */
  regex?: string | undefined;
}

/** Shorter heads stand in any text. */
const SHORTEST_HEAD = 3;
/** Characters behind the head; fewer stand behind such a head by chance. */
const SHORTEST_TAIL = 10;
/** Behind a head that needs the name of its service near it there are more. */
const SHORTEST_TAIL_OF_NAMED = 30;
/** Tokens become longer, so that the last run takes more than the rule says. */
const SPARE = 200;
/** Rules that find a token behind the name of its service only. */
const NAMED = /^(?:\(\?i\))?\[\\w\.-\]\{0,50\}\?/;

/**
 * The formats of a rule, one for each ending, or the reason why it has none: tokens without a head of their
 * own, which are found by the names near them.
 */
export function formatsOf({ id, regex }: LeakRule): TokenFormat[] | string {
  if (regex === undefined) return 'is about names of files';
  try {
    const shortest = NAMED.test(regex) ? SHORTEST_TAIL_OF_NAMED : SHORTEST_TAIL;
    const byTail = new Map<string, Set<string>>();
    for (const runs of sequencesOf(regex)) {
      const head = headOf(runs);
      const tail = runs.slice(head.length);
      const length = tail.reduce((sum, { least }) => sum + least, 0);
      if (!isDistinct(head) || length < shortest) continue;
      const source = sourceOf(tail, /[^A-Za-z0-9]/.test(head));
      byTail.set(source, (byTail.get(source) ?? new Set()).add(head));
    }
    if (byTail.size === 0) return 'has no head of its own';
    return [...byTail].map(([tail, heads]) => ({ kind: kindOf(id), heads: [...heads].sort(), tail }));
  } catch (error) {
    if (error instanceof NoSequence) return error.message;
    throw error;
  }
}

function headOf(runs: readonly Run[]): string {
  const end = runs.findIndex(({ literal }) => literal === undefined);
  return runs
    .slice(0, end < 0 ? runs.length : end)
    .map(({ literal }) => literal)
    .join('');
}

/** Whether a head is no word and no part of one. */
const isDistinct = (head: string): boolean =>
  head.length >= SHORTEST_HEAD && (/[^a-z]/.test(head) || head.length > 5) && !head.includes(' ');

/** The kind in marks; those that begin with a digit could not be marks. */
const kindOf = (id: string): string =>
  id
    .replace(/^(?=\d)/, 'key-')
    .slice(0, 40)
    .replace(/-+$/, '');

/** @param open whether the last run takes more: not behind letters of a digest. */
function sourceOf(runs: readonly Run[], open: boolean): string {
  const merged: Run[] = [];
  for (const run of runs) {
    const last = merged.at(-1);
    if (last !== undefined && last.literal === undefined && sameSet(last, run) && run.literal === undefined)
      merged[merged.length - 1] = { ...last, least: last.least + run.least, most: last.most + run.most };
    else merged.push(run);
  }
  const source = merged
    .map((run, index) => {
      if (run.literal !== undefined) return run.literal.replace(/[.*+?^${}()|[\]\\/]/, '\\$&');
      const isOpen = open && index === merged.length - 1 && run.characters.size > 2;
      const most = run.most + (isOpen ? SPARE : 0);
      const limits = run.least === most ? `{${most}}` : `{${run.least},${most}}`;
      return `${classOf(run.characters)}${limits === '{1}' ? '' : limits}`;
    })
    .join('');
  return open ? source : `${source}(?![0-9A-Za-z])`;
}

const sameSet = (a: Run, b: Run): boolean =>
  a.characters.size === b.characters.size && [...a.characters].every((one) => b.characters.has(one));

/** `[A-Za-z0-9_-]`: ranges in the order of the alphabet, signs last. */
function classOf(characters: ReadonlySet<string>): string {
  const codes = [...characters].map((one) => one.charCodeAt(0)).sort((a, b) => a - b);
  let letters = '';
  let signs = '';
  for (let index = 0; index < codes.length; index++) {
    const start = codes[index] ?? 0;
    while (codes[index + 1] === (codes[index] ?? 0) + 1 && isAlnum(codes[index]) && isAlnum(codes[index + 1]))
      index++;
    const end = codes[index] ?? 0;
    const [first, last] = [String.fromCharCode(start), String.fromCharCode(end)];
    if (!isAlnum(start)) signs += first === '-' ? '' : first.replace(/[\]\\^]/, '\\$&');
    else letters += end - start > 1 ? `${first}-${last}` : start === end ? first : first + last;
  }
  return `[${letters}${signs}${characters.has('-') ? '-' : ''}]`;
}

const isAlnum = (code: number | undefined): boolean =>
  code !== undefined && /[A-Za-z0-9]/.test(String.fromCharCode(code));
