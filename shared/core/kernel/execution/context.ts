// The context that all parts of an iteration share.

import type { Controller } from '../../contract/controller.ts';
import type { Guard } from '../../contract/guard.ts';
import type { Progress } from '../../contract/llm.ts';
import type { Write } from '../../contract/store.ts';
import type { TokenLedger } from '../../kernel/tokens/tokenLedger.ts';
import type { Agent, AgentSnapshot } from '../../schema/agent.ts';
import type { MessageDraft } from '../../schema/message.ts';
import type { RuntimeDeps } from '../deps.ts';
import type { Budget } from './budget.ts';
import type { HeldExecution } from './lease.ts';

/** Guidance for an execution's next request, stored in the batch that ends the model's call. */
export interface TakenGuidance {
  /** One user message per guidance, in order; empty for none. */
  messages: MessageDraft[];
  /** Number of the last guidance among them; if there is none, of the last one before. */
  taken: number;
}

/** The answer of a model while it streams, for readers who watch the session. */
export interface LiveAnswer {
  /** Starts a model call: returns the function that takes its answer, piece by piece, until `stop`. */
  listen(): (progress: Progress) => void;
  /** Stops reads and writes, and drops the text: the model has answered. */
  stop(): void;
  /** The writes with which the commit of the answer, or of its failure, deletes the live text. */
  deletion(): Write[];
  /** Records that the commit was stored. */
  confirmDeletion(): void;
  /** Waits for a pending write, and deletes a remaining document. Never fails; takes at most 5 s. */
  close(): Promise<void>;
}

/** The context of this process's iteration: held execution, agent, strategy, and time limit. */
export interface IterationContext {
  /** The execution with its lease, as this process stored it last. */
  held: HeldExecution;
  /** The agent as it was when the execution was created. */
  agent: Agent;
  /** The labels of the alert. */
  labels: AgentSnapshot['labels'];
  /** The nonce of the session, which frames data in prompts. */
  dataNonce: string;
  /** Masks secrets in texts, tools and answers, and refuses calls that carry them. */
  masker: Guard;
  /** The agent's strategy. */
  controller: Controller;
  /** The time limit of the iteration and its abort signal. */
  budget: Budget;
  /** Guidance since the last request, for the next one. */
  guidance: TakenGuidance;
  /** Shows the model's answer while it streams. */
  live: LiveAnswer;
  /** Reserves tokens of budgets: every call of a model needs a reservation. */
  ledger: TokenLedger;
  /** The dependencies of the process. */
  deps: RuntimeDeps;
}
