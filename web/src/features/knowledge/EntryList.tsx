// Entries in a list: all of them, or the results of a query.

import { useLocation } from 'preact-iso';
import type { AnswerOf, KnowledgeRow } from '../../../../shared/lists/apiTypes.ts';
import { api } from '../../api/client.ts';
import { serverNow } from '../../api/clock.ts';
import { useResource } from '../../api/useResource.ts';
import { withParameter } from '../../model/address.ts';
import { countText } from '../../model/format.ts';
import parts from '../../parts/parts.module.css';
import { Reading } from '../../parts/Reading.tsx';
import { Time } from '../../parts/Time.tsx';
import { Untrusted } from '../../parts/Untrusted.tsx';
import { ageText } from './age.ts';
import s from './knowledge.module.css';
import { matchingLine } from './matchingLine.ts';
import { byMeaning, bySpelling, readTyped, searchedWords, type TypedQuery } from './query.ts';

/** An entry of a list; with its text where a query found it. */
type FoundEntry = KnowledgeRow & Partial<AnswerOf<'GET /v1/knowledge/search'>['entries'][number]>;

interface Props {
  /** The search text; empty for all entries. */
  typed: string;
  known: { entries: KnowledgeRow[]; next: string | null };
  /** The kind that is shown; empty for all. */
  kind: string;
}

/** The entries that match a search. */
export function EntryList({ typed, known, kind }: Props) {
  if (typed === '') {
    if (known.entries.length === 0) return <NoEntry />;
    return (
      <>
        <Rows entries={known.entries} words={[]} kind={kind} />
        {known.next !== null && (
          <p class={s.more}>The first {known.entries.length} entries. Search finds the others.</p>
        )}
      </>
    );
  }
  const parsed = readTyped(typed, {
    keys: new Set(known.entries.map(({ key }) => key)),
    isWhole: known.next === null,
  });
  return <Answer key={parsed.query} typed={typed} parsed={parsed} kind={kind} />;
}

function NoEntry() {
  return (
    <div class={s.empty}>
      <p>No entries yet. A completed investigation adds one; add others from files:</p>
      <p>
        <code>npx --no inquest knowledge push FILE...</code>
      </p>
    </div>
  );
}

const HOW = {
  written: 'as written',
  key: 'by its key',
  spelling: 'by spelling',
  meaning: 'by meaning',
};

function Answer({ typed, parsed, kind }: { typed: string; parsed: TypedQuery; kind: string }) {
  const { query } = parsed;
  const found = useResource((left) => api.get('/v1/knowledge/search', { q: query }, left), [query]);
  return (
    <>
      <p class={s.asked}>
        <span>
          Found {HOW[parsed.kind]}:{' '}
          <code>
            <Untrusted text={query} />
          </code>
        </span>
        <Others typed={typed} parsed={parsed} />
      </p>
      <Reading resource={found} needs="viewer">
        {({ entries }) =>
          entries.length === 0 ? (
            <p class={s.empty}>
              {parsed.kind === 'key' ? 'No entry has this key.' : 'No results. Try other words.'}
            </p>
          ) : (
            <Rows entries={entries} words={searchedWords(query)} kind={kind} />
          )
        }
      </Reading>
    </>
  );
}

/** The other kinds of search for the same words. */
function Others({ typed, parsed: { kind } }: { typed: string; parsed: TypedQuery }) {
  const words =
    kind === 'written'
      ? []
      : [
          { word: 'spelling', made: bySpelling(typed) },
          { word: 'meaning', made: byMeaning(typed) },
        ];
  const others = words.filter(({ made }) => made.kind !== kind);
  return (
    <span>
      {others.map(({ word, made }) => (
        <a key={word} href={`/knowledge?q=${encodeURIComponent(made.query)}`}>
          by {word}
        </a>
      ))}
      <a href="/knowledge">all entries</a>
    </span>
  );
}

function Rows({ entries, words, kind }: { entries: FoundEntry[]; words: string[]; kind: string }) {
  const kinds = [...new Set(entries.map((entry) => entry.kind))].sort();
  const shown = entries.filter((entry) => kind === '' || entry.kind === kind);
  return (
    <>
      {(kinds.length > 1 || kind !== '') && <Kinds entries={entries} kinds={kinds} current={kind} />}
      {shown.length === 0 && <p class={s.empty}>No entry of the kind {kind}.</p>}
      <ul class={s.items}>
        {shown.map((entry) => (
          <Item key={entry.key} entry={entry} words={words} />
        ))}
      </ul>
    </>
  );
}

function Kinds({ entries, kinds, current }: { entries: FoundEntry[]; kinds: string[]; current: string }) {
  const { route } = useLocation();
  const count = (kind: string) => entries.filter((entry) => kind === '' || entry.kind === kind).length;
  return (
    <fieldset class={s.kinds} aria-label="Kind">
      {['', ...kinds].map((kind) => (
        <button
          key={kind}
          type="button"
          class={parts.chip}
          aria-pressed={kind === current}
          onClick={() => route(withParameter(location.href, 'kind', kind), true)}
        >
          {kind === '' ? 'All' : kind} <b>{count(kind)}</b>
        </button>
      ))}
    </fieldset>
  );
}

function Item({ entry, words }: { entry: FoundEntry; words: string[] }) {
  const { key, kind, title, text, links, session, updatedAt, score, depth, via } = entry;
  const line = text === undefined ? [] : matchingLine(text, words);
  return (
    <li>
      <p class={s.head}>
        <span class={s.kind}>{kind}</span>
        <a href={`/knowledge/${encodeURIComponent(key)}`}>
          <Untrusted text={title} />
        </a>
      </p>
      {line.length > 0 && (
        <p class={s.line}>
          <bdi>
            {line.map((part, index) =>
              part.isHit ? <mark key={index}>{part.text}</mark> : <span key={index}>{part.text}</span>,
            )}
          </bdi>
        </p>
      )}
      <p class={parts.meta}>
        <bdi>{key}</bdi> · {session !== null && `${session.trust} · `}
        {links.length > 0 && `${countText(links.length, 'link')} · `}
        <Time iso={updatedAt} text={ageText(updatedAt, serverNow())} />
        {score !== undefined && ` · ${Math.round(score * 100)} % similar`}
        {via && (
          <>
            {' · '}over <bdi>{via.key}</bdi>
            {via.type !== null && (
              <>
                {' '}
                (<bdi>{via.type}</bdi>)
              </>
            )}
            {depth !== undefined && depth > 1 && `, ${depth} links away`}
          </>
        )}
      </p>
    </li>
  );
}
