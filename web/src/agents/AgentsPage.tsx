// The current agents: their names on one side, the configuration of the selected agent on the other.

import { useLocation, useRoute } from 'preact-iso';
import { api } from '../api/client.ts';
import { useResource } from '../api/useResource.ts';
import { PageHead } from '../frame/Frame.tsx';
import frame from '../frame/frame.module.css';
import parts from '../parts/parts.module.css';
import { Reading } from '../parts/Reading.tsx';
import { Agent } from './Agent.tsx';
import { AgentList, AgentTable } from './AgentList.tsx';
import s from './agents.module.css';
import { UsedAgent } from './UsedAgent.tsx';

/** The page of agents, or of one of them. */
export function AgentsPage() {
  const { name } = useRoute().params;
  const { session, execution } = useLocation().query;
  const isUsed = session !== undefined && execution !== undefined;
  const agents = useResource((left) => api.get('/v1/agents', {}, left));
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
