import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { exampleNames, findExample } from '../../local/examples.ts';
import { resolveChain } from '../../shared/config/chains.ts';
import { loadConfig } from '../../shared/config/load.ts';
import { STRATEGIES } from '../../shared/controller/registry.ts';
import { runCommand } from '../support/cli.ts';

interface Line {
  type: string;
  status: string;
  eventType?: string;
}

it.each(exampleNames())('the example %s runs to its analysis, and nothing in it fails', async (name) => {
  const project = `demo-${randomUUID().slice(0, 8)}`;
  const { code, stdout, stderr } = await runCommand(['demo', name, '--json'], {
    GOOGLE_CLOUD_PROJECT: project,
  });
  expect(stderr.filter((line) => /error|warning/i.test(line))).toEqual([]);
  const lines = stdout.map((line) => JSON.parse(line) as Line);
  expect(lines.filter(({ status }) => status !== 'completed')).toEqual([]);
  expect(lines.at(-2)?.eventType).toBe('final_analysis');
  expect(lines.at(-1)).toMatchObject({ type: 'session', status: 'completed' });
  expect(code).toBe(0);
});

it('there is an example of every strategy', () => {
  const used = exampleNames().flatMap((name) => {
    const { stages } = resolveChain(loadConfig(findExample(name).configFolder, {}));
    return stages.flatMap(({ agents, synthesis }) => [...agents, ...(synthesis ? [synthesis] : [])]);
  });
  expect(new Set(used.map(({ strategy }) => strategy))).toEqual(new Set(STRATEGIES));
});
