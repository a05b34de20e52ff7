// Opens a run: a session with its first stage, in one batch, as a question or an alert does.

import { announce } from '../core/contract/announce.ts';
import { createDocument } from '../core/contract/store.ts';
import { TerminalError } from '../core/errors.ts';
import { type AlertDeps, randomHex } from '../core/kernel/deps.ts';
import { FRESH_SESSION } from '../core/kernel/session/freshSession.ts';
import { deriveFields } from '../core/kernel/stageFeature.ts';
import { publishIteration } from '../core/kernel/state/nextIteration.ts';
import {
  type ChainSnapshot,
  chainSnapshotSchema,
  type Limits,
  type PlannedAgent,
} from '../core/schema/agent.ts';
import { composeStageId, paths, sessionType } from '../core/schema/coreDocuments.ts';
import { withPart } from '../core/schema/parts.ts';
import { DEFAULT_TENANT, type Session, sessionDueAt, TENANT_ID } from '../core/schema/session.ts';
import { continueSession } from '../core/session/continueSession.ts';
import { startStage } from '../core/stage/startStage.ts';
import { cleanText } from '../masking/cleanText.ts';
import { maskInstructions } from '../masking/maskInstructions.ts';
import { runLabelsPart } from '../schema/runLabels.ts';
import { markLines } from '../text/untrustedFrame.ts';
import { firstFault } from '../text/zodIssues.ts';

/** Milliseconds until a run ends as timed out, and the longest time that can be set. */
const DEFAULT_DEADLINE_MS = 40 * 60_000;
const LONGEST_DEADLINE_MS = 7 * 24 * 3_600_000;
/** Milliseconds for which documents of a run are kept. */
const DEFAULT_RETENTION_MS = 30 * 24 * 3_600_000;
/** UTF-8 bytes of an input: a document of the store holds it with the chain and the answer. */
const MAX_INPUT_BYTES = 128_000;
/** The most labels of a run, and the longest value. */
const MAX_LABELS = 32;
const MAX_LABEL_VALUE = 256;
const LABEL_NAME = /^[A-Za-z0-9][A-Za-z0-9_./-]{0,62}$/;
/** The id of a run is the id of documents. */
const RUN_ID = /^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$/;

/** Limits of agents; durations are milliseconds, sizes UTF-8 bytes. */
type RunLimits = Partial<Omit<Limits, 'dailyTokens'>>;

/** Options of a run. */
export interface StartOptions {
  /**
   * The id of the run: letters, digits, `_` and `-`, at most 100, unique in the database. A second start with
   * the id of a run of the same agent and tenant starts nothing. Default: a new one.
   */
  id?: string;
  /** The owner. Default: `default`. */
  tenant?: string;
  /**
   * Texts for people and for `list`, by name: at most 32, a name of at most 63 letters, digits, `_`, `.`, `/`
   * and `-`, a value of at most 256 characters. Secrets in values are masked. Models do not see them.
   * Default: none.
   */
  labels?: Readonly<Record<string, string>>;
  /** Milliseconds until the run ends as `timed_out`, at most 7 days. Default: 40 minutes. */
  deadlineMs?: number;
  /** Limits of the run's agents in place of their own. Default: none. */
  limits?: RunLimits;
  /** Milliseconds until the store deletes its documents. Default: 30 days. */
  retentionMs?: number;
}

/** What the agent works on. */
export interface RunInput {
  /** The task or the data, at most 128 kB. Secrets in it are masked. */
  input: string;
}

/**
 * Stores a run and publishes its first iterations.
 * @returns the id of the run.
 * @throws TerminalError `REQUEST_INVALID` for an option, `KEY_TAKEN` for an id of another run; RetryableError
 *   when store or publisher fail: a second start with the same id continues.
 */
export async function startRun(
  chain: ChainSnapshot,
  { input }: RunInput,
  options: StartOptions,
  deps: AlertDeps,
): Promise<string> {
  checkOptions(input, options);
  const now = deps.clock.now();
  const session = planSession(limitChain(chain, options.limits), input, options, now, deps);
  const { sessionId, tenantId } = session;
  const { stage, executions, writes } = startStage(
    session,
    { index: 1, kind: 'investigation', findings: [] },
    now,
    deps,
  );
  const batch = [
    createDocument(paths.session(sessionId), sessionType, deriveFields(session, undefined, deps)),
    ...writes,
  ];
  const { ok } = await announce({}, { session, stages: [stage] }, batch, deps);
  if (ok) {
    await Promise.all(executions.map((execution) => publishIteration(deps.publisher, execution)));
    return sessionId;
  }
  const earlier = await deps.store.get(paths.session(sessionId), sessionType);
  if (earlier?.value.chain.name !== chain.name || earlier.value.tenantId !== tenantId)
    throw new TerminalError('KEY_TAKEN', `id: ${sessionId} is the id of another run; choose another id`);
  await continueSession(sessionId, deps);
  return sessionId;
}

function checkOptions(input: string, options: StartOptions): void {
  const { id, tenant, labels = {}, deadlineMs, retentionMs } = options;
  const refuse = (field: string, fault: string): never => {
    throw new TerminalError('REQUEST_INVALID', `${field}: ${fault}`);
  };
  if (typeof input !== 'string' || input.trim() === '') refuse('input', 'is empty; pass the task as text');
  const bytes = Buffer.byteLength(input);
  if (bytes > MAX_INPUT_BYTES) refuse('input', `has ${bytes} bytes; at most ${MAX_INPUT_BYTES} are read`);
  if (id !== undefined && !RUN_ID.test(id))
    refuse(
      'id',
      'must start with a letter or digit, and hold only letters, digits, "_" and "-", at most 100',
    );
  if (tenant !== undefined && !TENANT_ID.test(tenant))
    refuse(
      'tenant',
      'must start with a letter or digit, and hold only letters, digits, "_" and "-", at most 63',
    );
  const names = Object.keys(labels);
  if (names.length > MAX_LABELS)
    refuse('labels', `has ${names.length} entries; at most ${MAX_LABELS} are stored`);
  for (const [name, value] of Object.entries(labels)) {
    if (!LABEL_NAME.test(name))
      refuse(
        'labels',
        `${JSON.stringify(name)} must start with a letter or digit, and hold only letters, digits, "_", ".", "/" and "-", at most 63`,
      );
    if (typeof value !== 'string' || value.length > MAX_LABEL_VALUE)
      refuse(`labels.${name}`, `must be a text of at most ${MAX_LABEL_VALUE} characters`);
  }
  if (deadlineMs !== undefined && !(deadlineMs > 0 && deadlineMs <= LONGEST_DEADLINE_MS))
    refuse('deadlineMs', `must be above 0 and at most ${LONGEST_DEADLINE_MS}`);
  if (retentionMs !== undefined && !(retentionMs > 0)) refuse('retentionMs', 'must be above 0');
}

function limitChain(chain: ChainSnapshot, limits: RunLimits | undefined): ChainSnapshot {
  if (limits === undefined) return chain;
  const limit = (agent: PlannedAgent) => ({ ...agent, limits: { ...agent.limits, ...limits } });
  const stages = chain.stages.map((stage) => ({
    ...stage,
    agents: stage.agents.map(limit),
    synthesis: stage.synthesis && limit(stage.synthesis),
  }));
  const read = chainSnapshotSchema.safeParse({ ...chain, stages });
  if (read.success) return read.data;
  throw new TerminalError('REQUEST_INVALID', `limits: ${firstFault(read.error, { ...chain, stages })}`);
}

function planSession(
  plan: ChainSnapshot,
  input: string,
  {
    id,
    tenant = DEFAULT_TENANT,
    labels,
    deadlineMs = DEFAULT_DEADLINE_MS,
    retentionMs = DEFAULT_RETENTION_MS,
  }: StartOptions,
  now: Date,
  deps: Pick<AlertDeps, 'maskerFor' | 'randomBytes'>,
): Session {
  const maskKey = randomHex(deps, 16);
  const masker = deps.maskerFor(maskKey);
  const chain = maskInstructions(plan, masker);
  const dataNonce = randomHex(deps, 6);
  const newId = `${now.toISOString().slice(0, 10)}-${chain.name}-${randomHex(deps, 8)}`;
  const status = 'in_progress';
  const deadline = new Date(now.getTime() + deadlineMs);
  const masked = Object.entries(labels ?? {}).map(([name, value]) => [name, cleanText(masker, value).text]);
  const session: Session = {
    ...FRESH_SESSION,
    sessionId: id ?? newId,
    tenantId: tenant,
    userId: null,
    kind: 'investigation',
    status,
    // The task is the caller's own text: it is no data of others, and cannot open a frame.
    input: markLines(cleanText(masker, input).text),
    dataNonce,
    maskKey,
    chain,
    currentStageId: composeStageId(1, chain.stages[0]?.name ?? ''),
    deadline,
    dueAt: sessionDueAt({ status, openStage: null, deadline, createdAt: now, deferral: null }),
    expireAt: new Date(now.getTime() + retentionMs),
    traceparent: null,
    createdAt: now,
  };
  return labels === undefined ? session : withPart(runLabelsPart, session, Object.fromEntries(masked));
}
