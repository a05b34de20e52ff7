// Google Cloud Monitoring, notification version 1.2 (Pub/Sub or webhook, of metrics and of logs), and the
// test message of the console, which has version "test", other types for ids, an upper-case state and a
// documentation that is text.

import { asObject } from '../../text/json.ts';
import type { AlertAdapter } from '../fields/adapter.ts';
import { looseDate } from '../fields/dates.ts';
import { firstText, joinTexts, keepUsableLinks, runbookInText } from '../fields/fields.ts';
import { parseStatusWord } from '../fields/status.ts';

/** The identity is the incident's id, which is also in the message that closes it. A test has none. */
export const cloudMonitoring: AlertAdapter = {
  source: 'cloud-monitoring',
  recognise({ payload }) {
    const { version, incident } = asObject(payload);
    const { incident_id, state } = asObject(incident);
    if (typeof version !== 'string' || !/^(1\.\d+|test)$/i.test(version)) return undefined;
    if (firstText({ incident_id, state }, 'incident_id', 'state') === undefined) return undefined;
    return version.startsWith('1.')
      ? 'version is 1.x, with an incident'
      : 'version is test, with an incident';
  },
  read(fields) {
    const isTest = fields.peek('version')?.toLowerCase() === 'test';
    const incident = fields.within('incident');
    const severity = incident.text('severity', 'severity');
    const content = incident.peek('documentation.content') ?? incident.peek('documentation');
    const links = incident.list('documentation.links').map(asObject);
    const policy = incident.text('title', 'policy_name');
    const condition = incident.text('title', 'condition_name');
    const log = asObject(incident.raw('condition.conditionMatchedLog'));
    if (isTest) fields.note('status', 'version');
    return {
      title: joinTexts(policy, condition) ?? incident.text('title', 'summary'),
      status: isTest ? 'test' : parseStatusWord(incident.text('status', 'state')),
      severity: severity?.toLowerCase() === 'no severity' ? undefined : severity,
      identity: isTest ? undefined : incident.text('identity', 'incident_id'),
      summary: incident.text('summary', 'summary', 'documentation.content', 'documentation'),
      url: incident.text('url', 'url'),
      runbookUrl: findRunbookLink(content, links),
      links: links.flatMap((link) =>
        keepUsableLinks([firstText(link, 'displayName') ?? 'Documentation', firstText(link, 'url')]),
      ),
      startedAt: incident.start('started_at'),
      endedAt: looseDate(incident.peek('ended_at')),
      labels: {
        project_id: incident.text('labels', 'scoping_project_id'),
        policy_name: policy,
        condition_name: incident.peek('condition_name'),
        resource_type: incident.text('labels', 'resource.type'),
        metric_type: incident.text('labels', 'metric.type'),
        ...(typeof log.filter === 'string' && { log_filter: log.filter }),
        ...incident.map('labels', 'metadata.user_labels'),
        ...incident.map('labels', 'policy_user_labels'),
        ...incident.map('labels', 'metric.labels'),
        ...incident.map('labels', 'resource.labels'),
      },
    };
  },
};

/** The documentation link named as a runbook, else one beside that word in its text, else any link. */
function findRunbookLink(content: string | undefined, links: Record<string, unknown>[]): string | undefined {
  const isRunbook = (link: Record<string, unknown>) =>
    /(run|play)book/i.test(`${firstText(link, 'displayName')} ${firstText(link, 'url')}`);
  const named = links.find(isRunbook);
  return (
    (named && firstText(named, 'url')) ??
    runbookInText(content) ??
    links.map((link) => firstText(link, 'url')).find(Boolean)
  );
}
