// An entry of the knowledge base: text, facts, and linked entries.

import type { ComponentChildren } from 'preact';
import type { AnswerOf } from '../../../../shared/lists/apiTypes.ts';
import { api } from '../../api/client.ts';
import { useResource } from '../../api/useResource.ts';
import { PageHead } from '../../frame/Frame.tsx';
import frame from '../../frame/frame.module.css';
import { type Drawn, drawNodes } from '../../markdown/Markdown.tsx';
import markdown from '../../markdown/markdown.module.css';
import { parseMarkdown } from '../../markdown/parse.ts';
import { shortId } from '../../model/address.ts';
import { dayText, titleText } from '../../model/format.ts';
import { CopyButton } from '../../parts/CopyButton.tsx';
import parts from '../../parts/parts.module.css';
import { Reading } from '../../parts/Reading.tsx';
import { Time } from '../../parts/Time.tsx';
import { Untrusted } from '../../parts/Untrusted.tsx';
import { AgentText } from './AgentText.tsx';
import { evenHeadings } from './headings.ts';
import s from './knowledge.module.css';
import { type LinkedEntry, linksFrom, linksTo } from './links.ts';
import { readEntries } from './readEntries.ts';

type WholeEntry = AnswerOf<'GET /v1/knowledge/{key}'>;

/** The page of an entry. @param name Its key. */
export function Entry({ name }: { name: string }) {
  const resource = useResource((left) => api.get('/v1/knowledge/{key}', { key: name }, left), [name]);
  return (
    <>
      <PageHead title={titleText(resource.value.value?.title ?? name)}>
        <p class={parts.meta}>
          <a href="/knowledge">All entries</a>
        </p>
      </PageHead>
      <div class={frame.page}>
        <Reading
          resource={resource}
          needs="viewer"
          missing={
            <>
              There is no entry <Untrusted text={name} />, or it has expired.{' '}
              <a href={`/knowledge?q=${encodeURIComponent(`FUZZY ${name}`)}`}>Entries with a similar key</a>
            </>
          }
        >
          {(entry) => (
            <div class={s.columns}>
              <div class={s.side}>
                <Text entry={entry} />
                {entry.session?.trust === 'confirmed' && (
                  <AgentText name={entry.key} onConfirmed={resource.reload} />
                )}
              </div>
              <div class={s.side}>
                <About entry={entry} />
                <Around entry={entry} />
              </div>
            </div>
          )}
        </Reading>
      </div>
    </>
  );
}

/** Entries have no citations, and name no calls. */
const PLAIN: Drawn = {
  mark: (number) => `[${number}]`,
  tool: (text) => text,
  evidence: ({ value }) => value,
};

function Text({ entry: { text } }: { entry: WholeEntry }) {
  return (
    <section class={parts.panel} aria-labelledby="text">
      <h2 class={parts.hidden}>The entry</h2>
      <div class={parts.panelHead}>
        <h3 id="text">Text</h3>
        {text !== '' && <CopyButton text={text} what="the text as markdown" />}
      </div>
      <div class={s.text}>
        {text === '' ? (
          <p>No text.</p>
        ) : (
          <div class={markdown.text}>{drawNodes(evenHeadings(parseMarkdown(text).children), PLAIN)}</div>
        )}
      </div>
    </section>
  );
}

function About({ entry }: { entry: WholeEntry }) {
  const { key, kind, labels, session, userId, updatedBy, updatedAt, expireAt, embedded } = entry;
  const pairs = Object.entries(labels);
  return (
    <section class={parts.panel} aria-labelledby="about">
      <div class={parts.panelHead}>
        <h2 id="about">Facts</h2>
        <CopyButton text={key} label="Copy key" what={key} />
      </div>
      <dl class={s.facts}>
        <Fact name="Key">
          <bdi>{key}</bdi>
        </Fact>
        <Fact name="Kind">{kind}</Fact>
        {session !== null && (
          <Fact name="From">
            <a href={`/s/${encodeURIComponent(session.sessionId)}`}>
              the session <bdi>{shortId(session.sessionId)}</bdi>
            </a>
          </Fact>
        )}
        {session !== null && (
          <>
            <Fact name="Trust">
              {session.trust}
              {session.reviewedBy.length > 0 && (
                <>
                  , reviewed by <Untrusted text={session.reviewedBy.join(', ')} />
                </>
              )}
            </Fact>
            {session.words !== null && (
              <Fact name="Reviewers">
                <Untrusted text={session.words} />
              </Fact>
            )}
            <Fact name="Text">
              {session.textBy === null ? (
                'agents get none of it'
              ) : (
                <>
                  agents get it, confirmed by <Untrusted text={session.textBy} />
                </>
              )}
            </Fact>
          </>
        )}
        <Fact name="Written by">
          <Untrusted text={updatedBy} />, <Time iso={updatedAt} text={dayText(updatedAt)} />
        </Fact>
        <Fact name="Visible to">
          {userId === null ? 'all users' : <Untrusted text={`only the user ${userId}`} />}
        </Fact>
        <Fact name="Expires">
          {expireAt === null ? 'never' : <Time iso={expireAt} text={dayText(expireAt)} />}
        </Fact>
        <Fact name="Searched by">{embedded ? 'meaning' : 'spelling (no embedding)'}</Fact>
        {pairs.length > 0 && (
          <Fact name="Labels">
            <ul class={s.labels}>
              {pairs.map(([label, value]) => (
                <li key={label}>
                  <bdi>{label}</bdi>=
                  <b>
                    <Untrusted text={value} />
                  </b>
                </li>
              ))}
            </ul>
          </Fact>
        )}
      </dl>
    </section>
  );
}

function Fact({ name, children }: { name: string; children: ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

/** Where its links lead, and which entries lead here. Titles are known of the entries that are listed. */
function Around({ entry }: { entry: WholeEntry }) {
  const { value } = useResource(readEntries);
  const all = value.value?.entries ?? [];
  const isWhole = value.value?.next === null;
  return (
    <>
      <Links title="Leads to" id="leads-to" links={linksFrom(entry, all, isWhole)} none="No links." />
      <Links
        title="Linked from"
        id="linked-from"
        links={linksTo(entry.key, all)}
        none={isWhole ? 'No entry links to it.' : 'None of the listed entries.'}
      />
    </>
  );
}

interface LinksProps {
  title: string;
  id: string;
  links: LinkedEntry[];
  none: string;
}

function Links({ title, id, links, none }: LinksProps) {
  return (
    <section class={parts.panel} aria-labelledby={id}>
      <div class={parts.panelHead}>
        <h2 id={id}>{title}</h2>
        {links.length > 0 && <span class={parts.meta}>{links.length}</span>}
      </div>
      {links.length === 0 && <p class={s.none}>{none}</p>}
      <ul class={s.links}>
        {links.map(({ key, type, title: linked, isMissing }) => (
          <li key={`${key} ${type}`}>
            {type !== null && (
              <span class={s.kind}>
                <bdi>{type}</bdi>
              </span>
            )}
            {isMissing ? (
              <>
                <bdi>{key}</bdi> <span class={parts.meta}>missing</span>
              </>
            ) : (
              <a href={`/knowledge/${encodeURIComponent(key)}`}>
                <Untrusted text={linked ?? key} />
              </a>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}
