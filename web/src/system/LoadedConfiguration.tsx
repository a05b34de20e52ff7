// The configuration as it is loaded: names and numbers, no secret, address or command.

import type { ComponentChildren } from 'preact';
import type { Configuration } from '../../../shared/lists/apiTypes.ts';
import type { Resource } from '../api/useResource.ts';
import { countText, durationText } from '../model/format.ts';
import parts from '../parts/parts.module.css';
import { Reading } from '../parts/Reading.tsx';
import { Untrusted } from '../parts/Untrusted.tsx';
import { Section } from './Section.tsx';
import s from './system.module.css';

const ACTIONS = { investigate: 'investigates', record: 'only records', drop: 'drops' };

/** The section. */
export function LoadedConfiguration({ configuration }: { configuration: Resource<Configuration> }) {
  return (
    <Section id="configuration" note="as loaded; without secrets, addresses and commands">
      <Reading resource={configuration} needs="admin" missing="This server does not show its configuration.">
        {(read) => <Facts read={read} />}
      </Reading>
    </Section>
  );
}

function Facts({ read }: { read: Configuration }) {
  const { version, chains, agents, destinations, webhooks, schedules, triage, runbooks, skills } = read;
  return (
    <dl class={`${s.facts} ${s.loaded}`}>
      <dt>Version</dt>
      <dd>{version}</dd>
      {chains.map((chain) => (
        <Chain key={chain.name} chain={chain} />
      ))}
      <dt>Agents</dt>
      <dd>
        <a href="/agents">{countText(agents, 'agent')} of files</a>
      </dd>
      <dt>Triage</dt>
      <dd>
        <Names none="no rule" names={triage.map(({ rule, action }) => `${rule} ${ACTIONS[action]}`)} />
      </dd>
      <dt>Messages go to</dt>
      <dd>
        <Names none="no destination" names={destinations.map(({ name, kind }) => `${name} (${kind})`)} />
      </dd>
      <dt>Webhooks of</dt>
      <dd>
        <Names none="no source" names={webhooks} />
      </dd>
      <dt>Schedules</dt>
      <dd>
        {schedules.length === 0 ? (
          'none'
        ) : (
          <a href="/schedules">
            <Names none="" names={schedules.map(({ name, cron }) => `${name} (${cron})`)} />
          </a>
        )}
      </dd>
      <dt>Runbooks, skills</dt>
      <dd>
        {countText(runbooks, 'runbook')}, {countText(skills, 'skill')}
      </dd>
      <dt>Sessions are kept</dt>
      <dd>{durationText(read.retentionMs)}</dd>
    </dl>
  );
}

function Chain({ chain }: { chain: Configuration['chains'][number] }) {
  const { name, isDefault, stages, alertRules, deadlineMs, sessionsPerHour } = chain;
  const facts = [
    isDefault ? 'default' : '',
    alertRules > 0 ? countText(alertRules, 'rule of alerts', 'rules of alerts') : '',
    `ends after ${durationText(deadlineMs)}`,
    sessionsPerHour.length > 0 ? `at most ${Math.min(...sessionsPerHour)} sessions of alerts an hour` : '',
  ].filter(Boolean);
  return (
    <>
      <dt>
        Chain <Untrusted text={name} />
      </dt>
      <dd>
        {stages.map((stage, index) => (
          <span key={index}>
            {index > 0 && ' → '}
            <Untrusted text={stage.name} />:{' '}
            {stage.agents.map((agent, place) => (
              <AgentLink key={agent} agent={agent}>
                {place > 0 && ', '}
              </AgentLink>
            ))}
          </span>
        ))}
        <p class={parts.meta}>{facts.join(' · ')}</p>
      </dd>
    </>
  );
}

function AgentLink({ agent, children }: { agent: string; children: ComponentChildren }) {
  return (
    <>
      {children}
      <a href={`/agents/${encodeURIComponent(agent)}`}>{agent}</a>
    </>
  );
}

function Names({ names, none }: { names: readonly string[]; none: string }) {
  return <Untrusted text={names.length === 0 ? none : names.join(', ')} />;
}
