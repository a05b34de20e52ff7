// Tools of a simulation: their functions are replaced, and each effect is counted by its call.

import type { TimelineEvent } from '../../core/schema/timelineEvent.ts';
import { codeSource, OUTCOME_UNKNOWN, type Tool, type ToolContext } from '../tool.ts';
import type { FaultWorld } from './faults.ts';
import { callRemote, createClock, type SimulatedProcess } from './simulatedProcess.ts';

/** What the replacement of a tool gets beside its input. */
export interface ReplacementContext extends ToolContext {
  /**
   * States that the call has had an effect now. A tool that `changes` has one each time its function starts;
   * for a read-only one it is only counted if its replacement calls this.
   */
  effect(): void;
}

interface ReplacementForm {
  run(input: Record<string, unknown>, context: ReplacementContext): unknown;
}
/** Stands in for the function of a tool. It answers at once: time passes around it, not in it. */
export type Replacement = ReplacementForm['run'];

/** Effects of the calls of all seeds. */
export interface Effects {
  /** Calls with one effect, whose run has the result. */
  once: number;
  /** Calls whose outcome the run reports as unknown, with one effect or none. */
  unknown: number;
  /** Calls with more than one effect. */
  doubled: number;
  /** Calls whose run reports another outcome than there was. */
  lost: number;
}

/** One call that a run made. */
interface Call {
  key: string;
  tool: string;
  effects: number;
}

/** The calls of a seed. */
export interface Ledger {
  /** By run, execution, and the id that the model gave the call. */
  calls: Map<string, Call>;
  /** A replacement that failed the simulation itself: it did not answer. */
  fault: Error | undefined;
}

/** The results of calls that failed, or were stopped by the time of their iteration, after they had begun. */
const UNKNOWN_TEXT = new RegExp(`^${OUTCOME_UNKNOWN}|effect is unverified\\.$`);
/** Real milliseconds in which a replacement has to answer. */
const REPLACEMENT_LIMIT_MS = 10_000;

const composeCallId = (key: string, callId: string): string => {
  const [run = '', execution = ''] = key.split('/');
  return `${run}/${execution}/${callId}`;
};

/**
 * The source of a process' tools.
 * @param name `code`, or the MCP server that the tools stand in for.
 */
export function replacedSource(
  name: string,
  tools: readonly Tool[],
  replacements: Readonly<Record<string, Replacement>>,
  process: SimulatedProcess,
  ledger: Ledger,
  world: FaultWorld & { killAfterEffect(process: SimulatedProcess, tool: string): void },
): ReturnType<typeof codeSource> {
  const { after } = createClock(process, world);
  const byName = new Map(tools.map((one) => [one.definition.name, one]));
  return codeSource(
    byName,
    (tool, call, options) => {
      const { name: toolName, readOnly } = tool.definition;
      const short = toolName.slice(toolName.indexOf('.') + 1);
      const key = options.idempotencyKey;
      const id = composeCallId(key, call.callId);
      const made = ledger.calls.get(id) ?? { key, tool: short, effects: 0 };
      ledger.calls.set(id, made);
      const effect = () => {
        made.effects++;
        world.traceLine(`${process.name}: ${short} has an effect (${key})`);
      };
      const replacement = replacements[short];
      const run = (input: unknown, context: ToolContext) => {
        const work = async () => {
          if (!readOnly) effect();
          const answer = async () => replacement?.(input as Record<string, unknown>, { ...context, effect });
          const answered = world.time.hold(withinLimit(answer(), short, ledger));
          return await answered.finally(() => world.killAfterEffect(process, short));
        };
        world.traceLine(`${process.name} calls ${short} (${key})`);
        return callRemote(process, work, world.drawMs(10, 2_000), world);
      };
      return tool.call(call, options, { after, run });
    },
    name,
  );
}

async function withinLimit<T>(answer: Promise<T>, tool: string, ledger: Ledger): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      ledger.fault = new RangeError(
        `the replacement of ${tool} has not answered within ${REPLACEMENT_LIMIT_MS / 1_000} s; it must answer at once`,
      );
      reject(ledger.fault);
    }, REPLACEMENT_LIMIT_MS);
  });
  try {
    return await Promise.race([answer, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** What is wrong with the effects of a run, and the counts of those that are right. */
interface Judgement {
  effects: Effects;
  broken: string[];
}

/**
 * Compares effects with the results that runs have.
 * @param events the events of each run.
 * @param changes whether a tool that the model named changes something.
 */
export function judgeEffects(
  { calls }: Ledger,
  events: readonly TimelineEvent[],
  changes: (tool: string) => boolean,
): Judgement {
  const effects: Effects = { once: 0, unknown: 0, doubled: 0, lost: 0 };
  const broken: string[] = [];
  const results = new Map<string, 'done' | 'unknown' | 'nothing'>();
  for (const { sessionId, executionId, eventType, metadata, content } of events) {
    if (eventType !== 'tool_result') continue;
    const id = `${sessionId}/${executionId}/${metadata.callId}`;
    const isUnknown = metadata.outcome === 'unknown' || UNKNOWN_TEXT.test(content);
    results.set(id, isUnknown ? 'unknown' : metadata.isError ? 'nothing' : 'done');
    if (!isUnknown && !metadata.isError && changes(metadata.toolName) && !calls.has(id)) {
      effects.lost++;
      broken.push(`${metadata.toolName} (${id}) is reported as done, and was not called`);
    }
  }
  for (const [id, call] of calls) {
    const result = results.get(id);
    const fault = findFault(call, result, changes(`code.${call.tool}`));
    if (fault !== undefined) broken.push(`${call.tool} (${call.key}) ${fault}`);
    if (call.effects > 1) effects.doubled++;
    else if (fault !== undefined) effects.lost++;
    else if (result === 'unknown') effects.unknown++;
    else if (call.effects === 1) effects.once++;
  }
  return { effects, broken };
}

function findFault(
  { effects }: Call,
  result: 'done' | 'unknown' | 'nothing' | undefined,
  isChanging: boolean,
): string | undefined {
  if (effects > 1) return `had its effect ${effects} times`;
  if (effects === 1 && result === 'nothing') return 'had its effect, and is reported as not executed';
  if (effects === 1 && result === undefined) return 'had its effect, and its run does not report it';
  if (effects === 0 && result === 'done' && isChanging) return 'is reported as done, and had no effect';
  return undefined;
}
