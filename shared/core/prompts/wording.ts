// The texts of a run, which a product or a program passes: what agents read before their first answer, and
// when they must conclude. Frames, tool lists and formats of answers belong to the protocol.

import type { Agent } from '../schema/agent.ts';
import type { MessageDraft } from '../schema/message.ts';
import type { Session } from '../schema/session.ts';
import type { Finding } from './findings.ts';

/**
 * The texts of a run. Every function is pure, because each process that starts the same stage must store the
 * same messages. `run.session.input` is the input of the run, framed as data, or null without one.
 */
export interface Wording {
  /** The input of a run as agents read it; empty without one. */
  showInput(session: Session): string;
  /** The start of an agent of the chain. */
  investigate(agent: Agent, run: StartedRun): Opening;
  /** The start of an agent that combines the results of a stage. */
  combine(agent: Agent, run: StartedRun & { earlier: Finding[] }): Opening;
  /**
   * The start of an agent that summarises the result of an ended run.
   * @param run.endedEarly the code of the cause; undefined for a complete run.
   */
  summarize(agent: Agent, run: StartedRun & { endedEarly: string | undefined }): Opening;
  /** All messages of an agent that answers a question, with the earlier questions and the question. */
  answer(agent: Agent, run: StartedRun & { question: AskedQuestion }): MessageDraft[];
  /** The start of an agent that another agent asks; a chat is between the two messages. */
  assist(agent: Agent, request: AssistRequest): Opening;
  /** What the tool that asks other agents does, for the model. A list of the agents follows it. */
  readonly asking: string;
  /** The message that makes an agent conclude, without tools. */
  conclude(reason: ConclusionReason, maxIterations: number): string;
}

/** The system prompt and the first message of an agent. */
export interface Opening {
  /** The system prompt. */
  system: string;
  /** The first user message. */
  user: string;
}

/** The state in which an agent starts. */
interface StartedRun {
  /** The session; its `dataNonce` frames untrusted data. */
  session: Session;
  /** The results of earlier stages, oldest first; for a combination, the results that it combines. */
  findings: Finding[];
  /** When the agent's execution is created. */
  now: Date;
}

/** A question about a session. */
export interface AskedQuestion {
  /** The question, masked. */
  text: string;
  /** The user who asks, masked; null when the request names none. */
  userId: string | null;
  /** The earlier questions of the session. */
  history: ChatHistory;
}

/** A request of another agent. */
interface AssistRequest {
  /** The input of the run, framed; null for a run without one. */
  alert: string | null;
  /** The question of the asking agent, with its data. */
  question: string;
  /** The name of the asking agent. */
  asker: string;
  /** The user's question that the asking agent answers; undefined in a run without questions. */
  chat: { userId: string | null; isDirect: boolean } | undefined;
  /** The nonce of the session. */
  nonce: string;
  /** When the execution of the asked agent is created. */
  now: Date;
}

/** An answered question. */
export interface Exchange {
  /** The question as it was asked, masked. */
  question: string;
  /** Whole, unless it exceeds the space of the conversation and the agent can look it up by its key. */
  answer: string;
  /** The calls behind the answer with the heads of their results. Absent: none, or they do not fit. */
  evidence?: string;
}

/** The earlier questions, oldest first. */
export interface ChatHistory {
  /** The latest 20 answered questions at most. */
  exchanges: Exchange[];
  /** Number of earlier questions that exceed the space, or that could not be read. */
  leftOut: number;
}

/**
 * Why an agent is made to conclude: out of iterations, two empty answers or two time-outs of the model in a
 * row, a budget of tokens is used up, or none of its tools can be reached.
 */
export type ConclusionReason = 'iterations_used' | 'empty_answers' | 'time_outs' | 'budget' | 'no_tools';
