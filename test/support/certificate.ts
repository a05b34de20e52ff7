// A self-signed certificate in DER (RFC 5280), because Node reads certificates and makes none.

import { createPrivateKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';

const SEQUENCE = 0x30;
const SET = 0x31;
const SHA256_WITH_RSA = '2a864886f70d01010b';
const COMMON_NAME = '550403';

/** A certificate and the key that it is for. */
export interface SelfSigned {
  pem: string;
  key: KeyObject;
}

/** @param options.from and `to` default to a year around now, `bits` to 2048, `type` to RSA. */
export function createCertificate(options: {
  commonName: string;
  from?: Date;
  to?: Date;
  bits?: number;
  type?: 'rsa' | 'ec';
}): SelfSigned {
  const { commonName, from = daysFromNow(-180), to = daysFromNow(180), bits = 2048, type = 'rsa' } = options;
  const signer = pairOf('rsa', bits);
  const { publicKey, privateKey } = type === 'rsa' ? signer : pairOf('ec', bits);
  const algorithm = der(SEQUENCE, oid(SHA256_WITH_RSA), der(0x05));
  const name = der(SEQUENCE, der(SET, der(SEQUENCE, oid(COMMON_NAME), der(0x0c, Buffer.from(commonName)))));
  const content = der(
    SEQUENCE,
    der(0x02, Buffer.of(1)),
    algorithm,
    name,
    der(SEQUENCE, time(from), time(to)),
    name,
    publicKey,
  );
  const signature = sign('sha256', content, createPrivateKey(signer.privateKey));
  const whole = der(SEQUENCE, content, algorithm, der(0x03, Buffer.of(0), signature));
  const lines = whole.toString('base64').match(/.{1,64}/g) ?? [];
  const pem = `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`;
  return { pem, key: createPrivateKey(privateKey) };
}

function pairOf(type: 'rsa' | 'ec', bits: number) {
  const publicKeyEncoding = { type: 'spki', format: 'der' } as const;
  const privateKeyEncoding = { type: 'pkcs8', format: 'pem' } as const;
  return type === 'rsa'
    ? generateKeyPairSync('rsa', { modulusLength: bits, publicKeyEncoding, privateKeyEncoding })
    : generateKeyPairSync('ec', { namedCurve: 'P-256', publicKeyEncoding, privateKeyEncoding });
}

/** Tag, length and content. */
function der(tag: number, ...parts: Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const size =
    length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.of(tag, ...size), content]);
}

const oid = (hex: string): Buffer => der(0x06, Buffer.from(hex, 'hex'));

/** GeneralizedTime, in whole seconds. */
const time = (date: Date): Buffer =>
  der(
    0x18,
    Buffer.from(
      `${date
        .toISOString()
        .replace(/\.\d+Z$/, '')
        .replace(/[-:T]/g, '')}Z`,
    ),
  );

const daysFromNow = (days: number): Date => new Date(Date.now() + days * 86_400_000);
