// An answer to a question, with links to its evidence.

import { useMemo } from 'preact/hooks';
import { linkEvidence } from '../../markdown/evidenceLinks.ts';
import { drawNodes } from '../../markdown/Markdown.tsx';
import markdown from '../../markdown/markdown.module.css';
import { parseMarkdown } from '../../markdown/parse.ts';
import { EvidenceLink } from './EvidenceLink.tsx';
import { useEvidence } from './useEvidence.ts';

/** The answer. */
export function Answer({ source }: { source: string }) {
  const find = useEvidence();
  const nodes = useMemo(() => {
    const tree = parseMarkdown(source);
    if (find !== undefined) linkEvidence(tree, find);
    return tree.children;
  }, [source, find]);
  const drawn = {
    mark: (number: number) => `[${number}]`,
    tool: (text: string) => text,
    evidence: (link: { value: string; isCode: boolean; href: string; where: string }) => (
      <EvidenceLink text={link.value} isCode={link.isCode} href={link.href} where={link.where} />
    ),
  };
  return <div class={markdown.text}>{drawNodes(nodes, drawn)}</div>;
}
