// A session with checked claims: scripted agents, servers with texts, and the verdict.

import { KEEPS_LEDGER } from '../../../shared/core/contract/ledgerTool.ts';
import type { ToolOutcome, ToolSource } from '../../../shared/core/contract/tools.ts';
import { TerminalError } from '../../../shared/core/errors.ts';
import type { Yields } from '../../../shared/core/schema/block.ts';
import { readPart } from '../../../shared/core/schema/parts.ts';
import { verdictPart } from '../../../shared/evidence/schema/verdict.ts';
import { readSessionClaims } from '../../../shared/kits/claims/sessionClaims.ts';
import { createToolConnector } from '../../../shared/tools/connectTools.ts';
import { CLAIMS_ROLE } from '../../../shared/wording/claims.ts';
import { type Bench, type BenchOptions, startBench } from '../../support/harness.ts';

type Args = Record<string, unknown>;
/** A conversation of the script, and a turn of it. */
type Conversation = BenchOptions['script']['conversations'][number];
export type Turn = Conversation['turns'][number];

/** A tool of a server. */
export interface PlayedTool {
  /** Its answer, or the answer to arguments at the time of the bench; undefined: it does not answer. */
  answer: string | ((args: Args, now: Date) => string | undefined | Promise<string | undefined>) | undefined;
  /** Default: `text`. */
  yields?: Yields;
  /** The field list of its results. Default: none. */
  fields?: string;
  /** Whether an answer is an error. Default: none is. */
  isError?: boolean | ((answer: string) => boolean);
  /** Default: true. */
  readOnly?: boolean;
  costs?: true;
  /** The description changes with the connection that has this number, from 1. */
  changesAt?: number;
}

/** A session to play. */
export interface Play {
  /** Tools by `server.tool`. */
  tools: Record<string, PlayedTool>;
  /** The turns of the only agent. */
  turns: Turn[];
  /** The answer about claims; null: the call fails. Default: the cause is h1. */
  claims?: Args | null;
  alert?: unknown;
  /** The server that is missing, from the connection with this number on. */
  missing?: { server: string; from: number };
  options?: Partial<BenchOptions>;
  prepare?: (bench: Bench) => void;
}

/** A turn that calls tools, and one that states something in the ledger. */
export const calls = (...names: (string | [string, Args])[]): Turn => ({
  toolCalls: names.map((one) => {
    const [name, args] = typeof one === 'string' ? [one, {}] : one;
    return { name, args };
  }),
});
export const states = (ledger: Args): Turn => calls(['ledger', ledger]);

/** Starts a session. `finish` plays it to its end. */
export async function startPlay(play: Play) {
  const json = (value: Args | null): Turn[] =>
    value === null ? [{ text: 'no JSON' }, { text: 'none' }] : [{ text: JSON.stringify(value) }];
  const { claims = { conclusion: 'cause', cause: ['h1'] } } = play;
  const servers = [...new Set(Object.keys(play.tools).map((name) => name.split('.')[0] ?? ''))];
  const bench = await startBench({
    claims: {},
    inMemory: true,
    ...play.options,
    agent: {
      tools: [...servers, KEEPS_LEDGER],
      ...play.options?.agent,
      limits: { maxIterations: 12, ...play.options?.agent?.limits },
    },
    script: {
      conversations: [
        { when: CLAIMS_ROLE, turns: json(claims) },
        ...(play.options?.script?.conversations ?? []),
        { turns: play.turns },
      ],
    },
  });
  const now = () => bench.deps.clock.now();
  bench.deps.connectTools = createToolConnector(
    servers.map((server) => source(server, play, now)),
    { warn: () => {} },
  );
  play.prepare?.(bench);
  const sessionId = await bench.publishAlert(play.alert);
  return { bench, finish: () => finishPlay(bench, sessionId) };
}

/** Plays a session to its end. */
export const playVerdict = async (play: Play) => (await startPlay(play)).finish();

async function finishPlay(bench: Bench, sessionId: string) {
  await bench.drain();
  const [failed] = bench.deadLetters;
  if (failed !== undefined) throw failed.error;
  const run = await bench.read(sessionId);
  const checked = await readSessionClaims(sessionId, bench.deps.store, bench.deps.clock.now());
  const evidence = Object.fromEntries(
    (checked?.executions ?? []).flatMap(({ matches }) => [...matches].map(([id, { state }]) => [id, state])),
  );
  const {
    value = null,
    rule = '',
    caps = [],
    isRecovered = false,
  } = readPart(verdictPart, run.session) ?? {};
  return { ...run, bench, checked, evidence, verdict: { value, rule, caps, isRecovered } };
}

function source(server: string, { tools, missing }: Play, now: () => Date): ToolSource {
  const own = Object.entries(tools).filter(([name]) => name.startsWith(`${server}.`));
  let connections = 0;
  return {
    name: server,
    connect: async () => {
      connections++;
      if (missing?.server === server && connections >= missing.from)
        throw new TerminalError('TOOL_SERVER_UNAVAILABLE', 'the server refuses the login');
      return {
        tools: own.map(
          ([name, { yields, fields, costs, readOnly = true, changesAt = Number.POSITIVE_INFINITY }]) => ({
            name,
            inputSchema: { type: 'object' },
            readOnly,
            ...(yields && { yields }),
            ...(fields && { fields }),
            ...(costs && { costs }),
            description: connections >= changesAt ? `${name}, and more` : name,
          }),
        ),
        results: {},
        call: async ({
          name,
          arguments: json,
        }: {
          name: string;
          arguments: string;
        }): Promise<ToolOutcome> => {
          const { answer, isError = false } = tools[name] ?? { answer: undefined };
          const args = (json === '' ? {} : JSON.parse(json)) as Args;
          const content = typeof answer === 'function' ? await answer(args, now()) : answer;
          return content === undefined
            ? { content: 'no answer', isError: true, timedOut: true }
            : {
                content,
                isError: typeof isError === 'boolean' ? isError : isError(content),
                timedOut: false,
              };
        },
        close: async () => {},
      };
    },
  } as unknown as ToolSource;
}
