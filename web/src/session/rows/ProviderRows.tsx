// What the model's provider did by itself: ran code, searched, read pages.

import type { TimelineEvent } from '../../../../shared/api/types.ts';
import { Markdown } from '../../markdown/Markdown.tsx';
import { countText, firstLines } from '../../model/format.ts';
import { metaText } from '../../model/steps.ts';
import { Foreign } from '../../parts/Foreign.tsx';
import { OutLink, safeUrl } from '../../parts/OutLink.tsx';
import { Row, type RowProps } from './Row.tsx';
import s from './steps.module.css';

/** Code that was run, and its output. */
export function CodeRow(props: RowProps) {
  const { event, isOpen, toggle } = props;
  const outcome = metaText(event, 'outcome');
  const isWell = outcome === '' || outcome === 'OUTCOME_OK';
  const first = event.content.split('\n').find((line) => line.trim() !== '' && !line.startsWith('```')) ?? '';
  return (
    <Row
      {...props}
      icon="code"
      {...(!isWell && { tone: 'fail' as const })}
      measure={isWell ? 'ran' : outcome}
    >
      <button type="button" class={s.open} aria-expanded={isOpen} onClick={toggle}>
        <span class={s.label}>Ran code</span>
        {!isOpen && (
          <span class={s.args}>
            <Foreign text={firstLines(first, 200)} />
          </span>
        )}
      </button>
      {isOpen && <Markdown source={event.content} />}
    </Row>
  );
}

interface Source {
  uri: string;
  title: string;
}
interface Support {
  text: string;
  groundingChunkIndices: number[];
}

const list = <T,>({ metadata }: TimelineEvent, name: string): T[] => {
  const value = metadata[name];
  return Array.isArray(value) ? (value as T[]) : [];
};

/** A search of the provider, with its sources and what they support. */
export function SearchRow(props: RowProps) {
  const { event, isOpen, toggle } = props;
  const sources = list<Source>(event, 'sources');
  const queries = list<string>(event, 'queries');
  return (
    <Row {...props} icon="globe" measure={countText(sources.length, 'source')}>
      <button type="button" class={s.open} aria-expanded={isOpen} onClick={toggle}>
        <span class={s.label}>Searched</span>{' '}
        <span class={s.words}>
          <Foreign text={queries.join(' · ')} />
        </span>
        <span class={s.under}>
          <Foreign text={sources.map(hostOf).join(', ')} />
        </span>
      </button>
      {isOpen && <Sources event={event} sources={sources} />}
    </Row>
  );
}

/** Pages that were read, those that failed first. */
export function PagesRow(props: RowProps) {
  const { event, isOpen, toggle } = props;
  const statuses = list<{ uri: string; status: string }>(event, 'statuses');
  const isWell = (status: string) => status.endsWith('SUCCESS');
  const sorted = statuses.toSorted((a, b) => Number(isWell(a.status)) - Number(isWell(b.status)));
  const sources = list<Source>(event, 'sources');
  const hosts = new Set([...sources, ...statuses].map(hostOf));
  return (
    <Row {...props} icon="globe" measure={countText(Math.max(statuses.length, sources.length), 'page')}>
      <button type="button" class={s.open} aria-expanded={isOpen} onClick={toggle}>
        <span class={s.label}>Read</span>{' '}
        <span class={s.words}>
          <Foreign text={[...hosts].join(', ')} />
        </span>
      </button>
      {isOpen && (
        <>
          <ul class={s.sources}>
            {sorted.map(({ uri, status }, index) => (
              <li key={index} class={isWell(status) ? undefined : s.faulty}>
                <OutLink url={uri}>{uri}</OutLink>{' '}
                <span class={s.under}>{status.replace('URL_RETRIEVAL_STATUS_', '').toLowerCase()}</span>
              </li>
            ))}
          </ul>
          <Sources event={event} sources={sources} />
        </>
      )}
    </Row>
  );
}

function Sources({ event, sources }: { event: TimelineEvent; sources: Source[] }) {
  const supports = list<Support>(event, 'supports');
  const usedBy = (index: number) => supports.filter((one) => one.groundingChunkIndices?.includes(index));
  return (
    <ol class={s.sources}>
      {sources.map((source, index) => {
        const used = usedBy(index);
        return (
          <li key={index} class={used.length === 0 ? s.dim : undefined}>
            <OutLink url={source.uri}>{source.title === '' ? hostOf(source) : source.title}</OutLink>
            {used.length === 0 && ' · nothing rests on it'}
            {used.map(({ text }, at) => (
              <p key={at} class={s.under}>
                “<Foreign text={firstLines(text, 300)} />”
              </p>
            ))}
          </li>
        );
      })}
    </ol>
  );
}

function hostOf({ uri, title }: { uri: string; title?: string }): string {
  return safeUrl(uri)?.host ?? (title || uri.slice(0, 80));
}
