// Secrets in a configuration that cannot be used: what the start of a function prints of it.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { loadConfig } from '../../../shared/config/load.ts';
import { errorMessage } from '../../../shared/core/errors.ts';
import type { Plan } from '../plan.ts';
import { type Outputs, startWorld } from '../world.ts';

const WHERE = 'https://x.example';

/** Every value of servers.yaml, each wrong in its own way: as it stands in the file, and by a variable. */
export async function wrongConfiguration(plan: Plan): Promise<Outputs> {
  const environment: Record<string, string> = {};
  const literal = (field: string) =>
    plan.text(`servers.yaml: ${field}`, { only: 'rules', longest: 150, form: 'json' });
  const variable = (field: string): string => {
    const name = `VALUE_${Object.keys(environment).length}`;
    environment[name] = plan.text(`variable in servers.yaml: ${field}`, {
      only: 'environment',
      longest: 150,
    });
    return `\${${name}}`;
  };
  const servers = [literal, variable].flatMap((at) => [
    { transport: 'http', url: `https://shop:${at('user of a URL')}@x.example/mcp` },
    { transport: 'http', url: at('URL that is none') },
    { transport: 'http', url: WHERE, headers: { authorization: `${at('header')}\nx` } },
    { transport: 'stdio', command: 'sh', args: [at('argument'), 7] },
    { transport: 'stdio', command: 'sh', env: { A: [at('variable')] } },
    { transport: at('transport') },
    { transport: 'http', url: WHERE, connectTimeout: at('timeout') },
    { transport: 'http', url: WHERE, access: at('access') },
    { transport: 'http', url: WHERE, arguments: { pod: `${at('bound argument')} \${labels.pod}` } },
    { transport: 'http', url: WHERE, tools: { look: { approval: at('approval') } } },
  ]);
  const named = [
    { transport: 'http', url: WHERE, headers: { [literal('name of a header')]: 'x' } },
    { transport: 'stdio', command: 'sh', env: { [literal('name of a variable')]: 'x' } },
    { transport: 'http', url: WHERE, [literal('unknown key')]: 'x' },
  ];
  const folder = mkdtempSync(join(tmpdir(), 'inquest-leaks-'));
  const world = await startWorld(plan);
  try {
    const files = {
      agents: { agents: { looker: { instructions: 'Look.', tools: [] } } },
      chains: { default: 'look', chains: { look: { stages: [{ name: 'look', agents: ['looker'] }] } } },
      models: { default: 'flash', models: { flash: { provider: 'google', model: 'gemini-3.8-flash' } } },
      system: {},
    };
    for (const [name, content] of Object.entries(files)) {
      writeFileSync(join(folder, `${name}.yaml`), stringify(content));
    }
    const key = plan.text('servers.yaml: broken YAML', { only: 'rules', form: 'name' });
    const texts = [
      ...[...servers, ...named].map((server) => stringify({ servers: { a: server } })),
      `servers:\n  a: {transport: http, url: "${WHERE}", headers: {a: ${key}`,
    ];
    for (const text of texts) {
      writeFileSync(join(folder, 'servers.yaml'), text);
      try {
        loadConfig(folder, { ...plan.environment, ...environment });
      } catch (error) {
        world.outputs.terminal.push(errorMessage(error));
      }
    }
    writeFileSync(join(folder, 'servers.yaml'), '');
    mkdirSync(join(folder, 'agents'));
    const ofAgent = (field: string) =>
      plan.text(`agents/NAME.yaml: ${field}`, { only: 'rules', longest: 150, form: 'json' });
    const extras = [
      { strategy: ofAgent('strategy') },
      { override_model: ofAgent('model') },
      { mcp_servers: [ofAgent('server')] },
      { tools: [{ name: ofAgent('tool') }, { name: 'a', server: ofAgent('server of a tool') }] },
      { fallback: [ofAgent('fallback')], instructions: ofAgent('instructions') },
      { structured_output: true, [ofAgent('key')]: 1 },
    ];
    for (const extra of extras) {
      const document = {
        description: 'Look.',
        properties: { [ofAgent('property')]: { type: 'string' } },
        required: [ofAgent('required property')],
        json_schema_extra: { name: 'second', ...extra },
      };
      for (const { required, ...whole } of [document, { ...document, required: [] }]) {
        writeFileSync(join(folder, 'agents', 'second.yaml'), stringify({ ...whole, required }));
        try {
          world.outputs.log.push(...(loadConfig(folder, {}).agents?.remarks ?? []));
        } catch (error) {
          world.outputs.terminal.push(errorMessage(error));
        }
      }
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return world.end();
}
