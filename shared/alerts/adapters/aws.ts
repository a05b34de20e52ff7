// Amazon Web Services: alarms of CloudWatch, through SNS or EventBridge, other notifications of SNS, and the
// request of SNS to confirm a subscription.

import { asArray, asObject, isObject } from '../../text/json.ts';
import type { AlertAdapter, AlertFacts, FieldReader } from '../fields/adapter.ts';
import { looseDate } from '../fields/dates.ts';
import { firstText, keepUsableLinks } from '../fields/fields.ts';
import { parseStatusWord } from '../fields/status.ts';

/** Identity: the alarm's ARN, or account, region and name; of AWS Health the ARN of the event. */
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
    if (body.source === 'aws.health' && isObject(body.detail)) return 'source is aws.health';
    if (typeof body.TopicArn === 'string' && typeof body.Message === 'string') return 'TopicArn of SNS';
    return undefined;
  },
  read(fields, { payload }) {
    const body = asObject(payload);
    if (body.source === 'aws.cloudwatch') return readEventBridge(fields);
    if (body.source === 'aws.health') return readHealth(fields);
    return body.NewStateValue === undefined ? readNotification(fields) : readAlarm(fields);
  },
};

function readAlarm(fields: FieldReader): Partial<AlertFacts> {
  const arn = fields.text('identity', 'AlarmArn');
  return {
    title: fields.text('title', 'AlarmName'),
    status: parseStatusWord(fields.text('status', 'NewStateValue')),
    identity: arn ?? placedName(fields, ['AWSAccountId', 'Region', 'AlarmName']),
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
      ...readDimensions(fields.list('Trigger.Dimensions')),
    },
  };
}

/** An alarm's name with its account and region: names are unique there only. Undefined without a name. */
function placedName(
  fields: FieldReader,
  paths: [account: string, region: string, name: string],
): string | undefined {
  const name = fields.text('identity', paths[2]);
  if (name === undefined) return undefined;
  return [fields.text('identity', paths[0]), fields.text('identity', paths[1]), name]
    .filter(Boolean)
    .join('/');
}

/** An event of AWS Health, which is open, closed or still to come. */
function readHealth(fields: FieldReader): Partial<AlertFacts> {
  const detail = fields.within('detail');
  const code = detail.text('title', 'eventTypeCode');
  const service = detail.text('labels', 'service');
  return {
    title: code === undefined ? fields.text('title', 'detail-type') : `AWS Health: ${code}`,
    status: parseStatusWord(detail.text('status', 'statusCode')),
    identity: detail.text('identity', 'eventArn') ?? fields.text('identity', 'resources.0'),
    summary: detail.text('summary', 'eventDescription.0.latestDescription'),
    startedAt:
      looseDate(detail.peek('startTime')) ?? httpDate(detail.peek('startTime')) ?? fields.start('time'),
    endedAt: looseDate(detail.peek('endTime')) ?? httpDate(detail.peek('endTime')),
    labels: {
      account: detail.text('labels', 'affectedAccount') ?? fields.text('labels', 'account'),
      region: detail.text('labels', 'eventRegion') ?? fields.text('labels', 'region'),
      service,
      category: detail.text('labels', 'eventTypeCategory'),
    },
  };
}

/** `Fri, 20 Nov 2026 09:14:03 GMT`, as AWS Health writes moments. */
function httpDate(text: string | undefined): Date | null {
  const at = /^\w{3}, \d{1,2} \w{3} \d{4} [\d:]{8} GMT$/.test(text ?? '')
    ? Date.parse(text ?? '')
    : Number.NaN;
  return Number.isNaN(at) ? null : new Date(at);
}

/** SNS writes the names of a dimension in lower case, the API in upper case. */
function readDimensions(list: unknown[]): Record<string, string> {
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
    status: parseStatusWord(detail.text('status', 'state.value')),
    identity: arn ?? placedName(fields, ['account', 'region', 'detail.alarmName']),
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

/** Another notification, or a request to confirm. Its link is for a person: it is not opened here. */
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
      links: keepUsableLinks(['Confirm', fields.text('links', 'SubscribeURL')]),
      startedAt: fields.start('Timestamp'),
      labels: { topic },
    };
  }
  return {
    title: fields.text('title', 'Subject') ?? /\S.*/.exec(fields.text('title', 'Message') ?? '')?.[0],
    status: parseStatusWord(/^\s*(\w+):/.exec(fields.peek('Subject') ?? '')?.[1]),
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
