import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { webhooksFileSchema } from '../shared/config/webhooks.ts';
import { WEBHOOK_ROUTES } from '../shared/features/webhooks/routes.ts';

const text = readFileSync('docs/webhooks.md', 'utf8');

it('docs/webhooks.md has a configuration that is accepted', () => {
  const [, yaml = ''] = /```yaml\n(# config\/webhooks\.yaml[\s\S]*?)```/.exec(text) ?? [];
  const result = webhooksFileSchema(['investigate']).safeParse(parse(yaml));
  expect(result.error?.issues).toBeUndefined();
  expect(Object.keys(result.data ?? {})).toEqual(['grafana', 'sns']);
});

it('docs/webhooks.md names the address of every source', () => {
  const missing = WEBHOOK_ROUTES.filter(({ path }) => !text.includes(`https://HOST${path}`));
  expect(missing.map(({ path }) => path)).toEqual([]);
});
