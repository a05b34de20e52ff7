// The agents: as a list to choose from, and side by side.

import { Icon } from '../../parts/Icon.tsx';
import parts from '../../parts/parts.module.css';
import { Untrusted } from '../../parts/Untrusted.tsx';
import { Word } from '../../words/Word.tsx';
import type { AgentRow } from './agent.ts';
import s from './agents.module.css';

/** The address of an agent's page. */
export function agentPath(name: string): string {
  return `/agents/${encodeURIComponent(name)}`;
}

/** Names with a line of description. @param current The one that is shown. */
export function AgentList({ agents, current }: { agents: readonly AgentRow[]; current: string | undefined }) {
  return (
    <nav class={`${parts.panel} ${s.list}`} aria-label="Agents" data-chosen={current !== undefined}>
      <ul>
        {agents.map(({ name, description, fault }) => (
          <li key={name}>
            <a href={agentPath(name)} aria-current={name === current ? 'page' : undefined}>
              <b>
                <Untrusted text={name} />
              </b>
              {fault !== null && <Faulty />}
              {description !== '' && (
                <span class={s.line}>
                  <Untrusted text={description} />
                </span>
              )}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}

function Faulty() {
  return (
    <span class={`${parts.status} ${parts.fail} ${parts.plain}`}>
      <Icon name="failed" />
      invalid
    </span>
  );
}

/** A table of the settings that differ between agents. */
export function AgentTable({ agents }: { agents: readonly AgentRow[] }) {
  return (
    <section class={parts.panel} aria-labelledby="side-by-side">
      <div class={parts.panelHead}>
        <h2 id="side-by-side">Side by side</h2>
      </div>
      <div class={s.scroll} tabIndex={0} role="region" aria-label="Agents side by side">
        <table class={s.table}>
          <thead>
            <tr>
              <th scope="col">Agent</th>
              <th scope="col">
                <Word name="chain" text="Chains" />
              </th>
              <th scope="col">Strategy</th>
              <th scope="col">Model</th>
              <th scope="col">From</th>
            </tr>
          </thead>
          <tbody>
            {agents.map(({ name, chains, strategy, model, structured, from }) => (
              <tr key={name}>
                <th scope="row">
                  <a href={agentPath(name)}>
                    <Untrusted text={name} />
                  </a>
                </th>
                <td>
                  {chains.length === 0 ? (
                    <span class={parts.meta}>no chain</span>
                  ) : (
                    <Untrusted text={chains.join(', ')} />
                  )}
                </td>
                <td>
                  <Untrusted text={strategy} />
                  {structured && <span class={parts.meta}> structured output</span>}
                </td>
                <td>
                  <Untrusted text={model} />
                </td>
                <td>
                  <Untrusted text={from} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}
