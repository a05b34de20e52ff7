// Markdown as a syntax tree. No HTML is ever made of it.

import type { Nodes, Parents, Root } from 'mdast';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmTableFromMarkdown } from 'mdast-util-gfm-table';
import { gfmTable } from 'micromark-extension-gfm-table';

/** HTML is text. The build leaves the code of these constructs out (`web/vite.config.ts`). */
const WITHOUT_HTML = { disable: { null: ['htmlFlow', 'htmlText'] } };

/** A tree that is not used yet. */
let early: { source: string; tree: Root } | undefined;

/** Parses a text before it is needed: the next `parseMarkdown` of this text has its tree at once. */
export function parseEarly(source: string): void {
  early = { source, tree: parseMarkdown(source) };
}

/** A text's tree. Positions are UTF-16 offsets; headings start at depth 1 without gaps. */
export function parseMarkdown(source: string): Root {
  if (early?.source === source) {
    const { tree } = early;
    early = undefined;
    return tree;
  }
  const tree = fromMarkdown(source, {
    extensions: [gfmTable(), WITHOUT_HTML],
    mdastExtensions: [gfmTableFromMarkdown()],
  });
  closeHeadingGaps(tree);
  return tree;
}

/** A heading's depth: the number of headings above it, plus 1: texts can start with `###`. */
function closeHeadingGaps(tree: Root): void {
  const open: number[] = [];
  const left: Nodes[] = [tree];
  for (let node = left.pop(); node !== undefined; node = left.pop()) {
    left.push(...listNodeChildren(node).toReversed());
    if (node.type !== 'heading') continue;
    const { depth } = node;
    while ((open.at(-1) ?? 0) >= depth) open.pop();
    open.push(depth);
    node.depth = open.length as typeof depth;
  }
}

/** The children of a node; none for a leaf. */
export function listNodeChildren(node: Nodes): readonly Nodes[] {
  return 'children' in node ? node.children : [];
}

/** Replaces the children of a node. The caller keeps to the types that the node permits. */
export function setChildren(node: Parents, children: readonly Nodes[]): void {
  Object.assign(node, { children });
}

const BLOCKS = new Set(['root', 'list', 'listItem', 'blockquote', 'table', 'tableRow']);

/** A node's words on one line: blocks apart, with a colon behind headings. */
export function plainWords(node: Nodes): string {
  if (node.type === 'heading') return plainText(node).replace(/[\p{L}\p{N})]$/u, '$&:');
  if (!BLOCKS.has(node.type)) return plainText(node);
  return listNodeChildren(node).map(plainWords).join(' ');
}

/** The text of a node without its marks. */
export function plainText(node: Nodes): string {
  if ('value' in node) return node.value;
  if ('children' in node) return listNodeChildren(node).map(plainText).join('');
  return node.type === 'break' ? ' ' : '';
}
