// The list of all collections: those of the core, and those of features.

export { alertBodyType } from '../alerts/schema/alert.ts';
export { alertFateType } from '../alerts/schema/alertFate.ts';
export { correlationType } from '../alerts/schema/correlation.ts';
export { alertCountsType, incidentType } from '../alerts/schema/incident.ts';
export { requestType } from '../api/http/request.ts';
export { changeCountsType, changeType } from '../changes/change.ts';
export * from '../core/schema/coreCollections.ts';
export { askType } from '../features/ask/ask.ts';
export { checkType, scheduleStateType } from '../features/checks/check.ts';
export { forkLinkType } from '../features/fork/forkLink.ts';
export { thoughtType } from '../features/interactions/thought.ts';
export { runbookType } from '../features/runbooks/runbook.ts';
export { metricTotalsType } from '../features/telemetry/metricTotals.ts';
export { telemetryGapType } from '../features/telemetry/telemetryGap.ts';
export { apiKeyType } from '../kits/access/apiKeyDocument.ts';
export { modelOutageType } from '../kits/agents/modelOutage.ts';
export { pinnedToolsType } from '../kits/agents/pinnedTools.ts';
export { storedAgentType } from '../kits/agents/storedAgent.ts';
export { toolListType } from '../kits/agents/toolList.ts';
export { droppedAlertsType } from '../kits/alerts/droppedAlerts.ts';
export { alertKeyType } from '../kits/alerts/fates/alertKeyDocument.ts';
export { outcomeType } from '../kits/alerts/outcome.ts';
export { waitingSessionType } from '../kits/alerts/waitingSession.ts';
export { allowanceType } from '../kits/allowances/allowance.ts';
export { dayCountType, sessionCountType } from '../kits/counts/count.ts';
export {
  deliveryGroupType,
  deliveryType,
  destinationStateType,
  groupMemberType,
  inboxEntryType,
  threadType,
} from '../kits/deliveries/delivery.ts';
export { enrichmentType } from '../kits/enrichment/enrichment.ts';
export { sessionScoreType } from '../kits/judge/sessionScore.ts';
export { liveTextType } from '../kits/live/liveText.ts';
export { canaryType } from '../kits/messages/canary.ts';
export { rejectedMessageType } from '../kits/messages/rejectedMessage.ts';
export { chatKeyType } from '../kits/questions/chatKeyDocument.ts';
export { quotaType } from '../kits/quotas/quota.ts';
export { topologyType } from '../kits/topology/topology.ts';
export { workType } from '../kits/work/work.ts';
export { knowledgeType } from '../search/knowledge.ts';
export { tokenLeaseType } from '../tools/mcp/auth/tokenLease.ts';
