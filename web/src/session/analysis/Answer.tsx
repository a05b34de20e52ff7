// An answer to a question, with links to calls and evidence.

import { useMemo } from 'preact/hooks';
import { linkEvidence } from '../../markdown/evidenceLinks.ts';
import { drawNodes } from '../../markdown/Markdown.tsx';
import markdown from '../../markdown/markdown.module.css';
import { parseMarkdown } from '../../markdown/parse.ts';
import { linkTools } from '../../markdown/toolLinks.ts';
import { EvidenceLink } from './EvidenceLink.tsx';
import { ToolName } from './ToolName.tsx';
import { useToolCalls } from './toolCalls.ts';
import { useEvidenceSearch } from './useEvidence.ts';

/** The answer. */
export function Answer({ source }: { source: string }) {
  const find = useEvidenceSearch();
  const { calls, names } = useToolCalls();
  const nodes = useMemo(() => {
    const tree = parseMarkdown(source);
    linkTools(tree, names);
    if (find !== undefined) linkEvidence(tree, find);
    return tree.children;
  }, [source, find, names]);
  const drawn = {
    mark: (number: number) => `[${number}]`,
    tool: (text: string, toolName: string) => <ToolName text={text} calls={calls.get(toolName) ?? []} />,
    evidence: (link: { value: string; isCode: boolean; href: string; where: string }) => (
      <EvidenceLink text={link.value} isCode={link.isCode} href={link.href} where={link.where} />
    ),
  };
  return <div class={markdown.text}>{drawNodes(nodes, drawn)}</div>;
}
