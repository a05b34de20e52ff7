// Verifies that a message is from SNS and from a topic that the configuration allows.

import { verify } from 'node:crypto';
import { Problem } from '../http/problem.ts';
import type { VerifyWebhook } from '../http/webhook.ts';
import { checkAge } from './replayProtection.ts';
import { readCertificateKey } from './snsCertificate.ts';
import { readSnsMessage, type SnsMessage, signedText } from './snsMessage.ts';
import { certificateUrl } from './snsUrl.ts';

/** Milliseconds for which SNS retries a delivery over HTTP. */
const MAX_AGE_MS = 3_600_000;
const ALGORITHMS = { 1: 'RSA-SHA1', 2: 'RSA-SHA256' } as const;

/**
 * Checks the topic first, so that an unwanted message causes no request to SNS.
 * @throws Problem `ACCESS_DENIED` for another topic, `SIGNATURE_INVALID`; RetryableError
 * `SOURCE_UNAVAILABLE`.
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
  const signature = decodeSnsSignature(message);
  const url = certificateUrl(SigningCertURL, TopicArn);
  const certificate = await sns.certificateAt(url);
  const algorithm = ALGORITHMS[message.SignatureVersion];
  if (!verify(algorithm, Buffer.from(signedText(message)), readCertificateKey(certificate, now), signature))
    throw new Problem('SIGNATURE_INVALID', 'body.Signature: does not match this message');
  sns.keep(url, certificate);
};

/** The bytes of the signature. Only canonical base64 is accepted, no other spelling of the bytes. */
function decodeSnsSignature({ Signature }: SnsMessage): Buffer {
  if (Signature === undefined) throw new Problem('SIGNATURE_INVALID', 'body.Signature: is missing');
  const bytes = Buffer.from(Signature, 'base64');
  if (bytes.toString('base64') !== Signature)
    throw new Problem('SIGNATURE_INVALID', 'body.Signature: must be base64');
  return bytes;
}
