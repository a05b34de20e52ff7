// The knowledge base: entries of people and investigations. Searches run agents' queries.

import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { useLocation, useRoute } from 'preact-iso';
import { useResource } from '../../api/useResource.ts';
import { PageHead } from '../../frame/Frame.tsx';
import frame from '../../frame/frame.module.css';
import { withParameter } from '../../model/address.ts';
import parts from '../../parts/parts.module.css';
import { Reading } from '../../parts/Reading.tsx';
import { Entry } from './Entry.tsx';
import { EntryList } from './EntryList.tsx';
import s from './knowledge.module.css';
import { readEntries } from './readEntries.ts';

/** The page of entries, or of one of them. */
export function KnowledgePage() {
  const { key } = useRoute().params;
  return key === undefined ? <Entries /> : <Entry key={key} name={key} />;
}

const NOT_THERE =
  'This server shows no knowledge base. List its entries on its machine with npx --no inquest knowledge list.';

function Entries() {
  const { query, route } = useLocation();
  const typed = (query.q ?? '').trim();
  const all = useResource(readEntries);
  const search = (text: string) => route(withParameter(location.href, 'q', text));
  return (
    <>
      <PageHead title="Knowledge">
        <p class={parts.meta}>
          Entries by people and from earlier investigations. Agents search the same entries.
        </p>
      </PageHead>
      <div class={frame.page}>
        <section class={parts.panel} aria-label="Entries">
          <SearchField typed={typed} onSearch={search} />
          <Reading resource={all} needs="viewer" missing={NOT_THERE}>
            {(known) => <EntryList typed={typed} known={known} kind={query.kind ?? ''} />}
          </Reading>
        </section>
      </div>
    </>
  );
}

function SearchField({ typed, onSearch }: { typed: string; onSearch: (text: string) => void }) {
  const text = useSignal(typed);
  // Going back restores the earlier search.
  useEffect(() => {
    text.value = typed;
  }, [typed, text]);
  return (
    <search>
      <form
        class={s.search}
        onSubmit={(event) => {
          event.preventDefault();
          onSearch(text.value.trim());
        }}
      >
        <input
          class={parts.field}
          type="search"
          placeholder="Words, a question, a key, or a query"
          aria-label="Search the knowledge base"
          aria-describedby="search-help"
          maxLength={1_900}
          data-search
          value={text.value}
          onInput={(event) => {
            text.value = event.currentTarget.value;
          }}
        />
        <button type="submit" class={parts.button}>
          Search
        </button>
        <p id="search-help" class={parts.meta}>
          Also <code>LOOKUP key</code>, <code>FUZZY text</code>, <code>SEARCH text IN runbooks</code>,{' '}
          <code>TRAVERSE key DEPTH 2</code>.
        </p>
      </form>
    </search>
  );
}
