import { describe, expect, it } from 'vitest';
import { createRandom } from '../../engine/testing/random.ts';
import { createMasker } from '../masker.ts';
import { randomText } from '../samples.fixture.ts';

const masker = createMasker({});
const random = createRandom(7);
const LINES = [
  `${'-----'}BEGIN PRIVATE KEY-----`,
  `MIIEvQIBADANBgkqhkiG9w0BAQEFAASC${randomText(random, 'base64', 32)}`,
  ...Array.from({ length: 8 }, () => randomText(random, 'base64', 64)),
  `${randomText(random, 'base64', 23)}=`,
  `${'-----'}END PRIVATE KEY-----`,
];
const time = (index: number) => `2026-11-22T10:00:0${index % 10}.12345678${index % 10}Z`;

const CUTS: [string, number, number][] = [
  ['without its end', 0, LINES.length - 1],
  ['without its last lines', 0, LINES.length - 4],
  ['without its beginning', 1, LINES.length],
  ['without its first lines', 3, LINES.length],
  ['without both', 1, LINES.length - 1],
  ['of which the middle is left', 4, LINES.length - 3],
];

const PREFIXES: [string, (line: string, index: number) => string][] = [
  ['nothing', (line) => line],
  ['indentation', (line) => `      ${line}`],
  ['times', (line, index) => `${time(index)} ${line}`],
  ['the prefix of a container runtime', (line, index) => `${time(index)} stdout F ${line}`],
  ['that of journald', (line, index) => `Nov 22 10:00:0${index} node-1 app[12${index}]: ${line}`],
  ['numbers of lines', (line, index) => `${index + 6}:${line}`],
  ['names of files', (line, index) => `src/tls/a.pem:${index + 6}:${line}`],
  ['a service of compose', (line) => `service-1  | ${line}`],
  ['a pod', (line) => `[pod/shop-7d9c6bf8d4-x2kqp/app] ${line}`],
  ['klog', (line, index) => `I1122 10:00:00.12345${index}  900 file.go:12] ${line}`],
  ['comments', (line) => `# ${line}`],
  ['comments of C', (line) => ` * ${line}`],
  ['slashes', (line) => `// ${line}`],
  ['a list', (line) => `- ${line}`],
  ['a quotation', (line) => `> ${line}`],
  ['a diff', (line) => `+${line}`],
  ['a table', (line, index) => `| ${index} | ${line.padEnd(70)} |`],
  [
    'lines of JSON',
    (line, index) => JSON.stringify({ log: `${line}\n`, stream: 'stdout', time: time(index) }),
  ],
  ['logfmt', (line, index) => `time=${time(index)} level=info msg="${line}"`],
  ['source code', (line) => `  "${line}\\n" +`],
  ['other lines between', (line, index) => `${time(index)} ${line}\n${time(index)} GET /healthz 200`],
];

describe.each(CUTS)('a private key %s', (_cut, from, to) => {
  it.each(PREFIXES)('is masked behind %s', (_prefix, write) => {
    const text = ['server starts.', ...LINES.map(write).slice(from, to), 'server ends.'].join('\n');
    const { text: masked } = masker.mask(text);
    for (const line of LINES.slice(from, to).filter((one) => !one.startsWith('-----')))
      expect(masked).not.toContain(line);
    expect(masked).toMatch(/^server starts\.\n/);
    // Behind the first line of a key without its last line, the next words can be taken for base64.
    const around = (one: string) => one.match(/[a-z]{2,}(?=[ .\]{"(])|healthz/gi);
    if (from > 0)
      expect(around(masked.replaceAll('[masked:private-key]', ''))).toEqual(
        around(text.replaceAll(/[A-Za-z0-9+/=]{20,}|-{5}[A-Z ]+-{5}/g, '')),
      );
  });
});

describe('no lines of a key are', () => {
  const body = (count: number, alphabet: 'base64' | 'hex') =>
    Array.from({ length: count }, () => randomText(random, alphabet, 64)).join('\n');

  it.each([
    [
      'those of a certificate',
      `${'-----'}BEGIN CERTIFICATE-----\n${body(8, 'base64')}\n${'-----'}END CERTIFICATE-----`,
    ],
    ['those of a cut certificate', `${body(8, 'base64')}\n${'-----'}END CERTIFICATE-----`],
    ['those of a public key', `${'-----'}BEGIN PUBLIC KEY-----\n${body(5, 'base64')}`],
    ['digests', body(20, 'hex')],
    [
      'text in base64',
      Buffer.from('all pods of the shop are up. '.repeat(20)).toString('base64').replace(/.{64}/g, '$&\n'),
    ],
  ])('%s', (_, text) => {
    expect(masker.mask(text).text).toBe(text);
  });
});
