// Proves that a message is of SNS and of a topic that the configuration allows.

import { verify } from 'node:crypto';
import { Problem } from '../../problem.ts';
import { checkAge } from '../age.ts';
import type { VerifyWebhook } from '../webhook.ts';
import { keyOf } from './certificate.ts';
import { readSnsMessage, type SnsMessage, signedText } from './message.ts';
import { certificateUrl } from './snsUrl.ts';

/** SNS tries for as long to deliver a message over HTTP, in milliseconds. */
const MAX_AGE_MS = 3_600_000;
const ALGORITHMS = { 1: 'RSA-SHA1', 2: 'RSA-SHA256' } as const;

/**
 * Checks the topic first, so that an unwanted message causes no request to SNS.
 * @throws Problem `ACCESS_DENIED` for another topic, `SIGNATURE_INVALID`; RetryableError `SOURCE_UNAVAILABLE`.
 */
export const verifySns: VerifyWebhook = async ({ headers, body }, { topics }, { now, sns }) => {
  const message = readSnsMessage(await body(), headers);
  const { TopicArn, Timestamp, SigningCertURL } = message;
  if (!topics.includes(TopicArn))
    throw new Problem(
      'ACCESS_DENIED',
      `${TopicArn} is not one of the topics of sns in webhooks.yaml; add it there`,
    );
  checkAge(new Date(Timestamp), now, 'body.Timestamp', MAX_AGE_MS);
  const signature = signatureOf(message);
  const url = certificateUrl(SigningCertURL, TopicArn);
  const certificate = await sns.certificateAt(url);
  const algorithm = ALGORITHMS[message.SignatureVersion];
  if (!verify(algorithm, Buffer.from(signedText(message)), keyOf(certificate, now), signature))
    throw new Problem('SIGNATURE_INVALID', 'body.Signature: is not of this message');
  sns.keep(url, certificate);
};

/** The bytes; of several spellings that mean the same bytes only the usual one is taken. */
function signatureOf({ Signature }: SnsMessage): Buffer {
  if (Signature === undefined) throw new Problem('SIGNATURE_INVALID', 'body.Signature: is missing');
  const bytes = Buffer.from(Signature, 'base64');
  if (bytes.toString('base64') !== Signature)
    throw new Problem('SIGNATURE_INVALID', 'body.Signature: must be base64');
  return bytes;
}
