// Tools in code: functions with a zod schema, a version and a time limit, as a source of tools.

import * as z from 'zod';
import type {
  ExecuteOptions,
  ToolCall,
  ToolDefinition,
  ToolOutcome,
  ToolSource,
} from '../core/contract/tools.ts';
import { errorMessage, RetryableError, TerminalError } from '../core/errors.ts';
import type { Clock } from '../core/kernel/deps.ts';
import { nameSchema } from '../core/schema/common.ts';
import { parseCallArguments } from '../text/callArguments.ts';
import { placedIssue } from '../text/zodIssues.ts';

/** The source of all tools in code; models and scripts name a tool `code.NAME`. */
export const CODE_SOURCE = 'code';
/** Attempts of a read-only call that throws a RetryableError. */
const MAX_ATTEMPTS = 3;
/** Milliseconds before the second attempt; the next pause is twice as long. */
const FIRST_PAUSE_MS = 200;

/** Begins the result of a call that changes something, started and failed. */
export const OUTCOME_UNKNOWN = 'Outcome unknown:';

/** What a call of a tool gets beside its input. */
export interface ToolContext {
  /** The same for each attempt at a call, and different for each call. Pass it to the system that changes. */
  idempotencyKey: string;
  /** Aborts at the time limit of the call, and when the run ends. */
  signal: AbortSignal;
}

/** A tool that a program defines. */
export interface ToolOptions<I extends z.ZodType> {
  /** Letters, digits, `_` and `-`, at most 63. Unique in an engine. */
  name: string;
  /**
   * Changes with the meaning of the tool: a run that saw another version is not offered the tool any more.
   */
  version: string;
  /** What the tool does, for the model. Default: none. */
  description?: string;
  /** The arguments, an object. A call with other arguments is answered with the faults, and runs nothing. */
  input: I;
  /** Whether a call has an effect outside. Default: it only reads, so it can run in parallel and again. */
  changes?: boolean;
  /** `required`: a person has to approve each call. Only with `changes`. Default: none has to. */
  approval?: 'required';
  /** Milliseconds until a call ends. Default: the agent's `toolTimeoutMs`. */
  timeoutMs?: number;
  /**
   * Runs a call. A text is the answer as it is, any other value as JSON. A read-only call that throws a
   * RetryableError runs up to 3 times. From a call that `changes`, a RetryableError states that nothing
   * happened; after any other error its outcome is unknown to the model. Other errors are the tool's answer.
   */
  run(input: z.output<I>, context: ToolContext): unknown;
}

/** A tool in code, which agents list in `tools`. */
export interface Tool {
  readonly kind: 'tool';
  /** As the model sees it. */
  readonly definition: ToolDefinition;
  /** Runs one call. Only an abort of the caller's signal throws. */
  call(call: ToolCall, options: ExecuteOptions, stand?: StandIn): Promise<ToolOutcome>;
}

/** What replaces the parts of a tool in a simulation. */
interface StandIn {
  /** Measures limits and pauses. Default: real time. */
  after: Clock['after'];
  /** Runs in place of the tool's own function. Default: that one. */
  run?: (input: unknown, context: ToolContext) => unknown;
}

/**
 * Defines a tool.
 * @throws TerminalError `CONFIG_INVALID` for options that contradict each other, or cannot be described.
 */
export function tool<I extends z.ZodType>(options: ToolOptions<I>): Tool {
  const { name, version, description = '', input, changes = false, approval, timeoutMs } = options;
  const refuse = (field: string, fault: string): never => {
    throw new TerminalError('CONFIG_INVALID', `tool ${name}: ${field} ${fault}`);
  };
  if (!nameSchema.safeParse(name).success)
    refuse('name', 'must start with a letter and hold only letters, digits, "_" and "-", at most 63');
  if (version === '') refuse('version', 'is empty; start with "1"');
  if (approval !== undefined && !changes)
    refuse('approval', 'has no effect without changes: true; add that, or remove approval');
  if (timeoutMs !== undefined && !(timeoutMs > 0)) refuse('timeoutMs', 'must be above 0');
  const { $schema: _, ...inputSchema } = describeForm(input, 'input', (fault) => refuse('input', fault));
  if (inputSchema.type !== 'object') refuse('input', 'must be an object: z.object({ … })');
  const definition: ToolDefinition = {
    name: `${CODE_SOURCE}.${name}`,
    version,
    description,
    inputSchema,
    readOnly: !changes,
    ...(approval !== undefined && { waits: 'person' }),
  };
  return {
    kind: 'tool',
    definition,
    call: (call, given, { after, run = options.run } = REAL) =>
      runCall({ ...options, run: run as typeof options.run }, call, given, after),
  };
}

/** The JSON Schema of a form. @param refuse called with the fault of one that cannot be described. */
export function describeForm(form: z.ZodType, io: 'input' | 'output', refuse: (fault: string) => never) {
  try {
    return z.toJSONSchema(form, { io });
  } catch (error) {
    return refuse(`cannot be described to a model: ${errorMessage(error)}`);
  }
}

/**
 * The tools of a program as one source.
 * @param tools by their names for models; can grow.
 * @param call runs a call. Default: the tool's own.
 * @param name of the source. Default: `code`.
 */
export function codeSource(
  tools: ReadonlyMap<string, Tool>,
  call: (tool: Tool, call: ToolCall, options: ExecuteOptions) => Promise<ToolOutcome> = (tool, ...given) =>
    tool.call(...given),
  name = CODE_SOURCE,
): ToolSource {
  return {
    name,
    async connect() {
      return {
        tools: [...tools.values()].map(({ definition }) => definition),
        call: (given, options) => {
          const found = tools.get(given.name);
          if (found === undefined) throw new RangeError(`${given.name} is not a tool of this program`);
          return call(found, given, options);
        },
        close: async () => {},
      };
    },
  };
}

/** Timers that keep the process alive: a tool may wait for nothing else. */
const REAL: StandIn = {
  after(ms, action) {
    const timer = setTimeout(action, ms);
    return () => clearTimeout(timer);
  },
};

async function runCall<I extends z.ZodType>(
  options: ToolOptions<I>,
  call: ToolCall,
  { signal, timeoutMs, idempotencyKey }: ExecuteOptions,
  after: StandIn['after'],
): Promise<ToolOutcome> {
  signal.throwIfAborted();
  const given = parseCallArguments(call.arguments);
  const parsed = options.input.safeParse(given);
  if (!parsed.success) {
    const faults = parsed.error.issues.map((issue) => placedIssue(issue, given, 'arguments')).join('; ');
    return failed(`The arguments do not fit: ${faults}. Nothing was executed.`);
  }
  const limitMs = options.timeoutMs ?? timeoutMs;
  const limit = new AbortController();
  const cancel = after(limitMs, () => limit.abort());
  const either = AbortSignal.any([signal, limit.signal]);
  const context = { idempotencyKey, signal: either };
  try {
    const result = await untilAborted(either, () => attempt(options, parsed.data, context, after));
    return { content: toText(result), isError: false, timedOut: false };
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    if (limit.signal.aborted)
      return { ...failed(explain(options, `no answer within ${limitMs} ms`)), timedOut: true };
    if (options.changes === true && error instanceof RetryableError)
      return failed(`Not executed, nothing happened: ${errorMessage(error)}`);
    return failed(explain(options, errorMessage(error)));
  } finally {
    cancel();
  }
}

/** Runs a read-only call again after a RetryableError. A call that changes something runs once. */
async function attempt<I extends z.ZodType>(
  { run, changes = false }: ToolOptions<I>,
  input: z.output<I>,
  context: ToolContext,
  after: StandIn['after'],
): Promise<unknown> {
  for (let attempts = 1; ; attempts++) {
    try {
      return await run(input, context);
    } catch (error) {
      if (changes || !(error instanceof RetryableError) || attempts === MAX_ATTEMPTS) throw error;
      const pauseMs = error.retryAfterMs ?? FIRST_PAUSE_MS * 2 ** (attempts - 1);
      await untilAborted(context.signal, () => new Promise<void>((resolve) => void after(pauseMs, resolve)));
    }
  }
}

/** The result of `work`, or the rejection of the signal's abort, also if `work` ignores the signal. */
function untilAborted<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    work().then(resolve, reject);
  });
}

function explain(
  { name, changes = false }: Pick<ToolOptions<z.ZodType>, 'name' | 'changes'>,
  reason: string,
): string {
  return changes
    ? `${OUTCOME_UNKNOWN} ${name} started and failed: ${reason}. Verify whether it took effect before you rely on it or call it again.`
    : reason;
}

const failed = (content: string): ToolOutcome => ({ content, isError: true, timedOut: false });

function toText(result: unknown): string {
  if (typeof result === 'string') return result;
  return result === undefined ? 'Done.' : JSON.stringify(result);
}
