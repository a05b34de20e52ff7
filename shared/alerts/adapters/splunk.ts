// Splunk: the webhook of an alert of a saved search, and that of a detector of Splunk Observability.

import { asObject, isObject } from '../../text/json.ts';
import type { AlertAdapter, AlertFacts, FieldReader } from '../fields/adapter.ts';
import { firstText, joinTexts, keepUsableLinks } from '../fields/fields.ts';
import { parseStatusWord } from '../fields/status.ts';

/**
 * The identity is app and name of the search: its sid differs in each run. A search never reports that the
 * problem ended. Of a detector the identity is the incident's id.
 */
export const splunk: AlertAdapter = {
  source: 'splunk',
  recognise({ payload }) {
    const {
      sid,
      search_name,
      results_link,
      result,
      detectorId,
      incidentId,
      detector,
      detectorUrl,
      ...others
    } = asObject(payload);
    const isDetector =
      (detectorId ?? detector ?? detectorUrl ?? others.sf_schema ?? others.detectOnCondition) !== undefined;
    if (
      typeof search_name === 'string' &&
      (typeof sid === 'string' || isObject(result) || results_link !== undefined)
    ) {
      return 'search_name of a saved search';
    }
    return incidentId !== undefined && isDetector ? 'a detector and its incident' : undefined;
  },
  read(fields, { payload }) {
    return Object.hasOwn(asObject(payload), 'search_name') ? readSearch(fields) : readDetector(fields);
  },
};

function readSearch(fields: FieldReader): Partial<AlertFacts> {
  const name = fields.text('title', 'search_name');
  const app = fields.text('labels', 'app');
  const result = fields.map('labels', 'result');
  fields.note('identity', 'search_name');
  fields.note('status', 'search_name');
  const summary = firstText(result, 'message', 'description', '_raw');
  if (summary !== undefined) fields.note('summary', 'result');
  return {
    title: name,
    status: 'firing',
    severity: firstText(result, 'severity', 'urgency', 'priority'),
    identity: [app, name].filter(Boolean).join('/'),
    summary,
    url: fields.text('url', 'results_link'),
    startedAt: fields.start('result._time'),
    labels: { ...withoutRaw(result), app, owner: fields.text('labels', 'owner'), search_name: name },
  };
}

/** Drops the raw event and Splunk's internal fields, which are no labels. */
function withoutRaw(result: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(result).filter(([name]) => !name.startsWith('_')));
}

function readDetector(fields: FieldReader): Partial<AlertFacts> {
  const isTest = fields.peek('eventType')?.toLowerCase() === 'test';
  const status = fields.text('status', 'status', 'statusExtended');
  return {
    title:
      fields.text('title', 'messageTitle') ??
      joinTexts(fields.text('title', 'detector'), fields.text('title', 'rule')) ??
      'Splunk detector',
    status: isTest ? 'test' : status === 'stopped' ? 'resolved' : parseStatusWord(status),
    severity: fields.text('severity', 'severity'),
    identity: isTest ? undefined : fields.text('identity', 'incidentId'),
    summary: fields.text('summary', 'messageBody', 'description'),
    url: fields.text('url', 'detectorUrl'),
    runbookUrl: fields.text('runbookUrl', 'runbookUrl'),
    links: keepUsableLinks(['Picture', fields.text('links', 'imageUrl')]),
    startedAt: fields.start('timestampISO8601', 'timestamp'),
    labels: {
      ...fields.map('labels', 'dimensions'),
      detector: fields.text('labels', 'detector'),
      rule: fields.text('labels', 'rule'),
    },
  };
}
