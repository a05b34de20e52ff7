// The interface of a feature of stages. `lists/stageFeatures.ts` lists those of the product, and
// `StateDeps.stageFeatures` passes them. Without features a session runs the stages of its chain and ends.

import type { Announced } from '../contract/announce.ts';
import type { Logger } from '../contract/logger.ts';
import type { Store, Write } from '../contract/store.ts';
import type { Finding } from '../prompts/findings.ts';
import type { Agent, PlannedAgent } from '../schema/agent.ts';
import type { CaveatCode } from '../schema/common.ts';
import type { Execution } from '../schema/execution.ts';
import type { MessageDraft } from '../schema/message.ts';
import type { Session } from '../schema/session.ts';
import type { Stage } from '../schema/stage.ts';

/** One feature: an object with the hooks that it needs. */
export interface StageFeature {
  /** Changes an agent of the chain when its stage starts. Pure. */
  prepareAgent?(agent: Agent, session: Session, now: Date): Agent;
  /** Changes an execution of a stage when it starts. Pure. */
  startExecution?(execution: Execution, session: Session): Execution;
  /**
   * Brings a session up to date before one of its stages starts. The change is stored with the stage.
   * @throws RetryableError when the store fails.
   */
  beforeStage?(session: Session, deps: StageReads): Promise<Session>;
  /**
   * Judges a stage whose executions have all ended. The first feature with a judgement decides.
   * @throws RetryableError when the store fails, and for documents of newer code.
   */
  judge?(ended: EndedStage, now: Date, deps: StageReads): Promise<Judgement | undefined>;
  /** Inserts a stage after a successful one, or judges why there is none. Pure; the first answer decides. */
  insertStage?(place: StagePlace, now: Date): Inserted | undefined;
  /** The facts of a session's input. The first answer counts. Default: none. Pure. */
  describeInput?(session: Session): InputFacts | undefined;
  /** The fields of a session that follow from others, at each write. `before`: as stored. Pure. */
  deriveFields?(session: Session, before: Session | undefined): Session;
  /** The writes of the batch that ends a session, without preconditions. Pure. */
  writesOfEnd?(ended: Session, executions: readonly Execution[], now: Date): Write[];
}

/** The input of a run as its feature reads it. */
interface InputFacts {
  /** For logs. Absent: it has none. */
  title?: string;
  /** How urgent it is, as its source states it, for the service tier. Absent or null: unknown. */
  severity?: string | null;
  /** Whether it comes first after an outage. Default: no. */
  isCritical?: boolean;
  /** Values by name, to which parameters of tools can be bound. */
  labels: Record<string, string>;
}

/** The dependencies of hooks that read. */
interface StageReads {
  store: Store;
  log: Logger;
}

/** A stage whose executions have all ended, before anything is decided. */
export interface EndedStage {
  session: Session;
  stage: Stage;
  /** The executions of the stage's own agents. */
  executions: readonly Execution[];
}

/** The place between a successful stage and its successor. */
export interface StagePlace {
  session: Session;
  /** The position of the stage in the chain, from 1. */
  index: number;
  /** The results so far, and their text as the session would show it. */
  findings: Finding[];
  analysis: string | null;
  /** The executions of the stage. */
  executions: readonly Execution[];
  /** Tokens of the session, with those of the stage. */
  tokens: number;
  /** The position of the next investigation; undefined before the end, and before a synthesis. */
  nextIndex: number | undefined;
  /** Whether the session ends otherwise. */
  isLast: boolean;
}

/** A stage to insert; or the judgement without it, which counts only where the session ends. */
export type Inserted = { stage: InsertedStage } | { without: Judgement };

/** A stage that a feature inserts. It has the position of the stage before. */
export interface InsertedStage {
  kind: 'claims';
  /** Its agent, deadline and first messages. @throws as `judge`. */
  prepare(ended: EndedStage, findings: Finding[], now: Date, deps: StageReads): Promise<OwnStage>;
  /** The judgement if its documents can never be stored. */
  otherwise: Judgement;
}

/** What a feature concluded at the end of a stage. */
export interface Judgement {
  /** The changed session, and the documents that are stored and announced with it. Pure. */
  apply(session: Session, now: Date): Judged;
  /** The result of a session that has no other. Absent: none. */
  answer?: { finding: Finding; caveat: CaveatCode };
  /** Only after an inserted stage: a further one. Absent: none. */
  again?: InsertedStage;
  /** Only after an inserted stage: the position of the next stage of the chain. Absent: the session ends. */
  nextIndex?: number;
}

/** A session with a judgement. */
export interface Judged {
  session: Session;
  writes: Write[];
  /** Further documents that are announced. */
  announced: Omit<Announced, 'session' | 'stages'>;
}

/** A stage of a feature. Its name is that of its agent. */
export interface OwnStage {
  /** Its only agent. */
  agent: PlannedAgent;
  /** The latest end. */
  deadline: Date;
  /** The first messages of the agent. */
  messages: MessageDraft[];
}

/** The first answer of a hook. */
export function firstAnswer<F, T>(features: readonly F[], ask: (feature: F) => T | undefined): T | undefined {
  for (const feature of features) {
    const answer = ask(feature);
    if (answer !== undefined) return answer;
  }
  return undefined;
}

/** The facts of a session's input. */
export const describeInput = (
  session: Session,
  { stageFeatures }: { stageFeatures: readonly StageFeature[] },
): InputFacts => firstAnswer(stageFeatures, (one) => one.describeInput?.(session)) ?? { labels: {} };

/** A session with the fields that features derive. */
export function deriveFields(
  session: Session,
  before: Session | undefined,
  { stageFeatures }: { stageFeatures: readonly StageFeature[] },
): Session {
  return stageFeatures.reduce((one, feature) => feature.deriveFields?.(one, before) ?? one, session);
}

/** The writes of all features for the batch that ends a session. */
export function writesOfEnd(
  ended: Session,
  executions: readonly Execution[],
  now: Date,
  { stageFeatures }: { stageFeatures: readonly StageFeature[] },
): Write[] {
  return stageFeatures.flatMap((feature) => feature.writesOfEnd?.(ended, executions, now) ?? []);
}
