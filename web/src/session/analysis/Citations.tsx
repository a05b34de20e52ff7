// Sources of an analysis: small numbers after the cited words, and a list at its end.

import { useId } from 'preact/hooks';
import type { Citation, TimelineEvent } from '../../../../shared/lists/apiTypes.ts';
import { safeUrl } from '../../../../shared/text/webLink.ts';
import { stepId } from '../../model/address.ts';
import { firstLines } from '../../model/format.ts';
import { ExternalLink } from '../../parts/ExternalLink.tsx';
import { Untrusted } from '../../parts/Untrusted.tsx';
import s from './analysis.module.css';
import { CopiedBrackets } from './CopiedBrackets.tsx';

/** A source with its number, which is its place in the list. */
interface NumberedSource {
  url: string;
  title: string;
  /** The cited texts. */
  texts: string[];
}

/** Numbers of sources by their first appearance, and where the numbers stand. */
export function numberSources(citations: readonly Citation[]): {
  sources: NumberedSource[];
  places: { number: number; end: number }[];
} {
  const sources: NumberedSource[] = [];
  const places: { number: number; end: number }[] = [];
  const sorted = citations.toSorted((a, b) => (a.endIndex ?? Infinity) - (b.endIndex ?? Infinity));
  for (const { url = '', title = '', citedText, endIndex } of sorted) {
    const known = sources.findIndex((source) => source.url === url && (url !== '' || source.title === title));
    const number = known < 0 ? sources.push({ url, title, texts: [] }) : known + 1;
    if (citedText !== undefined) sources[number - 1]?.texts.push(citedText);
    if (endIndex !== undefined) places.push({ number, end: endIndex });
  }
  return { sources, places };
}

interface NumberProps {
  number: number;
  source: NumberedSource | undefined;
  event: TimelineEvent | undefined;
}

/** A number, which opens its source. */
export function CitationNumber({ number, source, event }: NumberProps) {
  const id = useId();
  if (source === undefined) return null;
  return (
    <>
      <button
        type="button"
        class={s.mark}
        popovertarget={id}
        aria-label={`Source ${number}: ${nameSource(source)}`}
        data-citation={number}
      >
        <CopiedBrackets>{number}</CopiedBrackets>
      </button>
      <span id={id} popover="auto" class={s.popover}>
        <b>
          <Untrusted text={nameSource(source)} />
        </b>
        {source.texts.slice(0, 3).map((text, index) => (
          <span key={index} class={s.cited}>
            “<Untrusted text={firstLines(text, 300)} />”
          </span>
        ))}
        <ExternalLink url={source.url}>Open</ExternalLink>
        {event && <a href={`#${stepId(event)}`}>Show step</a>}
      </span>
    </>
  );
}

/** The list of sources that ends an analysis. */
export function Sources({ sources }: { sources: readonly NumberedSource[] }) {
  if (sources.length === 0) return null;
  return (
    <section class={s.part} aria-label="Sources">
      <h3>Sources</h3>
      <ol class={s.sources}>
        {sources.map((source, index) => (
          <li key={index}>
            <ExternalLink url={source.url}>{nameSource(source)}</ExternalLink>
          </li>
        ))}
      </ol>
    </section>
  );
}

function nameSource({ title, url }: NumberedSource): string {
  return title !== '' ? title : (safeUrl(url)?.host ?? 'a source without a name');
}
