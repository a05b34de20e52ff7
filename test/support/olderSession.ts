// Documents of the last versions without parts: with a field for each value of a feature.

import { asObject } from '../../shared/text/json.ts';

type Data = Record<string, unknown>;

/** Each field with its place in `parts`, and its value without the part. */
const FIELDS: Record<string, { at: readonly [part: string, name?: string]; absent: null | [] }> = {
  alert: { at: ['alert'], absent: null },
  check: { at: ['check'], absent: null },
  context: { at: ['request'], absent: null },
  trigrams: { at: ['search', 'trigrams'], absent: [] },
  correlation: { at: ['correlation', 'keys'], absent: null },
  alsoFiring: { at: ['correlation', 'alsoFiring'], absent: [] },
  runbook: { at: ['runbook'], absent: null },
  seenBefore: { at: ['knowledge', 'seenBefore'], absent: [] },
  changes: { at: ['changes'], absent: null },
  reinvestigates: { at: ['reinvestigation'], absent: null },
  routing: { at: ['routing'], absent: null },
  verdict: { at: ['verdict'], absent: null },
  dependencies: { at: ['dependencies', 'near'], absent: [] },
  rerunOf: { at: ['rerun', 'of'], absent: null },
  notify: { at: ['deliveries', 'notify'], absent: [] },
};

/** The fields of a session in version 10. */
export function toVersion10({ parts, input, waitedUntil, deferral, ...session }: Data): Data {
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

/** The fields of an execution in version 7. */
export function toExecution7({ parts, ...execution }: Data): Data {
  const { pins, knowledge } = asObject(parts);
  const { changedTools = [], introducedServers = [], changedServers = [] } = asObject(pins);
  const { resourcesRead = false } = asObject(knowledge);
  return { ...execution, changedTools, introducedServers, changedServers, resourcesRead };
}
