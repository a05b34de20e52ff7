// An entry's headings in steps of one level, as screen readers require, from any level.

import type { RootContent } from 'mdast';

/** The same nodes. Headings start at depth 1, and none is more than one level deeper than the one before. */
export function evenHeadings(nodes: readonly RootContent[]): RootContent[] {
  /** The written depths that the current heading stands in, the outermost first. */
  const open: number[] = [];
  return nodes.map((node) => {
    if (node.type !== 'heading') return node;
    while ((open.at(-1) ?? 0) >= node.depth) open.pop();
    open.push(node.depth);
    return { ...node, depth: Math.min(6, open.length) as typeof node.depth };
  });
}
