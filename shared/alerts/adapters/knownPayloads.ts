// Payloads of monitoring tools without an adapter of their own, known by fields that no other tool has
// together. A row has only the facts that the usual names of fields (fieldNames.ts) do not give. Fields are
// bare paths (flattenPayload.ts): `heartbeat.status` is `heartbeatstatus`.

import type { Alert } from '../schema/alert.ts';

type Status = Alert['status'];

/** One tool. Lists of fields are in order: the first that has a text counts. */
export interface KnownPayload {
  /** Its name, for people. */
  tool: string;
  /** The payload has all fields of one of these lists. */
  has: readonly (readonly string[])[];
  /** Names of the problem. */
  title?: readonly string[];
  /** A second part of the title. */
  titleSuffix?: readonly string[];
  /** Fields with the status. The first that states one counts. */
  status?: readonly string[];
  /** Words of `status` in lower case, beside the usual ones. */
  states?: Readonly<Record<string, Status>>;
  /** The status of a payload that states none: of a tool that reports only problems. */
  otherwise?: Status;
  /** The severity. */
  severity?: readonly string[];
  /** Severities by words of `severity`, in lower case. With them, other words count only as severities. */
  severities?: Readonly<Record<string, string>>;
  /** Fields that are equal in all messages of a problem, of which the first counts. */
  identity?: readonly string[];
  /** Fields that are part of the identity beside the first. */
  identityParts?: readonly string[];
  /** A description. */
  summary?: readonly string[];
  /** The page of the alert; an empty list if the usual names give no page. */
  url?: readonly string[];
  /** The start of the problem. */
  startedAt?: readonly string[];
  /** Its end. */
  endedAt?: readonly string[];
  /** Labels, and the fields that hold them. An address gives its host. */
  labels?: Readonly<Record<string, readonly string[]>>;
}

const BY_NUMBER = { '1': 'critical', '2': 'high', '3': 'medium', '4': 'low', '5': 'info' };

/** Names that media types and scripts give to the macros of Zabbix. */
const ZABBIX = {
  tool: 'Zabbix',
  title: [
    'eventname',
    'triggername',
    'alertsubject',
    'subject',
    'problem',
    'trigger',
    'name',
    'title',
    'alertmessage',
  ],
  severity: ['eventseverity', 'triggerseverity', 'severity', 'eventnseverity'],
  severities: { '1': 'information', '2': 'warning', '3': 'average', '4': 'high', '5': 'disaster' },
  identity: ['eventid', 'problemid', 'id', 'triggerid'],
  summary: ['alertmessage', 'triggerdescription', 'eventopdata', 'message', 'description'],
} satisfies Partial<KnownPayload>;

/** Events about an object of Kubernetes, as Flux and exporters of events send them. */
const KUBERNETES = {
  tool: 'Kubernetes',
  title: ['involvedobjectname'],
  titleSuffix: ['reason'],
  status: ['reason', 'severity', 'type'],
  states: { started: 'unknown', created: 'unknown', info: 'unknown', error: 'firing', warning: 'firing' },
  severity: ['severity', 'type'],
  severities: { normal: 'info' },
  identity: ['involvedobjectname'],
  identityParts: ['involvedobjectkind', 'involvedobjectnamespace'],
} satisfies Partial<KnownPayload>;

/** The first row whose fields a payload has reads it. */
export const KNOWN_PAYLOADS: readonly KnownPayload[] = [
  {
    tool: 'Pingdom',
    has: [['checkid', 'currentstate', 'previousstate']],
    title: ['checkname'],
    titleSuffix: ['currentstate'],
    status: ['currentstate'],
    severity: ['importancelevel'],
    identity: ['checkid'],
    summary: ['longdescription', 'description'],
    startedAt: ['statechangedtimestamp', 'statechangedutctime'],
    labels: { host: ['checkparamshostname', 'checkparamsurl'] },
  },
  ...['alertid', 'deviceid', 'hostname', 'sysname'].map(
    (identity): KnownPayload => ({
      tool: 'LibreNMS',
      has: ['sysname', 'deviceid', 'faults', 'uid'].map((one) => ['state', 'rule', one, identity]),
      title: ['title', 'name', 'rule'],
      status: ['state'],
      states: {
        '0': 'resolved',
        '1': 'firing',
        '2': 'acknowledged',
        '3': 'firing',
        '4': 'firing',
        '5': 'firing',
      },
      identity: [identity],
      identityParts: identity === 'alertid' ? [] : ['ruleid'],
    }),
  ),
  {
    ...ZABBIX,
    has: [['eventid', 'eventvalue=1', 'eventupdatestatus=1', 'eventackstatus=yes']],
    status: ['eventackstatus'],
    states: { yes: 'acknowledged' },
  },
  {
    ...ZABBIX,
    has: [
      ...['triggerid', 'eventvalue', 'eventnseverity'].map((one) => ['eventid', one]),
      ...['hostname', 'triggername', 'triggerstatus'].map((one) => ['triggerid', one]),
      ...['triggername', 'trigger'].map((one) => [one, 'eventid', 'host']),
    ],
    status: ['eventvalue', 'triggervalue', 'eventstatus', 'triggerstatus', 'status', 'eventrecoverystatus'],
    states: { '0': 'resolved', '1': 'firing' },
  },
  {
    tool: 'Checkly',
    has: ['checkid', 'checkname'].map((one) => [one, 'alerttype=alert*|ssl*']),
    title: ['checkname', 'alerttitle', 'event'],
    status: ['alerttype'],
    states: { alert_failure_remain: 'firing', alert_degraded_remain: 'firing', alert_ssl: 'firing' },
    severity: ['alerttype'],
    severities: {
      alert_degraded: 'warning',
      alert_degraded_remain: 'warning',
      alert_degraded_recovery: 'warning',
      alert_failure_degraded: 'warning',
    },
    identity: ['checkid', 'checkname'],
    summary: ['alerttitle', 'event', 'checkerrormessage'],
    url: ['resultlink', 'checkresultlink'],
    startedAt: ['startedat', 'moment'],
  },
  {
    tool: 'Dash0',
    has: ['dataissueid', 'dataissueissueidentifier'].map((one) => [one, 'type=alert.*']),
    title: ['dataissuesummary', 'dataissuedescription', 'dataissuecheckrulesname'],
    status: ['dataissuestatus', 'type'],
    states: { 'alert.ongoing': 'firing' },
    severity: ['dataissuestatus'],
    severities: { degraded: 'warning' },
    identity: ['dataissueid', 'dataissueissueidentifier'],
    summary: ['dataissuedescription', 'dataissuesummary'],
  },
  {
    tool: 'Graylog',
    has: [['eventdefinitionid', 'event']],
    title: ['eventdefinitiontitle'],
    titleSuffix: ['eventmessage'],
    status: ['eventalert'],
    states: { true: 'firing' },
    severity: ['eventpriority'],
    severities: { '1': 'low', '2': 'medium', '3': 'high', '4': 'critical' },
    identity: ['eventdefinitionid'],
    identityParts: ['eventkey'],
    summary: ['eventmessage', 'eventdefinitiondescription'],
    startedAt: ['eventtimestamp'],
    labels: { service: ['eventfieldsservice'], host: ['eventfieldshost', 'eventfieldssource'] },
  },
  {
    tool: 'Uptime Kuma',
    has: [['heartbeatstatus', 'monitorname']],
    title: ['monitorname'],
    status: ['heartbeatstatus'],
    states: { '0': 'firing', '1': 'resolved', '3': 'acknowledged' },
    identity: ['monitorid', 'heartbeatmonitorid', 'monitorname'],
    summary: ['heartbeatmsg', 'msg'],
    startedAt: ['heartbeattime'],
    endedAt: ['heartbeattime'],
    labels: { host: ['monitorhostname', 'monitorurl'] },
  },
  {
    tool: 'UptimeRobot',
    has: [
      ['alerttype', 'monitorfriendlyname'],
      ['alerttypefriendlyname', 'monitorurl'],
    ],
    title: ['monitorfriendlyname'],
    status: ['alerttype', 'alerttypefriendlyname'],
    states: { '1': 'firing', '2': 'resolved', '3': 'firing', started: 'unknown' },
    identity: ['monitorid', 'monitorurl'],
    summary: ['alertdetails'],
    startedAt: ['alertdatetime'],
  },
  ...['check.ssl*', 'check.*'].map(
    (events): KnownPayload => ({
      tool: events === 'check.*' ? 'updown.io' : 'updown.io certificate',
      has: [['checktoken', `event=${events}`]],
      title: ['checkalias', 'description', 'checkurl'],
      status: ['event'],
      states: {
        'check.ssl_invalid': 'firing',
        'check.ssl_expiration': 'firing',
        'check.ssl_valid': 'resolved',
        'check.ssl_renewed': 'resolved',
        'check.performance_drop': 'firing',
      },
      // Masking takes the token for a secret.
      identity: ['checkurl'],
      summary: ['description', 'downtimeerror', 'checkerror'],
      url: [],
      startedAt: ['downtimestartedat', 'time'],
      endedAt: ['downtimeendedat'],
      labels: { host: ['checkurl'] },
    }),
  ),
  {
    tool: 'Better Stack',
    has: [['datatype=incident', 'dataattributescause']],
    title: ['dataattributesname', 'dataattributescause'],
    identity: ['dataid'],
    summary: ['dataattributescause'],
    url: ['dataattributesincidentlink', 'dataattributesoriginurl'],
    labels: { host: ['dataattributesurl'] },
  },
  {
    tool: 'Statuspage',
    has: [['componentname', 'componentupdatenewstatus']],
    title: ['componentname'],
    titleSuffix: ['componentupdatenewstatus'],
    status: ['componentupdatenewstatus'],
    severity: ['componentupdatenewstatus'],
    severities: { degraded_performance: 'minor', partial_outage: 'major', major_outage: 'critical' },
    identity: ['componentid'],
    startedAt: ['componentupdatecreatedat'],
    endedAt: ['componentupdatecreatedat'],
    labels: { service: ['componentname'] },
  },
  {
    tool: 'Statuspage',
    has: ['incidentimpact', 'incidentincidentupdates'].map((one) => [one, 'incidentname', 'incidentid']),
    title: ['incidentname'],
    status: ['incidentstatus', 'incidentincidentupdatesstatus'],
    states: { in_progress: 'acknowledged', verifying: 'acknowledged', completed: 'resolved' },
    severity: ['incidentimpactoverride', 'incidentimpact'],
    severities: { none: 'info', maintenance: 'info' },
    identity: ['incidentid'],
    summary: ['incidentincidentupdatesbody'],
    url: ['incidentshortlink'],
    startedAt: ['incidentstartedat', 'incidentcreatedat'],
    endedAt: ['incidentresolvedat'],
    labels: { service: ['incidentcomponentsname', 'incidentincidentupdatesaffectedcomponentsname'] },
  },
  {
    tool: 'ServiceNow',
    has: [['number', 'shortdescription']],
    title: ['shortdescription'],
    status: ['state', 'statedisplayvalue', 'incidentstate'],
    states: {
      '1': 'firing',
      '2': 'acknowledged',
      '3': 'acknowledged',
      '6': 'resolved',
      '7': 'resolved',
      '8': 'resolved',
      'on hold': 'acknowledged',
    },
    severity: ['priority', 'prioritydisplayvalue', 'severity', 'urgency', 'impact'],
    severities: { ...BY_NUMBER, '3': 'moderate', '5': 'planning' },
    identity: ['number'],
    startedAt: ['openedat', 'syscreatedon'],
    endedAt: ['resolvedat', 'closedat'],
    labels: { resource: ['cmdbcidisplayvalue', 'cmdbciname', 'cmdbci', 'businessservice'] },
  },
  {
    tool: 'Cloudflare',
    has: ['policyname', 'policyid', 'alertevent', 'alertcorrelationid'].map((one) => [
      'alerttype',
      'text',
      one,
    ]),
    title: ['name', 'policyname'],
    status: ['alertevent', 'datanewhealth', 'datanewstatus', 'datastatus', 'datastate'],
    states: { alert_state_event_start: 'firing', alert_state_event_end: 'resolved' },
    severity: ['dataseverity', 'dataalertseverity'],
    identity: ['alertcorrelationid', 'datapoolid', 'datatunnelid', 'datahealthcheckid', 'policyid'],
    summary: ['text'],
    url: ['datadashboardlink', 'datalink'],
    startedAt: ['datastarttime', 'ts'],
    labels: {
      host: [
        ...[
          'datatargethostname',
          'dataunreachablezoneshost',
          'dataunreachablezoneszonename',
          'datatargetzonename',
        ],
        ...['datazonename', 'datahost', 'datahostname'],
      ],
      resource: ['datapoolname', 'datatunnelname', 'dataname', 'dataservername'],
    },
  },
  {
    tool: 'StatusCake',
    has: [
      ['testid', 'statuscode'],
      ['checkrate', 'statuscode', 'name'],
    ],
    title: ['name'],
    identity: ['testid', 'url'],
    url: [],
    labels: { host: ['url', 'ip'] },
  },
  {
    tool: 'OnlineOrNot',
    has: [['event=uptime.*|browser_check.*', 'name', 'url']],
    identity: ['id', 'url'],
    url: [],
    labels: { host: ['url'] },
  },
  {
    tool: 'Rollbar',
    has: [['eventname', 'dataitemid']],
    title: ['dataitemtitle'],
    status: ['eventname'],
    states: {
      exp_repeat_item: 'firing',
      item_velocity: 'firing',
      occurrence: 'firing',
      reactivated_item: 'firing',
    },
    severity: ['dataitemlastoccurrencelevel', 'dataoccurrencelevel', 'dataitemlevel'],
    severities: { '10': 'debug', '20': 'info', '30': 'warning', '40': 'error', '50': 'critical' },
    identity: ['dataitemid'],
    url: ['dataurl'],
    labels: { environment: ['dataitemenvironment'], host: ['dataitemlastoccurrenceserverhost'] },
  },
  {
    tool: 'Bugsnag',
    has: [['triggertype', 'errorexceptionclass']],
    title: ['errorexceptionclass'],
    titleSuffix: ['errormessage'],
    status: ['errorstatus', 'triggerstatechange'],
    states: { ignored: 'acknowledged' },
    severity: ['errorseverity'],
    identity: ['errorerrorid', 'errorid'],
    summary: ['triggermessage', 'errormessage'],
    url: ['errorurl'],
    startedAt: ['errorfirstreceived'],
    labels: { service: ['projectname'], environment: ['errorappreleasestage'] },
  },
  {
    tool: 'Splunk On-Call',
    has: [['messagetype', 'entityid']],
    title: ['entitydisplayname', 'entityid'],
    status: ['messagetype'],
    severity: ['messagetype'],
    severities: {},
    identity: ['entityid'],
    summary: ['statemessage'],
    startedAt: ['statestarttime'],
  },
  {
    tool: 'Instana',
    has: ['issuestate', 'issuesuggestion'].map((one) => [one, 'issueid', 'issuetext']),
    title: ['issuetext'],
    status: ['issuestate'],
    severity: ['issueseverity'],
    severities: { '-1': 'info', '5': 'warning', '10': 'critical' },
    identity: ['issueid'],
    summary: ['issuesuggestion'],
    url: ['issuelink'],
    startedAt: ['issuestart'],
    endedAt: ['issueend'],
    labels: { service: ['issueservice'], host: ['issuefqdn'], resource: ['issueentitylabel', 'issueentity'] },
  },
  {
    tool: 'GoAlert',
    has: [['appname=goalert', 'alertid']],
    title: ['summary', 'logentry'],
    status: ['type', 'logentry'],
    states: { alertstatus: 'unknown' },
    identity: ['alertid'],
    summary: ['details', 'logentry'],
    labels: { service: ['servicename'] },
  },
  {
    tool: 'Honeycomb',
    has: ['triggerurl', 'resulturl'].map((one) => [one, 'name', 'status']),
    title: ['name'],
    identity: ['id'],
  },
  {
    tool: 'Uptime.com',
    has: [['dataservicename', 'dataalertstate']],
    title: ['dataservicedisplayname', 'dataservicename'],
    status: ['dataalertstate', 'event'],
    identity: ['dataserviceid', 'dataservicename'],
    summary: ['dataalertoutput'],
  },
  {
    tool: 'Sensu',
    has: [['checkmetadataname', 'entitymetadataname']],
    title: ['checkmetadataname'],
    status: ['checkstate', 'checkstatus'],
    states: { '0': 'resolved', '1': 'firing', '2': 'firing' },
    severity: ['checkstatus'],
    severities: { '1': 'warning', '2': 'critical' },
    identity: ['entitymetadataname'],
    identityParts: ['checkmetadataname', 'entitymetadatanamespace'],
    summary: ['checkoutput'],
    labels: { host: ['entitymetadataname'] },
  },
  {
    tool: 'InfluxDB',
    has: [['checkid', 'level', 'sourcemeasurement']],
    title: ['checkname'],
    status: ['level'],
    severity: ['level'],
    identity: ['checkid'],
    identityParts: ['host'],
  },
  {
    tool: 'Kibana',
    has: ['alertactiongroup', 'alertactiongroupname', 'kibanabaseurl'].map((one) => [
      one,
      'ruleid',
      'alertid',
    ]),
    title: ['rulename'],
    status: ['alertactiongroup', 'alertactiongroupname', 'status', 'state'],
    otherwise: 'firing',
    identity: ['ruleid'],
    identityParts: ['alertid'],
    summary: ['contextreason', 'contextmessage'],
  },
  {
    tool: 'GitHub',
    has: ['workflowrunid', 'checkrunid', 'workflowjobid'].map((one) => [one, 'repositoryfullname']),
    title: ['workflowrunname', 'workflowjobname', 'checkrunname'],
    titleSuffix: ['repositoryfullname'],
    status: ['workflowrunconclusion', 'workflowjobconclusion', 'checkrunconclusion'],
    states: { cancelled: 'unknown' },
    identity: ['repositoryfullname'],
    identityParts: ['workflowrunname', 'workflowjobname', 'checkrunname', 'workflowrunheadbranch'],
    url: ['workflowrunhtmlurl', 'workflowjobhtmlurl', 'checkrunhtmlurl'],
    labels: { resource: ['repositoryfullname'] },
  },
  {
    tool: 'GitHub',
    has: [['alertnumber', 'alerthtmlurl', 'repositoryfullname']],
    title: [
      ...['alertsecurityadvisorysummary', 'alertruledescription', 'alertrulename'],
      ...['alertsecrettypedisplayname', 'alertsecrettype'],
    ],
    status: ['alertstate', 'action'],
    severity: ['alertsecurityadvisoryseverity', 'alertrulesecurityseveritylevel', 'alertruleseverity'],
    identity: ['alerthtmlurl'],
    url: ['alerthtmlurl'],
    labels: { resource: ['repositoryfullname'] },
  },
  {
    tool: 'GitLab',
    has: [
      ['objectkind=pipeline|build', 'projectname'],
      ['objectkind=build', 'buildname'],
    ],
    title: ['objectattributesname', 'buildname', 'projectname'],
    titleSuffix: ['objectattributesstatus', 'buildstatus'],
    status: ['objectattributesstatus', 'buildstatus'],
    states: { canceled: 'unknown', created: 'unknown' },
    identity: ['projectpathwithnamespace', 'projectname', 'projectid'],
    identityParts: ['objectkind', 'buildname', 'objectattributesref', 'ref'],
    url: ['objectattributesurl', 'projectweburl'],
    labels: { resource: ['projectpathwithnamespace', 'projectname'] },
  },
  {
    tool: 'Jira',
    has: [['webhookevent', 'issuekey']],
    title: ['issuefieldssummary'],
    status: ['issuefieldsstatusstatuscategorykey', 'issuefieldsstatusname', 'webhookevent'],
    states: { indeterminate: 'acknowledged', 'to do': 'firing' },
    severity: ['issuefieldspriorityname'],
    identity: ['issuekey'],
    url: ['issueself'],
    labels: {
      service: ['issuefieldscomponentsname'],
      resource: ['issuefieldsprojectname', 'issuefieldsprojectkey'],
    },
  },
  {
    ...KUBERNETES,
    has: [['involvedobjectkind=pod', 'reason']],
    labels: { pod: ['involvedobjectname'], namespace: ['involvedobjectnamespace'] },
  },
  {
    ...KUBERNETES,
    has: [['involvedobjectkind', 'reason']],
    labels: { resource: ['involvedobjectname'], namespace: ['involvedobjectnamespace'] },
  },
  {
    tool: 'Argo CD',
    has: ['app', 'application', ''].map((one) => [`${one}metadataname`, `${one}statushealthstatus`]),
    title: ['appmetadataname', 'applicationmetadataname', 'metadataname'],
    titleSuffix: ['appstatushealthstatus', 'applicationstatushealthstatus', 'statushealthstatus'],
    status: ['appstatushealthstatus', 'applicationstatushealthstatus', 'statushealthstatus'],
    identity: ['appmetadataname', 'applicationmetadataname', 'metadataname'],
    labels: { service: ['appmetadataname', 'applicationmetadataname', 'metadataname'] },
  },
  {
    tool: 'incident.io',
    has: [['incidentstatuscategory', 'name']],
    title: ['name'],
    status: ['incidentstatuscategory'],
    states: { triage: 'firing', learning: 'resolved', 'post-incident': 'resolved', paused: 'acknowledged' },
    severity: ['severityname'],
    identity: ['id', 'reference'],
    url: ['permalink'],
  },
  {
    tool: 'Security Hub',
    has: [['detailtype=security hub findings*', 'detailfindingsid']],
    title: ['detailfindingstitle'],
    status: ['detailfindingsworkflowstatus', 'detailfindingsrecordstate'],
    states: { notified: 'acknowledged', suppressed: 'acknowledged' },
    severity: ['detailfindingsseveritylabel'],
    identity: ['detailfindingsid'],
    summary: ['detailfindingsdescription'],
    labels: { resource: ['detailfindingsresourcesid'], account: ['account'], region: ['region'] },
  },
  {
    tool: 'EventBridge',
    has: [['detailtype', 'source=aws.*', 'detail']],
    title: ['detailtitle', 'detailtype'],
    titleSuffix: ['detailpipeline', 'detailstoppedreason', 'detaileventname', 'detailmessage'],
    status: ['detailstate', 'detailstatus'],
    otherwise: 'firing',
    severity: ['detailseverity'],
    severities: Object.fromEntries(
      Array.from({ length: 101 }, (_, tenth) => tenth / 10).map((score) => [
        String(score),
        score >= 9 ? 'critical' : score >= 7 ? 'high' : score >= 4 ? 'medium' : 'low',
      ]),
    ),
    identity: ['detailpipeline', 'detailid', 'detailarn', 'detailinstanceid', 'detailsourcearn', 'resources'],
    summary: ['detaildescription', 'detailmessage', 'detailstoppedreason'],
    labels: {
      resource: [
        ...[
          'detailpipeline',
          'detailresourceinstancedetailsinstanceid',
          'detailinstanceid',
          'detailsourceidentifier',
        ],
        ...['detailgroup', 'detailjobname', 'detailfunctionname', 'resources'],
      ],
      account: ['account'],
      region: ['region'],
    },
  },
  {
    tool: 'Security Command Center',
    has: [['findingcategory', 'findingname']],
    title: ['findingcategory'],
    status: ['findingstate'],
    severity: ['findingseverity'],
    identity: ['findingname'],
    url: ['findingexternaluri'],
    labels: { resource: ['resourcedisplayname', 'findingresourcename', 'resourcename'] },
  },
  {
    tool: 'Error Reporting',
    has: [['groupinfoprojectid', 'groupinfodetaillink']],
    title: ['subject', 'exceptioninfotype'],
    otherwise: 'firing',
    identity: ['groupinfodetaillink'],
    summary: ['exceptioninfomessage', 'eventinfologmessage'],
    url: ['groupinfodetaillink'],
    labels: {
      service: ['eventinfoservice', 'eventinfoservicecontextservice'],
      project: ['groupinfoprojectid'],
    },
  },
  {
    tool: 'Lacework',
    has: [['laceworkaccount', 'eventtitle']],
    otherwise: 'firing',
    severity: ['eventseverity'],
    severities: BY_NUMBER,
    identity: ['eventid'],
  },
  {
    tool: 'Wiz',
    has: [['issueid', 'controlname']],
    title: ['controlname'],
    status: ['issuestatus'],
    states: { in_progress: 'acknowledged', rejected: 'resolved' },
    severity: ['issueseverity'],
    identity: ['issueid'],
    labels: { resource: ['resourcename'], project: ['resourcesubscriptionname', 'resourcesubscriptionid'] },
  },
  {
    tool: 'Falco',
    has: [['rule', 'priority', 'outputfields']],
    title: ['rule'],
    otherwise: 'firing',
    summary: ['output'],
    labels: {
      pod: ['outputfieldsk8spodname'],
      namespace: ['outputfieldsk8snsname'],
      host: ['hostname'],
    },
  },
  {
    tool: 'Wazuh',
    has: [['rulelevel', 'ruledescription', 'agentname']],
    title: ['ruledescription'],
    otherwise: 'firing',
    severity: ['rulelevel'],
    severities: Object.fromEntries(
      Array.from({ length: 16 }, (_, level) => [
        String(level),
        level >= 15 ? 'critical' : level >= 12 ? 'high' : level >= 7 ? 'medium' : 'low',
      ]),
    ),
    labels: { host: ['agentname'] },
  },
  {
    tool: 'Snyk',
    has: [['newissuesid', 'projectname']],
    title: ['newissuesissuedatatitle', 'newissuesid'],
    otherwise: 'firing',
    severity: ['newissuesissuedataseverity'],
    identity: ['newissuesid'],
    identityParts: ['projectname'],
    url: ['newissuesissuedataurl', 'projectbrowseurl'],
    labels: { resource: ['projectname'] },
  },
  {
    tool: 'Alerta',
    has: [['resource', 'event', 'environment', 'severity', 'text']],
    title: ['event'],
    status: ['status', 'severity'],
    identity: ['id'],
    summary: ['text'],
    labels: { service: ['service'], host: ['resource'] },
  },
  {
    tool: 'Netdata',
    has: [['alert', 'chart', 'context', 'space']],
    title: ['alert'],
    status: ['statustext', 'status', 'severitytext', 'severity'],
    severity: ['severitytext', 'severity'],
    identity: ['alert'],
    identityParts: ['chart', 'host', 'hostname', 'hostsname', 'space'],
    summary: ['message', 'info'],
    labels: { host: ['host', 'hostname', 'hostsname', 'nodename'] },
  },
];
