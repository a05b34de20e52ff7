import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { webhooksFileSchema } from '../../config/webhooks.ts';
import { WEBHOOK_ROUTES } from './routes.ts';

const text = readFileSync('shared/features/webhooks/README.md', 'utf8');

it('shared/features/webhooks/README.md has a configuration that is accepted', () => {
  const [, yaml = ''] = /```yaml\n(# config\/webhooks\.yaml[\s\S]*?)```/.exec(text) ?? [];
  const result = webhooksFileSchema(['investigate']).safeParse(parse(yaml));
  expect(result.error?.issues).toBeUndefined();
  expect(Object.keys(result.data ?? {})).toEqual(['grafana', 'sns']);
});

it('shared/features/webhooks/README.md names the address of every source', () => {
  const missing = WEBHOOK_ROUTES.filter(({ path }) => !text.includes(`https://HOST${path}`));
  expect(missing.map(({ path }) => path)).toEqual([]);
});
