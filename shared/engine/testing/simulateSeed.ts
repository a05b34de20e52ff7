// One seed of `simulate`: runs of a program's agents from their start to their end, and on until no copy of a
// message is left.

import { TOPICS } from '../../core/contract/publisher.ts';
import { errorMessage, TerminalError } from '../../core/errors.ts';
import { isTerminal } from '../../core/schema/common.ts';
import { paths, timelineEventType } from '../../core/schema/coreDocuments.ts';
import type { Session } from '../../core/schema/session.ts';
import { ENGINE_SWEEP } from '../../lists/engineFeatures.ts';
import { createToolConnector } from '../../tools/connectTools.ts';
import type { Chain } from '../agentOptions.ts';
import type { Engine } from '../createEngine.ts';
import type { Internals } from '../durable.ts';
import { handleDeadLetter } from '../handleDeadLetter.ts';
import { handleIteration } from '../handleIteration.ts';
import { handleTick } from '../handleTick.ts';
import type { Model } from '../model.ts';
import { registeredStore } from '../registeredStore.ts';
import { signalRun } from '../signalRun.ts';
import { type StartOptions, startRun } from '../startRun.ts';
import type { Tool } from '../tool.ts';
import { createScripts, drawnModel } from './drawnModel.ts';
import { type Effects, judgeEffects, type Ledger, type Replacement, replacedSource } from './effects.ts';
import { createEngineWorld, type EngineWorld } from './engineWorld.ts';
import type { EngineFault } from './faults.ts';
import { faultyQueue, publishFaulty, type QueuedMessage } from './faultyQueue.ts';
import { faultyStore } from './faultyStore.ts';
import { createRandom } from './random.ts';
import { createClock, createProcess, type SimulatedProcess } from './simulatedProcess.ts';

const MINUTE = 60_000;
/** The longest virtual duration of a seed: the latest deadline of a run, and a day for what follows. */
const LIMIT_MS = 8 * 24 * 60 * MINUTE;
/** The most events of a seed, usually thousands; multiplying messages would never end. */
const MAX_EVENTS = 300_000;

/** A run that is started. */
export interface PlannedRun {
  agent: Chain;
  input: string;
  options: StartOptions & { id: string };
}

/** What a seed simulates. */
export interface SeedPlan {
  engine: Internals;
  runs: readonly PlannedRun[];
  tools: Readonly<Record<string, Replacement>>;
  servers: Readonly<Record<string, readonly Tool[]>>;
  model: Model | undefined;
}

/** The end of a seed. */
export interface SeedOutcome {
  crashes: number;
  iterations: number;
  faults: ReadonlyMap<EngineFault, number>;
  /** The status of each run; null for one that has not ended. */
  statuses: (Session['status'] | null)[];
  effects: Effects;
  /** Each broken rule; empty if all hold. */
  broken: string[];
  story: string[];
}

type Work = (deps: Engine) => Promise<unknown>;

/** Runs one seed. @throws errors of the plan: an option of a run, or a replacement that does not answer. */
export async function simulateSeed(seed: number, plan: SeedPlan): Promise<SeedOutcome> {
  const world = createEngineWorld(seed);
  const ledger: Ledger = { calls: new Map(), fault: undefined };
  const { time } = world;
  const invoke = createProcesses(world, (process) => describeProcess(process));
  const push = ({ id, data, attributes, publishTime }: QueuedMessage) => ({
    message: { messageId: id, data: data.toString('base64'), attributes, publishTime },
  });
  let iterations = 0;
  const queue = faultyQueue(
    {
      accept: (message) => (answer) => {
        if (message.topic === TOPICS.iterationsDead)
          return invoke('bury', (deps) => handleDeadLetter(push(message), deps), answer);
        iterations++;
        return invoke('work', (deps) => handleIteration(push(message), deps), answer);
      },
    },
    world,
  );
  const describeProcess = createDeps(seed, plan, { world, ledger, publish: queue.publish });

  let refused: unknown;
  const started = new Set<string>();
  const start = (run: PlannedRun): void =>
    invoke(
      'start',
      (deps) => startRun(run.agent.chain, { input: run.input }, run.options, deps),
      (error) => {
        if (error instanceof TerminalError) refused ??= error;
        else if (error !== undefined) time.after(world.drawMs(1_000, 30_000), () => start(run));
        else started.add(run.options.id);
      },
    );
  for (const run of plan.runs) time.after(world.drawMs(0, 5_000), () => start(run));
  world.onApproval = ({ approvalId, sessionId }) => decideLater(approvalId, sessionId, invoke, world);
  let sweeps = true;
  const sweep = (): void => {
    time.after(MINUTE, sweep);
    if (sweeps)
      invoke(
        'sweep',
        (deps) => handleTick(deps, ENGINE_SWEEP),
        () => {},
      );
  };
  sweep();

  const isOver = () => refused !== undefined || ledger.fault !== undefined || time.events() > MAX_EVENTS;
  const hasEnded = ({ options: { id } }: PlannedRun) => {
    const status = world.statuses.get(id);
    return started.has(id) && status !== undefined && isTerminal(status);
  };
  const isQuiet = () => plan.runs.every(hasEnded) && queue.isQuiet();
  await time.runUntil(() => isOver() || isQuiet(), world.startedAt + LIMIT_MS);
  // Copies may come hours later, and must change nothing; until then a sweep finds nothing.
  sweeps = false;
  await time.runUntil(() => isOver() || queue.isSilent(), world.startedAt + LIMIT_MS);
  const fatal = refused ?? ledger.fault;
  if (fatal !== undefined) throw fatal;

  const statuses = plan.runs.map((run) =>
    hasEnded(run) ? (world.statuses.get(run.options.id) ?? null) : null,
  );
  for (const [index, status] of statuses.entries())
    if (status === null) world.broken.push(`run ${plan.runs[index]?.options.id} has not ended`);
  const { effects, broken } = await judge(plan, ledger, world);
  return {
    crashes: world.crashes,
    iterations,
    faults: world.faults,
    statuses,
    effects,
    broken: [...world.broken, ...broken],
    story: world.trace,
  };
}

/** Runs work in processes, of which some take turns. */
function createProcesses(
  world: EngineWorld,
  depsOf: (process: SimulatedProcess) => Engine,
): (target: string, work: Work, done: (error?: unknown) => void) => void {
  const instances = new Map<string, SimulatedProcess[]>();
  let count = 0;
  const pick = (target: string): SimulatedProcess => {
    const living = (instances.get(target) ?? []).filter(({ alive }) => alive);
    const isFull = living.length >= world.instances;
    if (living.length > 0 && world.random.chance(isFull ? 0.9 : 0.7))
      return world.random.pick(living as [SimulatedProcess]);
    const process = createProcess(`${target}-${++count}`, world);
    instances.set(target, [...living, process].slice(-world.instances));
    return process;
  };
  return (target, work, done) => {
    const process = pick(target);
    let isOver = false;
    const finish = (error?: unknown) => {
      if (isOver) return;
      isOver = true;
      done(error);
    };
    process.onDeath.push(() => {
      if (!isOver) world.time.after(world.drawMs(100, 2_000), () => finish(new Error('the process is gone')));
    });
    work(depsOf(process)).then(
      () => finish(),
      (error: unknown) => {
        world.traceLine(`${process.name} fails: ${errorMessage(error)}`);
        finish(error);
      },
    );
  };
}

interface Shared {
  world: EngineWorld;
  ledger: Ledger;
  publish: ReturnType<typeof faultyQueue>['publish'];
}

/** The dependencies of each process. */
function createDeps(
  seed: number,
  { engine, tools, servers, model, runs }: SeedPlan,
  { world, ledger, publish }: Shared,
): (process: SimulatedProcess) => Engine {
  const { store } = world;
  const silent = () => {};
  const log = { debug: silent, info: silent, warn: silent, error: silent };
  const scripts = createScripts();
  // Nonces and keys have a source of their own, so that they change no draw of a fault.
  const bytes = createRandom(-seed);
  const used = listTools(runs);
  let ids = 0;
  return (process) => {
    const faulty = faultyStore(store, process, world, {
      async apply(writes) {
        const result = await store.commit(writes);
        if (result.ok) world.record(writes, process);
        else world.traceLine(`${process.name} is refused: ${result.reason} (${writes[0]?.path})`);
        return result;
      },
      repeat: (writes) => store.commit(writes),
      rewrite: (path) => store.rewrite(path, (data) => data),
    });
    const source = (name: string, list: readonly Tool[]) =>
      replacedSource(name, list, name === 'code' ? tools : {}, process, ledger, world);
    return {
      ...engine.deps,
      store: registeredStore(faulty, (name) => engine.registry.roles.has(name)),
      publisher: {
        publish: (topic, data, attributes) =>
          publishFaulty(process, () => publish(topic, data, attributes).id, world),
        warm() {},
        close: () => Promise.resolve(),
      },
      clock: createClock(process, world),
      llm: drawnModel(process, model, scripts, world),
      connectTools: createToolConnector(
        [source('code', used.code), ...used.servers.map((name) => source(name, renameTools(name, servers)))],
        { warn() {} },
      ),
      agentCache: process.agentCache,
      featureCaches: process.featureCaches,
      pauseCache: process.pauseCache,
      conversations: process.conversations,
      random: () => world.random.int(0, 999) / 1_000,
      randomBytes: (size) => Buffer.from(Array.from({ length: size }, () => bytes.int(0, 255))),
      newId: () => `${process.name}/${++ids}`,
      log,
      failpoint: world.failpoint(process),
    };
  };
}

/** The tools in code and the names of the MCP servers that agents use. */
function listTools(runs: readonly PlannedRun[]): { code: Tool[]; servers: string[] } {
  const all = [...new Set(runs.flatMap(({ agent }) => agent.tools))];
  return {
    code: all.flatMap((one) => (one.kind === 'tool' ? [one] : [])),
    servers: [...new Set(all.flatMap((one) => (one.kind === 'mcp' ? [one.name] : [])))],
  };
}

/** Tools in code under the name of the MCP server that they stand in for. */
function renameTools(server: string, servers: SeedPlan['servers']): Tool[] {
  return (servers[server] ?? []).map((one) => ({
    ...one,
    definition: { ...one.definition, name: one.definition.name.replace(/^code\./, `${server}.`) },
  }));
}

/** People who decide late, twice, against it, or not at all. */
function decideLater(
  approval: string,
  run: string,
  invoke: ReturnType<typeof createProcesses>,
  world: EngineWorld,
): void {
  const { random, time } = world;
  if (random.chance(0.05)) return;
  const verdict = random.chance(0.85) ? { approve: approval } : { deny: approval };
  const decide = (): void =>
    invoke(
      'decide',
      (deps) => signalRun(run, { ...verdict, by: 'simulate' }, deps),
      (error) => {
        if (error !== undefined && !(error instanceof TerminalError))
          time.after(world.drawMs(1_000, 30_000), decide);
      },
    );
  const afterMs = world.drawMs(1_000, random.pick([10_000, 10 * MINUTE]));
  for (let copy = random.pick([1, 1, 2]); copy > 0; copy--) time.after(afterMs, decide);
}

async function judge({ runs, servers }: SeedPlan, ledger: Ledger, { store }: EngineWorld) {
  const changing = new Set(
    [...listTools(runs).code, ...Object.keys(servers).flatMap((name) => renameTools(name, servers))]
      .filter(({ definition }) => !definition.readOnly)
      .map(({ definition }) => definition.name),
  );
  const events = await Promise.all(
    runs.map(({ options: { id } }) => store.list({ collection: paths.timeline(id) }, timelineEventType)),
  );
  return judgeEffects(
    ledger,
    events.flat().map(({ value }) => value),
    (tool) => changing.has(tool),
  );
}
