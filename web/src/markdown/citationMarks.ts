// Numbers of citations in a tree after cited words; after code or a link, not inside.

import type { Node, Nodes, Root, Text } from 'mdast';
import { listNodeChildren, setChildren } from './parse.ts';

/** A number in a text. */
interface CitationMark extends Node {
  type: 'citationMark';
  number: number;
}

declare module 'mdast' {
  interface RootContentMap {
    citationMark: CitationMark;
  }
  interface PhrasingContentMap {
    citationMark: CitationMark;
  }
}

/** Where a number stands: the offset behind the cited words, in the source. */
interface MarkPlace {
  number: number;
  end: number;
}

/** Puts marks into a tree of a source; the tree is changed. @returns those that found no place. */
export function placeMarks(tree: Root, source: string, places: readonly MarkPlace[]): MarkPlace[] {
  const left = places.toSorted((a, b) => a.end - b.end || a.number - b.number);
  placeIn(tree, source, left);
  return left;
}

function nodeEnd(node: Nodes): number {
  return node.position?.end.offset ?? 0;
}

function nodeStart(node: Nodes): number {
  return node.position?.start.offset ?? 0;
}

const BLOCKS = new Set(['paragraph', 'heading', 'tableCell']);
const WHOLE = new Set([
  'inlineCode',
  'link',
  'linkReference',
  'image',
  'imageReference',
  'html',
  'footnoteReference',
]);

/** Takes the marks that end within a node out of `left`. */
function placeIn(node: Nodes, source: string, left: MarkPlace[]): void {
  if (!('children' in node)) return;
  const children: Nodes[] = [];
  const take = (limit: number): MarkPlace[] => {
    const after = left.findIndex(({ end }) => end > limit);
    return left.splice(0, after < 0 ? left.length : after);
  };
  const markOf = ({ number }: MarkPlace): CitationMark => ({ type: 'citationMark', number });
  const isPhrasing = BLOCKS.has(node.type) || ['emphasis', 'strong', 'delete'].includes(node.type);
  for (const child of listNodeChildren(node)) {
    if (!isPhrasing) {
      placeIn(child, source, left);
      children.push(child);
      continue;
    }
    if (child.type === 'text') {
      children.push(...splitMarkedText(child, source, take(nodeEnd(child))));
    } else if (WHOLE.has(child.type) || !('children' in child)) {
      children.push(child, ...take(nodeEnd(child)).map(markOf));
    } else {
      placeIn(child, source, left);
      children.push(child, ...take(nodeEnd(child)).map(markOf));
    }
  }
  if (BLOCKS.has(node.type)) children.push(...take(nodeEnd(node)).map(markOf));
  setChildren(node, children);
}

function splitMarkedText(node: Text, source: string, marks: MarkPlace[]): Nodes[] {
  if (marks.length === 0) return [node];
  const offsets = mapSourceOffsets(node, source);
  const pieces: Nodes[] = [];
  let from = 0;
  for (const { number, end } of marks) {
    const at = offsets.findIndex((offset) => offset >= end);
    const to = Math.max(from, at < 0 ? node.value.length : at);
    if (to > from) pieces.push({ type: 'text', value: node.value.slice(from, to) });
    pieces.push({ type: 'citationMark', number });
    from = to;
  }
  if (from < node.value.length) pieces.push({ type: 'text', value: node.value.slice(from) });
  return pieces;
}

/** The source offset of each UTF-16 unit of a text's value. Escapes and indentation differ. */
function mapSourceOffsets(node: Text, source: string): number[] {
  const offsets: number[] = [];
  let at = nodeStart(node);
  const end = nodeEnd(node);
  for (let index = 0; index < node.value.length; index++) {
    const unit = node.value[index];
    const from = at;
    while (at < end && source[at] !== unit && /[\\\s>]/.test(source[at] ?? '')) at++;
    if (source[at] === unit && !isEntity(source, at, unit)) {
      offsets.push(at++);
      continue;
    }
    const entity = /^&(?:#\d+|#x[\da-f]+|\w+);/i.exec(source.slice(at, at + 40))?.[0];
    offsets.push(entity === undefined ? from : at);
    // A character can have two units: the second has the offset of the first.
    const isFirst = unit !== undefined && unit >= '\ud800' && unit <= '\udbff';
    if (isFirst) offsets.push(at);
    if (isFirst) index++;
    at += entity?.length ?? 0;
  }
  return offsets;
}

/** `&amp;` starts with the character that it means. */
function isEntity(source: string, at: number, unit: string | undefined): boolean {
  return unit === '&' && /^&(?:amp|#38|#x26);/i.test(source.slice(at, at + 6));
}
