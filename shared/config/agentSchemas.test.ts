import { rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { listFaults, temporaryFolder, writeFiles } from '../../test/support/ownConfig.ts';
import { agentDocumentSchema } from './agentDocument.ts';
import { schemaToolRemarks, toolFaults } from './checkServers.ts';
import type { AgentCatalog } from './config.ts';
import { ConfigError } from './configError.ts';
import { loadSessionConfig } from './load.ts';
import { validateFile } from './validate.ts';
import { parseYaml } from './yamlFile.ts';

/** As the documentation of the notation prints it. */
const RESEARCH = `type: object
description: |
  You are a research assistant with access to a knowledge base.
  Use the search tool to find information before answering.

properties:
  answer:
    type: string
    description: Your response to the user
  confidence:
    type: number
    description: How confident you are (0.0 to 1.0)
  sources:
    type: array
    items: { type: string }
    description: Entity keys you referenced

json_schema_extra:
  kind: agent
  name: research-agent
  tools:
    - name: search
    - name: action
  extension: |
    Always use the action tool to emit observations with confidence scores.
`;

const schema = (extra = '', top = '') =>
  `type: object\ndescription: Look.\nproperties:\n  answer: {type: string}\n${top}json_schema_extra:\n  name: looker\n${extra}`;

const FILES = {
  'models.yaml':
    'default: flash\nmodels:\n  flash: {provider: google, model: gemini-3.8-flash}\n  old: {provider: google, model: gemini-2.5-flash}\n  gpt: {provider: openai, model: gpt-4.1}\n',
  'agents.yaml': 'agents:\n  investigator:\n    instructions: Look.\n    tools: [kubernetes]\n',
  'chains.yaml':
    'default: investigate\nchains:\n  investigate:\n    stages:\n      - name: look\n        agents: [investigator]\n  by-schema:\n    stages:\n      - name: look\n        agents: [looker]\n',
  'servers.yaml':
    'servers:\n  kubernetes: {transport: http, url: "https://mcp.example.com/mcp"}\n  logs: {transport: http, url: "https://mcp.example.com/logs"}\n',
};

let folder: string;
beforeEach(() => {
  folder = temporaryFolder();
});

function load(files: Record<string, string> = {}, ownSources: string[] = []) {
  const all = { ...FILES, 'agents/looker.yaml': schema(), ...files };
  writeFiles(all, folder);
  return loadSessionConfig(folder, { toolSources: ownSources, providers: [] });
}

function catalog(files: Record<string, string> = {}, ownSources: string[] = []): AgentCatalog {
  const { agents } = load(files, ownSources);
  if (agents === undefined) throw new Error('a loaded configuration has its agents');
  return agents;
}

const looker = (extra: string, top = '') => ({ 'agents/looker.yaml': schema(extra, top) });
const planned = (extra: string, ownSources?: string[]) => catalog(looker(extra), ownSources).plan('looker');
const remarksOf = (extra: string, ownSources?: string[]) =>
  catalog(looker(extra), ownSources).remarks.map((line) => line.replaceAll(`${folder}/`, ''));

const faultsOf = (files: Record<string, string>): string[] => listFaults(() => load(files));

describe('an agent as a schema', () => {
  it('is an agent like those of agents.yaml, in chains too', () => {
    const { chains } = load(looker('  description: Looks\n  strategy: react\n  maxIterations: 7\n'));
    const [agent] = chains['by-schema']?.stages[0]?.agents ?? [];
    expect(agent).toMatchObject({ name: 'looker', description: 'Looks', strategy: 'react', tools: [] });
    expect(agent?.limits.maxIterations).toBe(7);
    expect(agent).not.toHaveProperty('outputSchema');
  });

  it('can be the only notation: agents.yaml can be absent', () => {
    load();
    rmSync(path.join(folder, 'agents.yaml'));
    writeFileSync(
      path.join(folder, 'chains.yaml'),
      'default: a\nchains:\n  a:\n    stages:\n      - name: look\n        agents: [looker]\n',
    );
    expect(loadSessionConfig(folder).agents?.names).toEqual(['looker']);
  });

  it('has the prompt that is printed for the example', () => {
    const { instructions } = catalog({ 'agents/research-agent.yaml': RESEARCH }).plan('research-agent');
    expect(instructions).toMatch(
      /^You are a research assistant[\s\S]*before answering\.\n\nAlways use the action tool/,
    );
    expect(instructions).toContain(
      'confidence: number\n  # How confident you are (0.0 to 1.0)\nsources: [string]',
    );
    expect(instructions.endsWith('or JSON - just the response itself.')).toBe(true);
  });

  it('keeps unknown fields through reading and writing', () => {
    const text = `${RESEARCH}  team: {name: a, members: [1, 2]}\nx-note: kept\n`;
    const read = (yaml: string) =>
      validateFile(parseYaml('a', yaml), agentDocumentSchema({ models: undefined }), []);
    const document = read(text);
    expect(document).toMatchObject({
      'x-note': 'kept',
      json_schema_extra: { team: { name: 'a', members: [1, 2] }, version: '1.0.0', kind: 'agent' },
    });
    expect(read(stringify(document))).toEqual(document);
  });

  it('lets system_prompt win over extension, and reports it', () => {
    const extra = '  system_prompt: One.\n  extension: Two.\n';
    expect(planned(extra).instructions).toMatch(/^Look\.\n\nOne\.\n\n## Internal/);
    expect(remarksOf(extra)).toEqual([
      'agents/looker.yaml:8:14 json_schema_extra.extension: has no effect beside system_prompt, which is used; keep one of the two',
    ]);
  });
});

describe('the tools of a schema', () => {
  it.each([
    ['', []],
    ['  tools: []\n', []],
    ['  tools: [{name: get_logs, server: kubernetes}]\n', ['kubernetes.get_logs']],
    ['  tools: [{name: kubernetes.get_logs}, {name: logs}]\n', ['kubernetes.get_logs', 'logs']],
    ['  mcp_servers: [logs]\n  tools: [{name: find}]\n', ['logs.find']],
    ['  mcp_servers: [logs]\n', []],
  ])('%j', (extra, tools) => {
    expect(planned(extra).tools).toEqual(tools);
  });

  it('belong to the built-in server without one', () => {
    const extra =
      '  mcp_servers: [inquest]\n  tools: [{name: search}, {name: action, server: inquest}, {name: search, server: logs}]\n';
    expect(planned(extra).tools).toEqual(['search', 'action', 'logs.search']);
    expect(remarksOf(extra)).toEqual([]);
  });

  it('that do not exist are left out with a remark', () => {
    const extra =
      '  mcp_servers: [kubernets]\n  tools: [{name: serch}, {name: x, server: log}, {name: fnd}]\n';
    expect(planned(extra).tools).toEqual([]);
    expect(remarksOf(extra)).toEqual([
      'agents/looker.yaml:8:18 json_schema_extra.tools[0].name: unknown tool "serch": set `server` to the server of servers.yaml that has it; did you mean "search"?; the agent goes without it',
      'agents/looker.yaml:8:33 json_schema_extra.tools[1].name: unknown server "log"; expected one of kubernetes, logs; did you mean "logs"?; the agent goes without it',
      'agents/looker.yaml:8:57 json_schema_extra.tools[2].name: unknown tool "fnd": set `server` to the server of servers.yaml that has it; the agent goes without it',
      'agents/looker.yaml:7:17 json_schema_extra.mcp_servers[0]: unknown server "kubernets"; expected one of kubernetes, logs; did you mean "kubernetes"?',
    ]);
  });
});

describe('the model of a schema', () => {
  it.each(['old', 'gpt'])('makes the model %s of a chain useless where it is required', (model) => {
    const chains = FILES['chains.yaml'].replace('[looker]', `[{agent: looker, model: ${model}}]`);
    const { remarks } = catalog({ ...looker('  override_model: old\n'), 'chains.yaml': chains });
    expect(remarks.map((line) => line.replaceAll(`${folder}/`, ''))).toEqual([
      'chains.yaml:10:41 chains.by-schema.stages[0].agents[0].model: has no effect: agent "looker" requires the model "old" (override_model)',
    ]);
  });

  it('is the required one, then the one asked for, then its own, then the default', () => {
    const nameOf = (extra: string, model?: string) =>
      catalog(looker(extra)).plan('looker', { model }).model.model;
    expect(nameOf('  override_model: gpt\n  model: old\n', 'flash')).toBe('gpt-4.1');
    expect(nameOf('  model: old\n', 'gpt')).toBe('gpt-4.1');
    expect(nameOf('  model: old\n')).toBe('gemini-2.5-flash');
    expect(nameOf('')).toBe('gemini-3.8-flash');
  });

  it('gets a temperature of 0, if it takes one', () => {
    expect(planned('  override_temperature: 0.0\n  override_model: old\n').model.temperature).toBe(0);
    expect(planned('  override_temperature: 0.0\n  model: gpt\n').model.temperature).toBe(0);
  });

  it('gets none if it takes none, with one remark', () => {
    const extra = '  override_temperature: 0.0\n';
    expect(planned(extra).model).not.toHaveProperty('temperature');
    expect(remarksOf(extra)).toEqual([
      'agents/looker.yaml:7:25 json_schema_extra.override_temperature: is not sent to "flash" (gemini-3.8-flash), which takes none; remove it, or give the agent another model',
    ]);
  });

  it('has the iterations of override_max_iterations', () => {
    expect(planned('  override_max_iterations: 3\n').limits.maxIterations).toBe(3);
  });

  it('that is asked for must exist and serve the agent', () => {
    const agents = catalog(looker('  nativeTools: [google_search]\n'));
    expect(() => agents.plan('looker', { model: 'gtp' })).toThrow(
      'unknown model "gtp"; expected one of flash, old, gpt',
    );
    expect(() => agents.plan('looker', { model: 'gpt' })).toThrow(
      /nativeTools need models of provider google/,
    );
    expect(() => agents.plan('loker')).toThrow(
      'unknown agent "loker"; expected one of investigator, looker; did you mean "looker"?',
    );
  });
});

describe('structured output of a schema', () => {
  const structured = '  structured_output: true\n';
  const outputOf = (extra: string, structuredOutput?: boolean | null) =>
    catalog(looker(extra)).plan('looker', { structuredOutput });

  it('adds nothing to the prompt; the schema of the answer goes with the agent', () => {
    const agent = outputOf(structured);
    expect(agent.instructions).toBe('Look.');
    expect(JSON.parse(agent.outputSchema ?? '')).toEqual({
      type: 'object',
      properties: { answer: { type: 'string' } },
    });
  });

  it.each([
    [structured, undefined, true],
    [structured, null, true],
    [structured, false, false],
    ['  structured_output: false\n', true, true],
    ['', undefined, false],
    ['', true, true],
  ])('%j with %j asked for: %j', (extra, asked, isStructured) => {
    const agent = outputOf(extra, asked);
    expect(agent.outputSchema !== undefined).toBe(isStructured);
    expect(agent.instructions.includes('## Internal')).toBe(!isStructured);
  });

  it('needs properties: without any the answer is text', () => {
    const file = {
      'agents/looker.yaml':
        'description: Look.\njson_schema_extra:\n  name: looker\n  structured_output: true\n',
    };
    expect(catalog(file).plan('looker')).not.toHaveProperty('outputSchema');
    expect(catalog(file).remarks.join()).toContain('has no effect without properties');
  });

  it('is refused for fields that models do not take', () => {
    const top = '  my-field: {type: string}\n';
    const agents = catalog(looker('', top));
    expect(() => agents.plan('looker', { structuredOutput: true })).toThrow('"my-field"');
    expect(agents.plan('looker').instructions).toContain('my-field: string');
  });
});

describe('faults of a schema', () => {
  it.each([
    ['  name: 7up\n', 'must start with a letter'],
    ['  kind: tool\n', '7:9 json_schema_extra.kind: unknown value "tool"; expected one of agent'],
    ['  version: 1.0\n', '7:12 json_schema_extra.version: must be text, not a number; put it in quotes'],
    [
      '  override_model: gtp\n',
      '7:19 json_schema_extra.override_model: unknown model "gtp"; expected one of flash, old, gpt; did you mean "gpt"?',
    ],
    ['  override_temperature: 3\n', '7:25 json_schema_extra.override_temperature: must be at most 2'],
    ['  strategy: reakt\n', '7:13 json_schema_extra.strategy: unknown value "reakt"'],
    ['  fallback: [flash]\n', '7:14 json_schema_extra.fallback[0]: model "flash" is the agent\'s own model'],
    ['  mcp_servers: ["https://a.b/mcp"]\n', 'must be the name of a server in servers.yaml, not its address'],
    [
      '  instructions: Look.\n',
      '7:17 json_schema_extra.instructions: has no place here: the prompt is `description`',
    ],
    [
      '  maxIterations: 3\n  override_max_iterations: 4\n',
      '7:18 json_schema_extra.maxIterations: duplicates override_max_iterations',
    ],
    ['  tools: [search]\n', '7:11 json_schema_extra.tools[0]: must be a mapping, not text'],
    [
      '  strategy: single-call\n  tools: [{name: logs}]\n',
      '8:3 json_schema_extra.tools: strategy single-call calls no tools',
    ],
    ['  structured_output: true\nrequired: [anser]\n', '8:12 required[0]: "anser" is not among properties'],
  ])('name place and reason: %j', (extra, fault) => {
    const text = extra.startsWith('  name') ? schema().replace('  name: looker\n', extra) : schema(extra);
    expect(faultsOf({ 'agents/looker.yaml': text }).join('\n')).toContain(fault);
  });

  it('are those of a name that is there twice, or is not that of its file', () => {
    const [first = ''] = faultsOf({ 'agents/investigator.yaml': schema().replace('looker', 'investigator') });
    expect(first).toBe(
      'agents/investigator.yaml:6:9 json_schema_extra.name: this agent is already defined (' +
        `agents.yaml:2); give one of them another name`,
    );
    rmSync(path.join(folder, 'agents/investigator.yaml'));
    expect(faultsOf({ 'agents/other.yaml': schema().replace('looker', 'another') })).toEqual([
      'agents/other.yaml:6:9 json_schema_extra.name: the file must be called another.yaml, or the agent "other"',
    ]);
  });

  it('name the likely key of one that is kept and means nothing', () => {
    expect(remarksOf('  stratgy: react\n  team: a\n')).toEqual([
      'agents/looker.yaml:7:3 json_schema_extra.stratgy: is kept and has no effect; did you mean strategy?',
    ]);
  });
});

describe('stored agents', () => {
  const stored = (yaml: string, name = 'investigator') => ({ name, yaml });
  const override = schema('  override_model: old\n').replace('looker', 'investigator');

  it('come before those of the files in a chain that names them', () => {
    const { chain, refused } = catalog().chain('investigate', [stored(override)]);
    expect(refused).toEqual([]);
    expect(chain.stages[0]?.agents[0]).toMatchObject({
      name: 'investigator',
      model: { model: 'gemini-2.5-flash' },
    });
  });

  it('that do not fit the configuration change nothing, and are named', () => {
    const wrong = override.replace('override_model: old', 'override_model: gone');
    const agents = catalog();
    const { chain, refused } = agents.chain('investigate', [stored(wrong)]);
    expect(chain).toEqual(agents.chain('investigate', []).chain);
    expect(refused.map(({ message }) => message)).toEqual([
      'agents/investigator:7:19 json_schema_extra.override_model: unknown model "gone"; expected one of flash, old, gpt',
    ]);
  });

  it('can have names that no file has, for agents that are asked for by name', () => {
    const agents = catalog();
    const text = stored(schema().replace('looker', 'guest'), 'guest');
    expect(agents.plan('guest', {}, text).name).toBe('guest');
    expect(() => agents.plan('guest')).toThrow('unknown agent "guest"');
  });

  it('are checked before they are stored', () => {
    const agents = catalog();
    expect(agents.check(stored(`${override}  stratgy: react\n`)).remarks).toHaveLength(1);
    expect(() => agents.check(stored('a: [', 'a'))).toThrow(ConfigError);
    expect(() => agents.check(stored(override, 'other'))).toThrow(
      'must be "other", the name it is stored under',
    );
    // It would combine results where the chain wants an investigator.
    expect(() => agents.check(stored(`${override}  strategy: synthesis\n`))).toThrow('combines results');
  });
});

it('a tool that a known server lacks is a remark about a schema, and no fault', () => {
  load(looker('  tools: [{name: logs.search}, {name: logs.nosuch}]\n'));
  const offered = new Map([['logs', ['search']]]);
  expect(toolFaults(folder, offered, new Map())).toEqual([]);
  expect(schemaToolRemarks(folder, offered, new Map()).map(({ message }) => message)).toEqual([
    'the server "logs" has no tool "nosuch"; it has search',
  ]);
});
