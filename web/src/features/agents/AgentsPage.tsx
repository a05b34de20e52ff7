// The current agents: their names on one side, the configuration of the selected agent on the other.

import { useLocation, useRoute } from 'preact-iso';
import type { AnswerOf } from '../../../../shared/lists/apiTypes.ts';
import { api } from '../../api/client.ts';
import { readAgents } from '../../api/readAgents.ts';
import { useResource } from '../../api/useResource.ts';
import { PageHead } from '../../frame/Frame.tsx';
import frame from '../../frame/frame.module.css';
import { shortId } from '../../model/address.ts';
import { dayText } from '../../model/format.ts';
import parts from '../../parts/parts.module.css';
import { Reading } from '../../parts/Reading.tsx';
import { Time } from '../../parts/Time.tsx';
import { Untrusted } from '../../parts/Untrusted.tsx';
import { Agent, Fact, Limits, Text } from './Agent.tsx';
import { AgentList, AgentTable, agentPath } from './AgentList.tsx';
import { modelText } from './agent.ts';
import s from './agents.module.css';

/** The page of agents, or of one of them. */
export function AgentsPage() {
  const { name } = useRoute().params;
  const { session, execution } = useLocation().query;
  const isUsed = session !== undefined && execution !== undefined;
  const agents = useResource(readAgents);
  return (
    <>
      <PageHead key={name ?? ''} title={name ?? 'Agents'}>
        <p class={parts.meta}>
          {name === undefined ? (
            'Current configuration. A session keeps the configuration it started with.'
          ) : (
            <a href="/agents">All agents</a>
          )}
        </p>
      </PageHead>
      <div class={frame.page}>
        <Reading resource={agents} needs="viewer" missing={<NotListed />}>
          {({ agents: rows }) =>
            rows.length === 0 ? (
              <p class={parts.box}>No agent is configured. agents.yaml and agents/NAME.yaml hold them.</p>
            ) : (
              <div class={s.columns}>
                <AgentList agents={rows} current={name} />
                <div class={s.entry}>
                  {isUsed ? (
                    <UsedAgent key={execution} sessionId={session} executionId={execution} />
                  ) : name === undefined ? (
                    <AgentTable agents={rows} />
                  ) : (
                    <Agent key={name} name={name} />
                  )}
                </div>
              </div>
            )
          }
        </Reading>
      </div>
    </>
  );
}

function NotListed() {
  return (
    <>
      This server does not list its agents. List them on its machine with{' '}
      <code>npx --no inquest agents list</code>.
    </>
  );
}

type Used = AnswerOf<'GET /v1/sessions/{sessionId}/executions/{executionId}/agent'>;

/** The entry of an agent that was used. */
function UsedAgent({ sessionId, executionId }: { sessionId: string; executionId: string }) {
  const path = '/v1/sessions/{sessionId}/executions/{executionId}/agent';
  const read = (left: AbortSignal) => api.get(path, { sessionId, executionId }, left);
  return (
    <Reading
      resource={useResource(read, [sessionId, executionId])}
      needs="viewer"
      missing={
        <>
          That session has no such agent. The session could have expired: sessions are deleted after their
          retention time.
        </>
      }
    >
      {(used) => <Entry used={used} sessionId={sessionId} />}
    </Reading>
  );
}

function Entry({ used, sessionId }: { used: Used; sessionId: string }) {
  const { role, strategy, tools, settings, at, differs } = used;
  return (
    <>
      <p class={parts.box}>
        Used in session <a href={`/s/${sessionId}`}>{shortId(sessionId)}</a>,{' '}
        <Time iso={at} text={dayText(at)} />. {todayText(differs)}{' '}
        {differs !== null && (
          <a href={agentPath(role)}>
            Current <Untrusted text={role} />
          </a>
        )}
      </p>
      <section class={`${parts.panel} ${s.body}`} aria-label="Description">
        <dl class={s.facts}>
          <Fact name="Strategy">
            <Untrusted text={strategy} />
          </Fact>
          {[settings.model, ...settings.fallback].map((model, index) => (
            <Fact key={index} name={index === 0 ? 'Model' : 'then'}>
              <Untrusted text={modelText(model)} />
            </Fact>
          ))}
          <Fact name="Tools">
            <Untrusted text={[...tools, ...settings.nativeTools].join(', ') || 'none'} />
          </Fact>
        </dl>
      </section>
      <Limits limits={settings.limits} />
      <Text id="instructions" title="Instructions" text={settings.instructions} />
    </>
  );
}

function todayText(differs: string[] | null): string {
  if (differs === null) return 'This agent is no longer configured.';
  if (differs.length === 0) return 'The current configuration is the same.';
  return `Changed since then: ${differs.join(', ')}.`;
}
