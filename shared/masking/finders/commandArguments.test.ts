import { describe, expect, it } from 'vitest';
import { createMasker } from '../masker.ts';

const masker = createMasker({});
const SECRET = 'w1nter-Kite';
const masked = (text: string) => masker.mask(text).text;
const hideMarks = (text: string) => text.replaceAll(/\[masked:[a-z-]+\]/g, 'PW');

describe.each([
  '-u deploy:PW',
  '-udeploy:PW',
  '-u=deploy:PW',
  '-u "deploy:PW"',
  "-u 'deploy:PW'",
  "-u'deploy:PW'",
  '-u"deploy:PW"',
  "-u deploy:'PW'",
  '-u "deploy":"PW"',
  '-u :PW',
  '-u PWx8y7z:',
  '-sSu deploy:PW',
  '-sSfLudeploy:PW',
  '-U deploy:PW',
  '-Udeploy:PW',
  '--user deploy:PW',
  '--user=deploy:PW',
  '--user "deploy:PW with blanks"',
  '--proxy-user deploy:PW',
  "--proxy-user='deploy:PW'",
  "-H 'a: b;c|d' -u deploy:PW",
  '-sS \\\n  -X POST \\\n  -u deploy:PW \\\n ',
  '`\n -u deploy:PW',
  '^\r\n -u deploy:PW',
  '--oauth2-bearer PW',
  '-E cert.pem:PW',
])('curl %s', (options) => {
  const command = `curl ${options.replace('PW', SECRET)} https://shop.example.com`;

  it.each([
    ['as it is', command],
    ['in a script', `RUN set -ex; ${command} | jq .`],
    ['in a string of JSON', JSON.stringify({ cmd: command })],
  ])('%s', (_, text) => {
    expect(hideMarks(masked(text))).toBe(text.replace(/w1nter-Kite(?:x8y7z| with blanks)?/, 'PW'));
  });
});

describe('the password is masked in', () => {
  it.each([
    '["curl","-u","deploy:PW","https://x"]',
    "['curl', '-u', 'deploy:PW', 'x']",
    '- curl\n- -u\n- deploy:PW\n',
    'http -a deploy:PW GET x',
    'https --auth=deploy:PW x',
    'sqlplus scott/PW@orcl',
    'sqlplus scott/PW',
    'sqlplus -s scott/PW@//db:1521/ORCL',
    'sqlplus -S "scott/PW@db as sysdba"',
    'sqlplus scott/\\"PW\\"@db',
    'sqlldr userid=scott/PW@orcl control=a/b.ctl',
    'expdp system/PW@db directory=x',
    'rman target sys/PW@db',
    'SQL> connect scott/PW@orcl',
    'CONN scott/PW@db',
  ])('%s', (text) => {
    expect(hideMarks(masked(text.replace('PW', SECRET)))).toBe(text);
  });
});

it.each([
  'curl -u $USER:$PASS https://x',
  'curl -u "$USER:$PASS" x',
  'curl -u deploy https://x',
  'curl -A "agent/1.0: linux" x',
  'wget -U "Mozilla/5.0: linux" https://x',
  'curl -fsSLO https://x:8080/a:b',
  'sqlplus /nolog',
  'sqlplus scott@db @dir/x.sql',
  'connect client/server',
])('nothing is masked in %s', (text) => {
  expect(masked(text)).toBe(text);
});
