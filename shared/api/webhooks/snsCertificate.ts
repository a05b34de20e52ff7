// Reads and checks the certificates that SNS signs messages with.

import { type KeyObject, X509Certificate } from 'node:crypto';
import { Problem } from '../http/problem.ts';

const MIN_KEY_BITS = 2048;

/**
 * Reads a certificate that `host`, an address of SNS, served. The issuer is not checked: the certificate has
 * no chain there, and the TLS connection was verified.
 * @throws Problem `SIGNATURE_INVALID` for an invalid certificate, or one that is not from SNS.
 */
export function readCertificate(pem: string, host: string): X509Certificate {
  const certificate = parseCertificate(pem);
  if (certificate === undefined) throw certificateProblem('is not a certificate');
  const { asymmetricKeyType, asymmetricKeyDetails } = certificate.publicKey;
  if (asymmetricKeyType !== 'rsa' || (asymmetricKeyDetails?.modulusLength ?? 0) < MIN_KEY_BITS)
    throw certificateProblem('has no key of RSA with 2048 bits or more');
  if (!listSnsHostNames(host).some((name) => certificate.checkHost(name, { wildcards: false }) !== undefined))
    throw certificateProblem('is not one of SNS');
  return certificate;
}

/** The key of a certificate. @throws Problem `SIGNATURE_INVALID` when it is not valid at this time. */
export function readCertificateKey(
  { validFromDate, validToDate, publicKey }: X509Certificate,
  now: Date,
): KeyObject {
  if (now < validFromDate || now > validToDate) throw certificateProblem('is not valid any more, or not yet');
  return publicKey;
}

/** Host names that AWS's SDKs accept: SNS, and further names in China, GovCloud and newer regions. */
function listSnsHostNames(host: string): string[] {
  const region = host.replace(/^sns\./, '');
  const ofGovCloud = host.startsWith('sns.us-gov-') ? ['sns-us-gov-west-1.amazonaws.com'] : [];
  return ['sns.amazonaws.com', host, `sns-signing.${region}`, `sns-${region}`, ...ofGovCloud];
}

function parseCertificate(pem: string): X509Certificate | undefined {
  try {
    return new X509Certificate(pem);
  } catch {
    return undefined;
  }
}

const certificateProblem = (fault: string) =>
  new Problem('SIGNATURE_INVALID', `the certificate at body.SigningCertURL ${fault}`);
