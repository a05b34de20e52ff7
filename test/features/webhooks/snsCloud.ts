// SNS of AWS: signs messages as its documentation says, and serves its certificate and confirmations over
// HTTP. Only the way there is another one: its addresses lead to this machine.

import { randomUUID, sign } from 'node:crypto';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { createCertificate, type SelfSigned } from '../../support/certificate.ts';

export const TOPIC = 'arn:aws:sns:eu-central-1:123456789012:alarms';
export const CERTIFICATE_PATH = `/SimpleNotificationService-${'0a1b2c3d'.repeat(4)}.pem`;
export const CERTIFICATE_URL = `https://sns.eu-central-1.amazonaws.com${CERTIFICATE_PATH}`;

/** Fields of a message by name. */
export type SnsFields = Record<string, string>;

/** A stand-in for the network to SNS. */
export interface SnsCloud {
  fetch: typeof globalThis.fetch;
  /** `HOST/PATH?QUERY` of each request, in order. */
  requests: string[];
  certificate: SelfSigned;
  /** A message with its signature. A field that is `undefined` is left out before signing. */
  sign(fields?: Record<string, string | undefined>, version?: '1' | '2'): SnsFields;
}

const OWN_CERTIFICATE = createCertificate({ commonName: 'sns.amazonaws.com' });

/** @param answer what SNS answers. Default: its certificate, and 200 to confirmations. */
export async function startSnsCloud(
  options: { certificate?: SelfSigned; answer?: RequestListener; now?: () => Date } = {},
): Promise<SnsCloud> {
  const { certificate = OWN_CERTIFICATE, now = () => new Date() } = options;
  const requests: string[] = [];
  const answer: RequestListener = (request, response) => {
    if (request.url === CERTIFICATE_PATH) response.end(certificate.pem);
    else if (request.url?.endsWith('.pem')) response.writeHead(404).end();
    else response.end('<ConfirmSubscriptionResponse/>');
  };
  const server = createServer((request, response) => {
    requests.push(`${request.headers['x-host']}${request.url}`);
    (options.answer ?? answer)(request, response);
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return {
    certificate,
    requests,
    fetch: (target, init) => {
      const url = new URL(String(target));
      return fetch(`http://127.0.0.1:${port}${url.pathname}${url.search}`, {
        ...init,
        headers: { 'x-host': url.host },
      });
    },
    sign(fields = {}, version = '2') {
      const type = fields.Type ?? 'Notification';
      const isNotification = type === 'Notification';
      const whole = {
        Type: type,
        MessageId: randomUUID(),
        TopicArn: TOPIC,
        Message: 'CPU is high',
        Timestamp: now().toISOString(),
        ...(!isNotification && {
          Token: 'a1b2c3',
          SubscribeURL: composeConfirmation(fields.TopicArn ?? TOPIC),
        }),
        SigningCertURL: CERTIFICATE_URL,
        ...fields,
        SignatureVersion: version,
      };
      const given = Object.entries(whole).filter(
        (field): field is [string, string] => field[1] !== undefined,
      );
      const text = (isNotification ? OF_NOTIFICATIONS : OF_CONFIRMATIONS)
        .flatMap((name) => given.filter(([own]) => own === name))
        .map(([name, value]) => `${name}\n${value}\n`)
        .join('');
      const algorithm = version === '1' ? 'RSA-SHA1' : 'RSA-SHA256';
      const signature = sign(algorithm, Buffer.from(text), certificate.key).toString('base64');
      return { ...Object.fromEntries(given), Signature: signature };
    },
  };
}

/** What is signed, in its order: docs.aws.amazon.com/sns/latest/dg/sns-verify-signature-of-message.html. */
const OF_NOTIFICATIONS = ['Message', 'MessageId', 'Subject', 'Timestamp', 'TopicArn', 'Type'];
const OF_CONFIRMATIONS = ['Message', 'MessageId', 'SubscribeURL', 'Timestamp', 'Token', 'TopicArn', 'Type'];

export const composeConfirmation = (topicArn: string): string =>
  `https://sns.eu-central-1.amazonaws.com/?Action=ConfirmSubscription&TopicArn=${topicArn}&Token=a1b2c3`;
