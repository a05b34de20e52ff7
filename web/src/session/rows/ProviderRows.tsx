// Rows of tools that the model's provider runs: code, search, pages.

import type { EventOf } from '../../../../shared/lists/apiTypes.ts';
import { safeUrl } from '../../../../shared/text/webLink.ts';
import { Markdown } from '../../markdown/Markdown.tsx';
import { countText, firstLines } from '../../model/format.ts';
import { ExternalLink } from '../../parts/ExternalLink.tsx';
import { Untrusted } from '../../parts/Untrusted.tsx';
import { Row, type RowProps } from './Row.tsx';
import s from './steps.module.css';

/** Code that was run, and its output. */
export function CodeRow(props: RowProps<EventOf<'code_execution'>>) {
  const { event, isOpen, toggle } = props;
  const { outcome = '' } = event.metadata;
  const isWell = outcome === '' || outcome === 'OUTCOME_OK';
  const first = event.content.split('\n').find((line) => line.trim() !== '' && !line.startsWith('```')) ?? '';
  return (
    <Row {...props} {...(!isWell && { tone: 'fail' })} measure={isWell ? 'ran' : outcome}>
      <button type="button" class={s.open} aria-expanded={isOpen} onClick={toggle}>
        <span class={s.label}>Ran code</span>
        {!isOpen && (
          <span class={s.args}>
            <Untrusted text={firstLines(first, 200)} />
          </span>
        )}
      </button>
      {isOpen && <Markdown source={event.content} />}
    </Row>
  );
}

type Grounding = Pick<
  EventOf<'google_search_result' | 'url_context_result'>['metadata'],
  'sources' | 'supports'
>;

/** A search of the provider, with its sources and their supports. */
export function SearchRow(props: RowProps<EventOf<'google_search_result'>>) {
  const { event, isOpen, toggle } = props;
  const { sources, queries } = event.metadata;
  return (
    <Row {...props} measure={countText(sources.length, 'source')}>
      <button type="button" class={s.open} aria-expanded={isOpen} onClick={toggle}>
        <span class={s.label}>Searched</span>{' '}
        <span class={s.words}>
          <Untrusted text={queries.join(' · ')} />
        </span>
        <span class={s.under}>
          <Untrusted text={sources.map(nameSourceHost).join(', ')} />
        </span>
      </button>
      {isOpen && <Sources {...event.metadata} />}
    </Row>
  );
}

/** Pages that were read, those that failed first. */
export function PagesRow(props: RowProps<EventOf<'url_context_result'>>) {
  const { event, isOpen, toggle } = props;
  const { sources, statuses } = event.metadata;
  const isWell = (status: string) => status.endsWith('SUCCESS');
  const sorted = statuses.toSorted((a, b) => Number(isWell(a.status)) - Number(isWell(b.status)));
  const hosts = new Set([...sources, ...statuses].map(nameSourceHost));
  return (
    <Row {...props} measure={countText(Math.max(statuses.length, sources.length), 'page')}>
      <button type="button" class={s.open} aria-expanded={isOpen} onClick={toggle}>
        <span class={s.label}>Read</span>{' '}
        <span class={s.words}>
          <Untrusted text={[...hosts].join(', ')} />
        </span>
      </button>
      {isOpen && (
        <>
          <ul class={s.sources}>
            {sorted.map(({ uri, status }, index) => (
              <li key={index} class={isWell(status) ? undefined : s.faulty}>
                <ExternalLink url={uri}>{uri}</ExternalLink>{' '}
                <span class={s.under}>{status.replace('URL_RETRIEVAL_STATUS_', '').toLowerCase()}</span>
              </li>
            ))}
          </ul>
          <Sources {...event.metadata} />
        </>
      )}
    </Row>
  );
}

function Sources({ sources, supports }: Grounding) {
  const usedBy = (index: number) => supports.filter((one) => one.groundingChunkIndices.includes(index));
  return (
    <ol class={s.sources}>
      {sources.map((source, index) => {
        const used = usedBy(index);
        return (
          <li key={index} class={used.length === 0 ? s.dim : undefined}>
            <ExternalLink url={source.uri}>
              {source.title === '' ? nameSourceHost(source) : source.title}
            </ExternalLink>
            {used.length === 0 && ' · not cited'}
            {used.map(({ text }, at) => (
              <p key={at} class={s.under}>
                “<Untrusted text={firstLines(text, 300)} />”
              </p>
            ))}
          </li>
        );
      })}
    </ol>
  );
}

function nameSourceHost({ uri, title }: { uri: string; title?: string }): string {
  return safeUrl(uri)?.host ?? (title || uri.slice(0, 80));
}
