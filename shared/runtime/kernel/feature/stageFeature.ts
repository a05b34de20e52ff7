// Stages that features add to those of a chain.

import type { PlannedAgent } from '../../../schema/agent.ts';
import type { MessageDraft } from '../../../schema/message.ts';

/** A stage of a feature. Its name is that of its agent. */
export interface OwnStage {
  /** Its only agent. */
  agent: PlannedAgent;
  /** The latest end. */
  deadline: Date;
  /** The first messages of the agent. */
  messages: MessageDraft[];
}
