import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { exampleNames, findExample } from '../../local/examples.ts';
import { scriptOfCases } from '../../local/scriptedCases.ts';
import { startScriptedModel } from '../../local/scriptedModel/startScriptedModel.ts';
import { diffSessions } from '../../shared/cases/diffSessions.ts';
import { copySessionDocuments, type Recording } from '../../shared/cases/recording.ts';
import { type ModelReplayOptions, replayWithModel } from '../../shared/cases/replay/replayModel.ts';
import { loadSessionConfig } from '../../shared/config/load.ts';
import type { ConnectedSource, ToolSource } from '../../shared/core/contract/tools.ts';
import { sessionDocuments } from '../../shared/kits/views/documents/sessionDocuments.ts';
import { createLlmClient } from '../../shared/llm/chooseClient.ts';
import { createMemoryStore } from '../../shared/store/memory/memoryStore.ts';
import { EXTENSION_NAMES } from '../../shared/wiring/extensions.ts';
import { callCommand } from '../support/callCommand.ts';
import { IS_LONG, takeCases } from '../support/fullTests.ts';
import { runExample } from '../support/runExample.ts';

async function record(example: string): Promise<Recording> {
  const store = createMemoryStore();
  const { session } = await runExample(example, undefined, undefined, store);
  const recording = await copySessionDocuments(session.sessionId, sessionDocuments(session.sessionId, store));
  if (recording === undefined) throw new Error('no recording');
  return recording;
}

/** Options of a replay whose model is scripted as in an example, or as given. */
async function options(
  example: string,
  change: Partial<ModelReplayOptions> = {},
  script?: object,
): Promise<ModelReplayOptions & { folder: string; requests: unknown[] }> {
  const gemini = await startScriptedModel({ script: (script as never) ?? findExample(example).scriptFile });
  const folder = mkdtempSync(join(tmpdir(), 'replay-'));
  onTestFinished(async () => {
    await gemini.stop();
    rmSync(folder, { recursive: true });
  });
  const env = { GOOGLE_GEMINI_BASE_URL: gemini.url, GEMINI_API_KEY: 'no-key-is-needed' };
  return {
    model: undefined,
    config: undefined,
    tools: 'recorded',
    seed: 'one',
    folder,
    llm: createLlmClient({ env, log: () => {} }),
    live: { sources: [], file: join(folder, 'calls.jsonl') },
    signal: new AbortController().signal,
    requests: gemini.requests,
    ...change,
  };
}

const SECRET = `ghp_${'a1B2'.repeat(9)}`;
const CALLS = [
  { name: 'kubernetes.list_pods', args: { namespace: 'elsewhere' } },
  { name: 'kubernetes.restart', args: { name: 'a' } },
];

/** A server with a tool that reads and one that changes something. */
function fakeServers() {
  const called: string[] = [];
  const tools = CALLS.map(({ name }, index) => ({
    name,
    description: '',
    inputSchema: { type: 'object' },
    readOnly: index === 0,
  }));
  const connected: ConnectedSource = {
    tools,
    call(call) {
      called.push(call.name);
      return Promise.resolve({ content: `token ${SECRET}`, isError: false, timedOut: false });
    },
    close: () => Promise.resolve(),
  };
  const sources: ToolSource[] = [{ name: 'kubernetes', connect: () => Promise.resolve(connected) }];
  return { called, sources };
}

describe('a replay that asks a model', () => {
  it.each(
    IS_LONG
      ? exampleNames()
      : takeCases(['approval', 'fallback', 'react', 'synthesis', 'crashloop', 'parallel'], 1),
  )(
    'comes to the same result as the example %s, with the same calls, if the model answers the same',
    async (example) => {
      const recording = await record(example);
      const replayed = await replayWithModel(recording, await options(example));
      expect(replayed.unrecorded).toEqual([]);
      const { fields, calls } = await diffSessions(recording, replayed);
      const { leftOut } = replayed;
      // A replay with a model asks no questions about the result.
      expect(leftOut.filter((part) => part !== 'questions about the result')).toEqual([]);
      const measured = ['seconds', 'usd', 'tokens', ...(leftOut.length > 0 ? ['iterations'] : [])];
      expect(fields.filter(({ name, one, other }) => one !== other && !measured.includes(name))).toEqual([]);
      expect(calls.filter(({ side }) => side !== 'both' && leftOut.length === 0)).toEqual([]);
    },
  );

  it('investigates the same alert with the agents of another configuration', async () => {
    const recording = await record('crashloop');
    const config = loadSessionConfig(findExample('crashloop').configFolder, EXTENSION_NAMES);
    const own = await options('crashloop', { config });
    const replayed = await replayWithModel(recording, own);
    const { fields } = await diffSessions(recording, replayed);
    expect(fields.find(({ name }) => name === 'status')?.other).toBe('completed');
    expect(JSON.stringify(own.requests)).toContain('checkout');
  });

  it('answers a call that is not recorded with an error, counts it, and runs none with side effects', async () => {
    const recording = await record('crashloop');
    const script = { conversations: [{ turns: [{ toolCalls: CALLS }, { text: 'done' }] }] };
    const replayed = await replayWithModel(recording, await options('crashloop', {}, script));
    expect(replayed.unrecorded).toEqual(['kubernetes.list_pods {"namespace":"elsewhere"}']);
    const live = fakeServers();
    const lived = await options('crashloop', { tools: 'recorded-then-live' }, script);
    const both = { ...lived, live: { ...lived.live, sources: live.sources } };
    const second = await replayWithModel(recording, both);
    expect(live.called).toEqual(['kubernetes.list_pods']);
    expect(second.unrecorded).toEqual(['kubernetes.restart {"name":"a"}']);
    // A resumed replay asks no server again, and the stored answer holds no secret.
    await replayWithModel(recording, both);
    expect(live.called).toHaveLength(1);
    expect(readFileSync(both.live.file, 'utf8')).toMatch(/masked/);
    expect(readFileSync(both.live.file, 'utf8')).not.toContain(SECRET);
  });
});

describe('inquest replay', () => {
  it('of a case stops at Ctrl-C and at --max-usd, is resumed, and pays for no answer twice', async () => {
    const cases = join(mkdtempSync(join(tmpdir(), 'replay-')), 'cases');
    for (const name of ['config', 'memory'])
      cpSync(join('examples/cases', name), join(cases, name), { recursive: true });
    const gemini = await startScriptedModel({ script: scriptOfCases(cases) });
    onTestFinished(async () => {
      await gemini.stop();
      rmSync(join(cases, '..'), { recursive: true });
    });
    const env = { GOOGLE_GEMINI_BASE_URL: gemini.url, GEMINI_API_KEY: 'no-key-is-needed' };
    writeFileSync(
      join(cases, 'config', 'prices.yaml'),
      'models: { gemini-3.8-right: [{ from: "2020-01-01", input: 1, cached: 1, output: 1 }] }\n',
    );
    const models = join(cases, 'config', 'models.yaml');
    writeFileSync(models, readFileSync(models, 'utf8').replace('gemini-3.8-flash', 'gemini-3.8-right'));
    const args = ['replay', join(cases, 'memory'), '--config', join(cases, 'config'), '--json'];
    const run = (usd: string) =>
      callCommand(
        [...args, '--model', 'gemini-3.8-right', '--max-usd', usd, '--out', join(cases, 'out')],
        env,
      );
    const interrupt = (async () => {
      while (gemini.requests.length === 0) await setImmediate();
      process.emit('SIGINT');
    })();
    const interrupted = await run('5');
    await interrupt;
    expect([interrupted.code, interrupted.stderr.at(-1)]).toEqual([
      130,
      expect.stringMatching(/interrupted\. .* resumes it/),
    ]);
    const stopped = await run('0.08');
    expect(stopped.stderr.at(-1)).toMatch(/resumes it/);
    expect(stopped.code).toBe(4);
    expect(stopped.stderr.join('\n')).toMatch(
      /answer 1, 0\.\d+ USD so far[\s\S]*the next call can cost .* resumes it/,
    );
    const { code, stdout } = await run('5');
    expect(code).toBe(0);
    expect(JSON.parse(stdout.join(''))).toMatchObject({
      runs: [
        {
          verdict: 'confirmed',
          causes: [{ component: 'k8s:eu/shop/Deployment/checkout', mechanism: 'memory' }],
          unrecorded: [],
          calls: 3,
        },
      ],
    });
    const sent = gemini.requests.map(({ body }) => JSON.stringify(body));
    expect(new Set(sent).size).toBe(sent.length);
  });

  it.each([
    [['--model', 'none'], /has no record\.json with answers of models; give --model or --config/],
    [['--model', 'm', '--tools', 'live'], /--tools live needs --config/],
    [['--model', 'm', '--repeats', '0'], /must be a whole number from 1 on/],
    [['--model', 'm', '--tools', 'live', '--config', 'config'], /leave --tools out/],
  ])('refuses %j', async (args, message) => {
    const { code, stderr } = await callCommand(['replay', 'examples/cases/memory', ...args]);
    expect(code).toBe(2);
    expect(stderr.join('\n')).toMatch(message);
  });
});
