// The list of all collections: those of the core, and those of features.

export * from '../core/schema/coreCollections.ts';
export { alertBodyType } from './features/alert.ts';
export { alertFateType } from './features/alertFate.ts';
export { alertKeyType } from './features/alertKey.ts';
export { apiKeyType } from './features/apiKey.ts';
export { canaryType } from './features/canary.ts';
export { changeCountsType, changeType } from './features/change.ts';
export { chatKeyType } from './features/chatKey.ts';
export { checkType, scheduleStateType } from './features/check.ts';
export { correlationType } from './features/correlation.ts';
export {
  deliveryGroupType,
  deliveryType,
  destinationStateType,
  inboxEntryType,
  threadType,
} from './features/delivery.ts';
export { droppedAlertsType } from './features/droppedAlerts.ts';
export { enrichmentType } from './features/enrichment.ts';
export { alertCountsType, incidentType } from './features/incident.ts';
export { knowledgeType } from './features/knowledge.ts';
export { liveTextType } from './features/liveText.ts';
export { metricTotalsType } from './features/metricTotals.ts';
export { modelOutageType } from './features/modelOutage.ts';
export { outcomeType } from './features/outcome.ts';
export { pinnedToolsType } from './features/pinnedTools.ts';
export { quotaType } from './features/quota.ts';
export { rejectedMessageType } from './features/rejectedMessage.ts';
export { requestType } from './features/request.ts';
export { runbookType } from './features/runbook.ts';
export { storedAgentType } from './features/storedAgent.ts';
export { telemetryGapType } from './features/telemetryGap.ts';
export { tokenLeaseType } from './features/tokenLease.ts';
export { toolListType } from './features/toolList.ts';
export { waitingSessionType } from './features/waitingSession.ts';
export { workType } from './features/work.ts';
