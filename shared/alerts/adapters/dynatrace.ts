// Dynatrace: the custom integration for problem notifications, with the names of its placeholders.

import { asArray, asObject, asText, parseJson } from '../../text/json.ts';
import type { AlertAdapter, AlertFacts, FieldReader } from '../fields/adapter.ts';
import { looseDate } from '../fields/dates.ts';
import { firstText, labelsOfTags } from '../fields/fields.ts';
import { parseStatusWord } from '../fields/status.ts';

/** A merged problem continues as part of another problem. */
const MERGED: AlertFacts['status'] = 'resolved';

/** The identity is PID, which is unique; ProblemID is the short one that people see. */
export const dynatrace: AlertAdapter = {
  source: 'dynatrace',
  recognise({ payload }) {
    const body = asObject(payload);
    const has = (key: string) => Object.hasOwn(body, key);
    if (!has('ProblemID') && !has('PID')) return undefined;
    return has('ProblemTitle') || has('State') || has('ProblemURL')
      ? 'ProblemID and ProblemTitle'
      : undefined;
  },
  read(fields) {
    const id = fields.peek('ProblemID');
    const title = fields.text('title', 'ProblemTitle', 'ProblemID');
    const isTest = id === '999' || /problem notification test run/i.test(title ?? '');
    const state = fields.text('status', 'State') ?? stateInDetails(fields);
    const entity = asObject(asArray(fields.raw('ImpactedEntities'))[0]);
    return {
      title,
      status: isTest ? 'test' : state?.toUpperCase() === 'MERGED' ? MERGED : parseStatusWord(state),
      severity: fields.text('severity', 'ProblemSeverity'),
      identity: isTest ? undefined : fields.text('identity', 'PID', 'ProblemID'),
      summary: fields.text('summary', 'ProblemDetailsText', 'ProblemDetailsMarkdown'),
      url: fields.text('url', 'ProblemURL'),
      startedAt: fields.start('ProblemStartTime', 'StartTime'),
      labels: {
        ...labelsOfTags(fields.raw('Tags')),
        problem_id: id,
        impact: fields.text('labels', 'ProblemImpact'),
        entity: fields.text('labels', 'ImpactedEntity') ?? firstText(entity, 'name', 'entity'),
      },
    };
  },
};

/** The state at the start of the details, such as `RESOLVED Problem 123`; resolved where an end is given. */
function stateInDetails(fields: FieldReader): string | undefined {
  for (const path of ['ProblemDetailsJSON', 'ProblemDetailsJSONv2', 'ProblemDetailsJSONv1']) {
    const details = fields.raw(path);
    const status = asText(asObject(typeof details === 'string' ? parseJson(details) : details).status);
    if (status === undefined) continue;
    fields.note('status', path);
    return status;
  }
  for (const path of ['ProblemDetailsText', 'ProblemDetailsMarkdown', 'ProblemDetailsHTML', 'ProblemTitle']) {
    const details = fields.peek(path)?.replace(/<[^>]{0,200}>/g, ' ');
    const state = /^[\s*#_"]*(OPEN|RESOLVED|CLOSED|MERGED)\b/i.exec(details ?? '')?.[1];
    if (state === undefined) continue;
    fields.note('status', path);
    return state;
  }
  return looseDate(fields.peek('ProblemEndTime') ?? fields.peek('EndTime')) === null ? undefined : 'RESOLVED';
}
