// The picture of a place with its dependencies, and the same as a list for readers of text.

import type { SessionTopology, SessionView } from '../../../../shared/lists/apiTypes.ts';
import { api } from '../../api/client.ts';
import { useResource } from '../../api/useResource.ts';
import { countText, dayText } from '../../model/format.ts';
import { Problem } from '../../parts/Problem.tsx';
import parts from '../../parts/parts.module.css';
import { Time } from '../../parts/Time.tsx';
import { Untrusted } from '../../parts/Untrusted.tsx';
import { BOX, placeNodes, WIDTH } from './layout.ts';
import s from './topology.module.css';

type Edge = SessionTopology['edges'][number];

/** Characters of a name that fit in a box. */
const FITS = 24;
const BY = {
  file: 'resources.yaml',
  stated: 'stated by a control plane',
  seen: 'seen in text of workloads',
} as const;

/** The picture, its list, and how much is left out. */
export function Picture({ view: { sessionId } }: { view: SessionView }) {
  const { value, error, reload } = useResource(
    (left) => api.get('/v1/sessions/{sessionId}/topology', { sessionId }, left),
    [sessionId],
  );
  const found = value.value;
  if (error.value) return <Problem error={error.value} onRetry={reload} />;
  if (found === undefined) return <p class={s.note}>Reading …</p>;
  if (found.edges.length === 0)
    return (
      <p class={s.note}>
        {found.resource === null
          ? 'The labels of the alert name no place.'
          : 'No edge of this place is known.'}
      </p>
    );
  const names = new Map(found.nodes.map(({ id, name }) => [id, name]));
  return (
    <div class={s.body}>
      <Drawing found={found} />
      <ul class={s.key} aria-hidden="true">
        {(['file', 'stated', 'seen'] as const).map((by) => (
          <li key={by}>
            <svg viewBox="0 0 24 8" width="24" height="8">
              <path d="M0 4H24" class={s[by]} />
            </svg>
            {BY[by]}
          </li>
        ))}
      </ul>
      <details>
        <summary>As a list, with evidence</summary>
        <ul class={s.list}>
          {found.edges.map((edge) => (
            <Entry key={`${edge.from} ${edge.to}`} edge={edge} names={names} />
          ))}
        </ul>
      </details>
      <p class={parts.meta}>
        Learned edges are no evidence: no verdict counts them.
        {found.others > 0 && ` ${countText(found.others, 'other node')} not shown.`}
        {found.isCut && ' Older sessions were not read.'}
      </p>
    </div>
  );
}

function Drawing({ found }: { found: SessionTopology }) {
  const { nodes, edges, height } = placeNodes(found);
  const place = found.nodes.find(({ step }) => step === 0)?.name ?? '';
  return (
    <svg class={s.picture} viewBox={`0 0 ${WIDTH} ${height}`} role="img" aria-labelledby="topology-drawn">
      <title id="topology-drawn">
        {place}: {countText(found.nodes.filter(({ step }) => step === 1).length, 'need')}, needed by{' '}
        {found.nodes.filter(({ step }) => step < 0).length}. The list below has every edge.
      </title>
      {edges.map(({ edge, path }) => (
        <path key={path} d={path} class={s[edge.by]} />
      ))}
      {nodes.map(({ node: { id, name, step, firing }, x, y, width }) => (
        <g key={id} class={step === 0 ? s.place : undefined}>
          <rect x={x} y={y} width={width} height={BOX} rx="5" class={firing.length > 0 ? s.firing : s.box} />
          <text x={x + 10} y={y + 20}>
            {name.length > FITS ? `${name.slice(0, FITS)}…` : name}
          </text>
          {firing.length > 0 && (
            <text x={x + width - 8} y={y + 20} text-anchor="end" class={s.fires}>
              fires
            </text>
          )}
        </g>
      ))}
    </svg>
  );
}

function Entry({ edge, names }: { edge: Edge; names: ReadonlyMap<string, string> }) {
  const { from, to, by, count, sessions, lastAt, evidence } = edge;
  const line = evidence?.line == null ? '' : `:L${evidence.line}`;
  return (
    <li>
      <Untrusted text={names.get(from) ?? from} /> needs <Untrusted text={names.get(to) ?? to} />
      <p class={parts.meta}>
        {BY[by]}
        {count > 0 && ` · ${countText(count, 'result')} in ${countText(sessions, 'session')}`}
        {lastAt !== null && (
          <>
            {' · last '}
            <Time iso={lastAt} text={dayText(lastAt)} />
          </>
        )}
        {evidence !== null && (
          <>
            {' · '}
            <a href={`/s/${evidence.sessionId}#e-${evidence.executionId}.${evidence.event}${line}`}>
              Evidence
            </a>
          </>
        )}
      </p>
    </li>
  );
}
