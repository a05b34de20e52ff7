// Lists the tools of an agent: server, tool, read or write access, and approval.

import { countText } from '../../model/format.ts';
import { Icon } from '../../parts/Icon.tsx';
import parts from '../../parts/parts.module.css';
import { Untrusted } from '../../parts/Untrusted.tsx';
import type { ToolRule } from './agent.ts';
import s from './agents.module.css';
import { ASKS_PERSON, type ToolRow, toolRows } from './toolRows.ts';

/** The tools of an agent. @param native Those that the provider of its model runs. */
export function ToolTable({ tools, native }: { tools: readonly ToolRule[]; native: readonly string[] }) {
  const rows = toolRows(tools);
  const writes = rows.filter(({ access }) => access === 'write').length;
  const isEmpty = rows.length === 0 && native.length === 0;
  return (
    <section class={parts.panel} aria-labelledby="tools">
      <div class={parts.panelHead}>
        <h2 id="tools">Tools</h2>
        {!isEmpty && (
          <span class={parts.meta}>
            {writes === 0 ? 'all read-only' : `${countText(writes, 'entry', 'entries')} can make changes`}
          </span>
        )}
      </div>
      {isEmpty ? (
        <p class={s.body}>None.</p>
      ) : (
        <div class={s.scroll} tabIndex={0} role="region" aria-label="Table of tools">
          <table class={s.table}>
            <thead>
              <tr>
                <th scope="col">Server</th>
                <th scope="col">Tool</th>
                <th scope="col">Reads or writes</th>
                <th scope="col">Approval</th>
              </tr>
            </thead>
            <tbody>
              {rows.map((row, index) => (
                <Row key={index} row={row} />
              ))}
              {native.map((name) => (
                <tr key={name}>
                  <td>the model's provider</td>
                  <td class={s.names}>
                    <code>{name}</code>
                  </td>
                  <td>reads</td>
                  <td>not required</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  );
}

function Row({ row: { server, tools, note, access, approval } }: { row: ToolRow }) {
  return (
    <tr>
      <td>{server === null ? 'Inquest' : <Untrusted text={server} />}</td>
      <td class={s.names}>
        {tools.map((tool) => (
          <code key={tool}>
            <Untrusted text={tool} />
          </code>
        ))}
        {note !== '' && <span class={parts.meta}>{note}</span>}
      </td>
      <td>
        {access === 'write' ? (
          <span class={s.writes}>
            <Icon name="pen" />
            writes
          </span>
        ) : access === 'read' ? (
          'reads'
        ) : (
          '–'
        )}
      </td>
      <td>
        {approval === ASKS_PERSON ? (
          <span class={s.asks}>
            <Icon name="hand" />
            {approval}
          </span>
        ) : (
          approval
        )}
      </td>
    </tr>
  );
}
