// Names of tools in an analysis become links to their calls: exact words, with or without the server.

import type { Node, Nodes, Root } from 'mdast';
import { listNodeChildren, setChildren } from './parse.ts';

/** A name of a tool that was called. */
interface ToolLink extends Node {
  type: 'toolLink';
  value: string;
  /** Key of the tool among the calls: `server.tool`. */
  toolName: string;
}

declare module 'mdast' {
  interface RootContentMap {
    toolLink: ToolLink;
  }
  interface PhrasingContentMap {
    toolLink: ToolLink;
  }
}

/** Links words of a tree, which is changed. @param names by each spelling the whole name of the tool. */
export function linkTools(tree: Root, names: ReadonlyMap<string, string>): void {
  if (names.size > 0) linkIn(tree, names);
}

function linkIn(node: Nodes, names: ReadonlyMap<string, string>): void {
  if (!('children' in node) || node.type === 'link') return;
  const children = listNodeChildren(node).flatMap((child): Nodes[] => {
    if (child.type === 'text') return pieces(child.value, names);
    const toolName = child.type === 'inlineCode' ? names.get(child.value) : undefined;
    if (child.type === 'inlineCode' && toolName !== undefined)
      return [{ type: 'toolLink', value: child.value, toolName }];
    linkIn(child, names);
    return [child];
  });
  setChildren(node, children);
}

function pieces(text: string, names: ReadonlyMap<string, string>): Nodes[] {
  return text
    .split(/([\w.-]*\w)/)
    .filter((piece) => piece !== '')
    .reduce<Nodes[]>((made, piece) => {
      const toolName = names.get(piece);
      const last = made.at(-1);
      if (toolName !== undefined) made.push({ type: 'toolLink', value: piece, toolName });
      else if (last?.type === 'text') last.value += piece;
      else made.push({ type: 'text', value: piece });
      return made;
    }, []);
}
