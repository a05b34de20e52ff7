// A certificate that SNS signs messages with.

import { type KeyObject, X509Certificate } from 'node:crypto';
import { Problem } from '../../problem.ts';

const MIN_KEY_BITS = 2048;

/**
 * Reads a certificate that was served by `host`, one of SNS. Who issued it is not looked at: it stands there without its
 * chain, and comes over a connection whose own chain was checked.
 * @throws Problem `SIGNATURE_INVALID` for text that is no certificate, or not one of SNS.
 */
export function readCertificate(pem: string, host: string): X509Certificate {
  const certificate = parsed(pem);
  if (certificate === undefined) throw invalid('is no certificate');
  const { asymmetricKeyType, asymmetricKeyDetails } = certificate.publicKey;
  if (asymmetricKeyType !== 'rsa' || (asymmetricKeyDetails?.modulusLength ?? 0) < MIN_KEY_BITS)
    throw invalid('has no key of RSA with 2048 bits or more');
  if (!namesOf(host).some((name) => certificate.checkHost(name, { wildcards: false }) !== undefined))
    throw invalid('is not one of SNS');
  return certificate;
}

/** The key of a certificate. @throws Problem `SIGNATURE_INVALID` when it is not valid at this time. */
export function keyOf({ validFromDate, validToDate, publicKey }: X509Certificate, now: Date): KeyObject {
  if (now < validFromDate || now > validToDate) throw invalid('is not valid any more, or not yet');
  return publicKey;
}

/** Whom AWS's own SDKs expect these certificates to be for: SNS, and names of its own in China, GovCloud and newer regions. */
function namesOf(host: string): string[] {
  const region = host.replace(/^sns\./, '');
  const ofGovCloud = host.startsWith('sns.us-gov-') ? ['sns-us-gov-west-1.amazonaws.com'] : [];
  return ['sns.amazonaws.com', host, `sns-signing.${region}`, `sns-${region}`, ...ofGovCloud];
}

function parsed(pem: string): X509Certificate | undefined {
  try {
    return new X509Certificate(pem);
  } catch {
    return undefined;
  }
}

const invalid = (what: string) =>
  new Problem('SIGNATURE_INVALID', `the certificate at body.SigningCertURL ${what}`);
