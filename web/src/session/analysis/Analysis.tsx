// The analysis: finding, confidence and next steps, with links to the evidence.

import { useMemo } from 'preact/hooks';
import { MARK_WORDS, markUnchecked, NOT_READ } from '../../../../shared/evidence/markUnchecked.ts';
import { markConfidence } from '../../../../shared/evidence/statedConfidence.ts';
import type { SessionView } from '../../../../shared/lists/apiTypes.ts';
import { answerParts } from '../../../../shared/text/structuredAnswer.ts';
import { placeMarks } from '../../markdown/citationMarks.ts';
import { splitSummary } from '../../markdown/commands.ts';
import { linkEvidence } from '../../markdown/evidenceLinks.ts';
import { splitAnalysisParts } from '../../markdown/leadInHeadings.ts';
import { type Drawn, drawNodes } from '../../markdown/Markdown.tsx';
import markdown from '../../markdown/markdown.module.css';
import { parseMarkdown } from '../../markdown/parse.ts';
import { linkTools } from '../../markdown/toolLinks.ts';
import { describeWriter, listResultLimits } from '../../model/caveats.ts';
import { Command } from '../../parts/Command.tsx';
import { CopyButton } from '../../parts/CopyButton.tsx';
import parts from '../../parts/parts.module.css';
import { Untrusted } from '../../parts/Untrusted.tsx';
import { useSession } from '../state/sessionState.ts';
import { Slot } from '../state/slots.tsx';
import { ConfidenceMark, Limits } from './AnalysisHead.tsx';
import { AnswerFields } from './AnswerFields.tsx';
import s from './analysis.module.css';
import { CitationNumber, numberSources, Sources } from './Citations.tsx';
import { EvidenceLink } from './EvidenceLink.tsx';
import { NoAnalysis } from './NoAnalysis.tsx';
import { ToolName } from './ToolName.tsx';
import { useToolCalls } from './toolCalls.ts';
import { useAnalysisEvidence } from './useEvidence.ts';

/** The panel of the analysis; while there is none its place, one line high. */
export function Analysis({ view }: { view: SessionView }) {
  const { finalAnalysis, executiveSummary, status } = view;
  if (finalAnalysis === null) return <NoAnalysis view={view} />;
  return (
    <section id="analysis" class={parts.panel} aria-labelledby="analysis-title" tabIndex={-1}>
      <Text
        view={view}
        source={finalAnalysis}
        summary={executiveSummary}
        limits={listResultLimits(view)}
        writer={describeWriter(view)}
        verdict={view.verdict?.sentence}
      />
      {status === 'completed' ? null : <NoAnalysis view={view} isBelow />}
    </section>
  );
}

/** The states of values with a mark, whose numbers are 0 and below; sources start at 1. */
const MISSING = Object.keys(MARK_WORDS);

interface TextProps {
  view: SessionView;
  source: string;
  summary: string | null;
  /** Why the analysis is limited, one sentence each. */
  limits: readonly string[];
  /** `a model` or `a script`. */
  writer: string;
  /** The sentence of the verdict. Absent without one. */
  verdict: string | undefined;
}

function withoutWord(summary: string, verdict: string | undefined): string {
  const prefix = `${verdict?.split('.')[0]}: `;
  return verdict !== undefined && summary.startsWith(prefix) ? summary.slice(prefix.length) : summary;
}

function Text({ view, source, summary, limits, writer, verdict }: TextProps) {
  const { timeline, claims } = useSession();
  const size = timeline.size.value;
  const claimed = claims.value;
  // New events change the possible links.
  const { own, citations } = useMemo(() => {
    const final = timeline
      .all()
      .filter((event) => event.eventType === 'final_analysis')
      .find(({ content }) => content === source);
    return { own: final, citations: final?.metadata.citations ?? [] };
  }, [timeline, size, source]);
  const { calls, names } = useToolCalls();
  const cited = JSON.stringify(citations);
  // The other fields of a structured answer follow its text as lines; here they are a card.
  const output = own?.metadata.output;
  const answer = output === undefined ? undefined : (answerParts(output).answer ?? '');
  const text = answer !== undefined && source.startsWith(answer) ? answer : source;
  const evidence = useAnalysisEvidence();
  // Parsed again only for new links, evidence or citations: more of the same calls changes nothing.
  const { sections, confidence, sources } = useMemo(() => {
    const tree = parseMarkdown(text);
    const numbered = numberSources(citations);
    const missing = (claimed?.values ?? []).flatMap(({ state, end }) =>
      MISSING.includes(state) && end > 0 && end <= text.length
        ? [{ number: -MISSING.indexOf(state), end }]
        : [],
    );
    placeMarks(tree, text, [...numbered.places, ...missing]);
    linkTools(tree, names);
    if (evidence !== undefined) linkEvidence(tree, evidence);
    const read = splitAnalysisParts(tree);
    return { sections: read.parts, confidence: read.confidence, sources: numbered.sources };
  }, [text, cited, names, evidence, claimed]);
  const drawn: Drawn = {
    mark: (number) =>
      number <= 0 ? (
        <mark class={s.missing} data-missing={MISSING[-number]}>
          {MARK_WORDS[MISSING[-number] ?? '']}
        </mark>
      ) : (
        <CitationNumber number={number} source={sources[number - 1]} event={own} />
      ),
    tool: (text, toolName) => <ToolName text={text} calls={calls.get(toolName) ?? []} />,
    evidence: ({ value, isCode, href, where }) => (
      <EvidenceLink text={value} isCode={isCode} href={href} where={where} />
    ),
  };
  const { step, rest } = useMemo(
    () => splitSummary(withoutWord(summary ?? '', verdict), sections),
    [summary, sections, verdict],
  );
  const titled = sections.filter(({ title }) => title !== '');
  const ordered = titled.toSorted((a, b) => rankHeading(a.title) - rankHeading(b.title)).slice(0, 8);
  return (
    <>
      <div class={parts.panelHead}>
        <h2 id="analysis-title">Analysis</h2>
        {confidence && <ConfidenceMark confidence={confidence} isJudged={verdict !== undefined} />}
        <CopyButton
          text={markUnchecked(source, claimed?.values ?? [])}
          label="Copy as markdown"
          what="the analysis as markdown"
        />
      </div>
      <div class={s.body}>
        <Limits limits={limits} />
        <div class={s.lead}>
          {step && (
            <p class={s.doNow} data-do-now>
              <Command command={step.command} label={step.label} />
            </p>
          )}
          {verdict !== undefined && (
            <p class={s.doNow}>
              <Untrusted text={verdict} />
            </p>
          )}
          {rest !== '' && (
            <p class={s.summary}>
              <Untrusted text={markConfidence(rest)} />
            </p>
          )}
        </div>
        {ordered.length > 1 && (
          <nav class={s.chips} aria-label="Parts of the analysis">
            {ordered.map(({ title, id }) => (
              <a key={id} class={parts.chip} href={`#${id}`}>
                <bdi>{title}</bdi>
              </a>
            ))}
          </nav>
        )}
        {sections.map(({ title, id, nodes }, index) => (
          <section
            key={id}
            id={id}
            class={`${s.part} ${index === 0 ? s.first : ''}`}
            {...(title !== '' && { 'aria-label': title })}
          >
            {title !== '' && (
              <h3>
                <bdi>{title}</bdi>
              </h3>
            )}
            <div class={markdown.text}>{drawNodes(nodes, drawn)}</div>
          </section>
        ))}
        {output !== undefined && <AnswerFields output={output} />}
        <Sources sources={sources} />
      </div>
      <div class={s.foot}>
        <p class={parts.meta}>
          Written by {writer}. Verify before you act.{claimed && ` ${NOT_READ}`}
        </p>
        <Slot place="review" view={view} />
      </div>
    </>
  );
}

/** Next steps come first among the links into an analysis. */
function rankHeading(title: string): number {
  return /what to do|next steps|mitigation|recommend/i.test(title) ? 0 : 1;
}
