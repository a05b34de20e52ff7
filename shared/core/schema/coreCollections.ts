// The collections of the core: each is defined beside the schema of its documents.

export { agentSnapshotType } from './agent.ts';
export { approvalType } from './approval.ts';
export { controlType, feedbackType, guidanceType } from './control.ts';
export { executionType } from './execution.ts';
export { interactionType } from './interaction.ts';
export { messagePartType, messageType } from './message.ts';
export { sessionType } from './session.ts';
export { stageType } from './stage.ts';
export { resultPartType } from './storedResult.ts';
export { sweepMarkType } from './sweepMark.ts';
export { systemControlType } from './systemControl.ts';
export { timelineEventType } from './timelineEvent.ts';
export { usageType } from './usage.ts';
