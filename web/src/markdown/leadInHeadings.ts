// Lead-ins of an analysis, `**Root cause** (confidence: high): …`, as optional headings.

import type { Paragraph, PhrasingContent, Root, RootContent } from 'mdast';
import { plainText } from './parse.ts';

/** A part of an analysis. */
export interface Part {
  /** Empty before the first lead-in. */
  title: string;
  id: string;
  nodes: RootContent[];
}

/** The confidence of an analysis. */
export type Confidence = (typeof CONFIDENCES)[number];

const CONFIDENCES = ['high', 'medium', 'low'] as const;

const LONGEST = 40;
const CONFIDENCE = /^\s*\((?:confidence:\s*)?(high|medium|low)\)/i;

/** The parts of an analysis, and the first confidence that it names. */
export function splitAnalysisParts(tree: Root): { parts: Part[]; confidence: Confidence | undefined } {
  const parts: Part[] = [];
  let confidence: Confidence | undefined;
  const nodes = tree.children.flatMap((node): RootContent[] =>
    node.type === 'paragraph' ? splitAtLeadIns(node) : [node],
  );
  for (const node of nodes) {
    const lead = node.type === 'paragraph' ? leadIn(node) : undefined;
    if (lead === undefined) {
      if (parts.length === 0) parts.push({ title: '', id: 'part-0', nodes: [] });
      parts.at(-1)?.nodes.push(node);
      continue;
    }
    confidence ??= lead.confidence;
    parts.push({ title: lead.title, id: `part-${parts.length}`, nodes: lead.rest ? [lead.rest] : [] });
  }
  return { parts, confidence };
}

/** Paragraphs of which each begins with a lead-in: models write several on lines under each other. */
function splitAtLeadIns(paragraph: Paragraph): Paragraph[] {
  const groups: Paragraph[] = [];
  for (const line of splitLines(paragraph)) {
    const last = groups.at(-1);
    const own: Paragraph = { type: 'paragraph', children: line };
    if (last === undefined || leadIn(own) !== undefined) groups.push(own);
    else last.children.push({ type: 'text', value: '\n' }, ...line);
  }
  return groups;
}

function splitLines({ children }: Paragraph): PhrasingContent[][] {
  const lines: PhrasingContent[][] = [[]];
  for (const node of children) {
    const isBreak = node.type === 'break';
    const pieces = node.type === 'text' ? node.value.split('\n') : isBreak ? ['', ''] : [node];
    pieces.forEach((piece, index) => {
      if (index > 0) lines.push([]);
      if (piece !== '')
        lines.at(-1)?.push(typeof piece === 'string' ? { type: 'text', value: piece } : piece);
    });
  }
  return lines;
}

function leadIn(paragraph: Paragraph) {
  const [first, second, ...others] = paragraph.children;
  if (first?.type !== 'strong') return undefined;
  const title = plainText(first).replace(/:$/, '').trim();
  if (title === '' || title.length > LONGEST) return undefined;
  if (second === undefined) return { title, confidence: undefined, rest: undefined };
  if (second.type !== 'text') return undefined;
  const sure = CONFIDENCE.exec(second.value);
  const after = second.value.slice(sure?.[0].length ?? 0);
  const colon = /^\s*[:.–-]?\s*/.exec(after)?.[0] ?? '';
  const isLead = sure !== null || /[:\n]/.test(colon) || plainText(first).endsWith(':');
  if (!isLead) return undefined;
  const text = after.slice(colon.length);
  const children = text === '' ? others : [{ type: 'text' as const, value: text }, ...others];
  const rest: Paragraph | undefined = children.length === 0 ? undefined : { type: 'paragraph', children };
  const confidence = CONFIDENCES.find((level) => level === sure?.[1]?.toLowerCase());
  return { title, confidence, rest };
}
