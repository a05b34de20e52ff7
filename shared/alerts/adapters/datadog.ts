// Datadog: the default payload of its webhooks, and custom ones made of its variables ($ALERT_TRANSITION and so on), whose
// names are compared in lower case.

import { asObject } from '../../text/json.ts';
import type { AlertAdapter, AlertFacts } from '../adapter.ts';
import { createFieldReader } from '../fieldReader.ts';
import { statusOf } from '../status.ts';
import { labelsOfTags } from './fields.ts';
import { lowerCaseKeys } from './layers.ts';

const CUSTOM = ['alert_id', 'alert_cycle_key', 'aggreg_key', 'alert_title', 'alert_metric', 'alert_status'];
const TITLE_STATE = /^\s*(?:\[test\]\s*)?\[([\w -]+?)(?: on [^\]]*)?\]\s*/i;
const SEVERITY_OF: Record<string, string> = { warn: 'warning', 'no data': 'warning' };

/**
 * The identity is $ALERT_CYCLE_KEY, or $AGGREG_KEY with $ALERT_ID. The default payload has none: its id is that of the event,
 * another one in each message.
 */
export const datadog: AlertAdapter = {
  source: 'datadog',
  recognise({ payload }) {
    const body = lowerCaseKeys(payload);
    const { org, title, event_type, last_updated } = body;
    if (Object.hasOwn(body, 'alert_transition') && CUSTOM.some((key) => Object.hasOwn(body, key))) {
      return 'alert_transition and other variables of a custom payload';
    }
    const isDefault = Object.hasOwn(asObject(org), 'name') && last_updated !== undefined;
    return isDefault && (title ?? event_type) !== undefined ? 'org, title and last_updated' : undefined;
  },
  read({ places }, { payload }) {
    const fields = createFieldReader(lowerCaseKeys(payload), places);
    const title = fields.text('title', 'alert_title', 'event_title', 'title');
    const inTitle = TITLE_STATE.exec(title ?? '')?.[1];
    const transition = fields.text('status', 'alert_transition') ?? inTitle;
    if (transition === inTitle) fields.note('status', 'title');
    const isTest = /^\s*(\[[^\]]*\]\s*)?\[test\]/i.test(title ?? '');
    const tags = fields.raw('tags') ?? fields.raw('alert_scope');
    if (tags !== undefined) fields.note('labels', fields.raw('tags') === undefined ? 'alert_scope' : 'tags');
    return {
      title: title?.replace(TITLE_STATE, '').replace(/^\[test\]\s*/i, '') || title,
      status: isTest ? 'test' : statusOf(transition),
      severity:
        fields.text('severity', 'alert_priority', 'priority', 'alert_type') ??
        SEVERITY_OF[transition?.toLowerCase() ?? ''],
      identity: identityOf(fields),
      summary: fields.text('summary', 'alert_text', 'text_only_msg', 'event_msg', 'body'),
      url: fields.text('url', 'link', 'url', 'alert_url'),
      links: [],
      startedAt: fields.start('alert_started_at', 'date', 'last_updated'),
      labels: {
        ...labelsOfTags(tags),
        org: fields.text('labels', 'org.name', 'org_name'),
        host: fields.text('labels', 'hostname', 'host'),
        alert_id: fields.text('labels', 'alert_id'),
        metric: fields.text('labels', 'alert_metric'),
        event_type: fields.text('labels', 'event_type'),
      },
    };
  },
};

function identityOf(fields: ReturnType<typeof createFieldReader>): AlertFacts['identity'] {
  const cycle = fields.text('identity', 'alert_cycle_key');
  if (cycle !== undefined) return cycle;
  const monitor = fields.text('identity', 'alert_id');
  const group = fields.text('identity', 'aggreg_key');
  return monitor === undefined ? group : [monitor, group].filter(Boolean).join(' ');
}
