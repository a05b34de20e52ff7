// The names that fields of alerts commonly have, as bare paths (flattenPayload.ts), the best first.

import { splitWords } from '../fields/fields.ts';

/** Names of the problem or of the check that found it. */
export const TITLES: readonly string[] = splitWords(`
  title alertname alarmname alerttitle rulename alertrulename ruletitle checkname monitorname
  monitorfriendlyname incidenttitle incidentname shortdescription eventtitle issuetitle problemtitle
  problemname triggername conditionname detectorname testname searchname controlname savedsearchname
  workflowname pipelinename deploymentname errorerrormessage
`);
/** Texts that name the problem where nothing else does. */
export const HEADLINES: readonly string[] = splitWords(`
  summary subject name headline entitydisplayname displayname monitorlabel sitelabel rule trigger problem
  alarm alert check monitor sensor sensorname message msg description text output statemessage reason
  cause servicename category eventname monitorurl checkurl siteurl
`);
export const SUMMARIES: readonly string[] = splitWords(`
  summary message msg description details body output reason cause statemessage alertdetails errormessage
  error text
`);
/** Fields that state the status. A firing one takes precedence over all others of its list. */
export const STATUSES: readonly string[] = splitWords(`
  status state newstatevalue alerttransition transition eventtype action alertstatus alertstate
  alertaction incidentstatus incidentstate eventstatus eventaction currentstate currentstatus newstate
  newstatus checkstatus checkstate monitorstatus notificationtype messagetype issuestatus issuestate
  problemstatus problemstate triggerstatus servicestate hoststate statustext statusname statusvalue
  conclusion componentstatus responsestate currentmilestone buildstate buildstatus workflowstatus
`);
/** Fields that can state the status where none of the others does. */
export const EVENTS: readonly string[] = splitWords(`
  event eventname alerttype triggertype alertevent type trigger health result webhookevent condition
`);
/** Fields that state the status of tools that have a level for both. */
export const LEVELS: readonly string[] = ['level', 'severity', 'alertlevel', 'color'];
/** Fields that are true while the problem lasts, or only when it is over. */
export const FLAGS: Readonly<Record<string, 'firing' | 'resolved' | 'test'>> = {
  istest: 'test',
  firing: 'firing',
  isfiring: 'firing',
  active: 'firing',
  isactive: 'firing',
  down: 'firing',
  isdown: 'firing',
  isopen: 'firing',
  resolved: 'resolved',
  isresolved: 'resolved',
  up: 'resolved',
  isup: 'resolved',
  healthy: 'resolved',
  recovered: 'resolved',
};
export const SEVERITIES: readonly string[] = splitWords(`
  severity alertseveritylabel alertseverity eventseverity incidentseverity triggerseverity severityname
  severitytext severitylabel severityslug severitylevel priority priorityname alertpriority level
  alertlevel urgency impact importance importancelevel criticality rulelevel
`);
/** Fields that stay the same from the first message about a problem to the one that resolves it. */
export const IDENTITIES: readonly string[] = splitWords(`
  fingerprint groupkey dedupkey dedupid deduplicationkey deduplicationid incidentkey alertcyclekey alertid
  alertuuid alertgroupid alertcorrelationid correlationid incidentid incidentuuid incidentnumber problemid
  issueid faultid findingid errorid itemid alarmarn alarmid entityid alias monitorid monitoruuid checkid
  checkuuid checkmonitoruuid siteid testid sensorid externalid incidentidentifier uid number
`);
/** Ids that can be those of a single message: tried after all others. */
export const LAST_IDENTITIES: readonly string[] = ['id', 'uuid', 'key', 'eventid'];
/** Pages of one problem. */
export const LINKS_OF_PROBLEMS: readonly string[] = ['incidenturl', 'eventurl', 'permalink', 'shortlink'];
/** Names of a check that is repeated. */
export const CHECKS: readonly string[] = splitWords(`
  alertname rulename alertrulename checkname monitorname triggername testname sensor sensorname check
  monitor trigger rule alert
`);
export const STARTS: readonly string[] = splitWords(`
  startsat startedat starttime start activeat triggeredat firedat openedat incidentstarttime downsince
  downtimestartedat statechangetime occurredat detectedat createdat timestamp time date ts localdatetime
`);
export const ENDS: readonly string[] = splitWords(`
  endsat endedat endtime resolvedat closedat recoveredat downtimeendedat statechangetime end
`);
/** Of these a date states that the problem is over, and `null` that it lasts. */
export const RESOLUTIONS: readonly string[] = [
  ...['resolvedat', 'closedat', 'recoveredat', 'endedat', 'downtimeendedat', 'resolvedtime', 'recoveredtime'],
];
export const LINKS: readonly string[] = splitWords(`
  url link htmlurl weburl permalink permalinksweb shortlink externalurl generatorurl alerturl incidenturl
  eventurl triggerurl resulturl issueurl detailsurl alertlink eventlink alertresponseurl
  monitordashboardlink faulturl
`);
export const LABELS: readonly string[] = splitWords(`
  labels commonlabels grouplabels tags dimensions customdetails customfields fields alertlabels
  outputfields facts sectionsfacts monitortags
`);
export const ANNOTATIONS: readonly string[] = ['annotations', 'commonannotations'];

/** The labels that name the resource of an alert, and the fields that hold them. */
export const RESOURCES: Readonly<Record<string, readonly string[]>> = {
  deployment: ['deployment', 'deploymentname', 'kubedeployment', 'k8sdeploymentname'],
  statefulset: ['statefulset', 'statefulsetname', 'kubestatefulset', 'k8sstatefulsetname'],
  daemonset: ['daemonset', 'daemonsetname', 'k8sdaemonsetname'],
  pod: ['pod', 'podname', 'k8spodname', 'kubernetespodname'],
  node: ['k8snodename', 'kubernetesnodename'],
  service: splitWords(`
    service servicename servicesname affectedservicesname application applicationname app appname
    microservice alertsourcename dataset componentname componentsname affectedcomponentsname
  `),
  host: splitWords(`
    host hostname hostdisplayname hostaddress server servername serverhost device devicename
    devicehostname sysname machine machinename computer computername fqdn agentname agenthostname nodename
    node instancename instance targethost targethostname monitorhostname checkhostname zonename
    targetzonename
  `),
  resource: splitWords(`
    cmdbci cmdbcidisplayvalue cmdbciname configurationitem resource resourcename affectedresource
    resourceid entityname entitylabel entitydisplayname entityid entity entitymetadataname targetname
    component poolname tunnelname repositoryfullname projectpathwithnamespace projectname project
    repository
  `),
};
/** Fields of these labels that count wherever they stand in a payload, if no field above names a resource. */
export const RESOURCES_ANYWHERE: Readonly<Record<string, readonly string[]>> = {
  deployment: ['deployment', 'deploymentname'],
  pod: ['pod', 'podname'],
  service: ['service', 'servicename', 'application', 'applicationname'],
  host: ['host', 'hostname', 'server', 'servername', 'node', 'nodename', 'instance'],
  resource: ['resource', 'resourcename', 'resourceid'],
};
/** The labels that name the surroundings of a resource, and the fields that hold them. */
export const SURROUNDINGS: Readonly<Record<string, readonly string[]>> = {
  namespace: ['namespace', 'namespacename', 'k8snsname', 'k8snamespacename', 'kubernetesnamespace'],
  cluster: ['cluster', 'clustername', 'k8sclustername'],
  environment: ['environment', 'environmentname', 'env', 'releasestage'],
};
/** Addresses that are watched, in contrast to those of pages about the alert. */
export const WATCHED_ADDRESSES: readonly string[] = splitWords(`
  monitorurl monitortarget monitoraddress checkurl checktarget siteurl websiteurl website targeturl target
  endpointurl endpoint testurl testtarget requesturl monitorlabel
`);
