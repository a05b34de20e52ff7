// Values in an analysis become links to their evidence: quoted texts, code, and words with digits.

import type { Node, Nodes, Root } from 'mdast';
import { isCommand } from './commands.ts';
import { childrenOf, setChildren } from './parse.ts';

/** A value with its evidence. */
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

/** Finds the evidence of a value. */
export type FindEvidence = (value: string) => { href: string; where: string } | undefined;

/** Shorter values are in many places by chance. */
const SHORTEST = 4;
const LONGEST = 200;
/** Values of a text that are searched. */
const MAX_VALUES = 150;
/** A quoted text, or a word with a digit in it. */
const VALUE = /["“][^"“”\n]{4,200}["”]|[^\s"“”()[\]<>]*\d[^\s"“”()[\]<>]*/g;

/** Links the first place of each value of a tree, which is changed. */
export function linkEvidence(tree: Root, find: FindEvidence): void {
  const tried = new Set<string>();
  const linkOf = (value: string, isCode: boolean): EvidenceLink | undefined => {
    const { length } = value;
    if (length < SHORTEST || length > LONGEST || tried.has(value) || tried.size >= MAX_VALUES)
      return undefined;
    tried.add(value);
    const found = find(value);
    return found && { type: 'evidenceLink', value, isCode, ...found };
  };
  const linkIn = (node: Nodes): void => {
    if (!('children' in node) || node.type === 'link') return;
    const children = childrenOf(node).flatMap((child): Nodes[] => {
      if (child.type === 'text') return pieces(child.value, linkOf);
      if (child.type === 'inlineCode' && !isCommand(child.value)) return [linkOf(child.value, true) ?? child];
      linkIn(child);
      return [child];
    });
    setChildren(node, children);
  };
  linkIn(tree);
}

function pieces(text: string, linkOf: (value: string, isCode: boolean) => EvidenceLink | undefined): Nodes[] {
  const made: Nodes[] = [];
  let from = 0;
  for (const match of text.matchAll(VALUE)) {
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
