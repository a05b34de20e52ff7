// The context that all parts of an iteration share.

import type { Controller } from '../../../contract/controller.ts';
import type { Masker } from '../../../masking/masker.ts';
import type { Agent, AgentSnapshot } from '../../../schema/agent.ts';
import type { TakenGuidance } from '../../features/guidance/loadGuidance.ts';
import type { LiveWriter } from '../../features/live/liveText.ts';
import type { RuntimeDeps } from '../deps.ts';
import type { TokenLedger } from '../tokens/tokenLedger.ts';
import type { Budget } from './budget.ts';
import type { HeldExecution } from './lease.ts';

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
  live: LiveWriter;
  /** Reserves tokens of budgets: every call of a model needs a reservation. */
  ledger: TokenLedger;
  deps: RuntimeDeps;
}
