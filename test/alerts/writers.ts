// Writes one problem in the form of each provider, and states what reading has to give back.

import type { Alert } from '../../shared/alerts/schema/alert.ts';

/** A problem; its times are whole seconds. */
export interface WrittenProblem {
  id: string;
  title: string;
  severity: string;
  summary: string;
  startedAt: Date;
  endedAt: Date;
}

/** How a provider spells a moment. */
type Spell = (at: Date) => string | number;

/** The form of one provider. */
export interface AlertWriter {
  source: string;
  form: string;
  /** The provider's words for a status; each has to be read as that status. */
  words: Partial<Record<Alert['status'], readonly string[]>>;
  write(problem: WrittenProblem, word: string, spell: Spell, isOver: boolean): unknown;
  /** What differs from the problem itself. */
  read?(
    problem: WrittenProblem,
    word: string,
  ): Partial<Pick<Alert, 'title' | 'severity' | 'identity' | 'startedAt'>>;
  /** Whether a resolved message has the time of the end. */
  hasEnd?: boolean;
}

const ARN = 'arn:aws:cloudwatch:eu-west-1:123456789012:alarm';
/** As AWS Health writes moments. */
const httpDate: Spell = (at) => at.toUTCString();
const group = (
  { id, title, severity, summary, startedAt, endedAt }: WrittenProblem,
  word: string,
  spell: Spell,
  isOver: boolean,
) => ({
  groupKey: id,
  status: word,
  receiver: 'inquest',
  alerts: [
    {
      status: word,
      labels: { alertname: title, severity },
      annotations: { summary },
      startsAt: spell(startedAt),
      endsAt: isOver ? spell(endedAt) : '0001-01-01T00:00:00Z',
      fingerprint: `of ${id}`,
    },
  ],
});
const withSummary = ({ title, summary }: WrittenProblem) => ({ title: `${title}: ${summary}` });

/** Each form that documentation of the providers shows. */
export const WRITERS: readonly AlertWriter[] = [
  {
    source: 'alertmanager',
    form: 'webhook',
    words: { firing: ['firing'], resolved: ['resolved'] },
    write: (...given) => ({ version: '4', ...group(...given) }),
    read: withSummary,
    hasEnd: true,
  },
  {
    source: 'alertmanager',
    form: 'list of Prometheus',
    words: { firing: ['now'], resolved: ['over'] },
    write: ({ id, title, severity, summary, startedAt, endedAt }, _, spell, isOver) => [
      {
        labels: { severity, id, alertname: title },
        annotations: { summary },
        startsAt: new Date(startedAt).toISOString(),
        endsAt: isOver ? spell(endedAt) : spell(new Date(endedAt.getTime() + 3 * 3_600_000)),
      },
    ],
    read: (problem) => ({
      ...withSummary(problem),
      identity: JSON.stringify([
        ['alertname', problem.title],
        ['id', problem.id],
        ['severity', problem.severity],
      ]),
    }),
    hasEnd: true,
  },
  {
    source: 'grafana',
    form: 'unified',
    words: { firing: ['firing'], resolved: ['resolved'] },
    write: (...given) => ({ orgId: 1, ...group(...given) }),
    read: withSummary,
    hasEnd: true,
  },
  {
    source: 'grafana',
    form: 'old',
    words: {
      firing: ['alerting', 'no_data'],
      resolved: ['ok'],
      acknowledged: ['paused'],
      unknown: ['pending'],
    },
    write: ({ id, title, severity, summary }, word) => ({
      orgId: 3,
      ruleId: id,
      ruleName: title,
      message: summary,
      state: word,
      tags: { severity },
    }),
    read: (problem) => ({ ...withSummary(problem), identity: `org 3, rule ${problem.id}`, startedAt: null }),
  },
  {
    source: 'pagerduty',
    form: 'webhook',
    words: { firing: ['triggered'], acknowledged: ['acknowledged'], resolved: ['resolved'] },
    write: ({ id, title, severity, summary, startedAt, endedAt }, word, spell) => ({
      event: {
        id: `event ${word}`,
        event_type: `incident.${word}`,
        occurred_at: spell(endedAt),
        data: {
          id,
          type: 'incident',
          title,
          status: word,
          urgency: 'low',
          priority: { summary: severity },
          service: { summary: 'Shop' },
          created_at: spell(startedAt),
          body: { details: summary },
        },
      },
    }),
    read: ({ title }) => ({ title: `Shop: ${title}` }),
    hasEnd: true,
  },
  {
    source: 'pagerduty',
    form: 'reopened',
    words: { firing: ['triggered'] },
    write: ({ id, title, severity, startedAt }, word, spell) => ({
      event: {
        event_type: 'incident.reopened',
        occurred_at: spell(startedAt),
        data: {
          id,
          type: 'incident',
          title,
          status: word,
          urgency: severity,
          created_at: '2020-01-01T00:00:00Z',
        },
      },
    }),
  },
  {
    source: 'pagerduty',
    form: 'Events API',
    words: { firing: ['trigger'], acknowledged: ['acknowledge'], resolved: ['resolve'] },
    write: ({ id, title, severity, startedAt }, word, spell) => ({
      event_action: word,
      dedup_key: id,
      payload: { summary: title, severity, timestamp: spell(startedAt), source: 'db' },
    }),
  },
  {
    source: 'datadog',
    form: 'custom',
    words: { firing: ['Triggered', 'Re-Triggered', 'No Data', 'Warn'], resolved: ['Recovered'] },
    write: ({ id, title, severity, summary, startedAt }, word, spell) => ({
      ALERT_ID: id,
      ALERT_SCOPE: 'host:db',
      ALERT_TITLE: `[${severity === 'P1' ? 'P3' : 'P1'}] [${word} on {host:db}] ${title}`,
      ALERT_TRANSITION: word,
      ALERT_PRIORITY: severity,
      ALERT_TYPE: 'error',
      TEXT_ONLY_MSG: summary,
      DATE: spell(startedAt),
    }),
    read: ({ id }) => ({ identity: `${id} host:db` }),
  },
  {
    source: 'opsgenie',
    form: 'webhook',
    words: {
      firing: ['Create', 'UnAcknowledge', 'Escalate'],
      resolved: ['Close', 'Delete'],
      acknowledged: ['Acknowledge', 'AddNote', 'AssignOwnership'],
    },
    write: ({ id, title, severity, summary, startedAt }, word, spell) => ({
      action: word,
      alert: {
        alertId: id,
        alias: 'x',
        message: title,
        priority: severity,
        description: summary,
        createdAt: spell(startedAt),
      },
      integrationName: 'inquest',
    }),
  },
  {
    source: 'sentry',
    form: 'metric alert',
    words: { firing: ['critical', 'warning'], resolved: ['resolved'] },
    write: ({ id, title, summary, startedAt }, word, spell) => ({
      action: word,
      data: {
        description_title: title,
        description_text: summary,
        metric_alert: {
          id,
          title: 'x',
          date_started: spell(startedAt),
          date_created: '2020-01-01T00:00:00Z',
        },
      },
    }),
    read: ({ id }, word) => ({ identity: `metric_alert ${id}`, severity: word === 'resolved' ? null : word }),
  },
  {
    source: 'sentry',
    form: 'issue',
    words: {
      firing: ['created', 'unresolved'],
      resolved: ['resolved'],
      acknowledged: ['assigned', 'archived', 'ignored'],
    },
    write: ({ id, title, severity, summary, startedAt }, word, spell) => ({
      action: word,
      installation: { uuid: 'u' },
      data: {
        issue: { id, title, level: severity, metadata: { value: summary }, firstSeen: spell(startedAt) },
      },
    }),
    read: ({ id }) => ({ identity: `issue ${id}` }),
  },
  {
    source: 'sentry',
    form: 'event',
    words: { firing: ['triggered'] },
    write: ({ id, title, severity, summary, startedAt }, word, spell) => ({
      action: word,
      actor: { type: 'application' },
      data: {
        triggered_rule: 'Many errors',
        event: {
          issue_id: id,
          event_id: 'e',
          title,
          level: severity,
          culprit: summary,
          datetime: spell(startedAt),
        },
      },
    }),
    read: ({ id, title }) => ({ title: `Many errors: ${title}`, identity: `issue ${id}` }),
  },
  {
    source: 'aws',
    form: 'alarm',
    words: { firing: ['ALARM'], resolved: ['OK'], unknown: ['INSUFFICIENT_DATA'] },
    write: ({ id, title, summary, startedAt }, word, spell) => ({
      AlarmName: title,
      AlarmArn: `${ARN}:${id}`,
      AlarmDescription: summary,
      NewStateValue: word,
      OldStateValue: 'ALARM',
      StateChangeTime: spell(startedAt),
    }),
    read: ({ id }) => ({ identity: `${ARN}:${id}`, severity: null }),
  },
  {
    source: 'aws',
    form: 'alarm without ARN, through EventBridge',
    words: { firing: ['ALARM'], resolved: ['OK'], unknown: ['INSUFFICIENT_DATA'] },
    write: ({ title, summary, startedAt }, word, spell) => ({
      source: 'aws.cloudwatch',
      account: '1',
      region: 'eu-west-1',
      time: '2020-01-01T00:00:00Z',
      resources: [],
      detail: {
        alarmName: title,
        state: { value: word, timestamp: spell(startedAt) },
        previousState: { value: 'ALARM' },
        configuration: { description: summary },
      },
    }),
    read: ({ title }) => ({ identity: `1/eu-west-1/${title}`, severity: null }),
  },
  {
    source: 'aws',
    form: 'Health',
    words: { firing: ['open'], resolved: ['closed'] },
    write: ({ id, title, summary, startedAt, endedAt }, word) => ({
      source: 'aws.health',
      time: '2020-01-01T00:00:00Z',
      detail: {
        eventArn: id,
        eventTypeCode: title,
        statusCode: word,
        startTime: httpDate(startedAt),
        endTime: httpDate(endedAt),
        eventDescription: [{ latestDescription: summary }],
      },
    }),
    read: ({ title }) => ({ title: `AWS Health: ${title}`, severity: null }),
    hasEnd: true,
  },
  {
    source: 'azure-monitor',
    form: 'common',
    words: { firing: ['Fired'], resolved: ['Resolved'] },
    write: ({ id, title, severity, summary, startedAt }, word, spell) => ({
      schemaId: 'azureMonitorCommonAlertSchema',
      data: {
        essentials: {
          alertId: id,
          originAlertId: 'x',
          alertRule: title,
          severity,
          monitorCondition: word,
          description: summary,
          firedDateTime: spell(startedAt),
        },
      },
    }),
  },
  {
    source: 'azure-monitor',
    form: 'classic',
    words: { firing: ['Activated'], resolved: ['Resolved'] },
    write: ({ id, title, severity, summary, startedAt }, word, spell) => ({
      status: word,
      context: {
        id,
        name: title,
        severity,
        description: summary,
        timestamp: spell(startedAt),
        conditionType: 'Metric',
      },
    }),
  },
  {
    source: 'new-relic',
    form: 'workflow',
    words: { firing: ['ACTIVATED', 'CREATED'], resolved: ['CLOSED'], acknowledged: ['ACKNOWLEDGED'] },
    write: ({ id, title, severity, summary, startedAt }, word, spell) => ({
      id,
      issueUrl: 'https://one.newrelic.com/issue',
      title: [title],
      priority: severity,
      state: word,
      trigger: 'STATE_CHANGE',
      createdAt: spell(startedAt),
      workflowName: 'inquest',
      annotations: { description: [summary] },
    }),
  },
  {
    source: 'new-relic',
    form: 'incident',
    words: { firing: ['open'], resolved: ['closed'], acknowledged: ['acknowledged'] },
    write: ({ id, title, severity, summary, startedAt }, word, spell) => ({
      incident_id: id,
      policy_name: 'Shop',
      condition_name: title,
      severity,
      current_state: word,
      details: summary,
      timestamp: spell(startedAt),
    }),
    read: ({ title }) => ({ title: `Shop: ${title}` }),
  },
  {
    source: 'dynatrace',
    form: 'problem',
    words: { firing: ['OPEN'], resolved: ['RESOLVED', 'MERGED'] },
    write: ({ id, title, severity, summary, startedAt }, word, spell) => ({
      State: word,
      PID: id,
      ProblemID: 'P-1',
      ProblemTitle: title,
      ProblemSeverity: severity,
      ProblemDetailsText: summary,
      ProblemStartTime: spell(startedAt),
    }),
  },
  {
    source: 'splunk',
    form: 'detector',
    words: { firing: ['anomalous'], resolved: ['ok', 'stopped', 'manually resolved'] },
    write: ({ id, title, severity, summary, startedAt }, word, spell) => ({
      incidentId: id,
      detectorId: 'D',
      detector: title,
      rule: 'CPU',
      severity,
      status: word,
      statusExtended: 'anomalous',
      messageBody: summary,
      timestamp: spell(startedAt),
    }),
    read: ({ title }) => ({ title: `${title}: CPU` }),
  },
  {
    source: 'splunk',
    form: 'search',
    words: { firing: ['any'] },
    write: ({ title, severity, summary, startedAt }, _, spell) => ({
      sid: 's',
      app: 'shop',
      search_name: title,
      result: { severity, message: summary, _time: spell(startedAt) },
    }),
    read: ({ title }) => ({ identity: `shop/${title}` }),
  },
  {
    source: 'checkmk',
    form: 'service',
    words: {
      firing: ['PROBLEM', 'FLAPPINGSTART'],
      resolved: ['RECOVERY'],
      acknowledged: ['ACKNOWLEDGEMENT', 'DOWNTIMESTART'],
      test: ['TEST'],
    },
    write: ({ id, title, summary, startedAt }, word, spell) => ({
      NOTIFY_NOTIFICATIONTYPE: word,
      NOTIFY_OMD_SITE: 'prod',
      NOTIFY_HOSTNAME: id,
      NOTIFY_HOSTALIAS: 'db',
      NOTIFY_HOSTSTATE: 'UP',
      NOTIFY_SERVICEDESC: title,
      NOTIFY_SERVICESTATE: word === 'RECOVERY' ? 'OK' : 'WARN',
      NOTIFY_PREVIOUSSERVICEHARDSTATE: 'WARN',
      NOTIFY_SERVICEOUTPUT: summary,
      NOTIFY_MICROTIME: spell(startedAt),
    }),
    read: ({ id, title }, word) => ({
      title: `db: ${title}: ${word === 'RECOVERY' ? 'OK' : 'WARN'}`,
      severity: 'warning',
      identity: `prod/${id}/${title}`,
    }),
  },
  {
    source: 'cloud-monitoring',
    form: 'incident',
    words: { firing: ['open'], resolved: ['closed'], acknowledged: ['acknowledged'] },
    write: ({ id, title, severity, summary, startedAt, endedAt }, word, spell, isOver) => ({
      version: '1.2',
      incident: {
        incident_id: id,
        policy_name: 'Shop',
        condition_name: title,
        severity,
        state: word,
        summary,
        started_at: spell(startedAt),
        ended_at: isOver ? spell(endedAt) : null,
      },
    }),
    read: ({ title }) => ({ title: `Shop: ${title}` }),
    hasEnd: true,
  },
  {
    source: 'json',
    form: 'any JSON',
    words: { firing: ['firing'], resolved: ['resolved'], acknowledged: ['acknowledged'] },
    write: ({ id, title, severity, summary, startedAt, endedAt }, word, spell, isOver) => ({
      title,
      severity,
      summary,
      status: word,
      fingerprint: id,
      startsAt: spell(startedAt),
      ...(isOver && { endsAt: spell(endedAt) }),
    }),
    hasEnd: true,
  },
];
