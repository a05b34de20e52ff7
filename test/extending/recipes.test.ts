// The recipes of docs/extending.md, applied to a copy of the repository with a new feature: the types fit,
// tests of lists pass, and each new part is used once.

import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { applyRecipe, readRecipes } from './applyRecipe.ts';
import { copyRepository, runIn } from './copyRepository.ts';

const document = readFileSync('docs/extending.md', 'utf8');
/** The recipes with edits; that of a feature has none. */
const recipes = readRecipes(document).filter(({ edits }) => edits.length > 0);

/** The part of a page that modules of the dashboard use when they load. */
const PAGE = 'globalThis.document = { querySelector: () => null, addEventListener() {} };';

/** A limit for tests that hang. */
const UNIT_TESTS_MS = 1_200_000;

/** The parts of Vitest's report that are read. */
interface TestReport {
  testResults: {
    name: string;
    message?: string;
    assertionResults: { status: string; fullName: string; failureMessages: string[] }[];
  }[];
}

let root: string;
beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'inquest-recipes-'));
  copyRepository(root);
  for (const recipe of recipes) applyRecipe(recipe, root);
  await run('npm', ['run', '-s', 'new-feature', '--', 'nightShift', '--command', '--page']);
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** Runs a program in the copy. */
const run = (command: string, args: string[]) => runIn(root, command, args);

/** A module of the copy. */
const load = (file: string) => import(join(root, file));

it('docs/extending.md has a recipe with edits for each of eight extension points', () => {
  expect(recipes.map(({ title }) => title)).toEqual([
    'Alert source',
    'Strategy',
    'Timeline event type',
    'Tools',
    'Model provider',
    'API route',
    'CLI command',
    'Dashboard row',
  ]);
});

describe('the copy with all recipes', () => {
  it.each(['tsconfig.json', 'web'])('passes the type check of %s', async (project) => {
    expect(await run('node_modules/.bin/tsc', ['--noEmit', '-p', project])).toBe('');
  });

  it(
    'passes all unit tests, with the new version pinned and the help of the new command',
    async () => {
      expect(await run('npm', ['run', '-s', 'pin-shapes'])).toMatch(/^Pinned timelineEvent \d+\.\n$/);
      await run('npm', ['run', '-s', 'update-cli-docs']);
      await run('node_modules/.bin/vitest', ['run', 'shared/alerts/readings.test.ts', '-u']);
      const report = join(root, 'report.json');
      const options = [
        '--project',
        'unit',
        '--reporter',
        'json',
        '--outputFile',
        report,
        '--maxWorkers',
        '2',
      ];
      await run('node_modules/.bin/vitest', ['run', ...options]);
      const { testResults } = JSON.parse(readFileSync(report, 'utf8')) as TestReport;
      expect(testResults.length).toBeGreaterThan(300);
      expect(testResults.map(({ name }) => name)).toContain(
        join(root, 'shared/features/nightShift/feature.test.ts'),
      );
      const failed = testResults.flatMap(({ name, message, assertionResults }) => [
        ...(message ? [`${name}: ${message}`] : []),
        ...assertionResults
          .filter(({ status }) => status === 'failed')
          .map(({ fullName, failureMessages }) => `${name}: ${fullName}: ${failureMessages[0]}`),
      ]);
      // Sessions of the page are recorded again with the new version.
      const isOld = (fault: string) => fault.includes('is not read (timelineEvent ');
      expect(failed.filter((fault) => !isOld(fault))).toEqual([]);
    },
    UNIT_TESTS_MS,
  );

  it('reads an alert of the new source', async () => {
    const payload = 'test/alerts/payloads/uptime-kuma.webhook.firing.json';
    expect(await run('node', ['cli/inquest.js', 'adapt', payload])).toContain('uptime-kuma');
  });

  it('has a controller for the new strategy', async () => {
    const { STRATEGIES } = await load('shared/core/controllers/abilities.ts');
    const { controllerFor } = await load('shared/core/controllers/registry.ts');
    expect(STRATEGIES).toContain('plan-first');
    expect(controllerFor('plan-first').abilities).toMatchObject({ tools: true });
  });

  it('stores the new event, which the version before refuses', async () => {
    const { timelineEventType } = await load('shared/lists/documents.ts');
    const { sampleEvent } = await load('test/support/samples.ts');
    const stored = timelineEventType.encode(sampleEvent('hypothesis'));
    expect(timelineEventType.decode(stored, 'timeline/1')).toEqual(sampleEvent('hypothesis'));
    const { timelineEventType: older } = await import('../../shared/lists/documents.ts');
    expect(() => older.decode(stored, 'timeline/1')).toThrow(
      expect.objectContaining({ code: 'SCHEMA_TOO_NEW' }),
    );
  });

  it('offers the new tools', async () => {
    const { TOOL_SOURCES } = await load('shared/wiring/extensionParts.ts');
    const source = TOOL_SOURCES.runbooks({ RUNBOOK_FOLDER: join(root, 'docs') });
    const { tools, call } = await source.connect(new AbortController().signal);
    expect(tools.map(({ name }: { name: string }) => name)).toEqual(['runbooks.list', 'runbooks.read']);
    const options = { signal: new AbortController().signal, timeoutMs: 5_000 };
    const outcome = await call({ name: 'runbooks.list', arguments: '{}' }, options);
    expect(outcome).toMatchObject({ isError: false, content: expect.stringContaining('extending') });
  });

  it('asks the new provider', async () => {
    const server = createServer((_, response) => {
      response.end(JSON.stringify({ text: 'Memory.', finish: 'stop', tokens: { input: 1, output: 1 } }));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const env = {
      RELAY_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      RELAY_API_KEY: 'k',
    };
    const { MODEL_CLIENTS } = await load('shared/wiring/extensionParts.ts');
    const { createLlmClient } = await load('shared/llm/chooseClient.ts');
    const request = {
      model: { provider: 'relay', model: 'relay-1', includeThoughts: false },
      messages: [{ role: 'user', blocks: [{ blockType: 'text', textContent: 'Why?' }] }],
      tools: [],
    };
    const report = { requestBytes: 0, responseBytes: 0, attempts: 0, attemptErrors: [] };
    const options = { signal: new AbortController().signal, report };
    const answer = await createLlmClient({ env, clients: MODEL_CLIENTS }).generate(request, options);
    expect(answer).toMatchObject({ text: 'Memory.' });
    server.close();
  });

  it('serves the new route', async () => {
    const { ROUTES } = await load('shared/lists/routes.ts');
    const route = ROUTES.find(({ id }: { id: string }) => id === 'listChains');
    const now = new Date(0);
    const chains = { main: { name: 'main', stages: [{ name: 'investigation' }] } };
    const answer = await route.handle({}, { config: { chains }, clock: { now: () => now } });
    expect(route.answer.parse(answer)).toEqual({
      chains: [{ name: 'main', stages: ['investigation'] }],
      now,
    });
  });

  it('runs the new command', async () => {
    expect(await run('node', ['cli/inquest.js', 'whoami'])).toMatch(/^.+, admin of default\n$/);
  });

  it('has the new feature, whose test ran, in its folders and lists', async () => {
    const { FEATURES } = await load('shared/lists/iterationFeatures.ts');
    const { NIGHT_SHIFT } = await load('shared/features/nightShift/feature.ts');
    expect(FEATURES.at(-1)).toBe(NIGHT_SHIFT);
    expect(await run('node', ['cli/inquest.js', 'night-shift'])).toMatch(/^.+\n$/);
    expect(existsSync(join(root, 'web/src/features/nightShift/NightShiftPage.tsx'))).toBe(true);
  });

  it('shows the new row', async () => {
    const entry = `
      import { render } from 'preact-render-to-string';
      import { h } from 'preact';
      import { signal } from '@preact/signals';
      import { StepRow } from './web/src/session/steps/StepRow.tsx';
      import { SessionContext } from './web/src/session/state/sessionState.ts';
      const event = {
        eventType: 'hypothesis', content: 'The pool is too small.', status: 'completed',
        createdAt: '2026-11-24T06:00:00.000Z', metadata: { confidence: 'high', evidence: [3] },
        executionId: '01-logs', sequenceNumber: 4,
      };
      const session = { startedAt: signal(null), finalAnalysis: signal(null), summary: signal(null) };
      const row = h(StepRow, { step: { kind: 'event', event }, isSameTime: false, isOpen: false, toggle() {} });
      console.log(render(h(SessionContext.Provider, { value: session }, row)));
      // Timers of the page would keep the process running.
      process.exit();
    `;
    const outfile = join(root, 'row.mjs');
    await build({
      stdin: { contents: entry, resolveDir: root, loader: 'js' },
      bundle: true,
      format: 'esm',
      platform: 'node',
      banner: { js: PAGE },
      outfile,
      logLevel: 'silent',
      jsx: 'automatic',
      jsxImportSource: 'preact',
    });
    const html = await run('node', ['row.mjs']);
    expect(html).toContain('Hypothesis');
    expect(html).toMatch(/The pool is too small\..*high/s);
  });
});
