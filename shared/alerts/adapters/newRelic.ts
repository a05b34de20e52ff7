// New Relic: webhooks of workflows (issues), and those of the notification channels before them (incidents).

import { asObject } from '../../text/json.ts';
import type { AlertAdapter, AlertFacts, FieldReader } from '../fields/adapter.ts';
import { firstText, joinTexts, keepUsableLinks } from '../fields/fields.ts';
import { parseStatusWord } from '../fields/status.ts';

/** The identity is the issue's id, or the incident's. */
export const newRelic: AlertAdapter = {
  source: 'new-relic',
  recognise({ payload }) {
    const body = asObject(payload);
    const has = (...keys: string[]) => keys.every((key) => Object.hasOwn(body, key));
    if (
      has('issueUrl', 'state') &&
      (has('alertPolicyNames') || has('workflowName') || has('impactedEntities') || has('accumulations'))
    ) {
      return 'issueUrl, state and fields of a workflow';
    }
    if (has('accumulations') && (has('state') || has('issueId') || has('priority')))
      return 'accumulations of an issue';
    const isIncident = has('current_state') && (has('condition_name') || has('policy_name'));
    return isIncident ? 'current_state and condition_name of an incident' : undefined;
  },
  read(fields, { payload }) {
    return Object.hasOwn(asObject(payload), 'current_state') ? readIncident(fields) : readIssue(fields);
  },
};

function readIssue(fields: FieldReader): Partial<AlertFacts> {
  const trigger = fields.peek('trigger') ?? '';
  const isTest =
    /test/i.test(trigger) ||
    /^test[ _-](issue|notification)/i.test(joinTemplateTexts(fields.raw('title')) ?? '');
  const names = (path: string) => joinTemplateTexts(fields.raw(path));
  fields.note('title', 'title');
  return {
    title:
      joinTemplateTexts(fields.raw('title')) ??
      fields.text('title', 'issueTitle') ??
      names('alertConditionNames') ??
      names('accumulations.conditionName'),
    status: isTest ? 'test' : parseStatusWord(fields.text('status', 'state')),
    severity: fields.text('severity', 'priority'),
    identity: fields.text(
      'identity',
      'id',
      'issueId',
      'accumulations.issueId.0',
      'accumulations.conditionFamilyId.0',
    ),
    summary: joinTemplateTexts(fields.raw('annotations.description.0')) ?? names('annotations.description'),
    url: fields.text('url', 'issueUrl'),
    runbookUrl:
      joinTemplateTexts(fields.raw('annotations.runbookUrl.0')) ??
      fields.text('runbookUrl', 'annotations.runbookUrl', 'runbookUrl'),
    links: keepUsableLinks(['Acknowledge', fields.text('links', 'issueAckUrl')]),
    startedAt: fields.start('createdAt', 'activatedAt'),
    labels: {
      policy: names('alertPolicyNames') ?? names('accumulations.policyName'),
      condition: names('alertConditionNames') ?? names('accumulations.conditionName'),
      entity: names('impactedEntities'),
      workflow: fields.text('labels', 'workflowName'),
      incidents: fields.text('labels', 'totalIncidents'),
    },
  };
}

/** A text, or the first texts of a list: templates write either. */
function joinTemplateTexts(value: unknown): string | undefined {
  const texts = (Array.isArray(value) ? value.slice(0, 10) : [value]).flatMap(
    (entry) => firstText({ entry }, 'entry') ?? [],
  );
  return texts.length === 0 ? undefined : texts.join(', ');
}

function readIncident(fields: FieldReader): Partial<AlertFacts> {
  const state = fields.text('status', 'current_state');
  const policy = fields.text('title', 'policy_name');
  const condition = fields.text('title', 'condition_name');
  const isTest = state?.toLowerCase() === 'test';
  return {
    title: joinTexts(policy, condition),
    status: parseStatusWord(state),
    severity: fields.text('severity', 'severity'),
    identity: isTest ? undefined : fields.text('identity', 'incident_id'),
    summary: fields.text('summary', 'details'),
    url: fields.text('url', 'incident_url'),
    runbookUrl: fields.text('runbookUrl', 'runbook_url'),
    links: keepUsableLinks(
      ['Policy', fields.text('links', 'policy_url')],
      ['Acknowledge', fields.text('links', 'incident_acknowledge_url')],
    ),
    startedAt: fields.start('timestamp'),
    labels: {
      policy,
      condition,
      account: fields.text('labels', 'account_name', 'account_id'),
      target: fields.text('labels', 'targets.0.name'),
      ...fields.map('labels', 'targets.0.labels'),
    },
  };
}
