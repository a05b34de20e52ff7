// Azure Monitor: the common alert schema, and the older ones of metric, log and activity log alerts.

import { asObject, asText, isObject } from '../../text/json.ts';
import type { AlertAdapter, AlertFacts, FieldReader } from '../fields/adapter.ts';
import { joinTexts, keepUsableLinks } from '../fields/fields.ts';
import { parseStatusWord } from '../fields/status.ts';

/** The subscription id that the test of an action group sends. */
const TEST_SUBSCRIPTION = '11111111-1111-1111-1111-111111111111';

/** The identity is alertId, which stays the same when the alert is resolved. */
export const azureMonitor: AlertAdapter = {
  source: 'azure-monitor',
  recognise({ payload }) {
    const { schemaId, data, status, context } = asObject(payload);
    if (isClassic(status, context)) return 'status and context of a classic alert';
    if (typeof schemaId !== 'string' || !isObject(data)) return undefined;
    if (isObject(data.essentials)) return 'schemaId and essentials of the common schema';
    return /^(AzureMonitorMetricAlert|Microsoft\.Insights\/)/i.test(schemaId)
      ? 'schemaId of an older schema'
      : undefined;
  },
  read(fields, { payload }) {
    const body = asObject(payload);
    if (isClassic(body.status, body.context)) return readOlder(fields);
    const data = fields.within('data');
    return isObject(data.raw('essentials')) ? readCommon(data) : readOlder(data);
  },
};

/**
 * Classic alerts have no schemaId: they state whether they are activated, and their rule with its resource.
 * Without the id of the rule, the resource has to be one of Azure.
 */
function isClassic(status: unknown, context: unknown): boolean {
  const { id, name, portalLink, resourceId, conditionType } = asObject(context);
  if (typeof status !== 'string') return false;
  if (typeof id === 'string')
    return [portalLink, resourceId, conditionType].some((value) => value !== undefined);
  return typeof name === 'string' && /^\/subscriptions\//i.test(asText(resourceId) ?? '');
}

function readCommon(data: FieldReader): Partial<AlertFacts> {
  const essentials = data.within('essentials');
  const rule = essentials.text('title', 'alertRule');
  const id = essentials.text('identity', 'alertId', 'originAlertId');
  const isTest = id?.includes(TEST_SUBSCRIPTION) === true && rule?.startsWith('test-') === true;
  const target = essentials.text('labels', 'alertTargetIDs.0');
  return {
    title: rule ?? 'Azure Monitor alert',
    status: isTest ? 'test' : parseStatusWord(essentials.text('status', 'monitorCondition')),
    severity: essentials.text('severity', 'severity'),
    identity: isTest ? undefined : id,
    summary: essentials.text('summary', 'description'),
    url: essentials.text('url', 'investigationLink', 'portalLink'),
    runbookUrl: data.text('runbookUrl', 'customProperties.runbook_url', 'customProperties.runbook'),
    links: keepUsableLinks(
      ['Search results', data.text('links', 'alertContext.condition.allOf.0.linkToSearchResultsUI')],
      [
        'Filtered search results',
        data.text('links', 'alertContext.condition.allOf.0.linkToFilteredSearchResultsUI'),
      ],
    ),
    startedAt: essentials.start('firedDateTime'),
    labels: {
      ...data.map('labels', 'customProperties'),
      signal_type: essentials.text('labels', 'signalType'),
      monitoring_service: essentials.text('labels', 'monitoringService'),
      target,
      resource: essentials.text('labels', 'configurationItems.0'),
      subscription: /\/subscriptions\/([^/]+)/i.exec(target ?? id ?? '')?.[1],
      resource_group: /\/resourcegroups\/([^/]+)/i.exec(target ?? '')?.[1],
    },
  };
}

/** Older schemas: of a metric and of the activity log in `context`, of a log in `data` itself. */
function readOlder(data: FieldReader): Partial<AlertFacts> {
  const context = data.within('context');
  const activity = context.within('activityLog');
  const status = data.text('status', 'status', 'AlertStatus');
  return {
    title:
      context.text('title', 'name') ??
      data.text('title', 'AlertRuleName') ??
      activity.text('title', 'operationName') ??
      'Azure Monitor alert',
    // Log alerts of this schema have no status: they are sent only when they fire.
    status:
      status === undefined && data.peek('AlertRuleName') !== undefined ? 'firing' : parseStatusWord(status),
    severity:
      context.text('severity', 'severity') ??
      data.text('severity', 'Severity') ??
      activity.text('severity', 'level'),
    identity:
      context.text('identity', 'id') ??
      identifyRule(context) ??
      activity.text('identity', 'correlationId') ??
      data.text('identity', 'AlertRuleName'),
    summary:
      context.text('summary', 'description') ??
      data.text('summary', 'Description') ??
      activity.text('summary', 'description'),
    url: context.text('url', 'portalLink') ?? data.text('url', 'LinkToSearchResults'),
    startedAt:
      context.start('timestamp') ??
      activity.start('eventTimestamp') ??
      data.start('SearchIntervalStartTimeUtc'),
    labels: {
      ...asObject(data.raw('properties')),
      resource: context.text('labels', 'resourceName') ?? activity.text('labels', 'resourceId'),
      resource_group:
        context.text('labels', 'resourceGroupName') ?? activity.text('labels', 'resourceGroupName'),
      subscription: context.text('labels', 'subscriptionId') ?? data.text('labels', 'SubscriptionId'),
    },
  };
}

/** The resource and the name of a rule without id. */
function identifyRule(context: FieldReader): string | undefined {
  const resource = context.text('identity', 'resourceId');
  return resource && joinTexts(resource, context.text('identity', 'name'));
}
