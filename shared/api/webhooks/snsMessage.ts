// Reads SNS messages over HTTP, and composes their signed text.

import * as z from 'zod';
import { Problem } from '../http/problem.ts';
import { parsePart } from '../http/readRequest.ts';

/** Every field except the text is one line, so no field can contain the start of another one. */
const line = (max: number) =>
  z
    .string()
    .min(1)
    .max(max)
    .regex(/^[^\r\n]+$/, 'must be one line');

const common = {
  MessageId: line(100),
  TopicArn: line(400).regex(
    /^arn:aws[a-z-]*:sns:[a-z0-9-]+:\d{12}:[\w-]+(?:\.fifo)?$/,
    'must be the ARN of a topic',
  ),
  Message: z.string(),
  Timestamp: z.iso.datetime(),
  SignatureVersion: z.enum(['1', '2']),
  Signature: line(2_000).optional(),
  SigningCertURL: line(500),
};
const confirmation = { ...common, Token: line(2_000), SubscribeURL: line(4_000) };

const messageSchema = z.discriminatedUnion('Type', [
  z.object({ Type: z.literal('Notification'), Subject: z.string().nullish(), ...common }),
  z.object({ Type: z.literal('SubscriptionConfirmation'), ...confirmation }),
  z.object({ Type: z.literal('UnsubscribeConfirmation'), ...confirmation }),
]);
/** A message of SNS. */
export type SnsMessage = z.output<typeof messageSchema>;

/** The header with which SNS marks a raw message, which has no signature. */
const RAW_HEADER = 'x-amz-sns-rawdelivery';

/** Reads a message. @throws Problem `REQUEST_INVALID` that names each field. */
export function readSnsMessage(body: Buffer, headers?: Headers): SnsMessage {
  if (headers?.get(RAW_HEADER) === 'true')
    throw new Problem(
      'REQUEST_INVALID',
      'body: is a raw message without a signature; turn off raw message delivery of the subscription',
    );
  let value: unknown;
  try {
    value = JSON.parse(body.toString('utf8'));
  } catch {
    throw new Problem('REQUEST_INVALID', 'body: is not JSON, so it is no message of SNS');
  }
  return parsePart(messageSchema, value, 'body');
}

/**
 * The text that SNS signs: names and values, in the order of
 * https://docs.aws.amazon.com/sns/latest/dg/sns-verify-signature-of-message.html.
 */
export function signedText(message: SnsMessage): string {
  const { MessageId, Timestamp, TopicArn, Type, Message } = message;
  const isNotification = message.Type === 'Notification';
  const fields: [string, string | null | undefined][] = [
    ['Message', Message],
    ['MessageId', MessageId],
    ...(isNotification ? [['Subject', message.Subject] as [string, string | null | undefined]] : []),
    ...(isNotification ? [] : [['SubscribeURL', message.SubscribeURL] as [string, string]]),
    ['Timestamp', Timestamp],
    ...(isNotification ? [] : [['Token', message.Token] as [string, string]]),
    ['TopicArn', TopicArn],
    ['Type', Type],
  ];
  return fields
    .filter(([, value]) => value !== undefined && value !== null)
    .map(([name, value]) => `${name}\n${value}\n`)
    .join('');
}

/**
 * The notification as an alert, without unsigned fields, such as the link with which any reader can end the
 * subscription.
 */
export function composeSnsAlert(message: SnsMessage): Buffer {
  return Buffer.from(JSON.stringify(message, ALERT_FIELDS));
}

const ALERT_FIELDS = ['Type', 'MessageId', 'TopicArn', 'Subject', 'Message', 'Timestamp'];
