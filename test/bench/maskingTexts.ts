// Texts that are made to take long, of any length, and a usual log to compare with.

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

const fill = (piece: string) => (length: number) =>
  piece.repeat(Math.ceil(length / piece.length)).slice(0, length);
/** Random base64, always the same. */
const base64 = (length: number): string =>
  Array.from({ length: length / 43 + 1 }, (_, index) =>
    createHash('sha256').update(String(index)).digest('base64').slice(0, 43),
  )
    .join('')
    .slice(0, length);
const log = (): string => readFileSync(new URL('../masking/usual-logs.txt', import.meta.url), 'utf8');

/** Words on lines, which no rule looks at twice: what other texts are compared with. */
export const WORDS = fill('pod restarted after probe of shop in zone twice today with code\n');

/** The text as it stands in strings of JSON that are nested `levels` deep. */
export function escapeTimes(text: string, levels: number): string {
  return levels === 0 ? text : escapeTimes(JSON.stringify(text).slice(1, -1), levels - 1);
}

/** Logs without secrets. */
export const USUAL: Record<string, (length: number) => string> = {
  'a usual log': (length) => fill(log())(length),
  'lines of JSON': fill(
    '{"severity":"INFO","time":"2026-11-22T10:00:00Z","message":"order placed","user":"ada","trace":"4bf92f3577b34da6a3ce929d0e0e4736","latency":0.123}\n',
  ),
  'JSON in JSON': fill('{"log":"{\\"user\\":\\"bob\\",\\"path\\":\\"/v1\\"}\\n","stream":"stdout"}\n'),
};

const pieces = [
  '=',
  'a',
  ' ',
  '\n',
  '"',
  '\\',
  '\\"',
  '-',
  '{',
  '[',
  '%22',
  '&quot;',
  '\u200b',
  '\ud800',
  '\u0000',
  '-----BEGIN RSA PRIVATE KEY-----\n',
  '-----BEGIN PRIVATE KEY-----',
  '7: -----BEGIN PRIVATE KEY-----\nQUFB\n',
  '7: QUFB\n-----END PRIVATE KEY-----\n',
  'MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSj ',
  'MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQDh4Zj2Kx0pYwQ7\n',
  'QUFBQUFB\n',
  '-----END PRIVATE KEY-----',
  '-----END PRIVATE KEY-----\n',
  '-----BEGIN PRIVATE KEY-----A-----END PRIVATE KEY-----',
  '{"password":',
  'password=',
  'password="',
  'password: ',
  'token ',
  'token,',
  'key=',
  'api ',
  '<secret>',
  '<password a="b" ',
  '"name": "password", ',
  'kind: Secret\n',
  'kind: Secret\ndata:\n  a: b\n',
  '{"kind":"Secret","data":{"a":"b"}},',
  '{"kind":"Secret","data":{',
  '{kind: Secret, data: {a: b',
  'kind: Secret, Data:map[string]string{a:',
  'data:map[',
  'kubectl get secret -o jsonpath={.data}\n',
  '7: kind: Secret\n8: data:\n9:   a: b\n',
  'https://',
  'a://b:',
  'a:b@',
  'a:b@c:80 ',
  'eyJ-',
  'eyJa.',
  'sk-',
  'xoxb-1-',
  'AKIA',
  'ghp_ ',
  '$6$',
  'SG.aaaaaaaaaaaaaaaaaaaa.',
  '| password | ',
  '| password |\n|---|\n',
  'user  password\n',
  'a,password\n',
  '==== Data ====\na  b\n',
  'name: password\n',
  '"name":"DB_PASSWORD","value":',
  '{"value":"a","name":"DB_PASSWORD"},',
  '--from-literal=a=b ',
  'resource "kubernetes_secret" "a" {\n',
  'resource "kubernetes_secret" "a" {\n data = {\n a = "b"\n',
  "{'kind': 'Secret', 'data': {",
  "{'a': '",
  '{"kind":"SecretList","items":[{"data":{"a":"b"}},',
  'type: Opaque\n',
  'stringData:\n  a: b\n',
  'kubectl patch secret a -p {"data":{',
  'secretGenerator:\n- a=b\n',
  'ENV DB_PASSWORD ',
  'a.b.c=password=',
  '5432:a:b:c:',
  'echo a | ',
  'kinit a <<< ',
  'ssh-keygen -N a ',
  'mc alias set a https://b c ',
  'net user a ',
  'lftp -u a,',
  'passwords:\n- a\n',
  '<name>a</name><value>b</value>',
  '"password\n',
  'mysql -',
  'curl -u ',
  'curl -u "a" \\\n',
  'sqlplus a/b@c ',
  'docker login ',
  'machine password ',
  'authorization: ',
  'cookie: a=b; ',
  'Bearer ',
  'auth plain ',
  '\u001b[31mpassword\u001b[0m=',
  'ｐａｓｓ＝',
  '[masked:password#123456]',
  '[masked:',
  `${Buffer.from('password=hunter2abc').toString('base64')} `,
  '%22password%22%3A%22hunter2%22',
];

/** Texts that match the beginning of a rule at every step, nest, or are one word. */
export const HOSTILE: Record<string, (length: number) => string> = {
  ...Object.fromEntries(pieces.map((piece) => [JSON.stringify(piece), fill(piece)])),
  base64,
  'base64 in lines': (length) => base64(length).replace(/.{76}/g, '$&\n'),
  'a log in base64': (length) => Buffer.from(fill(log())(length * 0.75)).toString('base64'),
  'deep YAML': (length) =>
    Array.from({ length: Math.sqrt(length * 2) }, (_, depth) => `${' '.repeat(depth)}a:`)
      .join('\n')
      .concat('\nkind: Secret\n'),
  'many passwords': (length) =>
    Array.from({ length: length / 24 }, (_, index) => `password=SameHead99${index}`).join('\n'),
};
