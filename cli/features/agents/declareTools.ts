// The tools of an agent as providers are sent them: a run in memory makes the request, the client of each
// provider writes it, and nothing is sent to a model.

import { createReplayEngine, toPushEvent } from '../../../shared/cases/replayDeps.ts';
import { loadConfig } from '../../../shared/config/load.ts';
import type { AgentText } from '../../../shared/contract/agentText.ts';
import type { LlmRequest } from '../../../shared/core/contract/llm.ts';
import { KEY_VARIABLES, NATIVE_PROVIDER } from '../../../shared/core/contract/modelFacts.ts';
import { errorMessage, TerminalError } from '../../../shared/core/errors.ts';
import { systemClock } from '../../../shared/core/kernel/deps.ts';
import { agentRole, type ChainSnapshot, type ModelSettings } from '../../../shared/core/schema/agent.ts';
import { handleIteration } from '../../../shared/engine/handleIteration.ts';
import { inProcess } from '../../../shared/engine/inProcess.ts';
import { startRun } from '../../../shared/engine/startRun.ts';
import { createLlmClient } from '../../../shared/llm/chooseClient.ts';
import { PLACEHOLDER_KEY } from '../../../shared/llm/placeholderKey.ts';
import { asObject, type JsonObject, parseJson } from '../../../shared/text/json.ts';
import { EXTENSION_NAMES } from '../../../shared/wiring/extensions.ts';
import { openServers } from '../../../shared/wiring/openServers.ts';

/** A model of each provider that is always shown, for a configuration without one. */
const MODELS = { [NATIVE_PROVIDER]: 'gemini-3.8-flash', openai: 'gpt-5', anthropic: 'claude-sonnet-4-5' };

/** The tools of one request. */
interface Declared {
  provider: string;
  model: string;
  /** The fields about tools, as they are sent; empty for a request without any. */
  sent: JsonObject;
  /** Why the provider is sent no request; null if it is. */
  fault: string | null;
}

/** The first request of an agent, in the forms of its providers. */
export interface DeclaredTools {
  /** The chain that decides the agent's settings; null for an agent outside of chains. */
  chain: string | null;
  /** The system prompt, which is where an agent without bound tools finds them. */
  system: string;
  /** Whether tools are bound for function calling. */
  isBound: boolean;
  declared: Declared[];
  /** Servers that did not answer. */
  missing: { server: string; message: string }[];
}

/**
 * The tools of an agent's first request, of servers that are connected for it.
 * @param stored the agent of the store, which replaces that of the files; undefined for none.
 * @throws ConfigError for a configuration that cannot be used here; any error of the runtime.
 */
export async function declareTools(
  name: string,
  stored: AgentText | undefined,
  { folder, env, signal }: { folder: string; env: NodeJS.ProcessEnv; signal: AbortSignal },
): Promise<DeclaredTools> {
  const config = loadConfig(folder, env, EXTENSION_NAMES);
  const { plan, chain: usedIn } = planChain(name, stored, config);
  const servers = openServers(folder, env);
  try {
    const { request, missing } = await makeRequest(plan, { ...servers, agents: config.askable, signal });
    const models = config.overview?.models ?? [];
    const declared: Declared[] = [];
    for (const model of listModels(request.model, models)) declared.push(await writeTools(request, model));
    const [first] = request.messages;
    const system = first?.role === 'system' ? first.blocks : [];
    return {
      chain: usedIn,
      system: system.map((block) => (block.blockType === 'text' ? block.textContent : '')).join('\n\n'),
      isBound: request.tools.length > 0,
      declared,
      missing,
    };
  } finally {
    await servers.close();
  }
}

/** A chain of the agent alone: as its first chain has it, else as it is outside of chains. */
function planChain(
  name: string,
  stored: AgentText | undefined,
  { agents, chains }: ReturnType<typeof loadConfig>,
): { plan: ChainSnapshot; chain: string | null } {
  if (agents === undefined) throw new Error('a loaded configuration has its agents');
  for (const one of Object.keys(chains)) {
    const { chain } = agents.chain(one, stored === undefined ? [] : [stored]);
    const { stages, summary: _, chat: __, ...rest } = chain;
    for (const stage of stages) {
      const found = [...stage.agents, ...(stage.synthesis ? [stage.synthesis] : [])].find(
        (agent) => agentRole(agent) === name,
      );
      if (found === undefined) continue;
      const { when: ___, ...alone } = { ...stage, agents: [{ ...found, collect: [] }], synthesis: null };
      return { plan: { ...rest, stages: [alone] }, chain: one };
    }
  }
  const agent = agents.plan(name, {}, stored);
  const stage = {
    name,
    successPolicy: 'any' as const,
    timeoutMs: null,
    agents: [{ ...agent, collect: [] }],
    synthesis: null,
  };
  return { plan: { name, stages: [stage] }, chain: null };
}

/** The first request of a run, which then ends: no model is asked. */
async function makeRequest(
  plan: ChainSnapshot,
  { agents, sources, maskerFor, signal }: ReturnType<typeof openServers> & RunParts,
): Promise<{ request: LlmRequest; missing: DeclaredTools['missing'] }> {
  let request: LlmRequest | undefined;
  const missing = new Map<string, string>();
  const made = new TerminalError('MODEL_BAD_REQUEST', 'the request is only shown');
  const engine = createReplayEngine({
    clock: systemClock,
    agents,
    maskerFor,
    sources,
    llm: {
      generate(asked) {
        request ??= asked;
        return Promise.reject(made);
      },
    },
  });
  const connectTools: typeof engine.connectTools = async (allowed, { labels: _, ...options }) => {
    // No alert gives labels here, so tools that need one are shown as well.
    const executor = await engine.connectTools(allowed, options);
    for (const { name, error } of executor.missing) missing.set(name, error.message);
    return executor;
  };
  const queue = inProcess({
    steps: {
      publisher: engine.publisher,
      async deliver(message) {
        signal.throwIfAborted();
        if (request !== undefined || message.topic !== 'iterations') return;
        await handleIteration(toPushEvent(message, new Date()), { ...engine, connectTools });
      },
      pause() {
        signal.throwIfAborted();
      },
      giveUp(_, error) {
        throw error;
      },
    },
  });
  await startRun(plan, { input: 'Which tools are there?' }, {}, engine);
  await queue.drain();
  if (request === undefined) throw new Error('the run ended without a request');
  return {
    request,
    missing: [...missing].map(([server, message]) => ({ server, message })),
  };
}

interface RunParts {
  agents: ReturnType<typeof loadConfig>['askable'];
  signal: AbortSignal;
}

/** The agent's model, the first of each other provider that models.yaml has, and the usual ones. */
function listModels(
  own: ModelSettings,
  others: readonly { provider: string; model: string }[],
): ModelSettings[] {
  const usual = Object.entries(MODELS).map(([provider, model]) => ({ provider, model }));
  const models = [own, ...[...others, ...usual].map((one) => ({ ...one, includeThoughts: true }))];
  return models.filter(
    ({ provider }, index) => models.findIndex((one) => one.provider === provider) === index,
  );
}

/** Has the client of a provider write the request, and reads what it would send. */
async function writeTools(request: LlmRequest, model: ModelSettings): Promise<Declared> {
  const { provider } = model;
  const own = provider === request.model.provider ? request.model : model;
  const variable = KEY_VARIABLES[provider] ?? 'GEMINI_API_KEY';
  let body: string | undefined;
  let failure: unknown;
  const restore = replaceFetch(variable, async (sent) => {
    body ??= await sent.text();
    return Response.json({ error: { message: 'only shown' } }, { status: 400 });
  });
  try {
    const report = { requestBytes: 0, responseBytes: 0, attempts: 0, attemptErrors: [] };
    const client = createLlmClient({ env: { [variable]: PLACEHOLDER_KEY } });
    await client.generate({ ...request, model: own }, { signal: new AbortController().signal, report });
  } catch (error) {
    failure = error;
  } finally {
    restore();
  }
  const fields = Object.entries(asObject(parseJson(body ?? ''))).filter(([key]) => key.startsWith('tool'));
  return {
    provider,
    model: own.model,
    sent: Object.fromEntries(fields),
    fault: body === undefined ? errorMessage(failure) : null,
  };
}

/** Answers all requests of this process, and gives packages of providers a key that is none. */
function replaceFetch(variable: string, answer: (sent: Request) => Promise<Response>): () => void {
  const before = { fetch: globalThis.fetch, key: process.env[variable] };
  globalThis.fetch = (input, init) => answer(new Request(input, init));
  process.env[variable] = PLACEHOLDER_KEY;
  return () => {
    globalThis.fetch = before.fetch;
    if (before.key === undefined) delete process.env[variable];
    else process.env[variable] = before.key;
  };
}
