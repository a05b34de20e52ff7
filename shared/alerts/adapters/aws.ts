// Amazon Web Services: alarms of CloudWatch, through SNS or EventBridge, other notifications of SNS, and the request of SNS to
// confirm a subscription.

import { asArray, asObject, isObject } from '../../text/json.ts';
import type { AlertAdapter, AlertFacts, FieldReader } from '../adapter.ts';
import { looseDate } from '../dates.ts';
import { statusOf } from '../status.ts';
import { firstText, linksOf } from './fields.ts';

/** The identity is the alarm's ARN. An alarm without enough data is of unknown status. */
export const aws: AlertAdapter = {
  source: 'aws',
  recognise({ payload, attributes }) {
    const body = asObject(payload);
    if (body.NewStateValue !== undefined && (body.AlarmName ?? body.AlarmArn) !== undefined) {
      return attributes['sns-topic'] === undefined
        ? 'AlarmName and NewStateValue of CloudWatch'
        : `AlarmName and NewStateValue of CloudWatch, from an SNS topic`;
    }
    if (body.source === 'aws.cloudwatch' && isObject(body.detail)) return 'source is aws.cloudwatch';
    if (typeof body.TopicArn === 'string' && typeof body.Message === 'string') return 'TopicArn of SNS';
    return undefined;
  },
  read(fields, { payload }) {
    const body = asObject(payload);
    if (body.source === 'aws.cloudwatch') return readEventBridge(fields);
    return body.NewStateValue === undefined ? readNotification(fields) : readAlarm(fields);
  },
};

function readAlarm(fields: FieldReader): Partial<AlertFacts> {
  const arn = fields.text('identity', 'AlarmArn', 'AlarmName');
  return {
    title: fields.text('title', 'AlarmName'),
    status: statusOf(fields.text('status', 'NewStateValue')),
    identity: arn,
    summary: [fields.text('summary', 'AlarmDescription'), fields.text('summary', 'NewStateReason')]
      .filter(Boolean)
      .join(' '),
    url: consoleUrl(fields.peek('AlarmArn'), fields.peek('AlarmName')),
    startedAt: fields.start('StateChangeTime'),
    endedAt: looseDate(fields.peek('StateChangeTime')),
    labels: {
      account: fields.text('labels', 'AWSAccountId'),
      region: fields.text('labels', 'Region'),
      namespace: fields.text('labels', 'Trigger.Namespace'),
      metric: fields.text('labels', 'Trigger.MetricName'),
      ...dimensions(fields.list('Trigger.Dimensions')),
    },
  };
}

/** SNS writes the names of a dimension in lower case, the API in upper case. */
function dimensions(list: unknown[]): Record<string, string> {
  const pairs = list.map(asObject).flatMap((entry) => {
    const name = firstText(entry, 'name', 'Name');
    const value = firstText(entry, 'value', 'Value');
    return name === undefined || value === undefined ? [] : [[name, value] as const];
  });
  return Object.fromEntries(pairs);
}

function readEventBridge(fields: FieldReader): Partial<AlertFacts> {
  const detail = fields.within('detail');
  const metric = detail.within('configuration.metrics.0.metricStat.metric');
  const name = detail.text('title', 'alarmName');
  const arn = fields.text('identity', 'resources.0');
  return {
    title: name ?? fields.text('title', 'detail-type'),
    status: statusOf(detail.text('status', 'state.value')),
    identity: arn ?? name,
    summary: [detail.text('summary', 'configuration.description'), detail.text('summary', 'state.reason')]
      .filter(Boolean)
      .join(' '),
    url: consoleUrl(arn, name),
    startedAt: detail.start('state.timestamp') ?? fields.start('time'),
    endedAt: looseDate(detail.peek('state.timestamp') ?? fields.peek('time')),
    labels: {
      account: fields.text('labels', 'account'),
      region: fields.text('labels', 'region'),
      namespace: metric.text('labels', 'namespace'),
      metric: metric.text('labels', 'name'),
      ...metric.map('labels', 'dimensions'),
    },
  };
}

/** A notification of anything else, or a request to confirm. Its link is for a person: nothing here opens it. */
function readNotification(fields: FieldReader): Partial<AlertFacts> {
  const topic = fields.text('labels', 'TopicArn');
  const isRequest = /^(Un)?[Ss]ubscri(be|ption)Confirmation$/.test(fields.peek('Type') ?? '');
  if (isRequest) {
    fields.note('status', 'Type');
    fields.note('title', 'TopicArn');
    return {
      title: `SNS asks to confirm a subscription: ${topic ?? ''}`,
      status: 'test',
      summary: 'Open the link to confirm that the topic sends its notifications here.',
      links: linksOf(['Confirm', fields.text('links', 'SubscribeURL')]),
      startedAt: fields.start('Timestamp'),
      labels: { topic },
    };
  }
  return {
    title: fields.text('title', 'Subject') ?? /\S.*/.exec(fields.text('title', 'Message') ?? '')?.[0],
    status: statusOf(/^\s*(\w+):/.exec(fields.peek('Subject') ?? '')?.[1]),
    summary: fields.text('summary', 'Message'),
    startedAt: fields.start('Timestamp'),
    labels: { topic },
  };
}

/** The alarm's page in the console. */
function consoleUrl(arn: string | undefined, name: string | undefined): string | undefined {
  const [, partition, service, region] = asArray(arn?.split(':')).map(String);
  if (partition !== 'aws' || service !== 'cloudwatch' || !/^[a-z]{2}(-[a-z]+)+-\d$/.test(region ?? ''))
    return undefined;
  const alarm = encodeURIComponent((name ?? '').toWellFormed());
  return `https://${region}.console.aws.amazon.com/cloudwatch/home?region=${region}#alarmsV2:alarm/${alarm}`;
}
