// A syntax tree as elements of listed types. HTML is text, images their text and address.

import type { Nodes } from 'mdast';
import type { ComponentChildren } from 'preact';
import { isCommand } from '../../../shared/text/commands.ts';
import { Command } from '../parts/Command.tsx';
import { CopyButton } from '../parts/CopyButton.tsx';
import { ExternalLink } from '../parts/ExternalLink.tsx';
import { Marked } from '../parts/Untrusted.tsx';
import s from './markdown.module.css';
import { listNodeChildren, parseMarkdown, plainText } from './parse.ts';

export { parseEarly } from './parse.ts';

/** How marks, names of tools and values with evidence are drawn; without it they are text. */
export interface Drawn {
  mark(number: number): ComponentChildren;
  tool(text: string, toolName: string): ComponentChildren;
  evidence(link: { value: string; isCode: boolean; href: string; where: string }): ComponentChildren;
}

/** Deeper quotes and lists are drawn as text. */
const DEEPEST = 12;
/** Rows of a table that are drawn. */
const MAX_ROWS = 200;

const PLAIN: Drawn = {
  mark: (number) => `[${number}]`,
  tool: (text) => text,
  evidence: ({ value }) => value,
};

/** A markdown text. */
export function Markdown({ source }: { source: string }) {
  return <div class={s.text}>{drawNodes(parseMarkdown(source).children, PLAIN)}</div>;
}

/** The elements of nodes. */
export function drawNodes(nodes: readonly Nodes[], drawn: Drawn, depth = 0): ComponentChildren[] {
  let place = 0;
  return nodes.map((node, index) => {
    // A link that is found later, and splits a text, takes no element of other texts.
    const key = `${node.type} ${place} ${node.type === 'citationMark' ? node.number : ''}`;
    place += 'value' in node ? node.value.length : node.type === 'citationMark' ? 0 : 1;
    const before = nodes[index - 1];
    const follows = before?.type === 'inlineCode' && isCommand(before.value);
    return <Node key={key} node={follows ? afterCommand(node) : node} drawn={drawn} depth={depth} />;
  });
}

interface NodeProps {
  node: Nodes;
  drawn: Drawn;
  depth: number;
}

function Node({ node, drawn, depth }: NodeProps) {
  if (depth > DEEPEST) return <>{plainText(node)}</>;
  const inside = (of: { children: readonly Nodes[] }) => drawNodes(of.children, drawn, depth + 1);
  switch (node.type) {
    case 'text':
      return <Marked text={node.value} />;
    case 'paragraph':
      return <p dir="auto">{inside(node)}</p>;
    case 'heading': {
      const Tag = (['h4', 'h5', 'h6'] as const)[Math.min(2, node.depth - 1)] ?? 'h6';
      return <Tag dir="auto">{inside(node)}</Tag>;
    }
    case 'list':
      return node.ordered ? <ol start={node.start ?? 1}>{inside(node)}</ol> : <ul>{inside(node)}</ul>;
    case 'listItem':
      return <li dir="auto">{inside(node)}</li>;
    case 'blockquote':
      return <blockquote>{inside(node)}</blockquote>;
    case 'emphasis':
      return <em>{inside(node)}</em>;
    case 'strong':
      return <strong>{inside(node)}</strong>;
    case 'break':
      return <br />;
    case 'thematicBreak':
      return <hr />;
    case 'inlineCode':
      return <InlineCode text={node.value} />;
    case 'code':
      return <CodeBlock text={node.value} />;
    case 'link':
      return <ExternalLink url={node.url}>{linkText(node, inside(node))}</ExternalLink>;
    case 'image':
      return (
        <span>
          {node.alt === '' ? 'image' : node.alt} <bdi class={s.address}>({node.url.slice(0, 500)})</bdi>
        </span>
      );
    case 'table':
      return <Table node={node} drawn={drawn} depth={depth} />;
    case 'citationMark':
      return <>{drawn.mark(node.number)}</>;
    case 'toolLink':
      return <>{drawn.tool(node.value, node.toolName)}</>;
    case 'evidenceLink':
      return <>{drawn.evidence(node)}</>;
    case 'definition':
      return (
        <p>
          {node.label}: {node.url}
        </p>
      );
    case 'root':
      return <>{inside(node)}</>;
    default:
      return <>{'children' in node ? inside(node) : plainText(node)}</>;
  }
}

/** A text that is only the host needs no host after it. */
function linkText(node: Nodes, drawn: ComponentChildren): ComponentChildren {
  const text = plainText(node);
  return text !== '' && !/[[\]]/.test(text) && !('url' in node && text.includes('masked:')) ? text : drawn;
}

/** Code with a space in it is a command as a rule, and can be copied. */
function InlineCode({ text }: { text: string }) {
  if (isCommand(text)) return <Command command={text} />;
  return (
    <code>
      <bdi>
        <Marked text={text} />
      </bdi>
    </code>
  );
}

/** A node after a command, without its first punctuation: commands have their own box. */
function afterCommand(node: Nodes): Nodes {
  if (node.type === 'text') return { ...node, value: node.value.replace(/^\s*[.,;:]+(?=\s|$)/, '') };
  const [first, ...others] = listNodeChildren(node);
  if (first === undefined || node.type === 'link') return node;
  return { ...node, children: [afterCommand(first), ...others] } as Nodes;
}

function CodeBlock({ text }: { text: string }) {
  return (
    <div class={s.block}>
      <pre tabIndex={0} role="region" aria-label="Code">
        <bdi>
          <Marked text={text} />
        </bdi>
      </pre>
      <CopyButton text={text} what="the block" />
    </div>
  );
}

function Table({ node, drawn, depth }: NodeProps) {
  const [head, ...body] = listNodeChildren(node);
  const cells = (row: Nodes | undefined) => (row ? listNodeChildren(row) : []);
  const inside = (cell: Nodes) => drawNodes(listNodeChildren(cell), drawn, depth + 1);
  return (
    <div class={s.table} tabIndex={0} role="region" aria-label="Table">
      <table>
        <thead>
          <tr>
            {cells(head).map((cell, index) => (
              <th key={index} scope="col">
                {inside(cell)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {body.slice(0, MAX_ROWS).map((row, index) => (
            <tr key={index}>
              {cells(row).map((cell, column) => (
                <td key={column}>{inside(cell)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {body.length > MAX_ROWS && <p>{body.length - MAX_ROWS} more rows are in the source.</p>}
    </div>
  );
}
