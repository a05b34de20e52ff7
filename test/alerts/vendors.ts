// Payloads of tools without an adapter of their own, written after the fields that the tools document: a
// problem, the message that it is over, and what stands in them.

/** A problem as one tool reports it. */
export interface Vendor {
  /** The tool. */
  tool: string;
  /** The facts of the problem, without the status, which is firing. */
  facts: { title: string; severity: string | null; resource: string | null };
  /** The message about the problem. */
  firing: unknown;
  /** The message that it is over; undefined if the tool sends none. */
  resolved?: unknown;
}

const AT = '2026-11-20T09:14:03Z';
const END = '2026-11-20T09:20:00Z';

const kuma = (status: number, msg: string) => ({
  heartbeat: { monitorID: 7, status, time: '2026-11-20 09:14:03.238', msg, important: true, duration: 60 },
  monitor: {
    id: 7,
    name: 'Shop front page',
    url: 'https://shop.example.com/',
    hostname: null,
    port: null,
    type: 'http',
    active: true,
    tags: [{ tag_id: 1, monitor_id: 7, name: 'team', value: 'shop', color: '#059669' }],
  },
  msg: `[Shop front page] ${msg}`,
});
const robot = (alertType: string, alertTypeFriendlyName: string) => ({
  monitorID: '795165',
  monitorURL: 'https://shop.example.com',
  monitorFriendlyName: 'Shop front page',
  alertType,
  alertTypeFriendlyName,
  alertDetails: 'Connection Timeout',
  alertDateTime: '1795166043',
});
const updown = (event: string, down: boolean, ended_at: string | null) => [
  {
    event,
    time: AT,
    check: {
      token: 'ngg8',
      url: 'https://shop.example.com',
      alias: 'Shop front page',
      last_status: down ? 500 : 200,
      down,
      error: down ? '500' : null,
      favicon_url: 'https://shop.example.com/favicon.png',
    },
    downtime: { id: 'd1', error: '500', started_at: AT, ended_at },
  },
];
const betterStack = (status: string, resolved_at: string | null) => ({
  data: {
    id: '789012',
    type: 'incident',
    attributes: {
      name: 'Shop front page',
      url: 'https://shop.example.com/cart',
      cause: 'Status 503',
      started_at: AT,
      resolved_at,
      status,
      team_name: 'Shop',
      regions: ['eu', 'us'],
    },
    relationships: { monitor: { data: { id: '41', type: 'monitor' } } },
  },
  included: [],
});
const page = { id: 'jb7j', status_indicator: 'critical', status_description: 'Partial System Outage' };
const component = (old_status: string, new_status: string) => ({
  meta: { generated_at: AT },
  page,
  component: { id: 'sqm6', name: 'Payments API', status: new_status, page_id: 'jb7j', description: null },
  component_update: { id: 'nd96', old_status, new_status, component_id: 'sqm6', created_at: AT },
});
const statusIncident = (status: string, resolved_at: string | null) => ({
  meta: { generated_at: AT },
  page,
  incident: {
    id: 'z3lc',
    name: 'Payments are slow',
    status,
    impact: 'major',
    created_at: AT,
    resolved_at,
    shortlink: 'https://stspg.example.com/z3lc',
    incident_updates: [{ id: 'qm8b', status, body: 'We look into it', created_at: AT }],
    components: [{ id: 'sqm6', name: 'Payments API', status: 'partial_outage' }],
  },
});
const serviceNow = (state: string) => ({
  sys_id: '9d385017c611228701d22104cc95c371',
  number: 'INC0010023',
  short_description: 'Checkout database does not answer',
  description: 'Connections time out',
  state,
  priority: '1 - Critical',
  urgency: '1 - High',
  impact: '1 - High',
  cmdb_ci: { display_value: 'checkout-db', link: 'https://example.service-now.com/api/now/table/cmdb_ci/1' },
  opened_at: '2026-11-20 09:14:03',
  assignment_group: 'Databases',
});
const cloudflare = (alert_event: string) => ({
  name: 'Origins of the shop',
  text: 'Cloudflare cannot reach your origin shop.example.com',
  data: { severity: 'CRITICAL', unreachable_zones: [{ host: 'shop.example.com', zone_name: 'example.com' }] },
  ts: 1795166043,
  account_id: 'a1',
  policy_id: 'p1',
  policy_name: 'Origins of the shop',
  alert_type: 'real_origin_monitoring',
  alert_correlation_id: 'c1',
  alert_event,
});
const tunnel = (new_status: string) => ({
  name: 'Tunnels',
  text: `Tunnel office is ${new_status}`,
  data: { severity: 'WARNING', tunnel_id: 't1', tunnel_name: 'office', new_status },
  ts: 1795166043,
  policy_id: 'p2',
  alert_type: 'tunnel_health_event',
});
const instana = (state: string) => ({
  issue: {
    id: 'i-53',
    type: 'issue',
    state,
    start: 1795166043000,
    end: state === 'CLOSED' ? 1795166400000 : undefined,
    severity: 10,
    text: 'Garbage collection is slow',
    suggestion: 'Look at the heap',
    link: 'https://instana.example.com/#/events/i-53',
    fqdn: 'db-7.example.com',
    entity: 'JVM',
    entityLabel: 'checkout',
  },
});
const alertGroup = (state: string, type: string) => ({
  event: { type, time: AT },
  user: null,
  alert_group_id: 'IZHCC',
  alert_group: {
    id: 'IZHCC',
    state,
    created_at: AT,
    resolved_at: null,
    title: 'Queue of orders grows',
    labels: { severity: 'high', service: 'orders' },
    permalinks: { web: 'https://oncall.example.com/a/IZHCC' },
  },
  alert_payload: { message: 'grows' },
});
const rootly = (type: string, status: string) => ({
  event: { id: '9839', type, issued_at: AT },
  data: {
    id: 'b7ee',
    sequential_id: 19,
    title: 'Orders fail',
    kind: 'normal',
    status,
    summary: 'One in ten orders fails',
    severity: { id: 's1', name: 'SEV1', slug: 'sev1' },
    services: [{ id: 'x', name: 'orders' }],
    url: 'https://rootly.example.com/19',
    started_at: AT,
  },
});
const fireHydrant = (current_milestone: string) => ({
  event: { operation: 'UPDATED', resource_type: 'incident' },
  data: {
    incident: {
      id: 'f1',
      name: 'Orders fail',
      severity: { slug: 'SEV1', description: 'bad' },
      current_milestone,
      services: [{ id: 'x', name: 'orders' }],
    },
  },
});
const incidentIo = (event: string, category: string) => ({
  event_type: event,
  [event]: {
    id: '01FDAG',
    name: 'Orders fail',
    reference: 'INC-123',
    incident_status: { id: '1', category, name: category },
    severity: { name: 'Major', rank: 3 },
    permalink: 'https://app.incident.example.com/123',
  },
});
const workflow = (conclusion: string) => ({
  action: 'completed',
  workflow_run: {
    id: conclusion === 'failure' ? 1 : 2,
    name: 'Deploy',
    head_branch: 'main',
    status: 'completed',
    conclusion,
    html_url: 'https://github.example.com/shop/checkout/actions/runs/1',
  },
  repository: { id: 3, name: 'checkout', full_name: 'shop/checkout' },
  sender: { login: 'ci' },
});
const dependabot = (action: string, state: string) => ({
  action,
  alert: {
    number: 4,
    state,
    html_url: 'https://github.example.com/shop/checkout/security/4',
    security_advisory: { summary: 'Prototype pollution in a parser', severity: 'high' },
  },
  repository: { id: 3, full_name: 'shop/checkout' },
});
const pipeline = (id: number, status: string) => ({
  object_kind: 'pipeline',
  object_attributes: { id, name: 'Nightly', ref: 'main', status, url: 'https://gitlab.example.com/p/1' },
  project: {
    id: 5,
    name: 'checkout',
    path_with_namespace: 'shop/checkout',
    web_url: 'https://gitlab.example.com',
  },
  user: { name: 'ci', username: 'ci' },
});
const jira = (key: string, name: string) => ({
  timestamp: 1795166043000,
  webhookEvent: 'jira:issue_updated',
  issue: {
    id: '10002',
    key: 'OPS-7',
    fields: {
      summary: 'Orders fail',
      status: { name, statusCategory: { id: 4, key, name } },
      priority: { id: '1', name: 'Highest' },
      project: { key: 'OPS', name: 'Operations' },
      components: [{ name: 'orders' }],
    },
  },
});
const rollbar = (event_name: string) => ({
  event_name,
  data: {
    url: 'https://rollbar.example.com/item/1',
    item: {
      id: 272716944,
      title: 'TypeError: total is undefined',
      environment: 'production',
      level: 50,
      last_occurrence: { level: 'critical', server: { host: 'web-1' } },
    },
  },
});
const bugsnag = (status: string) => ({
  account: { id: 'a', name: 'Shop' },
  project: { id: 'p', name: 'checkout', url: 'https://bugsnag.example.com' },
  trigger: { type: 'errorStateManualChange', message: 'state changed' },
  error: {
    errorId: 'e1',
    exceptionClass: 'TypeError',
    message: 'total is undefined',
    severity: 'error',
    status,
    url: 'https://bugsnag.example.com/e1',
    firstReceived: AT,
    app: { releaseStage: 'production' },
  },
});
const honeybadger = (event: string, resolved: boolean) => ({
  event,
  message: '[checkout/production] TypeError: total is undefined',
  project: { id: 1, name: 'checkout' },
  fault: { id: 3, klass: 'TypeError', environment: 'production', resolved, url: 'https://hb.example.com/3' },
});
const honeycomb = (status: string) => ({
  version: 'v0.1.0',
  id: 'abd',
  name: 'Requests are slow',
  trigger_description: 'p99 above 2 s',
  trigger_url: 'https://ui.honeycomb.example.com/t/abd',
  result_url: 'https://ui.honeycomb.example.com/r/1',
  dataset: 'checkout',
  environment: 'prod',
  status,
  summary: 'p99 is 3 s',
  is_test: false,
  result_groups: [{ Group: {}, Result: 3 }],
});
const sensu = (status: number, state: string) => ({
  timestamp: 1795166043,
  entity: { metadata: { name: 'db-7', namespace: 'default' }, entity_class: 'agent' },
  check: { metadata: { name: 'disk', namespace: 'default' }, status, state, output: '/var is at 99 %' },
});
const sysdig = (state: string, resolved: boolean) => ({
  timestamp: 1795166043000000,
  alert: { id: 42, name: 'CPU is high', severity: 2, severityLabel: 'High', scope: 'host.name = "db-7"' },
  event: { id: 991, url: 'https://sysdig.example.com/991' },
  state,
  resolved,
  entities: [{ entity: "host.name = 'db-7'", metricValues: [] }],
});
const guardDuty = {
  version: '0',
  id: 'd1',
  'detail-type': 'GuardDuty Finding',
  source: 'aws.guardduty',
  account: '123456789012',
  region: 'eu-west-1',
  time: AT,
  resources: [],
  detail: {
    id: 'f1',
    type: 'UnauthorizedAccess:EC2/SSHBruteForce',
    title: 'i-99 is attacked over SSH',
    description: 'Many attempts',
    severity: 8,
    resource: { resourceType: 'Instance', instanceDetails: { instanceId: 'i-99' } },
  },
};
const codePipeline = (state: string) => ({
  'detail-type': 'CodePipeline Pipeline Execution State Change',
  source: 'aws.codepipeline',
  account: '123456789012',
  region: 'eu-west-1',
  time: AT,
  resources: ['arn:aws:codepipeline:eu-west-1:123456789012:checkout'],
  detail: { pipeline: 'checkout', 'execution-id': state, state, version: 3 },
});
const onCall = (message_type: string) => ({
  message_type,
  entity_id: 'db-7/disk',
  entity_display_name: 'Disk of db-7 is full',
  state_message: '/var is at 99 %',
  state_start_time: 1795166043,
  host_name: 'db-7',
  monitoring_tool: 'own',
});
const ilert = (eventType: string, status: string) => ({
  eventType,
  alert: {
    id: 71,
    summary: 'Disk of db-7 is full',
    status,
    priority: 'HIGH',
    reportTime: AT,
    alertSource: { id: 3, name: 'storage' },
  },
});
const flux = (severity: string, reason: string) => ({
  involvedObject: { kind: 'Kustomization', namespace: 'flux-system', name: 'apps', uid: 'u1' },
  severity,
  timestamp: AT,
  message: 'Health check failed after 30s',
  reason,
  metadata: { revision: 'main@sha1:1' },
  reportingController: 'kustomize-controller',
});
const argo = (health: string) => ({
  app: { metadata: { name: 'guestbook', namespace: 'argocd' }, status: { health: { status: health } } },
});
const thousandEyes = (eventType: string) => ({
  eventId: `e-${eventType}`,
  eventType,
  alert: {
    alertId: 5,
    ruleId: 9,
    ruleName: 'Agent is offline',
    severity: 'Major',
    hostname: 'te-1',
    dateStart: AT,
  },
});
const hyperping = (event: string, down: boolean) => ({
  event,
  check: { monitorUuid: 'mon_1', url: 'https://shop.example.com', status: down ? 500 : 200, down, date: AT },
  text: 'shop.example.com changed its state',
});
const ohDear = (type: string, result: string) => ({
  id: `n-${type}`,
  type,
  dateTime: '20261120091403',
  site: { id: 1, url: 'https://shop.example.com', label: 'Shop front page' },
  run: { result },
});
const uptimeCom = (event: string, state: string, state_is_up: boolean) => ({
  event,
  data: {
    service: { id: 4, name: 'checkout', display_name: 'checkout' },
    alert: { id: 77, state, state_is_up, output: 'Timeout', created_at: AT },
    account: { id: 9, name: 'Shop' },
  },
});
const cronitor = (type: string) => ({
  id: 'backup',
  monitor: 'backup',
  name: 'Nightly backup',
  type,
  rule: 'not_on_schedule',
  environment: 'production',
  description: 'Did not start in time',
});
const site24x7 = (STATUS: string) => ({
  MONITOR_ID: 99,
  MONITORNAME: 'Shop front page',
  MONITORURL: 'https://shop.example.com',
  MONITORTYPE: 'URL',
  STATUS,
  INCIDENT_REASON: 'Timeout',
  INCIDENT_TIME_ISO: '2026-11-20T09:14:03+0000',
  MONITOR_DASHBOARD_LINK: 'https://site24x7.example.com/99',
});
const statusCake = (Status: string, StatusCode: number) => ({
  Name: 'Shop front page',
  Status,
  StatusCode,
  TestID: 55,
  URL: 'https://shop.example.com',
  IP: '203.0.113.9',
  Checkrate: 300,
  Tags: 'shop',
});
const logicMonitor = (type: string) => ({
  alertid: 'LMD1',
  type,
  level: 'critical',
  alert_name: 'CPU is high',
  host: 'db-7',
  datasource: 'WinCPU',
  value: '99',
});
const coralogix = (alert_action: string) => ({
  uuid: `u-${alert_action}`,
  alert_id: '49a4',
  name: 'Errors of checkout',
  description: 'More than 10 errors',
  alert_action,
  alert_url: 'https://coralogix.example.com/49a4',
  fields: [
    { key: 'application', value: 'checkout' },
    { key: 'severity', value: 'ERROR' },
    { key: 'computer', value: 'web-1' },
  ],
});
const axiom = (action: string, state: string) => ({
  action,
  event: {
    monitorID: 'Rx1',
    title: `${state}: Errors of checkout`,
    body: 'Event matched',
    timestamp: '2026-11-20 09:14:03 +0000 UTC',
    matchedEvent: { host: 'web-1' },
  },
});
const kapacitor = (level: string, previousLevel: string) => ({
  id: 'cpu:host=db-7',
  message: 'CPU of db-7',
  details: '<b>CPU</b>',
  time: AT,
  duration: 0,
  level,
  previousLevel,
  data: { series: [{ name: 'cpu', tags: { host: 'db-7' }, columns: ['time', 'value'], values: [[AT, 99]] }] },
});
const influx = (level: string) => ({
  _check_id: '02f1',
  _check_name: 'CPU',
  _level: level,
  _message: `CPU is ${level}`,
  _notification_rule_name: 'rule',
  _source_measurement: 'cpu',
  _time: AT,
  host: 'db-7',
});
const bigPanda = (status: string) => ({
  status,
  host: 'db-7',
  check: 'CPU',
  description: 'above 90 %',
  incident_identifier: 'cpu-db-7',
  timestamp: 1795166043,
});
const alerta = (status: string, severity: string) => ({
  id: '1ec2',
  resource: 'db-7',
  event: 'NodeDown',
  environment: 'Production',
  severity,
  status,
  service: ['databases'],
  text: 'No answer',
  createTime: AT,
});
const observium = (ALERT_STATE: string) => ({
  TITLE: 'Port of db-7 has errors',
  ALERT_STATE,
  ALERT_ID: '31',
  ALERT_MESSAGE: 'ifErrors above 10',
  ALERT_URL: 'https://observium.example.com/31',
  SEVERITY: 'Critical',
  DEVICE_HOSTNAME: 'db-7',
});
const prtg = (status: string) => ({
  sensor: 'Ping',
  sensorid: '2041',
  device: 'db-7',
  status,
  priority: '*****',
  message: 'Request timed out',
  linksensor: 'https://prtg.example.com/2041',
});
const kibana = (actionGroup: string) => ({
  rule: { id: 'r1', name: 'Errors of checkout', type: '.es-query' },
  alert: { id: 'checkout', actionGroup },
  context: { reason: 'above 10', service: 'checkout' },
  date: AT,
});
const netdata = (severity: string) => ({
  message: 'disk space is low',
  alert: 'disk_space_usage',
  chart: 'disk_space./var',
  context: 'disk.space',
  space: 'shop',
  host: 'db-7',
  severity,
  date: AT,
  alert_url: 'https://netdata.example.com/1',
});
const zabbix = (status: string) => ({
  host: 'db-7',
  trigger: 'CPU is high',
  severity: 'Disaster',
  status,
  event_id: '88001',
  item_value: '99 %',
});
const squadcast = (status: string) => ({
  message: 'Queue of orders grows',
  description: 'above 1000',
  tags: { severity: { value: 'critical', color: '#ff0000' }, service: 'orders' },
  status,
  event_id: '6',
});
const spectate = (status: string) => ({
  check: 'uptime',
  status,
  incident: { id: 4, started_at: AT, reason: 'timeout', severity: 'high' },
  monitor: { id: 1, label: 'Shop front page', url: 'https://shop.example.com' },
});
const hetrix = (monitor_status: string) => ({
  monitor_id: 'm32',
  monitor_name: 'Shop front page',
  monitor_target: 'https://shop.example.com/',
  monitor_type: 'website',
  monitor_status,
  timestamp: 1795166043,
  monitor_errors: { London: 'timeout' },
});
const siteGuard = (status: string) => ({
  check: { type: 'uptime', status, check_ran_at: '2026-11-20 09:14:03' },
  monitor: { id: 1, url: 'https://shop.example.com' },
});
const onlineOrNot = (trigger: string) => ({
  event: `uptime.${trigger}`,
  trigger,
  name: 'Shop front page',
  url: 'https://shop.example.com',
});
const monitorIo = (status: string) => ({
  monitor_id: '507f',
  monitor_name: 'Shop front page',
  monitor_settings: { https: { url: 'https://shop.example.com' } },
  host: 'shop.example.com',
  timestamp: 1795166043,
  status,
  error: 'Timeout',
});
const errorReporting = {
  version: '1.0',
  type: 'NEW',
  subject: 'New error in checkout',
  group_info: { project_id: 'shop-prod', detail_link: 'https://console.example.com/errors/1' },
  exception_info: { type: 'TypeError', message: 'total is undefined' },
  event_info: { log_message: 'TypeError', response_status: '500', service: 'checkout' },
};
const scc = (state: string) => ({
  notificationConfigName: 'organizations/1/notificationConfigs/inquest',
  finding: {
    name: 'organizations/1/sources/2/findings/3',
    resourceName: '//storage.googleapis.com/shop-backups',
    state,
    category: 'PUBLIC_BUCKET_ACL',
    severity: 'HIGH',
    eventTime: AT,
  },
  resource: { name: '//storage.googleapis.com/shop-backups', displayName: 'shop-backups' },
});
const wiz = (status: string) => ({
  trigger: { source: 'ISSUES', type: 'Created', ruleName: 'send' },
  issue: { id: 'w1', status, severity: 'CRITICAL', created: AT },
  resource: { id: 'r', name: 'shop-backups', type: 'BUCKET', subscriptionId: '123' },
  control: { id: 'c', name: 'A bucket is public' },
});
const healthCheck = (status: string) => ({
  check_name: 'nightly backup',
  status,
  url: 'https://checks.example.com/details',
  host: 'db-7',
  event_time: AT,
});
const incidentHub = (type: string) => ({
  type,
  event: 'incident',
  timestamp: AT,
  data: {
    service: 'Telephony',
    statusPage: 'https://status.example.com',
    eventURL: 'https://stspg.example.com/mjg',
    content: 'Calls are delayed',
    title: 'Calls are delayed',
  },
});
const goAlert = (rest: object) => ({ AppName: 'GoAlert', AlertID: 79685, ...rest });
const consul = (Status: string) => [
  { Node: 'web-1', CheckID: 'service:web', Name: 'Port 80', Status, Output: 'refused', ServiceName: 'web' },
];
const slack = (color: string, word: string) => ({
  text: `${word}: Queue of orders grows`,
  attachments: [{ color, title: 'Queue of orders grows', fields: [{ title: 'service', value: 'orders' }] }],
});

/** All of them. */
export const VENDORS: readonly Vendor[] = [
  {
    tool: 'Uptime Kuma',
    facts: { title: 'Shop front page', severity: null, resource: 'host:shop.example.com' },
    firing: kuma(0, 'timeout'),
    resolved: kuma(1, '200 - OK'),
  },
  {
    tool: 'UptimeRobot',
    facts: { title: 'Shop front page', severity: null, resource: 'host:shop.example.com' },
    firing: robot('1', 'Down'),
    resolved: robot('2', 'Up'),
  },
  {
    tool: 'updown.io',
    facts: { title: 'Shop front page', severity: null, resource: 'host:shop.example.com' },
    firing: updown('check.down', true, null),
    resolved: updown('check.up', false, END),
  },
  {
    tool: 'Better Stack',
    facts: { title: 'Shop front page', severity: null, resource: 'host:shop.example.com' },
    firing: betterStack('Started', null),
    resolved: betterStack('Resolved', END),
  },
  {
    tool: 'a component of Statuspage',
    facts: { title: 'Payments API: major_outage', severity: 'critical', resource: 'service:Payments%20API' },
    firing: component('operational', 'major_outage'),
    resolved: component('major_outage', 'operational'),
  },
  {
    tool: 'an incident of Statuspage',
    facts: { title: 'Payments are slow', severity: 'major', resource: 'service:Payments%20API' },
    firing: statusIncident('investigating', null),
    resolved: statusIncident('resolved', END),
  },
  {
    tool: 'ServiceNow',
    facts: {
      title: 'Checkout database does not answer',
      severity: '1 - Critical',
      resource: 'service:checkout-db',
    },
    firing: serviceNow('1'),
    resolved: { result: serviceNow('6') },
  },
  {
    tool: 'Cloudflare',
    facts: { title: 'Origins of the shop', severity: 'CRITICAL', resource: 'host:shop.example.com' },
    firing: cloudflare('ALERT_STATE_EVENT_START'),
    resolved: cloudflare('ALERT_STATE_EVENT_END'),
  },
  {
    tool: 'a tunnel of Cloudflare',
    facts: { title: 'Tunnels', severity: 'WARNING', resource: 'service:office' },
    firing: tunnel('TUNNEL_STATUS_TYPE_DOWN'),
    resolved: tunnel('TUNNEL_STATUS_TYPE_HEALTHY'),
  },
  {
    tool: 'Squadcast',
    facts: { title: 'Queue of orders grows', severity: 'critical', resource: 'service:orders' },
    firing: squadcast('trigger'),
    resolved: squadcast('resolve'),
  },
  {
    tool: 'Zabbix with fields of its own',
    facts: { title: 'CPU is high', severity: 'Disaster', resource: 'host:db-7' },
    firing: zabbix('PROBLEM'),
    resolved: zabbix('RESOLVED'),
  },
  {
    tool: 'Instana',
    facts: { title: 'Garbage collection is slow', severity: 'critical', resource: 'host:db-7.example.com' },
    firing: instana('OPEN'),
    resolved: instana('CLOSED'),
  },
  {
    tool: 'Grafana OnCall',
    facts: { title: 'Queue of orders grows', severity: 'high', resource: 'service:orders' },
    firing: alertGroup('firing', 'alert group created'),
    resolved: alertGroup('resolved', 'resolve'),
  },
  {
    tool: 'Rootly',
    facts: { title: 'Orders fail', severity: 'SEV1', resource: 'service:orders' },
    firing: rootly('incident.created', 'started'),
    resolved: rootly('incident.resolved', 'resolved'),
  },
  {
    tool: 'FireHydrant',
    facts: { title: 'Orders fail', severity: 'SEV1', resource: 'service:orders' },
    firing: fireHydrant('started'),
    resolved: fireHydrant('resolved'),
  },
  {
    tool: 'incident.io',
    facts: { title: 'Orders fail', severity: 'Major', resource: null },
    firing: incidentIo('public_incident.incident_created_v2', 'triage'),
    resolved: incidentIo('public_incident.incident_updated_v2', 'closed'),
  },
  {
    tool: 'GitHub Actions',
    facts: { title: 'Deploy: shop/checkout', severity: null, resource: 'service:shop%2Fcheckout' },
    firing: workflow('failure'),
    resolved: workflow('success'),
  },
  {
    tool: 'Dependabot',
    facts: {
      title: 'Prototype pollution in a parser',
      severity: 'high',
      resource: 'service:shop%2Fcheckout',
    },
    firing: dependabot('created', 'open'),
    resolved: dependabot('fixed', 'fixed'),
  },
  {
    tool: 'GitLab',
    facts: { title: 'Nightly: failed', severity: null, resource: 'service:shop%2Fcheckout' },
    firing: pipeline(1, 'failed'),
    resolved: pipeline(2, 'success'),
  },
  {
    tool: 'Jira',
    facts: { title: 'Orders fail', severity: 'Highest', resource: 'service:orders' },
    firing: jira('new', 'To Do'),
    resolved: jira('done', 'Done'),
  },
  {
    tool: 'Rollbar',
    facts: { title: 'TypeError: total is undefined', severity: 'critical', resource: 'host:web-1' },
    firing: rollbar('new_item'),
    resolved: rollbar('resolved_item'),
  },
  {
    tool: 'Bugsnag',
    facts: { title: 'TypeError: total is undefined', severity: 'error', resource: 'service:checkout' },
    firing: bugsnag('open'),
    resolved: bugsnag('fixed'),
  },
  {
    tool: 'Honeybadger',
    facts: {
      title: '[checkout/production] TypeError: total is undefined',
      severity: null,
      resource: 'service:checkout',
    },
    firing: honeybadger('occurred', false),
    resolved: honeybadger('resolved', true),
  },
  {
    tool: 'Honeycomb',
    facts: { title: 'Requests are slow', severity: null, resource: 'service:checkout' },
    firing: honeycomb('TRIGGERED'),
    resolved: honeycomb('OK'),
  },
  {
    tool: 'Sensu',
    facts: { title: 'disk', severity: 'critical', resource: 'host:db-7' },
    firing: sensu(2, 'failing'),
    resolved: sensu(0, 'passing'),
  },
  {
    tool: 'Sysdig',
    facts: { title: 'CPU is high', severity: 'High', resource: null },
    firing: sysdig('ACTIVE', false),
    resolved: sysdig('OK', true),
  },
  {
    tool: 'GuardDuty',
    facts: { title: 'i-99 is attacked over SSH', severity: 'high', resource: 'service:i-99' },
    firing: guardDuty,
  },
  {
    tool: 'CodePipeline',
    facts: {
      title: 'CodePipeline Pipeline Execution State Change: checkout',
      severity: null,
      resource: 'service:checkout',
    },
    firing: codePipeline('FAILED'),
    resolved: codePipeline('SUCCEEDED'),
  },
  {
    tool: 'Splunk On-Call',
    facts: { title: 'Disk of db-7 is full', severity: 'CRITICAL', resource: 'host:db-7' },
    firing: onCall('CRITICAL'),
    resolved: onCall('RECOVERY'),
  },
  {
    tool: 'iLert',
    facts: { title: 'Disk of db-7 is full', severity: 'HIGH', resource: 'service:storage' },
    firing: ilert('alert-created', 'PENDING'),
    resolved: ilert('alert-resolved', 'RESOLVED'),
  },
  {
    tool: 'Flux',
    facts: { title: 'apps: HealthCheckFailed', severity: 'error', resource: 'service:apps' },
    firing: flux('error', 'HealthCheckFailed'),
    resolved: flux('info', 'ReconciliationSucceeded'),
  },
  {
    tool: 'Argo CD',
    facts: { title: 'guestbook: Degraded', severity: null, resource: 'service:guestbook' },
    firing: argo('Degraded'),
    resolved: argo('Healthy'),
  },
  {
    tool: 'ThousandEyes',
    facts: { title: 'Agent is offline', severity: 'Major', resource: 'host:te-1' },
    firing: thousandEyes('ALERT_NOTIFICATION_TRIGGER'),
    resolved: thousandEyes('ALERT_NOTIFICATION_CLEAR'),
  },
  {
    tool: 'Hyperping',
    facts: { title: 'shop.example.com changed its state', severity: null, resource: 'host:shop.example.com' },
    firing: hyperping('check.down', true),
    resolved: hyperping('check.up', false),
  },
  {
    tool: 'Oh Dear',
    facts: { title: 'Shop front page', severity: null, resource: 'host:shop.example.com' },
    firing: ohDear('uptimeCheckFailedNotification', 'failed'),
    resolved: ohDear('uptimeCheckRecoveredNotification', 'succeeded'),
  },
  {
    tool: 'Uptime.com',
    facts: { title: 'checkout', severity: 'CRITICAL', resource: 'service:checkout' },
    firing: uptimeCom('alert_raised', 'CRITICAL', false),
    resolved: uptimeCom('alert_cleared', 'OK', true),
  },
  {
    tool: 'Cronitor',
    facts: { title: 'Nightly backup', severity: null, resource: null },
    firing: cronitor('Alert'),
    resolved: cronitor('Recovery'),
  },
  {
    tool: 'Site24x7',
    facts: { title: 'Shop front page', severity: null, resource: 'host:shop.example.com' },
    firing: site24x7('DOWN'),
    resolved: site24x7('UP'),
  },
  {
    tool: 'StatusCake',
    facts: { title: 'Shop front page', severity: null, resource: 'host:shop.example.com' },
    firing: statusCake('Down', 0),
    resolved: statusCake('Up', 200),
  },
  {
    tool: 'LogicMonitor',
    facts: { title: 'CPU is high', severity: 'critical', resource: 'host:db-7' },
    firing: logicMonitor('alert'),
    resolved: logicMonitor('clear'),
  },
  {
    tool: 'Coralogix',
    facts: { title: 'Errors of checkout', severity: 'ERROR', resource: 'service:checkout' },
    firing: coralogix('trigger'),
    resolved: coralogix('resolve'),
  },
  {
    tool: 'Axiom',
    facts: { title: 'Triggered: Errors of checkout', severity: null, resource: 'host:web-1' },
    firing: axiom('Open', 'Triggered'),
    resolved: axiom('Closed', 'Resolved'),
  },
  {
    tool: 'Kapacitor',
    facts: { title: 'CPU of db-7', severity: 'CRITICAL', resource: 'host:db-7' },
    firing: kapacitor('CRITICAL', 'OK'),
    resolved: kapacitor('OK', 'CRITICAL'),
  },
  {
    tool: 'InfluxDB',
    facts: { title: 'CPU', severity: 'crit', resource: 'host:db-7' },
    firing: influx('crit'),
    resolved: influx('ok'),
  },
  {
    tool: 'BigPanda',
    facts: { title: 'CPU', severity: 'critical', resource: 'host:db-7' },
    firing: bigPanda('critical'),
    resolved: bigPanda('ok'),
  },
  {
    tool: 'Alerta',
    facts: { title: 'NodeDown', severity: 'major', resource: 'service:databases' },
    firing: alerta('open', 'major'),
    resolved: alerta('closed', 'normal'),
  },
  {
    tool: 'Observium',
    facts: { title: 'Port of db-7 has errors', severity: 'Critical', resource: 'host:db-7' },
    firing: observium('ALERT'),
    resolved: observium('RECOVER'),
  },
  {
    tool: 'PRTG',
    facts: { title: 'Ping', severity: '*****', resource: 'host:db-7' },
    firing: prtg('Down'),
    resolved: prtg('Up'),
  },
  {
    tool: 'Kibana',
    facts: { title: 'Errors of checkout', severity: null, resource: 'service:checkout' },
    firing: kibana('threshold met'),
    resolved: kibana('recovered'),
  },
  {
    tool: 'Netdata',
    facts: { title: 'disk_space_usage', severity: 'critical', resource: 'host:db-7' },
    firing: netdata('critical'),
    resolved: netdata('clear'),
  },
  {
    tool: 'Spectate',
    facts: { title: 'Shop front page', severity: 'high', resource: 'host:shop.example.com' },
    firing: spectate('down'),
    resolved: spectate('recovered'),
  },
  {
    tool: 'HetrixTools',
    facts: { title: 'Shop front page', severity: null, resource: 'host:shop.example.com' },
    firing: hetrix('offline'),
    resolved: hetrix('online'),
  },
  {
    tool: 'SiteGuard',
    facts: { title: 'https://shop.example.com', severity: null, resource: 'host:shop.example.com' },
    firing: siteGuard('failed'),
    resolved: siteGuard('successful'),
  },
  {
    tool: 'OnlineOrNot',
    facts: { title: 'Shop front page', severity: null, resource: 'host:shop.example.com' },
    firing: onlineOrNot('down'),
    resolved: onlineOrNot('up'),
  },
  {
    tool: 'Uptime Monitor',
    facts: { title: 'Shop front page', severity: null, resource: 'host:shop.example.com' },
    firing: monitorIo('down'),
    resolved: monitorIo('up'),
  },
  {
    tool: 'Error Reporting',
    facts: { title: 'New error in checkout', severity: null, resource: 'service:checkout' },
    firing: errorReporting,
  },
  {
    tool: 'Security Command Center',
    facts: { title: 'PUBLIC_BUCKET_ACL', severity: 'HIGH', resource: 'service:shop-backups' },
    firing: scc('ACTIVE'),
    resolved: scc('INACTIVE'),
  },
  {
    tool: 'Wiz',
    facts: { title: 'A bucket is public', severity: 'CRITICAL', resource: 'service:shop-backups' },
    firing: wiz('OPEN'),
    resolved: wiz('RESOLVED'),
  },
  {
    tool: 'a check without an id',
    facts: { title: 'nightly backup', severity: null, resource: 'host:db-7' },
    firing: healthCheck('down'),
    resolved: healthCheck('up'),
  },
  {
    tool: 'IncidentHub',
    facts: { title: 'Calls are delayed', severity: null, resource: 'service:Telephony' },
    firing: incidentHub('triggered'),
    resolved: incidentHub('resolved'),
  },
  {
    tool: 'GoAlert',
    facts: { title: 'Queue of orders grows', severity: null, resource: null },
    firing: goAlert({ Type: 'Alert', Summary: 'Queue of orders grows', Details: 'above 1000' }),
    resolved: goAlert({ Type: 'AlertStatus', LogEntry: 'Closed via test integration' }),
  },
  {
    tool: 'a watch of Consul',
    facts: { title: 'Port 80', severity: 'critical', resource: 'service:web' },
    firing: consul('critical'),
    resolved: consul('passing'),
  },
  {
    tool: 'a message for Slack',
    facts: { title: 'Firing: Queue of orders grows', severity: null, resource: 'service:orders' },
    firing: slack('danger', 'Firing'),
  },
];
