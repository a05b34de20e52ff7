// The planted secrets: given to a process, or recognisable only by form or place.

import type { Random } from '../../shared/engine/testing/random.ts';
import { drawForm, FORM_NAMES } from './secretForms.ts';

/** Where a process knows a value from; undefined for one that no process knows. */
type Knowledge = 'environment' | 'servers' | undefined;

/** A secret, and how it stands in a text. */
export interface Secret {
  kind: string;
  /** What may be found nowhere. Without line breaks. */
  raw: string;
  /** What a text holds: the secret with what gives it away. */
  text: string;
  known: Knowledge;
}

const LOWER = 'abcdefghijklmnopqrstuvwxyz';
const UPPER = LOWER.toUpperCase();
const DIGITS = '0123456789';
const ALNUM = LOWER + UPPER + DIGITS;

const draw = (random: Random, alphabet: string, length: number): string =>
  Array.from({ length }, () => alphabet[random.int(0, alphabet.length - 1)]).join('');

/** Values without blanks, which may stand in a header, an argument or a URL. */
const PLAIN_VALUES: Record<string, (random: Random) => string> = {
  letters: (random) => `k${draw(random, ALNUM, random.int(16, 36))}7`,
  base64: (random) => Buffer.from(draw(random, ALNUM, random.int(16, 30))).toString('base64'),
  hex: (random) => draw(random, `${DIGITS}abcdef`, 31) + random.int(0, 9),
  signs: (random) => `${draw(random, ALNUM, 6)}&<"'>%+/=?${draw(random, ALNUM, 8)}`,
};
const VALUES: Record<string, (random: Random) => string> = {
  ...PLAIN_VALUES,
  words: (random) =>
    `${draw(random, LOWER, 5)} ${draw(random, LOWER, 8)} ${draw(random, DIGITS, 4)} ${draw(random, LOWER, 7)}`,
  letters_of_others: (random) => `ключ-${draw(random, ALNUM, 8)}-naïve-${draw(random, LOWER, 5)}`,
  escapes: (random) => `a\\b"${draw(random, ALNUM, 9)}\\n{"${draw(random, ALNUM, 5)}`,
};

/** A value that a process was given. */
export function knownSecret(random: Random, known: 'environment' | 'servers'): Secret {
  const values = Object.entries(known === 'servers' ? PLAIN_VALUES : VALUES);
  const [kind, make] = values[random.int(0, values.length - 1)] ?? ['letters', VALUES.letters];
  const raw = make?.(random) ?? '';
  return { kind: `known ${kind}`, raw, text: raw, known };
}

type Written = [raw: string, text: string];
const around = (raw: string, write: (raw: string) => string): Written => [raw, write(raw)];
const token =
  (prefix: string, length: number, alphabet = ALNUM) =>
  (random: Random): Written =>
    around(prefix + draw(random, alphabet, length), (raw) => raw);
const password = (random: Random) => `${draw(random, ALNUM, 12)}_${draw(random, DIGITS, 3)}`;
const base64url = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');

/** Values that no process was given, by what gives them away. */
const BY_RULE: Record<string, (random: Random) => Written> = {
  'GitHub token': token('ghp_', 36),
  'AWS key id': token('AKIA', 16, `${UPPER}234567`),
  'AWS secret key': (random) =>
    around(draw(random, `${ALNUM}+/`, 40), (raw) => `aws_secret_access_key = ${raw}`),
  'Slack token': (random) =>
    around(
      `xoxb-${draw(random, DIGITS, 12)}-${draw(random, DIGITS, 12)}-${draw(random, ALNUM, 24)}`,
      (raw) => raw,
    ),
  'Google key': token('AIza', 35),
  'Stripe key': token('sk_live_', 24),
  'npm token': token('npm_', 36),
  'GitLab token': token('glpat-', 20),
  'password=': (random) => around(password(random), (raw) => `user=shop password=${raw} retries=3`),
  'JSON password': (random) => around(password(random), (raw) => `{"user":"shop","db_password":"${raw}"}`),
  'YAML secret': (random) => around(password(random), (raw) => `client_id: shop\nclient_secret: ${raw}\n`),
  'command line': (random) =>
    around(password(random), (raw) => `mysqldump --user=shop --password=${raw} shop`),
  'database URL': (random) =>
    around(password(random), (raw) => `postgres://shop:${raw}@db.example.com:5432/orders`),
  'URL credentials': (random) =>
    around(password(random), (raw) => `https://shop:${raw}@example.com/pull.git`),
  'Bearer token': (random) => around(draw(random, ALNUM, 40), (raw) => `Authorization: Bearer ${raw}`),
  'JSON web token': (random) => {
    const payload = { sub: draw(random, ALNUM, 10), iat: 1_790_000_000 };
    const signature = draw(random, `${ALNUM}-_`, 43);
    return around(
      `${base64url({ alg: 'HS256', typ: 'JWT' })}.${base64url(payload)}.${signature}`,
      (raw) => raw,
    );
  },
  'Kubernetes Secret': (random) =>
    around(password(random), (raw) => {
      const data = Buffer.from(raw).toString('base64');
      return `apiVersion: v1\nkind: Secret\nmetadata:\n  name: shop\ndata:\n  value: ${data}\n`;
    }),
  'Kubernetes Secret as JSON': (random) =>
    around(password(random), (raw) => {
      const data = { value: Buffer.from(raw).toString('base64') };
      return JSON.stringify({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'shop' }, data });
    }),
  'private key': (random) => {
    const lines = Array.from({ length: 6 }, () => draw(random, `${ALNUM}+/`, 64));
    const text = ['-----BEGIN PRIVATE KEY-----', ...lines, '-----END PRIVATE KEY-----', ''].join('\n');
    return [lines.join(''), text];
  },
};

/** A value that rules find. `bare`: without context, of letters, digits, `_` and `-`. */
export function secretByRule(random: Random, bare = false): Secret {
  if (!bare && random.chance(0.4)) {
    const [group, name] = FORM_NAMES[random.int(0, FORM_NAMES.length - 1)] ?? ['', ''];
    const { raw, text } = drawForm(random, group, name);
    return { kind: `notation of a tool: ${name}`, raw, text, known: undefined };
  }
  const kinds = Object.entries(BY_RULE).filter(([kind]) => !bare || /(?:token|key)$/.test(kind));
  const usable = bare ? kinds.filter(([kind]) => !/Bearer|web|secret|private/.test(kind)) : kinds;
  const [kind, make] = usable[random.int(0, usable.length - 1)] ?? ['GitHub token', token('ghp_', 36)];
  const [raw, text] = make(random);
  return { kind, raw, text, known: undefined };
}
