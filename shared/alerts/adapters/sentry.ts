// Sentry: webhooks of an integration for issue alerts, metric alerts, issues and errors. The header
// Sentry-Hook-Resource names the kind, and the shape implies it.

import { asObject, isObject } from '../../text/json.ts';
import type { AlertAdapter, AlertFacts, FieldReader } from '../fields/adapter.ts';
import { joinTexts, keepUsableLinks, labelsOfTags } from '../fields/fields.ts';
import { parseStatusWord } from '../fields/status.ts';

const KINDS = ['event', 'metric_alert', 'issue', 'error'] as const;
type Kind = (typeof KINDS)[number];

/** The identity of the issue, or of the metric alert; both are numbers, so that the kind precedes it. */
export const sentry: AlertAdapter = {
  source: 'sentry',
  recognise({ payload, attributes }) {
    const kind = detectSentryKind(payload);
    const { action, installation, actor } = asObject(payload);
    if (kind === undefined || typeof action !== 'string') return undefined;
    const resource = attributes['sentry-hook-resource'];
    if (resource !== undefined) return `header Sentry-Hook-Resource, data.${kind}`;
    const isSigned = isObject(installation) || isObject(actor) || kind === 'metric_alert';
    return isSigned || hasSentryFields(payload, kind) ? `an action with data.${kind}` : undefined;
  },
  read(fields, { payload }) {
    const kind = detectSentryKind(payload) ?? 'event';
    if (kind === 'metric_alert') return readMetricAlert(fields);
    return kind === 'issue' ? readIssue(fields) : readEvent(fields, kind);
  },
};

function detectSentryKind(payload: unknown): Kind | undefined {
  const data = asObject(asObject(payload).data);
  return KINDS.find((kind) => isObject(data[kind]));
}

function hasSentryFields(payload: unknown, kind: Kind): boolean {
  const subject = asObject(asObject(asObject(payload).data)[kind]);
  return ['issue_id', 'issue_url', 'shortId', 'culprit'].some((key) => Object.hasOwn(subject, key));
}

/** An event of an issue for which a rule fired, or an error. Neither reports that the problem ended. */
function readEvent(fields: FieldReader, kind: 'event' | 'error'): Partial<AlertFacts> {
  const event = fields.within(`data.${kind}`);
  const tags = labelsOfTags(event.raw('tags'));
  const issue = event.text('identity', 'issue_id');
  const id = issue === undefined ? event.text('identity', 'event_id') : `issue ${issue}`;
  event.note('labels', 'tags');
  // `Send Test Notification` sends this tag.
  const isTest = tags.sample_event === 'yes';
  if (isTest) event.note('status', 'tags');
  else fields.note('status', 'action');
  return {
    title: joinTexts(fields.text('title', 'data.triggered_rule'), event.text('title', 'title', 'message')),
    status: isTest ? 'test' : 'firing',
    severity: event.text('severity', 'level'),
    identity: isTest ? undefined : id,
    summary: event.text('summary', 'message', 'culprit', 'metadata.value'),
    url: event.text('url', 'web_url', 'issue_url'),
    links: keepUsableLinks(['Issue', event.text('links', 'issue_url')]),
    startedAt: event.start('datetime', 'timestamp', 'received'),
    labels: {
      ...tags,
      project: event.text('labels', 'project', 'project_name'),
      culprit: event.text('labels', 'culprit'),
      rule: fields.text('labels', 'data.triggered_rule'),
    },
  };
}

function readMetricAlert(fields: FieldReader): Partial<AlertFacts> {
  const data = fields.within('data');
  const action = fields.text('status', 'action');
  const id = data.text('identity', 'metric_alert.id');
  return {
    title:
      data.text('title', 'description_title', 'metric_alert.title', 'metric_alert.alert_rule.name') ??
      'Sentry metric alert',
    status: parseStatusWord(action),
    severity: action === 'critical' || action === 'warning' ? action : undefined,
    identity: id === undefined ? undefined : `metric_alert ${id}`,
    summary: data.text('summary', 'description_text'),
    url: data.text('url', 'web_url'),
    startedAt: data.start(
      'metric_alert.date_started',
      'metric_alert.date_detected',
      'metric_alert.date_created',
    ),
    labels: {
      rule: data.text('labels', 'metric_alert.alert_rule.name'),
      project: data.text('labels', 'metric_alert.projects.0'),
      environment: data.text('labels', 'metric_alert.alert_rule.environment'),
    },
  };
}

/** Statuses of an issue. `assigned` and `archived` mean that people know of the issue. */
const ISSUE_STATUSES: ReadonlyMap<string, AlertFacts['status']> = new Map([
  ['created', 'firing'],
  ['unresolved', 'firing'],
  ['resolved', 'resolved'],
  ['assigned', 'acknowledged'],
  ['archived', 'acknowledged'],
  ['ignored', 'acknowledged'],
]);

function readIssue(fields: FieldReader): Partial<AlertFacts> {
  const issue = fields.within('data.issue');
  const id = issue.text('identity', 'id');
  return {
    title: issue.text('title', 'title', 'metadata.title', 'shortId') ?? 'Sentry issue',
    status: ISSUE_STATUSES.get(fields.text('status', 'action') ?? '') ?? 'unknown',
    severity: issue.text('severity', 'level'),
    identity: id === undefined ? undefined : `issue ${id}`,
    summary: issue.text('summary', 'metadata.value', 'culprit'),
    url: issue.text('url', 'web_url', 'permalink'),
    startedAt: issue.start('firstSeen'),
    labels: {
      project: issue.text('labels', 'project.slug', 'project.name'),
      culprit: issue.text('labels', 'culprit'),
      short_id: issue.text('labels', 'shortId'),
      platform: issue.text('labels', 'platform'),
    },
  };
}
