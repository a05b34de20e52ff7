// The analysis: finding, confidence and next steps, with links to the evidence.

import { useSignal } from '@preact/signals';
import { useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import type { SessionView, TimelineEvent } from '../../../../shared/api/types.ts';
import { type Confidence, partsOf } from '../../markdown/leadIns.ts';
import { type Drawn, drawNodes } from '../../markdown/Markdown.tsx';
import markdown from '../../markdown/markdown.module.css';
import { placeMarks } from '../../markdown/marks.ts';
import { parseMarkdown } from '../../markdown/parse.ts';
import { linkTools } from '../../markdown/toolLinks.ts';
import { stepId } from '../../model/address.ts';
import { isCall, shortName } from '../../model/steps.ts';
import { CopyButton } from '../../parts/CopyButton.tsx';
import parts from '../../parts/parts.module.css';
import { Untrusted } from '../../parts/Untrusted.tsx';
import { useSession } from '../state/sessionState.ts';
import s from './analysis.module.css';
import { CitationNumber, numberSources, Sources } from './Citations.tsx';
import { Ending } from './Ending.tsx';
import { Feedback } from './Feedback.tsx';
import { type ToolCall, ToolName } from './ToolName.tsx';

/** The panel of the analysis; while there is none its place, one line high. */
export function Analysis({ view }: { view: SessionView }) {
  const { finalAnalysis, executiveSummary, status } = view;
  if (finalAnalysis === null) return <Ending view={view} />;
  return (
    <section id="analysis" class={parts.panel} aria-labelledby="analysis-title" tabIndex={-1}>
      <Text source={finalAnalysis} summary={executiveSummary} />
      {status === 'completed' ? null : <Ending view={view} isBelow />}
    </section>
  );
}

function Text({ source, summary }: { source: string; summary: string | null }) {
  const { timeline } = useSession();
  const size = timeline.size.value;
  // New events change the possible links.
  const { own, calls, citations } = useMemo(() => {
    const all = timeline.all();
    const final = all
      .filter((event) => event.eventType === 'final_analysis')
      .find(({ content }) => content === source);
    return { own: final, calls: callsOf(all), citations: final?.metadata.citations ?? [] };
  }, [timeline, size, source]);
  const names = [...calls.keys()].join(' ');
  const cited = JSON.stringify(citations);
  // Parsed again only for new links or citations: more of the same calls changes nothing.
  const { sections, confidence, sources } = useMemo(() => {
    const tree = parseMarkdown(source);
    const numbered = numberSources(citations);
    const places = numbered.places.map(({ number, end }) => ({ number, end }));
    placeMarks(tree, source, places);
    linkTools(tree, spellings(calls));
    const read = partsOf(tree);
    return { sections: read.parts, confidence: read.confidence, sources: numbered.sources };
  }, [source, cited, names]);
  const drawn: Drawn = {
    mark: (number) => <CitationNumber number={number} source={sources[number - 1]} event={own} />,
    tool: (text, toolName) => <ToolName text={text} calls={calls.get(toolName) ?? []} />,
  };
  const titled = sections.filter(({ title }) => title !== '');
  const ordered = titled.toSorted((a, b) => rankOf(a.title) - rankOf(b.title)).slice(0, 8);
  return (
    <>
      <div class={parts.panelHead}>
        <h2 id="analysis-title">Analysis</h2>
        {confidence && <ConfidenceMark confidence={confidence} />}
        <CopyButton text={source} label="Copy as markdown" what="the analysis as markdown" />
      </div>
      {ordered.length > 1 && (
        <nav class={s.chips} aria-label="Parts of the analysis">
          {ordered
            .filter(({ id }) => id !== titled[0]?.id)
            .map(({ title, id }) => (
              <a key={id} class={parts.chip} href={`#${id}`}>
                <bdi>{title}</bdi>
              </a>
            ))}
        </nav>
      )}
      <div class={s.body}>
        {summary !== null && <Summary text={summary} />}
        {sections.map(({ title, id, nodes }, index) => (
          <section
            key={id}
            id={id}
            class={`${s.part} ${index === 0 ? s.first : ''} ${title === '' ? '' : s.lead}`}
            aria-label={title || 'Analysis'}
          >
            {title !== '' && (
              <h3>
                <bdi>{title}</bdi>
              </h3>
            )}
            <div class={markdown.text}>{drawNodes(nodes, drawn)}</div>
          </section>
        ))}
        <Sources sources={sources} />
      </div>
      <div class={s.foot}>
        <p class={parts.meta}>Written by a model. Verify before you act.</p>
        <Feedback />
      </div>
    </>
  );
}

/** On a phone four lines at most, the rest on demand: the cause stands on the screen, too. */
function Summary({ text }: { text: string }) {
  const isWhole = useSignal(false);
  const isCut = useSignal(false);
  const paragraph = useRef<HTMLParagraphElement>(null);
  useLayoutEffect(() => {
    const { scrollHeight = 0, clientHeight = 0 } = paragraph.current ?? {};
    isCut.value = scrollHeight > clientHeight + 1;
  }, [text]);
  return (
    <div class={s.summary}>
      <p ref={paragraph} class={isWhole.value ? undefined : s.clamped}>
        <Untrusted text={text} />
      </p>
      {isCut.value && !isWhole.value && (
        <button
          type="button"
          class={parts.quiet}
          onClick={() => {
            isWhole.value = true;
          }}
        >
          Show all
        </button>
      )}
    </div>
  );
}

/** Next steps come first among the links into an analysis. */
function rankOf(title: string): number {
  return /what to do|next steps|mitigation|recommend/i.test(title) ? 0 : 1;
}

const WORDS: Record<Confidence, string> = {
  high: 'High confidence',
  medium: 'Medium confidence',
  low: 'Low confidence',
};
const BARS: Record<Confidence, number> = { high: 3, medium: 2, low: 1 };

function ConfidenceMark({ confidence }: { confidence: Confidence }) {
  return (
    <span class={s.confidence}>
      <svg viewBox="0 0 16 12" width="16" height="12" aria-hidden="true">
        {[0, 1, 2].map((bar) => (
          <rect
            key={bar}
            x={bar * 6}
            y={8 - bar * 4}
            width="4"
            height={4 + bar * 4}
            rx="1"
            data-on={bar < BARS[confidence]}
          />
        ))}
      </svg>
      {WORDS[confidence]}
    </span>
  );
}

/** Calls by the whole name of their tool. */
function callsOf(events: readonly TimelineEvent[]): Map<string, ToolCall[]> {
  const made = events.filter(isCall).map((event) => ({
    toolName: event.metadata.toolName,
    href: `#${stepId(event)}`,
    iteration: event.iteration,
  }));
  return Map.groupBy(made, ({ toolName }) => toolName);
}

/** Names by their spellings: with and without the server, where no two servers have a tool of that name. */
function spellings(calls: ReadonlyMap<string, ToolCall[]>): Map<string, string> {
  const names = new Map<string, string>();
  for (const name of calls.keys()) {
    const short = shortName(name);
    const isAmbiguous = [...calls.keys()].some((other) => other !== name && shortName(other) === short);
    names.set(name, name);
    // A word such as "search" has other meanings.
    if (!isAmbiguous && short.includes('_')) names.set(short, name);
  }
  return names;
}
