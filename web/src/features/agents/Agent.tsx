// Shows an agent: its description, tools, limits and instructions.

import type { ComponentChildren } from 'preact';
import { api } from '../../api/client.ts';
import { useResource } from '../../api/useResource.ts';
import { countText, dayText } from '../../model/format.ts';
import { CopyButton } from '../../parts/CopyButton.tsx';
import parts from '../../parts/parts.module.css';
import { Reading } from '../../parts/Reading.tsx';
import { Time } from '../../parts/Time.tsx';
import { Untrusted } from '../../parts/Untrusted.tsx';
import { agentPath } from './AgentList.tsx';
import { type Agent as AgentEntry, type AgentLimits, modelText } from './agent.ts';
import s from './agents.module.css';
import { limitLines } from './limitLines.ts';
import { ToolTable } from './ToolTable.tsx';

/** The entry of an agent. */
export function Agent({ name }: { name: string }) {
  const resource = useResource((left) => api.get('/v1/agents/{name}', { name }, left), [name]);
  return (
    <Reading
      resource={resource}
      needs="viewer"
      missing={
        <>
          There is no agent <Untrusted text={name} />. See the list.
        </>
      }
    >
      {(agent) => <Entry agent={agent} />}
    </Reading>
  );
}

function Entry({ agent }: { agent: AgentEntry }) {
  const { settings, fault, tools, yaml } = agent;
  return (
    <>
      {fault !== null && (
        <p class={`${parts.box} ${parts.fail}`}>
          <b>Invalid</b> <Untrusted text={fault} />
        </p>
      )}
      <Facts agent={agent} />
      <ToolTable tools={tools} native={settings?.nativeTools ?? []} />
      {settings !== null && (
        <>
          <Limits limits={settings.limits} />
          <Text id="instructions" title="Instructions" text={settings.instructions} />
        </>
      )}
      {yaml !== '' && (
        <details class={`${parts.panel} ${s.whole}`}>
          <summary>As configured</summary>
          <Source text={yaml} name="The agent as configured" />
        </details>
      )}
    </>
  );
}

/** The panel of its limits. */
export function Limits({ limits }: { limits: AgentLimits }) {
  return (
    <Panel id="limits" title="Limits">
      <dl class={s.facts}>
        {limitLines(limits).map(({ name, text }) => (
          <Fact key={name} name={name}>
            <Untrusted text={text} />
          </Fact>
        ))}
      </dl>
    </Panel>
  );
}

function Facts({ agent }: { agent: AgentEntry }) {
  const { description, strategy, structured, settings, chains } = agent;
  const asks = settings?.asks ?? [];
  const resources = settings?.resources ?? [];
  return (
    <section class={`${parts.panel} ${s.body}`} aria-label="Description">
      {description !== '' && (
        <p class={s.lead}>
          <Untrusted text={description} />
        </p>
      )}
      <dl class={s.facts}>
        <Fact name="Strategy">
          <Untrusted text={strategy === '' ? 'unknown' : strategy} />
          {structured && ', structured output'}
        </Fact>
        <Fact name="Model">
          <Untrusted text={settings === null ? 'unknown' : modelText(settings.model)} />
        </Fact>
        {settings?.fallback.map((model, index) => (
          <Fact key={index} name={index === 0 ? 'Fallback' : 'then'}>
            <Untrusted text={modelText(model)} />
          </Fact>
        ))}
        <Fact name="Chains">
          {chains.length === 0 ? (
            'no chain; only agents that ask it'
          ) : (
            <Links
              items={chains.map((chain) => ({ text: chain, href: `/?chain=${encodeURIComponent(chain)}` }))}
            />
          )}
        </Fact>
        {asks.length > 0 && (
          <Fact name="Asks">
            <Links items={asks.map(({ name }) => ({ text: name, href: agentPath(name) }))} />
          </Fact>
        )}
        {resources.length > 0 && (
          <Fact name="Reads first">
            <Links
              items={resources.map((key) => ({ text: key, href: `/knowledge/${encodeURIComponent(key)}` }))}
            />
          </Fact>
        )}
        <Fact name="From">
          <Origin agent={agent} />
        </Fact>
      </dl>
    </section>
  );
}

function Origin({ agent: { from, stored } }: { agent: AgentEntry }) {
  if (stored === null) return <Untrusted text={from} />;
  const { version, updatedBy, updatedAt } = stored;
  return (
    <>
      the store, version <Untrusted text={version} />, by <Untrusted text={updatedBy} />,{' '}
      <Time iso={updatedAt} text={dayText(updatedAt)} />
    </>
  );
}

function Links({ items }: { items: { text: string; href: string }[] }) {
  return (
    <>
      {items.map(({ text, href }, index) => (
        <span key={href}>
          {index > 0 && ', '}
          <a href={href}>
            <Untrusted text={text} />
          </a>
        </span>
      ))}
    </>
  );
}

/** A name with its value. */
export function Fact({ name, children }: { name: string; children: ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function Panel({ id, title, children }: { id: string; title: string; children: ComponentChildren }) {
  return (
    <section class={parts.panel} aria-labelledby={id}>
      <div class={parts.panelHead}>
        <h2 id={id}>{title}</h2>
      </div>
      <div class={s.body}>{children}</div>
    </section>
  );
}

/** A panel with a long text. */
export function Text({ id, title, text }: { id: string; title: string; text: string }) {
  return (
    <section class={parts.panel} aria-labelledby={id}>
      <div class={parts.panelHead}>
        <h2 id={id}>{title}</h2>
        <span class={parts.meta}>{countText(text.split('\n').length, 'line')}</span>
        <CopyButton text={text} what="the instructions" />
      </div>
      {text === '' ? (
        <p class={s.body}>None.</p>
      ) : (
        <div class={s.prose} tabIndex={0} role="region" aria-label={`Text of the ${title.toLowerCase()}`}>
          <Untrusted text={text} />
        </div>
      )}
    </section>
  );
}

function Source({ text, name }: { text: string; name: string }) {
  return (
    <pre class={s.source} tabIndex={0} role="region" aria-label={name}>
      <Untrusted text={text} />
    </pre>
  );
}
