// Messages of each kind for tests: texts with markup, mentions and links of every destination.

import type { DeliveryEvent, OutgoingMessage, PortableMessage } from '../contract/destination.ts';

const PAGE = 'https://inquest.example.com/s/01hsession';

/** Markup, mentions and addresses that must not be executed, mention anyone, or become links. */
export const HOSTILE =
  '<!channel> <@U012AB> @here <users/all> <at>Ann</at> @octocat @org/team #12 GH-7 **bold** <b>x</b> [go](https://evil.example/x?a=1) www.evil.example evil.com mailto:a@b.com javascript:alert(1) ![i](https://evil.example/i.png) `c` [masked:token]';

/** Controls of terminals, marks of direction, zero-width characters, and a rare line break. */
const HIDDEN = 'a\u0000b\u001b[2Jc\u202egnp\u2066d\u200be\u{e0041}f\u2028g';
const ILL = `${HOSTILE} ${HIDDEN}`;

/** A message whose every text is written by others: markup, hidden characters, and 40 kB. */
export const HOSTILE_MESSAGE: Partial<PortableMessage> = {
  title: ILL,
  text: ILL,
  location: ILL,
  // One with hidden characters is left out.
  command: HOSTILE,
  certainty: ILL,
  summary: [ILL, 's'.repeat(40_000)],
  cause: ILL,
  nextStep: ILL,
  facts: [{ name: ILL, value: ILL }],
  evidence: [
    { title: ILL, url: 'https://ok.example/e' },
    { title: 'Script', url: 'javascript:alert(1)' },
    { title: 'Password', url: 'https://a:b@ok.example/' },
  ],
  sections: [
    { title: ILL, text: `${ILL}\n${'t'.repeat(40_000)}`, isCode: false },
    { title: 'Code', text: `${ILL}\n\`\`\`\n@octocat`, isCode: true },
  ],
  buttons: [{ action: 'open', label: ILL, url: 'https://ok.example/b' }],
  link: 'https://ok.example/s',
};

const BASE: PortableMessage = {
  status: 'completed',
  problem: { status: 'firing', text: 'Firing since 20:14 UTC, repeated 14 times' },
  title: 'KubePodCrashLooping: checkout-7d4f in shop',
  location: 'shop/checkout · shop-prod',
  command: 'kubectl -n shop set resources deployment/checkout --limits=memory=512Mi',
  certainty:
    'Confirmed. Pod checkout-7d4f: last state OOMKilled at 20:58 UTC, 2 minutes before the alert; 3 healthy siblings do not show it.',
  text: 'checkout-7d4f restarts because its memory limit is below its cache size.',
  summary: ['The pod was killed 14 times in 30 minutes.', `A log line contains ${HOSTILE}`],
  cause: 'The limit of 256Mi is below the cache of 300 MB that version 2.4.1 configures.',
  nextStep: 'Raise resources.limits.memory to 512Mi in deployment/checkout.',
  facts: [
    { name: 'Chain', value: 'investigate' },
    { name: 'Severity', value: 'critical' },
    { name: 'Duration', value: '2 min 14 s' },
  ],
  evidence: [
    { title: 'Grafana: memory of checkout', url: 'https://grafana.example.com/d/abc?var=checkout&from=1' },
  ],
  sections: [
    {
      title: 'Command',
      text: 'kubectl set resources deployment/checkout --limits=memory=512Mi',
      isCode: true,
    },
  ],
  buttons: [],
  link: PAGE,
  isRepeated: false,
};

const CHANGES: Partial<Record<DeliveryEvent, Partial<PortableMessage>>> = {
  opened: {
    status: 'running',
    text: 'Investigation of KubePodCrashLooping: checkout-7d4f in shop started.',
    command: null,
    certainty: 'Investigating.',
    summary: [],
    cause: null,
    nextStep: null,
    evidence: [],
    sections: [],
  },
  approval: {
    status: 'waiting',
    text: 'restart_deployment waits for approval.',
    command: null,
    certainty: null,
    summary: ['The agent asks to run a tool.'],
    cause: null,
    nextStep: 'Approve or deny the call before 22:30 UTC.',
    evidence: [],
    sections: [
      {
        title: 'restart_deployment',
        text: '{\n  "name": "checkout",\n  "note": "@here <!channel>"\n}',
        isCode: true,
      },
    ],
    buttons: [
      { action: 'approve', label: 'Approve', value: 'a1:digest' },
      { action: 'deny', label: 'Deny', value: 'a1:digest' },
      { action: 'open', label: 'Open approval', url: `${PAGE}#approval` },
    ],
  },
  failed: {
    status: 'failed',
    text: 'The investigation failed: MODEL_UNAVAILABLE.',
    command: null,
    certainty: 'Investigation failed.',
    summary: ['MODEL_UNAVAILABLE: the model did not answer.'],
    cause: null,
    isRepeated: true,
  },
  deferred: {
    status: 'deferred',
    text: 'The alert waits: 20 sessions an hour are reached.',
    command: null,
    certainty: 'Not investigated yet.',
    summary: ['The budget of the hour is used.'],
    cause: null,
    nextStep: null,
    evidence: [],
    sections: [],
  },
  outcome: {
    status: 'notice',
    text: 'Outcome held: PodCrashLooping: a.p1 changed as stated after the action "raised the memory limit" of ana.',
    command: null,
    certainty: null,
    summary: ['a.p1 changed as stated after the action "raised the memory limit" of ana.'],
    cause: null,
    nextStep: null,
    facts: [{ name: 'a.p1', value: 'shop.memory: "memory at" below 400Mi: holds' }],
    evidence: [],
    sections: [],
  },
  rejected: {
    status: 'notice',
    problem: null,
    location: null,
    command: null,
    certainty: null,
    title: '3 alerts were rejected since 2026-11-26 21:04 UTC',
    text: '3 alerts were rejected and not investigated since 2026-11-26 21:04 UTC: ALERT_INVALID, CONFIG_UNKNOWN_CHAIN',
    summary: ['Errors: ALERT_INVALID, CONFIG_UNKNOWN_CHAIN'],
    cause: null,
    nextStep: 'Find the causes with "inquest why", correct the sender, then send the alerts again.',
    facts: [{ name: 'Tenant', value: 'default' }],
    evidence: [],
    sections: [],
    link: 'https://inquest.example.com/alerts',
  },
};

/** The events that have golden files. */
export const GOLDEN_EVENTS = [
  'opened',
  'approval',
  'ended',
  'failed',
  'deferred',
  'rejected',
  'outcome',
] as const;

/** A message of an event, with `changes` to its contents. */
export function sampleMessage(
  event: DeliveryEvent,
  changes: Partial<PortableMessage> = {},
  outgoing: Partial<OutgoingMessage> = {},
): OutgoingMessage {
  return {
    id: `01hsession~oncall.${event}.0`,
    event,
    thread: null,
    place: null,
    session:
      event === 'rejected' || event === 'notice'
        ? null
        : {
            sessionId: '01hsession',
            tenantId: 'default',
            chain: 'investigate',
            status:
              event === 'ended' || event === 'outcome'
                ? 'completed'
                : event === 'failed'
                  ? 'failed'
                  : 'in_progress',
            severity: 'critical',
            source: 'pagerduty',
            problem: { status: 'firing', at: new Date('2026-11-26T20:14:00Z'), repeats: 14 },
            createdAt: new Date('2026-11-26T21:00:00Z'),
            endedAt: ['ended', 'failed', 'outcome'].includes(event) ? new Date('2026-11-26T21:02:14Z') : null,
          },
    message: { ...BASE, ...CHANGES[event], ...changes },
    occurredAt: new Date('2026-11-26T21:02:13Z'),
    firstSentAt: new Date('2026-11-26T21:02:15Z'),
    ...outgoing,
  };
}
