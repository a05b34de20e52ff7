// Sessions as code before version 11 stored them, with a field for each part.

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
export function toVersion10({ parts, ...session }: Data): Data {
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
  return { ...session, ...Object.fromEntries(fields) };
}
