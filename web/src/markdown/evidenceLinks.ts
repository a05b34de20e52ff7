// Values in an analysis become links to their evidence: quoted texts, code, and words with digits.

import type { Node, Nodes, Root } from 'mdast';
import { isCommand } from '../../../shared/text/commands.ts';
import { listNodeChildren, setChildren } from './parse.ts';

interface EvidenceLink extends Node {
  type: 'evidenceLink';
  value: string;
  /** Whether it was written as code. */
  isCode: boolean;
  href: string;
  where: string;
}

declare module 'mdast' {
  interface RootContentMap {
    evidenceLink: EvidenceLink;
  }
  interface PhrasingContentMap {
    evidenceLink: EvidenceLink;
  }
}

type Place = Pick<EvidenceLink, 'href' | 'where'>;
/** Finds the evidence of a value. */
export type FindEvidence = (value: string) => Place | undefined;
/** The evidence of values that are known. */
export type KnownEvidence = ReadonlyMap<string, Place>;

/** Shorter values are in many places by chance. */
const SHORTEST = 4;
const LONGEST = 200;
/** Values of a text that are searched. */
const MAX_VALUES = 150;
/** A quoted text, or a word with a digit in it. */
const VALUE = /["“][^"“”\n]{4,200}["”]|[^\s"“”()[\]<>]*\d[^\s"“”()[\]<>]*/g;

/** Links the first place of each value in a tree. Without known values: those that look like one. */
export function linkEvidence(tree: Root, evidence: FindEvidence | KnownEvidence): void {
  const isSearch = typeof evidence === 'function';
  const values = isSearch ? VALUE : matchAnyText([...evidence.keys()]);
  const tried = new Set<string>();
  const linkOf = (value: string, isCode: boolean): EvidenceLink | undefined => {
    const { length } = value;
    if (tried.has(value) || tried.size >= MAX_VALUES) return undefined;
    if (isSearch && (length < SHORTEST || length > LONGEST)) return undefined;
    tried.add(value);
    const found = isSearch ? evidence(value) : evidence.get(value);
    return found && { type: 'evidenceLink', value, isCode, ...found };
  };
  const linkIn = (node: Nodes): void => {
    if (!('children' in node) || node.type === 'link') return;
    const children = listNodeChildren(node).flatMap((child): Nodes[] => {
      if (child.type === 'text') return pieces(child.value, values, linkOf);
      if (child.type === 'inlineCode' && !isCommand(child.value)) return [linkOf(child.value, true) ?? child];
      linkIn(child);
      return [child];
    });
    setChildren(node, children);
  };
  linkIn(tree);
}

/** Any of these texts as whole words, the longest first. */
function matchAnyText(texts: readonly string[]): RegExp {
  const longest = texts.toSorted((a, b) => b.length - a.length);
  const escaped = longest.map((text) => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
  return new RegExp(`(?<![\\p{L}\\p{N}_])(?:${escaped.join('|') || '(?!)'})(?![\\p{L}\\p{N}_])`, 'gu');
}

function pieces(
  text: string,
  values: RegExp,
  linkOf: (value: string, isCode: boolean) => EvidenceLink | undefined,
): Nodes[] {
  const made: Nodes[] = [];
  let from = 0;
  for (const match of text.matchAll(values)) {
    // Quotes and the punctuation of the sentence are not part of the value.
    const value = match[0].replace(/^["“'(]+|["”'.,;:!?)]+$/g, '');
    const link = linkOf(value, false);
    if (link === undefined) continue;
    const start = match.index + match[0].indexOf(value);
    if (start > from) made.push({ type: 'text', value: text.slice(from, start) });
    made.push(link);
    from = start + value.length;
  }
  if (from < text.length) made.push({ type: 'text', value: text.slice(from) });
  return made;
}
