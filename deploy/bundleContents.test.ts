// What each deployed function is made of: nothing that it never runs. Every byte is loaded at a cold start or
// lies there for nothing, and a function that cannot reach a model or a tool cannot leak a key to it.

import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Metafile } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FUNCTION_NAMES, type FunctionName, mapFunctions } from '../functions/manifest.ts';
import { loadSessionConfig } from '../shared/config/load.ts';
import { OFF_VARIABLE, SWITCHABLE } from '../shared/contract/switches.ts';
import { createMasker, DEFAULT_MASKING } from '../shared/masking/masker.ts';
import { maskInThread } from '../shared/masking/maskingThread.ts';
import { projectFile } from '../shared/projectFiles.ts';
import { IS_FULL } from '../test/support/fullTests.ts';
import { temporaryFolder } from '../test/support/ownConfig.ts';
import { writePage } from '../test/support/pageFixture.ts';
import { type Archive, writeArchive } from './archive.ts';
import { buildFunctions } from './build.ts';
import { type BundleContents, bundleContents } from './bundleContents.ts';
import { noticeText } from './notice.ts';
import { SBOM } from './sbom.ts';
import sizes from './sizes.json' with { type: 'json' };

/** Rooms and files of a function on stored state: it can start a stage, with prompts. */
const STATE = [
  'functions',
  'shared/wiring',
  'shared/core/contract',
  'shared/core/errors.ts',
  'shared/core/kernel',
  'shared/core/rescue',
  'shared/core/schema',
  'shared/core/session',
  'shared/core/stage',
  'shared/kits',
  'shared/features',
  'shared/lists',
  'shared/store',
  'shared/contract',
  'shared/schema',
  'shared/text',
  'shared/telemetry/exporter.ts',
  'shared/telemetry/postOtlp.ts',
  'shared/environment.ts',
  'shared/log.ts',
  'shared/projectFiles.ts',
  'shared/wording',
  'shared/prompt/largeResult.ts',
  'shared/core/prompts/summaryLines.ts',
  'shared/prompt/clock.ts',
  'shared/core/prompts/findings.ts',
  'shared/core/prompts/evidence.ts',
  'shared/prompt/reinvestigation.ts',
  'shared/changes/change.ts',
  'shared/config/notified.ts',
  'shared/prompt/changes.ts',
  'shared/prompt/seenBefore.ts',
  // The check of claims at the end of a stage.
  'shared/evidence',
  // Evidence of collected calls and of people, and the place that rules look at.
  'shared/alerts/alertLocation.ts',
  'shared/alerts/schema',
  'shared/alerts/resource.ts',
  'shared/prompt/collected.ts',
  'shared/prompt/statedContrasts.ts',
  'shared/prompt/guidance.ts',
  // The entry of an ended session in the knowledge base.
  'shared/masking/scan/maskMarks.ts',
  'shared/search/entryText.ts',
  'shared/search/knowledge.ts',
  'shared/search/searchPart.ts',
  'shared/search/review.ts',
  'shared/search/seenSession.ts',
  'shared/search/sections.ts',
  'shared/search/sessionEntry.ts',
  'shared/search/trigrams.ts',
  // The searchable words of a session.
  'shared/alerts/prompt.ts',
  'shared/search/sessionText.ts',
  // The order in which waiting sessions start, and the alerts that share labels.
  'shared/alerts/sharedLabels.ts',
];
/** Own files that can be loaded at the start. */
const OWN: Record<FunctionName, string[]> = {
  sweep: [
    ...STATE,
    'shared/engine/handleTick.ts',
    // Deletes questions of models in the background.
    'shared/llm/interactions/removeInteraction.ts',
    'shared/llm/interactions/sendInteraction.ts',
    'shared/llm/gemini/backend.ts',
    'shared/llm/placeholderKey.ts',
    'shared/search/trust.ts',
    // The fate of an alert is in the key of a session that waited.
    'shared/alerts/incident.ts',
    'shared/alerts/coolDown.ts',
    'shared/alerts/fields',
  ],
  deliver: [
    ...STATE,
    'shared/agents',
    'shared/alerts',
    'shared/config',
    'shared/core/controllers/abilities.ts',
    'shared/core/prompts',
    'shared/masking',
    'shared/prompt',
    'shared/destinations/createDestinations.ts',
    'shared/destinations/http.ts',
    'shared/search/trust.ts',
  ],
  ingestChange: [
    ...STATE,
    'shared/agents/skillFields.ts',
    'shared/alerts',
    'shared/changes',
    'shared/config',
    'shared/masking',
  ],
  buryIteration: [...STATE, 'shared/engine/handleDeadLetter.ts', 'shared/engine/iterationMessage.ts'],
  ingestAlert: [
    ...STATE,
    'shared/agents',
    'shared/alerts',
    'shared/changes',
    'shared/config',
    'shared/core/controllers/abilities.ts',
    'shared/core/prompts',
    'shared/masking',
    'shared/prompt',
    // Links of alerts are followed before a session is stored.
    'shared/runbooks',
    'shared/search/readEntry.ts',
    'shared/search/trust.ts',
  ],
  runIteration: [
    ...STATE,
    'shared/agents',
    // Chains name sources of alerts, switches the webhooks of changes, and the search of changes its sources.
    // No adapter.
    'shared/alerts/sources.ts',
    'shared/changes/block.ts',
    'shared/changes/rank.ts',
    'shared/changes/scopes.ts',
    'shared/changes/sourceNames.ts',
    'shared/config',
    'shared/core/controllers',
    'shared/core/iteration',
    'shared/core/prompts',
    'shared/engine/createEngine.ts',
    'shared/engine/handleIteration.ts',
    'shared/engine/iterationMessage.ts',
    // The checks of ledgers.
    'shared/evidence',
    'shared/masking',
    'shared/prompt',
    'shared/llm',
    'shared/tools',
    'shared/search/readEntry.ts',
    'shared/search/rankTools.ts',
    'shared/search/trust.ts',
  ],
};
const LOG = [
  'pino',
  '@pinojs/redact',
  'atomic-sleep',
  'on-exit-leak-free',
  'pino-std-serializers',
  'quick-format-unescaped',
  'safe-stable-stringify',
  'sonic-boom',
  'thread-stream',
];
/** The registry of functions. Its server is loaded by `start`, beside the function. */
const FRAMEWORK = '@google-cloud/functions-framework';
/** Packages that can be loaded at the start. */
const PACKAGES: Record<FunctionName, string[]> = {
  sweep: ['zod', ...LOG, FRAMEWORK, 'yaml'],
  buryIteration: ['zod', ...LOG, FRAMEWORK, 'yaml'],
  deliver: ['zod', ...LOG, FRAMEWORK, 'yaml', 're2js', 'croner'],
  ingestChange: ['zod', ...LOG, FRAMEWORK, 'yaml', 're2js'],
  // A user's rules of masking run in RE2.
  ingestAlert: ['zod', ...LOG, FRAMEWORK, 'yaml', 're2js', 'croner'],
  runIteration: ['zod', ...LOG, FRAMEWORK, 'yaml', 're2js'],
};
const SDKS = [
  'shared/store/firestore/firestoreSdk.ts',
  'shared/store/pubsub/pubsubSdk.ts',
  // With the first spans, where telemetry is on.
  'shared/agents/skillFields.ts',
  'shared/config',
  'shared/masking',
  'shared/telemetry',
  'shared/text/zodIssues.ts',
  'shared/text/suggest.ts',
  'shared/tools/mcp/auth/googleAuthSdk.ts',
];
/** Own files that can be loaded later. */
const OWN_LATER: Record<FunctionName, string[]> = {
  // The times of schedules, where the configuration has some.
  sweep: [
    ...SDKS,
    'shared/config',
    'shared/masking',
    'shared/alerts',
    'shared/text',
    'shared/features/checks',
  ],
  buryIteration: [...SDKS, 'shared/text'],
  // Each kind of destination with its first message.
  deliver: [
    ...SDKS,
    'shared/destinations',
    'shared/tools/mcp',
    'shared/masking/learnedSecrets.ts',
    'shared/text/labels.ts',
    'shared/text/webLink.ts',
  ],
  ingestAlert: SDKS,
  ingestChange: SDKS,
  runIteration: [
    ...SDKS,
    // The client of a provider, with its first call.
    'shared/llm',
    'shared/tools/mcp/auth/googleAuthSdk.ts',
    // With the first query of an agent.
    'shared/search',
    'shared/features/knowledge/search.ts',
    'shared/features/knowledge/readMessage.ts',
    'shared/core/kernel/conversation',
    'shared/kits/tenants',
    'shared/kits/views/chat',
    'shared/kits/budgets/embedWithin.ts',
  ],
};
/** The clients of models and tools. */
const CLIENTS = /^(@google\/genai|@modelcontextprotocol\/.*|langchain|@langchain\/.*)$/;

/** A configuration that is not config/, with a skill. */
const CONFIG = mkdtempSync(join(tmpdir(), 'inquest-config-'));
const SKILL = 'skills/full-disk/SKILL.md';

const folder = mkdtempSync(join(tmpdir(), 'inquest-bundle-'));
const page = writePage();
let contents: Record<FunctionName, BundleContents>;
let metafile: Awaited<ReturnType<typeof buildFunctions>>;

beforeAll(async () => {
  cpSync(fileURLToPath(new URL('../examples/chain/config', import.meta.url)), CONFIG, { recursive: true });
  mkdirSync(join(CONFIG, 'skills/full-disk'), { recursive: true });
  writeFileSync(join(CONFIG, SKILL), '---\nname: full-disk\ndescription: A disk is full.\n---\n\nRead df.\n');
  metafile = await buildFunctions(folder, { configFolder: CONFIG, page });
  contents = mapFunctions((name) => bundleContents(metafile, name));
}, 60_000);
afterAll(() => {
  for (const one of [folder, page, CONFIG]) rmSync(one, { recursive: true, force: true });
});

let archived: Promise<Archive & { names: string[] }> | undefined;
/** The archive of the folder, written once, and the files in it. */
function archiveOnce(): NonNullable<typeof archived> {
  archived ??= writeArchive(folder).then((archive) => {
    const names = execFileSync('tar', ['-tzf', archive.file], { encoding: 'utf8' }).split('\n');
    rmSync(archive.file);
    return { ...archive, names };
  });
  return archived;
}

const isOwn = (input: string): boolean => !input.includes('node_modules/');

/** Ours that stand neither in one of these folders nor are one of these files. */
function outside(inputs: string[], allowed: string[]): string[] {
  const isAllowed = (input: string) => allowed.some((path) => input === path || input.startsWith(`${path}/`));
  return inputs.filter((input) => isOwn(input) && !isAllowed(input));
}

/** The packages that inputs are of, each once. */
function packagesOf(inputs: string[]): string[] {
  const names = inputs
    .filter((input) => !isOwn(input))
    .map((input) => /^(?:@[^/]+\/)?[^/]+/.exec(input.split('node_modules/').at(-1) ?? '')?.[0] ?? input);
  return [...new Set(names)];
}

it('a deployment has the configuration that it is built for', () => {
  for (const name of readdirSync(CONFIG)) expect(readdirSync(join(folder, 'config'))).toContain(name);
});

it('a deployment and its archive have the skills of the configuration, which its services load', async () => {
  expect(loadSessionConfig(join(folder, 'config')).skills).toMatchObject([
    { name: 'full-disk', description: 'A disk is full.', text: 'Read df.' },
  ]);
  const { names } = await archiveOnce();
  expect(names.filter((name) => name.endsWith(SKILL))).toHaveLength(1);
}, 120_000);

it('a build keeps a configuration that is in the folder which it empties', async () => {
  const inside = join(folder, 'config');
  await expect(buildFunctions(folder, { configFolder: inside, page })).rejects.toThrow(
    'keep the configuration elsewhere',
  );
  expect(readdirSync(inside)).not.toEqual([]);
});

it('a deployment passes on the licenses of the packages in its bundles', () => {
  const inputs = Object.values(metafile.outputs).flatMap((output) =>
    Object.entries(output.inputs).flatMap(([input, { bytesInOutput }]) => (bytesInOutput > 0 ? [input] : [])),
  );
  const notice = readFileSync(join(folder, 'NOTICE'), 'utf8');
  const lines = notice.split('\n');
  const unnamed = packagesOf(inputs).filter((name) => !lines.some((line) => line.startsWith(`${name} `)));
  expect(unnamed).toEqual([]);
  // The text of one that is no Apache License, and has its own copyright.
  const hono = readFileSync(new URL('../node_modules/hono/LICENSE', import.meta.url), 'utf8');
  expect(notice).toContain(hono.trim());
  // Formats of tokens are derived from rules of a program that is no package.
  expect(inputs).toContain('shared/masking/formats/generatedFormats.ts');
  const [gitleaks = '', ...others] = notice
    .split(`\n${'-'.repeat(80)}\n`)
    .filter((entry) => entry.includes('gitleaks'));
  expect(others).toEqual([]);
  expect(gitleaks).toContain('gitleaks (MIT)');
  expect(gitleaks).toContain('derived from its rules');
  expect(gitleaks).toContain('Copyright (c) 2019 Zachary Rice');
  expect(gitleaks).toContain('Permission is hereby granted, free of charge');
  expect(gitleaks).toContain('THE SOFTWARE IS PROVIDED "AS IS"');
  expect(readFileSync(join(folder, 'LICENSE'), 'utf8')).toContain('Apache License');
});

describe.each(FUNCTION_NAMES)('the bundle of %s', (name) => {
  it('loads only listed files and packages at the start', () => {
    const { inputs } = contents[name].atStart;
    expect(inputs).toContain(`functions/${name}.ts`);
    expect(outside(inputs, OWN[name])).toEqual([]);
    expect(packagesOf(inputs).filter((used) => !PACKAGES[name].includes(used))).toEqual([]);
  });

  it('loads only listed files later', () => {
    expect(outside(contents[name].later.inputs, OWN_LATER[name])).toEqual([]);
  });

  it('holds clients of models and tools only if it runs iterations', () => {
    const { atStart, later } = contents[name];
    const clients = packagesOf([...atStart.inputs, ...later.inputs]).filter((used) => CLIENTS.test(used));
    const expected = ['@google/genai', '@modelcontextprotocol/client', '@modelcontextprotocol/core'];
    expect(clients.sort()).toEqual(name === 'runIteration' ? expected : []);
  });
});

/** The services with code of their own; `console` runs the code of `api`. */
const SERVICES = [...FUNCTION_NAMES, 'api'] as const;

it.each(SERVICES)('the bundle of %s holds no code of evaluations, which no service runs', (name) => {
  const { atStart, later } = bundleContents(metafile, name);
  const isUnused = (input: string) => input.startsWith('shared/cases/');
  expect([...atStart.inputs, ...later.inputs].filter(isUnused)).toEqual([]);
});

/** What exists for telemetry only. */
const TELEMETRY =
  /^shared\/(?:telemetry|features\/telemetry)\/|^shared\/(?:wiring\/openTelemetry|config\/telemetry)\.ts$/;

/** Services' bytes missing without telemetry. @param kinds of imports to follow. */
function telemetryBytes(services: readonly string[], kinds: readonly string[]): number {
  const reachable = (isLeftOut: (input: string) => boolean) => {
    const found = new Set(services.map((name) => `functions/${name}.ts`));
    for (const input of found) {
      for (const { path, kind, external } of metafile.inputs[input]?.imports ?? []) {
        if (!external && kinds.includes(kind) && !isLeftOut(path)) found.add(path);
      }
    }
    return found;
  };
  const [all, without] = [reachable(() => false), reachable((input) => TELEMETRY.test(input))];
  // Several bundles have the same input.
  const bytes = new Map<string, number>();
  for (const { inputs } of Object.values(metafile.outputs)) {
    for (const [input, { bytesInOutput }] of Object.entries(inputs)) {
      if (all.has(input) && !without.has(input))
        bytes.set(input, Math.max(bytesInOutput, bytes.get(input) ?? 0));
    }
  }
  return [...bytes.values()].reduce((sum, one) => sum + one, 0);
}

it('telemetry adds at most 40 kB to all services together, and at most 20 kB to the start of each but the sweep', () => {
  const whole = telemetryBytes(SERVICES, ['import-statement', 'require-call', 'dynamic-import']);
  expect(whole).toBeGreaterThan(20_000);
  expect(whole).toBeLessThanOrEqual(40_000);
  for (const name of SERVICES) {
    const atStart = telemetryBytes([name], ['import-statement', 'require-call']);
    expect({ name, fits: atStart <= (name === 'sweep' ? 40_000 : 20_000) }).toEqual({ name, fits: true });
  }
});

describe('the sizes in deploy/sizes.json', () => {
  // Headroom, so that a package's patch release and usual changes fit: more is a new dependency or a mistake
  // in an import. Half of a size that is no longer reached is a list that is out of date.
  const expectNear = (size: number, listed: number, headroom = 0.1) => {
    expect(size).toBeLessThan(listed * (1 + headroom));
    expect(size).toBeGreaterThan(listed * 0.5);
  };

  // `console` has no line: it runs the code of `api`.
  it.each(SERVICES)('hold for %s', (name) => {
    const { atStart, later } = bundleContents(metafile, name);
    // A cold start takes time per byte and file. Little headroom: a feature list shows up.
    expectNear(atStart.bytes, sizes.services[name].atStart, 0.05);
    expectNear(atStart.files, sizes.services[name].filesAtStart, 0.15);
    expectNear(later.bytes, sizes.services[name].later);
  });

  it('hold for the archive', async () => {
    const { bytes, files } = await archiveOnce();
    expectNear(bytes, sizes.archive.bytes);
    expectNear(files, sizes.archive.files);
  }, 120_000);

  it.runIf(IS_FULL)(
    'are those of services that are equal when they are built again',
    async () => {
      const again = temporaryFolder();
      await buildFunctions(again, { configFolder: CONFIG, page });
      expect((await writeArchive(again)).digest).toBe((await archiveOnce()).digest);
    },
    120_000,
  );
});

it('no two modules differ in the order of their imports alone', () => {
  const lib = join(folder, 'lib');
  const files = readdirSync(lib).filter((name) => name.endsWith('.js'));
  const statements = files.map((name) =>
    readFileSync(join(lib, name), 'utf8')
      .split(/;|(?=import\{)/)
      .sort()
      .join(';'),
  );
  expect(new Set(statements).size).toBe(files.length);
});

it('errors keep the names of their classes, which logs contain', () => {
  const lib = join(folder, 'lib');
  const files = readdirSync(lib).filter((name) => name.endsWith('.js'));
  const texts = files.map((name) => readFileSync(join(lib, name), 'utf8')).join('\n');
  for (const name of [
    'TerminalError',
    'RetryableError',
    'ConfigError',
    'LeaseLostError',
    'SchemaVersionError',
  ]) {
    expect(texts).toContain(`${name}=class`);
    // The bundler numbers a name that two modules of a chunk have.
    expect(texts).not.toMatch(new RegExp(`\\b${name}\\d+=class`));
  }
});

it('a deployment lists its packages with the versions of the lock file', () => {
  const { components } = JSON.parse(readFileSync(join(folder, SBOM), 'utf8')) as {
    components: { group?: string; name: string; version: string; purl: string }[];
  };
  const listed = components.map(
    ({ group, name, version }) => `${group ? `${group}/` : ''}${name}@${version}`,
  );
  const lock = JSON.parse(readFileSync(projectFile('package-lock.json'), 'utf8')) as {
    packages: Record<string, { version: string }>;
  };
  const inputs = Object.values(metafile.outputs).flatMap((output) =>
    Object.entries(output.inputs).flatMap(([input, { bytesInOutput }]) => (bytesInOutput > 0 ? [input] : [])),
  );
  const folders = inputs.flatMap((input) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(input)?.[0] ?? []);
  const installed = [...new Set(folders)].map((one) => {
    const [name = ''] = /(?:@[^/]+\/)?[^/]+$/.exec(one) ?? [];
    return `${name}@${lock.packages[one]?.version}`;
  });
  expect(installed.length).toBeGreaterThan(50);
  // The dashboard's packages are those of its build.
  expect(listed.sort()).toEqual([...new Set([...installed, 'preact@11.2.0'])].sort());
  expect(components.find(({ name }) => name === 'genai')?.purl).toMatch(/^pkg:npm\/%40google\/genai@\d/);
});

it('a service moves its environment before it loads anything else', () => {
  const [load, move] = readFileSync(join(folder, 'start.js'), 'utf8').split('\n');
  expect(load).toBe("const { moveEnvironment } = await import('./lib/moveEnvironment.js');");
  expect(move).toBe('moveEnvironment();');
  const module = Object.keys(metafile.outputs).find((file) => file.endsWith('lib/moveEnvironment.js'));
  const { imports = [] } = metafile.outputs[module ?? ''] ?? {};
  expect(imports.filter(({ external }) => !external)).toEqual([]);
  expect(imports.length).toBeGreaterThan(0);
});

it('a build needs the dashboard, and names the command that builds it', async () => {
  const options = { configFolder: CONFIG, page: join(folder, 'nowhere') };
  await expect(buildFunctions(folder, options)).rejects.toThrow('npx vite build web');
  expect(readdirSync(folder)).toContain('start.js');
});

it('a deployment has the thread that masks long results', async () => {
  const url = pathToFileURL(join(folder, 'lib/shared/masking/maskingWorker.js'));
  const setup = { known: [], learned: [], rules: DEFAULT_MASKING, sessionKey: 'bundle' };
  const masked = await maskInThread('password=w1nter-Kite', setup, { url });
  expect(masked).toEqual(createMasker({ sessionKey: 'bundle' }).mask('password=w1nter-Kite'));
  expect(masked).toMatchObject({ count: 1 });
});

it('a NOTICE without the formats of gitleaks does not name it', async () => {
  const empty: Metafile = { inputs: {}, outputs: {} };
  expect(await noticeText(empty, folder, join(folder, 'missing'))).not.toContain('gitleaks');
});

it('dynamic imports name no CommonJS package, which would have no named exports', () => {
  const imported = Object.entries(metafile.inputs).flatMap(([input, { imports }]) =>
    isOwn(input) ? imports.filter(({ kind, external }) => kind === 'dynamic-import' && !external) : [],
  );
  const paths = [...new Set(imported.map(({ path }) => path))];
  expect(paths).toContain('shared/tools/mcp/auth/googleAuthSdk.ts');
  expect(paths.filter((path) => metafile.inputs[path]?.format !== 'esm')).toEqual([]);
});

it('files of dynamic imports are loaded later', () => {
  const output = (inputs: string[], imports: [string, 'import-statement' | 'dynamic-import'][]) => ({
    bytes: 10,
    inputs: Object.fromEntries(inputs.map((input) => [input, { bytesInOutput: 1 }])),
    imports: imports.map(([path, kind]) => ({ path, kind })),
    exports: [],
  });
  const metafile = {
    inputs: {},
    outputs: {
      'lib/one.js': output(['one.ts'], [['lib/shared.js', 'import-statement']]),
      'lib/two.js': output(['two.ts'], []),
      'lib/shared.js': output(['shared.ts', 'both.ts'], [['lib/lazy.js', 'dynamic-import']]),
      'lib/lazy.js': output(['lazy.ts', 'both.ts'], [['lib/shared.js', 'import-statement']]),
    },
  };
  expect(bundleContents(metafile, 'one')).toEqual({
    atStart: { bytes: 20, files: 2, inputs: ['both.ts', 'one.ts', 'shared.ts'] },
    later: { bytes: 10, files: 1, inputs: ['both.ts', 'lazy.ts'] },
  });
  expect(() => bundleContents(metafile, 'three')).toThrow('no entry three.js');
});

describe.runIf(IS_FULL)('a build with everything off that can be off', () => {
  const without = mkdtempSync(join(tmpdir(), 'inquest-off-'));
  const config = mkdtempSync(join(tmpdir(), 'inquest-off-config-'));
  let built: typeof metafile;

  beforeAll(async () => {
    cpSync(CONFIG, config, { recursive: true });
    for (const name of ['destinations', 'schedules', 'telemetry', 'webhooks'])
      rmSync(join(config, `${name}.yaml`), { force: true });
    writeFileSync(
      join(config, 'system.yaml'),
      `features: { ${SWITCHABLE.map((name) => `${name}: off`).join(', ')} }`,
    );
    built = await buildFunctions(without, { configFolder: config, page });
  }, 60_000);
  afterAll(() => {
    for (const one of [without, config]) rmSync(one, { recursive: true, force: true });
  });

  it('has no module of these features, and none of their functions', () => {
    const features =
      /^shared\/features\/(?:deliveries|changes|knowledge|checks|telemetry|chat|openai|outcomes|topology)\//;
    const found = (outputs: typeof metafile.outputs) =>
      Object.values(outputs).flatMap(({ inputs }) =>
        Object.keys(inputs).filter((input) => features.test(input)),
      );
    expect(found(metafile.outputs).length).toBeGreaterThan(50);
    expect(found(built.outputs)).toEqual([]);
    expect(() => bundleContents(built, 'deliver')).toThrow('no entry');
    expect(() => bundleContents(built, 'ingestChange')).toThrow('no entry');
  });

  it('tells its services what is off before they load', () => {
    expect(readFileSync(join(without, 'start.js'), 'utf8')).toMatch(
      new RegExp(`^process\\.env\\.${OFF_VARIABLE} = '${SWITCHABLE.join(',')}';\n`),
    );
    expect(readFileSync(join(folder, 'start.js'), 'utf8')).not.toContain(OFF_VARIABLE);
  });

  it('has at most 94 % of the own code of runIteration', () => {
    const ownBytes = (of: typeof metafile) => {
      const { atStart, later } = bundleContents(of, 'runIteration');
      const own = new Set([...atStart.inputs, ...later.inputs].filter(isOwn));
      return Object.values(of.outputs)
        .flatMap(({ inputs }) => Object.entries(inputs))
        .reduce((sum, [input, { bytesInOutput }]) => {
          const isFirst = own.delete(input);
          return sum + (isFirst ? bytesInOutput : 0);
        }, 0);
    };
    expect(ownBytes(built) / ownBytes(metafile)).toBeLessThan(0.94);
  });
});
