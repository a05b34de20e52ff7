import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { conversationsFor, SCRIPTED_MODELS, scriptOfCases } from '../../local/scriptedCases.ts';
import { startScriptedModel } from '../../local/scriptedModel/startScriptedModel.ts';
import { caseNames, readCase, readTruth } from '../../shared/cases/caseFile.ts';
import { ARMS } from '../../shared/cases/caseTools.ts';
import { type EvaluationOptions, evaluate, PARALLEL } from '../../shared/cases/evaluate.ts';
import { findLabelMechanism } from '../../shared/cases/importers/importedCase.ts';
import { appendJsonLine, readJsonLines } from '../../shared/cases/jsonLines.ts';
import { JUDGE_ROLE } from '../../shared/cases/judge.ts';
import { paidModel } from '../../shared/cases/paidModel.ts';
import { reportHtml } from '../../shared/cases/reportHtml.ts';
import { summarizeScores } from '../../shared/cases/score.ts';
import { loadSessionConfig } from '../../shared/config/load.ts';
import { createLlmClient } from '../../shared/llm/chooseClient.ts';
import { MECHANISMS } from '../../shared/text/mechanisms.ts';
import { EXTENSION_NAMES } from '../../shared/wiring/extensions.ts';
import { IS_FULL, IS_LONG, takeCases } from '../support/fullTests.ts';

const ALL = 'examples/cases';
const FREE = [{ from: '2020-01-01', input: 0, cached: 0, output: 0 }];
const PRICE = [{ from: '2020-01-01', input: 1, cached: 1, output: 1 }];

/** An evaluation of some of the project's cases with scripted models, in folders of its own. */
async function open(cases: readonly string[], change: Partial<EvaluationOptions> = {}) {
  const root = mkdtempSync(join(tmpdir(), 'evaluate-'));
  const folder = join(root, 'cases');
  for (const name of ['config', ...cases]) cpSync(join(ALL, name), join(folder, name), { recursive: true });
  const gemini = await startScriptedModel({ script: scriptOfCases(folder) });
  onTestFinished(async () => {
    await gemini.stop();
    rmSync(root, { recursive: true });
  });
  const env = { GOOGLE_GEMINI_BASE_URL: gemini.url, GEMINI_API_KEY: 'no-key-is-needed' };
  const config = loadSessionConfig(join(folder, 'config'), EXTENSION_NAMES);
  const options: EvaluationOptions = {
    folder,
    out: join(root, 'out'),
    arms: ['base'],
    repeats: 1,
    maxUsd: undefined,
    contestants: SCRIPTED_MODELS.map((model) => ({ name: model.slice('gemini-3.8-'.length), config, model })),
    llm: createLlmClient({ env, log: () => {} }),
    listPrices: () => FREE,
    signal: new AbortController().signal,
    ...change,
  };
  return { gemini, options, folder };
}

/** All texts in a value, at any depth, without white space around them. */
function textsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value.trim()];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsOf) : [];
}

describe('an evaluation', () => {
  it('distinguishes a right model, six wrong ones and a lazy one', async () => {
    const { options } = await open(['memory', 'rule', 'two']);
    const { scores, stopped } = await evaluate(options);
    expect(stopped).toBeUndefined();
    const rows = summarizeScores(scores).rows.map((row) => [
      row.model,
      row.score.toFixed(2),
      row.grounded.value,
      row.coverage?.toFixed(2),
      row.precision?.toFixed(2) ?? '-',
      row.abstained.value,
      row.calls,
    ]);
    expect(rows).toEqual([
      ['right', '1.00', 1, '1.00', '1.00', 0, 11 / 3],
      ['premature', '0.00', 0, '0.00', '-', 0, 0],
      ['missed-tool', '0.00', 0, '0.33', '1.00', 0, 5 / 3],
      ['unsupported', '0.00', 0, '0.00', '-', 0, 11 / 3],
      ['incomplete', '0.33', 0, '0.33', '1.00', 0, 1],
      ['hallucinated', '0.00', 0, '0.00', '0.00', 0, 11 / 3],
      ['wrong', '0.00', 0, expect.any(String), expect.any(String), 0, 2],
      ['lazy', '0.00', 0, '0.00', '-', 1, 0],
    ]);
    expect(reportHtml({ version: 1, ...summarizeScores(scores), scores, usd: 0 })).not.toMatch(
      /https?:|<script/,
    );
  });

  it('confirms nothing without the evidence, and no request holds the truth or the name of a case', async () => {
    const { options, gemini, folder } = await open(takeCases(['neighbour', 'memory'], 1), { arms: ARMS });
    const { scores } = await evaluate(options);
    const withheld = scores.filter(({ arm }) => arm === 'withheld');
    expect(withheld.length).toBe(caseNames(folder).length * SCRIPTED_MODELS.length);
    expect(withheld.filter(({ verdict }) => verdict === 'confirmed' || verdict === 'likely')).toEqual([]);
    // No person waits for it.
    const tiers = gemini.requests.map(({ body }) => (body as { serviceTier?: string }).serviceTier);
    expect(new Set(tiers)).toEqual(new Set(['flex']));
    const sent = JSON.stringify(gemini.requests);
    for (const name of caseNames(folder)) expect(sent).not.toContain(readTruth(folder, name).canary);
    expect(sent).not.toContain('neighbour');
  });

  it('shows no model any text of a truth that its case does not have', async () => {
    const { folder, options, gemini } = await open(takeCases(caseNames(ALL), 4), {
      arms: ['base', 'withheld'],
    });
    await gemini.stop();
    // It reads all recordings and states nothing: its input is the case and the configuration.
    const conversations = caseNames(folder).flatMap((name) => {
      const { alert, tools } = readCase(folder, name);
      const steps = tools.flatMap(({ name: tool, answers }) =>
        answers.map((one) => ({ tool, arguments: one.arguments })),
      );
      return conversationsFor('gemini-3.8-reader', String(alert.title), { causes: [], quotes: [], steps });
    });
    const reader = await startScriptedModel({ script: { models: ['gemini-3.8-reader'], conversations } });
    onTestFinished(() => reader.stop());
    const env = { GOOGLE_GEMINI_BASE_URL: reader.url, GEMINI_API_KEY: 'no-key-is-needed' };
    const own = {
      ...options,
      llm: createLlmClient({ env, log: () => {} }),
      contestants: [{ ...options.contestants[0], name: 'reader', model: 'gemini-3.8-reader' }],
    } as EvaluationOptions;
    /** The texts that the model was sent for a case. */
    const sentFor = async (arms: EvaluationOptions['arms'], name: string): Promise<string> => {
      const from = reader.requests.length;
      const one = join(folder, '..', `only ${arms[0]} ${name}`);
      cpSync(join(folder, name), join(one, name), { recursive: true });
      const { scores } = await evaluate({ ...own, arms, folder: one, out: join(one, 'out') });
      expect(scores.map(({ unrecorded, calls }) => [unrecorded, calls > 3])).toEqual([[0, true]]);
      return textsOf(reader.requests.slice(from).map(({ body }) => body)).join('\n');
    };
    for (const name of caseNames(folder)) {
      const visible = textsOf(readCase(folder, name)).join('\n');
      const truth = readTruth(folder, name);
      const sent = await sentFor(['base'], name);
      expect(truth.evidence.filter((line) => !sent.includes(line))).toEqual([]);
      // The description of the ledger has all mechanisms.
      const hidden = textsOf(truth).filter(
        (text) => text.length >= 8 && !visible.includes(text) && !MECHANISMS.some((one) => one === text),
      );
      expect(hidden.length).toBeGreaterThan(5);
      expect(hidden.filter((text) => sent.includes(text))).toEqual([]);
      expect(sent).not.toContain(`/${name}/`);
      const withheld = await sentFor(['withheld'], name);
      expect(truth.evidence.filter((line) => withheld.includes(line))).toEqual([]);
    }
  });

  it('distinguishes two configurations that differ in one prompt', async () => {
    const { options, folder, gemini } = await open(['memory', 'dns', 'disk', 'quota']);
    const other = join(folder, '..', 'other');
    cpSync(join(folder, 'config'), other, { recursive: true });
    const file = join(other, 'agents.yaml');
    writeFileSync(
      file,
      readFileSync(file, 'utf8').replace('Look for what contradicts', 'Be brief about what contradicts'),
    );
    await gemini.stop();
    const script = scriptOfCases(folder);
    const isOf = (model: string) => (one: (typeof script.conversations)[number]) =>
      typeof one.when === 'object' && one.when.model === model;
    const conversations = [
      ...script.conversations
        .filter((one) => isOf('gemini-3.8-lazy')(one) && !('system' in (one.when as object)))
        .map(({ when, ...rest }) => ({
          ...rest,
          when: { system: 'Be brief about what', ...(when as object), model: 'gemini-3.8-right' },
        })),
      ...script.conversations.filter(isOf('gemini-3.8-right')),
    ];
    const prompted = await startScriptedModel({ script: { ...script, conversations } });
    onTestFinished(() => prompted.stop());
    const env = { GOOGLE_GEMINI_BASE_URL: prompted.url, GEMINI_API_KEY: 'no-key-is-needed' };
    const { scores } = await evaluate({
      ...options,
      llm: createLlmClient({ env, log: () => {} }),
      contestants: [join(folder, 'config'), other].map((path) => ({
        name: path,
        config: loadSessionConfig(path, EXTENSION_NAMES),
        model: 'gemini-3.8-right',
      })),
    });
    const [difference] = summarizeScores(scores).comparisons;
    expect(difference?.score).toEqual({ value: 1, low: 1, high: 1 });
  });

  it.runIf(IS_FULL)('distinguishes a model of keywords from a right one, with an interval', async () => {
    const { folder, options, gemini } = await open(caseNames(ALL));
    await gemini.stop();
    const guesses = caseNames(folder).flatMap((name) => {
      const { alert, tools } = readCase(folder, name);
      const { app } = alert.labels as { app: string };
      const lines = tools.flatMap(({ answers }) => answers.flatMap(({ text }) => text.trim().split('\n')));
      const named = Map.groupBy(lines, (line) => findLabelMechanism(line) ?? 'none');
      named.delete('none');
      const [[mechanism = 'other', quotes = []] = []] = [...named].sort(
        ([, a], [, b]) => b.length - a.length,
      );
      const causes = [{ component: `k8s:eu/shop/Deployment/${app}`, mechanism }];
      const steps = tools.flatMap(({ name: tool, answers }) =>
        answers.map((one) => ({ tool, arguments: one.arguments })),
      );
      return conversationsFor('gemini-3.8-keyword', String(alert.title), { causes, quotes, steps });
    });
    const { conversations } = scriptOfCases(folder);
    const model = await startScriptedModel({
      script: {
        models: [...SCRIPTED_MODELS, 'gemini-3.8-keyword'],
        conversations: [...conversations, ...guesses],
      },
    });
    onTestFinished(() => model.stop());
    const env = { GOOGLE_GEMINI_BASE_URL: model.url, GEMINI_API_KEY: 'no-key-is-needed' };
    const config = loadSessionConfig(join(folder, 'config'), EXTENSION_NAMES);
    const { scores } = await evaluate({
      ...options,
      llm: createLlmClient({ env, log: () => {} }),
      contestants: ['right', 'keyword'].map((name) => ({ name, config, model: `gemini-3.8-${name}` })),
    });
    const { rows, comparisons } = summarizeScores(scores);
    expect(rows.map(({ score }) => score)).toEqual([1, expect.any(Number)]);
    expect(rows[1]?.right.value).toBeLessThanOrEqual(1 / 4);
    expect(comparisons[0]?.score?.low).toBeGreaterThan(0.4);
  });

  it('is right about a healthy system only if the condition of the alert was read again, where the alert states one', async () => {
    const { folder, options, gemini } = await open(['memory', 'dns'], { arms: ['base', 'healthy'] });
    await gemini.stop();
    const models = ['careful', 'silent'];
    const conversations = caseNames(folder).flatMap((name) => {
      const title = String(readCase(folder, name).alert.title);
      const query =
        'increase(kube_pod_container_status_restarts_total{namespace="shop",container="checkout"}[10m])';
      const range = { start: '2026-11-20T09:31:00Z', end: '2026-11-20T10:01:00Z', step: '60s' };
      const steps = [{ tool: 'prometheus.prometheus_query_range', arguments: { query, ...range } }];
      const clear = { causes: [], quotes: [], conclusion: 'not_an_incident' as const };
      return [
        ...conversationsFor('gemini-3.8-careful', title, { ...clear, steps }),
        ...conversationsFor('gemini-3.8-silent', title, { ...clear, steps: [] }),
      ];
    });
    const scripted = await startScriptedModel({
      script: { models: models.map((name) => `gemini-3.8-${name}`), conversations },
    });
    onTestFinished(() => scripted.stop());
    const env = { GOOGLE_GEMINI_BASE_URL: scripted.url, GEMINI_API_KEY: 'no-key-is-needed' };
    const config = loadSessionConfig(join(folder, 'config'), EXTENSION_NAMES);
    const { scores } = await evaluate({
      ...options,
      llm: createLlmClient({ env, log: () => {} }),
      contestants: models.map((name) => ({ name, config, model: `gemini-3.8-${name}` })),
    });
    const found = scores.map((one) => [one.model, one.case, one.arm, one.verdict, one.right].join(' '));
    expect(found).toEqual([
      'careful dns base inconclusive false',
      'careful dns healthy inconclusive true',
      'careful memory base inconclusive false',
      'careful memory healthy not_an_incident true',
      'silent dns base inconclusive false',
      'silent dns healthy inconclusive true',
      'silent memory base inconclusive false',
      'silent memory healthy inconclusive false',
    ]);
  });

  it('reserves each attempt of a call, and stops before one that could cost too much', async () => {
    const file = join(mkdtempSync(join(tmpdir(), 'paid-')), 'answers.jsonl');
    const purse = { spent: 0, reserved: 0, max: 0.1 };
    let attempts = 0;
    const failing: EvaluationOptions['llm'] = {
      async generate(_, { mayRepeat, report }) {
        report.responseBytes = 1;
        do attempts++;
        while (await mayRepeat?.());
        throw new Error('no attempt was answered');
      },
    };
    const model = { provider: 'google', model: 'm', includeThoughts: false, maxOutputTokens: 40_000 };
    const report = { requestBytes: 0, responseBytes: 0, attempts: 0, attemptErrors: [] };
    const { signal } = new AbortController();
    const call = paidModel(failing, file, purse, () => PRICE).generate(
      { model, messages: [], tools: [] },
      { signal, report },
    );
    await expect(call).rejects.toThrow(/the next call can cost 0\.04/);
    expect(attempts).toBe(2);
    expect(purse.reserved).toBe(0);
    expect(purse.spent).toBeCloseTo(0.08, 3);
  });

  it.each([
    ['flex', 0.5],
    ['priority', 1],
  ] as const)('counts the price of the tier that answered: %s', async (serviceTier, spent) => {
    const file = join(mkdtempSync(join(tmpdir(), 'paid-')), 'answers.jsonl');
    const purse = { spent: 0, reserved: 0, max: undefined };
    const answering: EvaluationOptions['llm'] = {
      async generate(_, { report }) {
        const usage = { input: 1_000_000, output: 0, thinking: 0, cached: 0, total: 1_000_000 };
        Object.assign(report, { usage, serviceTier });
        throw new Error('cut off');
      },
    };
    const [price] = PRICE;
    const prices = price === undefined ? [] : [{ ...price, tiers: { flex: 0.5 } }];
    const model = { provider: 'google', model: 'm', includeThoughts: false };
    const report = { requestBytes: 0, responseBytes: 0, attempts: 0, attemptErrors: [] };
    const { signal } = new AbortController();
    const call = paidModel(answering, file, purse, () => prices).generate(
      { model, messages: [], tools: [] },
      { signal, report },
    );
    await expect(call).rejects.toThrow('cut off');
    expect(purse.spent).toBeCloseTo(spent, 6);
    expect(purse.reserved).toBe(0);
  });

  it('that dies repeats no answer that is stored', async () => {
    const { options, gemini } = await open(['memory', 'lock'], {});
    const [contestant] = options.contestants;
    const own = { ...options, contestants: contestant === undefined ? [] : [contestant] };
    for (const dieAt of [1, 2, 3, 4, 5]) {
      let calls = 0;
      const llm: typeof options.llm = {
        async generate(request, call) {
          if (++calls > dieAt) throw new Error('the process died');
          return options.llm.generate(request, call);
        },
      };
      await evaluate({ ...own, llm }).catch(() => {});
    }
    const { scores } = await evaluate(own);
    expect(scores.map(({ right }) => right)).toEqual([true, true]);
    const sent = gemini.requests.map(({ body }) => JSON.stringify(body));
    expect(new Set(sent).size).toBe(sent.length);
  });

  it.runIf(IS_FULL)('that is killed with SIGKILL repeats no call whose answer is stored', async () => {
    const { gemini, folder, options } = await open(['memory', 'lock', 'dns', 'disk', 'quota', 'flag']);
    const models = join(folder, 'config', 'models.yaml');
    writeFileSync(models, readFileSync(models, 'utf8').replace('gemini-3.8-flash', 'gemini-3.8-right'));
    const env = { ...process.env, GOOGLE_GEMINI_BASE_URL: gemini.url, GEMINI_API_KEY: 'no-key-is-needed' };
    const args = ['cli/inquest.js', 'evaluate', folder, '--repeats', '1', '--out', options.out, '--json'];
    /** Runs the command; kills it when the model has got this number of requests. */
    const run = async (killAt?: number) => {
      const child = spawn(process.execPath, args, { env, stdio: 'ignore' });
      const ended = once(child, 'exit');
      while (killAt !== undefined && gemini.requests.length < killAt && child.exitCode === null)
        await setImmediate();
      if (killAt !== undefined) child.kill('SIGKILL');
      return (await ended)[0] as number | null;
    };
    const lines = () =>
      readdirSync(join(options.out, 'answers')).flatMap((file) =>
        readJsonLines<{ key: string; sentUsd?: number }>(join(options.out, 'answers', file)).map((line) => ({
          ...line,
          key: `${file} ${line.key}`,
        })),
      );
    const kills = IS_LONG ? [2, 5, 9, 14, 20, 27, 33] : [12];
    for (const killAt of kills) expect(await run(killAt)).toBeNull();
    expect(lines().length).toBeGreaterThan(0);
    expect(await run()).toBe(0);
    const answered = new Set<string>();
    const repeated = lines().filter(({ key, sentUsd }) => {
      if (sentUsd === undefined) answered.add(key);
      return sentUsd !== undefined && answered.has(key);
    });
    expect(repeated).toEqual([]);
    // Each request was announced, and only those that a kill interrupted have no answer.
    const announced = lines().filter(({ sentUsd }) => sentUsd !== undefined);
    expect(gemini.requests.length).toBeLessThanOrEqual(announced.length);
    expect(announced.length - answered.size).toBeLessThanOrEqual(kills.length * PARALLEL);
  });

  it('counts the bound of a call whose answer a crash lost, and reads past a line that was cut off', async () => {
    const file = join(mkdtempSync(join(tmpdir(), 'paid-')), 'answers.jsonl');
    appendFileSync(file, '{"key":"a","sentUsd":0.25}\n{"key":"b","respon');
    appendJsonLine(file, { key: 'c', response: {}, report: {}, usd: 0.5 });
    const purse = { spent: 0, reserved: 0, max: 1 };
    paidModel({ generate: () => Promise.reject(new Error('not asked')) }, file, purse, () => PRICE);
    expect(purse.spent).toBe(0.75);
  });

  it('lets a judge name faults, which change no score and are paid for once; orders in a run are data', async () => {
    const { folder, options, gemini } = await open(['memory', 'dns']);
    await gemini.stop();
    const { conversations } = scriptOfCases(folder);
    const opinion = {
      faults: ['missed_tool'],
      missingTools: ['traces'],
      unclearTools: [],
      reason: '<b>none</b>',
    };
    const judge = (user: string, text: string) => ({
      when: { model: 'gemini-3.8-judge', system: JUDGE_ROLE, user },
      turns: [{ text }],
    });
    const script = {
      models: [...SCRIPTED_MODELS, 'gemini-3.8-judge'],
      conversations: [
        judge('Deployment/checkout', `The opinion: ${JSON.stringify(opinion)}`),
        judge('Deployment/search', '{"faults":["made_up"]}'),
        ...conversations,
      ],
    };
    const model = await startScriptedModel({ script });
    onTestFinished(() => model.stop());
    const env = { GOOGLE_GEMINI_BASE_URL: model.url, GEMINI_API_KEY: 'no-key-is-needed' };
    const own = {
      ...options,
      llm: createLlmClient({ env, log: () => {} }),
      contestants: options.contestants.slice(0, 2),
    };
    const without = await evaluate(own);
    const settings = { provider: 'google', model: 'gemini-3.8-judge', includeThoughts: false };
    const judged = await evaluate({ ...own, judge: settings });
    expect(summarizeScores(judged.scores)).toEqual(summarizeScores(without.scores));
    // An answer with an unknown fault is no opinion.
    expect(judged.scores.map(({ case: name, judgement }) => [name, judgement?.faults])).toEqual([
      ['dns', undefined],
      ['memory', ['missed_tool']],
      ['dns', undefined],
      ['memory', ['missed_tool']],
    ]);
    expect(reportHtml({ version: 1, ...summarizeScores(judged.scores), ...judged })).toContain(
      '&lt;b&gt;none',
    );
    const sent = model.requests.length;
    await evaluate({ ...own, judge: settings });
    expect(model.requests.length).toBe(sent);
    const asked = model.requests
      .map(({ body }) => JSON.stringify(body))
      .filter((body) => body.includes(JUDGE_ROLE));
    expect(asked.every((body) => body.includes('"serviceTier":"flex"'))).toBe(true);
    expect(asked.every((body) => /<data-[0-9a-f]{12} source=/.test(body))).toBe(true);
  });

  it('stops before a call that could cost too much, and resumes', async () => {
    const { options } = await open(['memory'], { listPrices: () => PRICE, maxUsd: 0.08 });
    const [contestant] = options.contestants;
    const own = { ...options, contestants: contestant === undefined ? [] : [contestant] };
    const first = await evaluate(own);
    expect(first.stopped).toMatch(/the next call can cost 0\.0\d+ USD/);
    expect(first.usd).toBeLessThanOrEqual(0.08);
    expect((await evaluate({ ...own, maxUsd: 10 })).scores).toHaveLength(1);
    await expect(evaluate({ ...own, out: `${own.out}2`, listPrices: () => undefined })).rejects.toThrow(
      /is unknown, so --max-usd cannot be kept/,
    );
  });
});
