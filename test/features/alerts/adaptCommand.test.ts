// `adapt` and `send` as a user calls them.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { callCommand } from '../../support/callCommand.ts';
import { temporaryFolder } from '../../support/ownConfig.ts';

const payload = (file: string) => join('test/alerts/payloads', file);

it('adapt prints the adapter that reads an alert, the unwrapped envelopes, and the source of each field', async () => {
  const { code, stdout } = await callCommand(['adapt', payload('aws.sqs.firing.json')]);
  expect(code).toBe(0);
  expect(stdout).toEqual(
    expect.arrayContaining([
      'read as     aws: AlarmName and NewStateValue of CloudWatch, from an SNS topic',
      'unwrapped   list of one record, SQS message, JSON in text, SNS notification',
      'title       checkout-5xx  (AlarmName)',
      'status      firing  (NewStateValue)',
      'severity    -',
      'then        it is investigated, unless a budget is used up or it is about Inquest itself',
    ]),
  );
});

it('adapt --json prints the same as JSON, without secrets', async () => {
  const secret = `ghp_${'a1B2'.repeat(9)}`;
  const file = join(temporaryFolder(), 'alert.json');
  writeFileSync(file, JSON.stringify({ title: `Token ${secret} leaked`, status: 'acknowledged' }));
  const { code, stdout } = await callCommand(['adapt', '--json', file, '--attribute', 'env=prod']);
  expect(code).toBe(0);
  expect(stdout.join()).not.toContain(secret);
  expect(JSON.parse(stdout.join())).toMatchObject({
    alert: { source: 'json', status: 'acknowledged', masked: 1 },
    recognised: 'JSON of no known source: fields by their usual names',
    envelopes: [],
    from: { title: ['title'], status: ['status'] },
    investigated: false,
  });
});

it.each(['adapt', 'send'])('%s names the fault of an attribute', async (command) => {
  const { code, stderr } = await callCommand([
    command,
    payload('json.plain.firing.json'),
    '--attribute',
    'env',
  ]);
  expect(code).toBe(2);
  expect(stderr).toEqual(['inquest: --attribute "env": expected NAME=VALUE, such as --attribute env=prod']);
});

it('send and publish are one command', async () => {
  const help = await callCommand(['send', '--help']);
  expect(help.stdout[0]).toBe('Usage: inquest send|publish [options] <file>');
  expect((await callCommand(['publish', '--help'])).stdout).toEqual(help.stdout);
});
