// The context that all parts of an iteration share.

import type { Controller } from '../../../contract/controller.ts';
import type { Progress } from '../../../contract/llm.ts';
import type { Write } from '../../../contract/store.ts';
import type { Masker } from '../../../masking/masker.ts';
import type { Agent, AgentSnapshot } from '../../../schema/agent.ts';
import type { MessageDraft } from '../../../schema/message.ts';
import type { RuntimeDeps } from '../deps.ts';
import type { TokenLedger } from '../tokens/tokenLedger.ts';
import type { Budget } from './budget.ts';
import type { HeldExecution } from './lease.ts';

/** Guidance for the next request of an execution. It is stored in the batch that ends the call of the model. */
export interface TakenGuidance {
  messages: MessageDraft[];
  /** Number of the last guidance among them, or of the last one before. */
  taken: number;
}

/** The answer of a model while it streams, for readers who watch the session. */
export interface LiveAnswer {
  /** The model is asked: returns the function that takes its answer, piece by piece, until `stop`. */
  listen(): (progress: Progress) => void;
  /** Stops writing and reading, and forgets the text: the model has answered. */
  stop(): void;
  /** What the commit of the answer, or of its failure, has to write so that nothing of the live text is left. */
  deletion(): Write[];
  /** That commit is stored. */
  confirmDeletion(): void;
  /** Waits for a write that is under way, and deletes what no commit has deleted. Never fails; takes 5 s at most. */
  close(): Promise<void>;
}

/** An iteration that this process may run: the held execution, its agent and strategy, and the time it may take. */
export interface IterationContext {
  held: HeldExecution;
  agent: Agent;
  /** Those of the alert. */
  labels: AgentSnapshot['labels'];
  /** Of the session; frames data in prompts. */
  dataNonce: string;
  /** Takes secrets out of what is stored and asked. */
  masker: Masker;
  controller: Controller;
  budget: Budget;
  /** What people said since the last request, which the next one tells the model. */
  guidance: TakenGuidance;
  /** Shows what the model says while it speaks. */
  live: LiveAnswer;
  /** Reserves tokens of budgets: every call of a model needs a reservation. */
  ledger: TokenLedger;
  deps: RuntimeDeps;
}
