import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { SERVICES } from '../functions/manifest.ts';
import type { VariableUse } from '../shared/contract/configVariable.ts';
import { hasTitle, readReference } from '../test/support/testReferences.ts';

const text = readFileSync('docs/security.md', 'utf8');
const [, section = ''] = text.split('## Layers');
/** The cells of the layers. */
const layers = [...section.matchAll(/^\| (\*\*.+) \|$/gm)].map(([, row = '']) => row.split(' | '));
const references = layers.flatMap((cells) => (cells.at(-1) ?? '').split('<br>'));

describe('docs/security.md', () => {
  it('names for each layer its guarantees, its limits and one or two tests', () => {
    expect(layers.length).toBeGreaterThan(10);
    expect(layers.filter((cells) => cells.length !== 4 || cells.some((cell) => cell === ''))).toEqual([]);
    expect(layers.filter((cells) => (cells.at(-1) ?? '').split('<br>').length > 2)).toEqual([]);
  });

  it.each(references)('names a test that exists: %s', (reference) => {
    const { file, title } = readReference(reference);
    expect(existsSync(file), 'the file').toBe(true);
    expect(hasTitle(readFileSync(file, 'utf8'), title), 'the title').toBe(true);
  });

  it('links to existing files', () => {
    const targets = [...text.matchAll(/\]\(([^)#]+)(?:#[^)]*)?\)/g)].map(([, target = '']) => target);
    expect(targets.filter((target) => !existsSync(new URL(target, new URL('./', import.meta.url))))).toEqual(
      [],
    );
  });
});

describe('SECURITY.md', () => {
  const CALLERS = {
    topic: 'Pub/Sub',
    schedule: 'Cloud Scheduler',
    public: 'everyone: it authenticates each request',
    iap: 'people whom Identity-Aware Proxy admits',
  } as const;
  const SECRETS: Record<VariableUse, string> = {
    gemini: 'key of Gemini',
    background: 'key of Gemini for questions in the background',
    providers: 'keys of other models',
    tools: 'credentials of tool servers',
    webhooks: 'secrets of webhooks',
    destinations: 'credentials of destinations',
    proofs: 'signing secrets of destinations',
    telemetry: 'headers of telemetry',
    signing: 'private key of decisions',
    verifying: 'public keys of decisions',
    apiKeys: 'secrets of API keys',
  };

  it('lists every service with its callers and the secrets that it can get', () => {
    const rows = Object.entries(SERVICES).map(([name, service]) => {
      const caller = CALLERS[service.trigger === 'http' ? service.invoker : service.trigger];
      return `  | \`${name}\` | ${caller} | ${service.uses.map((use) => SECRETS[use]).join(', ')} |`;
    });
    const lines = readFileSync('SECURITY.md', 'utf8').split('\n');
    expect(lines.filter((line) => line.startsWith('  | `'))).toEqual(rows);
  });
});
