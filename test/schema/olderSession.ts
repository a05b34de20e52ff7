// Documents as release 0.2.0 stored them: without parts, with a field for each value of a feature.

import { asObject } from '../../shared/text/json.ts';

type Data = Record<string, unknown>;

/** Each field with its place in `parts`, and its value without the part. */
const FIELDS: Record<string, { at: readonly [part: string, name?: string]; absent: null | [] }> = {
  alert: { at: ['alert'], absent: null },
  context: { at: ['request'], absent: null },
  trigrams: { at: ['search', 'trigrams'], absent: [] },
  correlation: { at: ['correlation', 'keys'], absent: null },
  alsoFiring: { at: ['correlation', 'alsoFiring'], absent: [] },
  runbook: { at: ['runbook'], absent: null },
  seenBefore: { at: ['knowledge', 'seenBefore'], absent: [] },
  reinvestigates: { at: ['reinvestigation'], absent: null },
  routing: { at: ['routing'], absent: null },
  rerunOf: { at: ['rerun', 'of'], absent: null },
};

/** The fields of a session in version 7. */
export function toSession7({ parts, input, waitedUntil, deferral, ...session }: Data): Data {
  const fields = Object.entries(FIELDS).map(
    ([
      field,
      {
        at: [part, name],
        absent,
      },
    ]) => {
      const value = asObject(parts)[part];
      return [field, (name === undefined ? value : asObject(value)[name]) ?? absent];
    },
  );
  const { budgets = null, modelOutages = { ms: 0, questionMs: 0 } } = asObject(parts);
  return {
    ...session,
    ...Object.fromEntries(fields),
    alertText: input,
    waited: waitedUntil === null ? null : { ...asObject(modelOutages), until: waitedUntil },
    deferral: deferral === null ? null : { ...asObject(deferral), budgets },
  };
}

/** The fields of an execution in version 5. */
export function toExecution5({
  parts,
  reads: _,
  waitingSince: _1,
  waits: _2,
  startedClaims: _3,
  due,
  ...execution
}: Data): Data {
  const { pins, knowledge } = asObject(parts);
  const { changedTools = [], introducedServers = [], changedServers = [] } = asObject(pins);
  const { resourcesRead = false } = asObject(knowledge);
  const dueAt = Object.values(asObject(due))[0] ?? null;
  return { ...execution, dueAt, changedTools, introducedServers, changedServers, resourcesRead };
}
