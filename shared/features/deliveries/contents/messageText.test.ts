import { expect, it } from 'vitest';
import {
  SAMPLE_TIME,
  sampleAlertPart,
  sampleApproval,
  sampleSession,
  sampleVerdict,
} from '../../../../test/support/samples.ts';
import { readSessionAlert } from '../../../alerts/schema/alert.ts';
import type { Approval } from '../../../core/schema/approval.ts';
import { NO_PARTS, withPart } from '../../../core/schema/parts.ts';
import type { Session } from '../../../core/schema/session.ts';
import { type Verdict, verdictPart } from '../../../evidence/schema/verdict.ts';
import type { Outcome } from '../../../kits/alerts/outcome.ts';
import type { MessageSources } from './messageParts.ts';
import { composeDeliveryMessage } from './messageText.ts';

const AT = new Date('2026-11-26T09:10:00Z');
const CAUSES = [
  { component: 'service:checkout', mechanism: 'memory' },
  { component: null, mechanism: 'release' },
  { component: 'k8s:eu/shop/Deployment/db', mechanism: null },
];

const verdictOf = (value: Verdict | null) =>
  sampleVerdict(value, {
    causes: CAUSES,
    rule: value === null ? 'not_checked' : value === 'inconclusive' ? 'unsupported' : 'contrasted',
  });

/** A part with a verdict. */
const withVerdict = (value: Verdict | null) => withPart(verdictPart, NO_PARTS, verdictOf(value));

/** The message about the end of a session. */
function ended(change: Partial<Session>, problem: MessageSources['problem'] = null) {
  const session = sampleSession({ status: 'completed', endedAt: AT, executiveSummary: null, ...change });
  return composeDeliveryMessage({
    session,
    problem,
    delivery: { event: 'ended', destination: 'team', isRepeated: false },

    publicUrl: null,

    now: AT,
  });
}

it.each([
  ['confirmed', 'memory of checkout, db (shop, eu)', 'Confirmed. memory of checkout, db (shop, eu).'],
  ['likely', 'memory of checkout, db (shop, eu)', 'Likely. memory of checkout, db (shop, eu).'],
  [
    'inconclusive',
    null,
    'Not established. No status or metric and no two independent texts show the named cause.',
  ],
  [null, null, 'Not checked. memory of checkout, db (shop, eu).'],
] as [Verdict | null, string | null, string][])(
  'a result with the verdict %s names the cause %s',
  (value, cause, line) => {
    const message = ended({ ...withVerdict(value), finalAnalysis: 'The pod ran out of memory.' });
    expect(message).toMatchObject({ cause, certainty: line, summary: ['The pod ran out of memory.'] });
  },
);

it('a message states the problem before the work, in its sentence for phones as well', () => {
  const problem = { status: 'resolved', at: new Date('2026-11-25T18:25:40Z'), repeats: 3 } as const;
  expect(ended({ title: 'Disk full', executiveSummary: 'The log grew.' }, problem)).toMatchObject({
    problem: { status: 'resolved', text: 'Resolved 25 Nov 18:25 UTC' },
    status: 'completed',
    text: 'Resolved 25 Nov 18:25 UTC · Investigated: Disk full (shop): The log grew.',
  });
  const firing = { ...problem, status: 'firing', at: new Date('2026-11-26T08:24:00Z') } as const;
  expect(ended({}, firing).problem?.text).toBe('Firing since 08:24 UTC, repeated 3 times');
});

it('a result has four lines of its summary, each and the sentence for phones within their limits', () => {
  const executiveSummary = `\n  ${'a'.repeat(900)}\n\nsecond\nthird\nfourth\nfifth`;
  const { summary, text, title } = ended({ executiveSummary, title: `${'t'.repeat(400)}\u202e\n` });
  expect(summary).toHaveLength(4);
  expect(summary[0]?.length).toBeLessThanOrEqual(500);
  expect(text.length).toBeLessThanOrEqual(300);
  expect(title.length).toBeLessThanOrEqual(200);
  expect(`${title}${text}${summary.join('')}`).not.toMatch(/[\n\u202e]/);
});

it('a running session has no cause, also with a verdict, and no link without an address', () => {
  expect(ended({ status: 'in_progress', endedAt: null, ...withVerdict('confirmed') })).toMatchObject({
    cause: null,
    // There is no address without PUBLIC_URL.
    link: null,
  });
});

it('a page whose address has a mask is no link', () => {
  const alert = readSessionAlert(sampleSession());
  const links = ['https://a.example/?token=[masked:token]', 'https://b.example/'].map((url) => ({
    title: 'x',
    url,
  }));
  const { evidence } = ended(sampleAlertPart(alert && { ...alert, url: null, links }));
  expect(evidence.map(({ url }) => url)).toEqual(['https://b.example/']);
});

it('the result of a script that does not name the alert states so in its sentence and its facts', () => {
  const caveats = [{ executionId: '01-investigator', code: 'SCRIPTED' as const }];
  expect(ended({ caveats }).text).toMatch(/^Answered by a script: /);
  expect(ended({ caveats }).facts).toContainEqual({
    name: 'Model',
    value: 'none: a script answered that does not name this alert',
  });
  expect(JSON.stringify(ended({}))).not.toContain('script');
});

const UNDO = 'kubectl -n shop rollout undo deployment/checkout';

it('a message names the place of the problem, its command, and how sure the result is', () => {
  const alert = readSessionAlert(sampleSession());
  const labels = { deployment: 'checkout', namespace: 'shop', cluster: 'shop-prod', project_id: 'retail' };
  const located = sampleAlertPart(alert && { ...alert, labels });
  const executiveSummary = `Orders fail.\nDo now: ${UNDO}`;
  expect(
    ended({ ...withPart(verdictPart, located, verdictOf('confirmed')), executiveSummary }),
  ).toMatchObject({
    location: 'shop/checkout · shop-prod · retail',
    command: UNDO,
    certainty: expect.stringMatching(/^Confirmed\. /),
    summary: ['Orders fail.'],
  });
  expect(ended({ executiveSummary })).toMatchObject({ certainty: 'Not checked.' });
  const prose = `Run ${UNDO} and wait, because the cache grows.`;
  const analysis = `**What to do now**: \`${UNDO}\``;
  expect(ended({ executiveSummary: prose, finalAnalysis: analysis })).toMatchObject({
    command: UNDO,
    summary: [prose],
  });
  const running = ended({ ...located, executiveSummary, status: 'in_progress', endedAt: null });
  expect(running).toMatchObject({ command: null, certainty: 'Investigating.' });
});

it.each([
  [
    `**Root cause** (low): \`kubectl get pods\` fails.\n**What to do now**: \`${UNDO}\`\n**Unverified**: logs.`,
    UNDO,
  ],
  [`## Evidence\n\`kubectl get pods\`\n\n## Next steps\n1. Tell the team.\n2. \`${UNDO}\``, UNDO],
  [`**What to do now**\n\n\`\`\`sh\n${UNDO}\n\`\`\``, UNDO],
  [`**What to do now**\n\n\`\`\`sh\n${UNDO}\nkubectl get pods\n\`\`\``, null],
  [`**Evidence**: \`${UNDO}\``, null],
  [`**What to do now**: \`${UNDO} --to=\u202e7\``, null],
  ['**What to do now**: `kubectl login --token=[masked:token#1]`', null],
  [`**What to do now**: \`kubectl ${'x'.repeat(600)} y\``, null],
  ['**What to do now**: wait.', null],
])('the analysis %j has the command %s', (finalAnalysis, command) => {
  expect(ended({ finalAnalysis }).command).toBe(command);
});

const LINKS = [
  { title: 'Shop', url: 'http://shop.example/a b' },
  { title: 'Script', url: 'javascript:alert(1)' },
  { title: 'Long', url: `https://a.example/${'x'.repeat(2_000)}` },
  { title: 'None', url: 'no url' },
];
const located = () => {
  const alert = readSessionAlert(sampleSession());
  return sampleAlertPart(alert && { ...alert, links: LINKS });
};
const FIRING = { status: 'firing', at: new Date('2026-11-26T08:24:00Z'), repeats: 0 } as const;
const UNKNOWN = { status: 'unknown', at: null, repeats: 0 } as const;
const CHECK = { stageId: null, startedAt: AT, endedAt: AT, results: [{ holds: true, why: null }] };
const PROBE = { id: 'a.p1', executionId: 'x', tool: 'shop.get', arguments: '{}', action: null };
const OUTCOME = {
  ...{ sessionId: 's', value: 'held', reason: 'It ended.\nAll is well.', checks: [CHECK], dueAt: null },
  probes: [
    { ...PROBE, find: '/up', is: 'present', value: null },
    { ...PROBE, id: 'a.p2', find: '/down', is: 'absent', value: null },
  ],
  ...{ expireAt: AT, createdAt: AT },
} as Outcome;
const ASKED = { question: 'Which node?\nName one.', options: ['a', 'b'] };
const decided = (status: Approval['status'], more: Partial<Approval> = {}) => ({
  approval: sampleApproval({ status, ...more }),
});
const FAILED = { code: 'MODEL_UNAVAILABLE' as const, message: 'The model did not answer.' };

const ENDED = new Date(SAMPLE_TIME.getTime() + 134_000);

const MESSAGES: Record<string, [string, Partial<Session>, Partial<MessageSources>]> = {
  opened: ['opened', located(), {}],
  'opened, with a problem': ['opened', located(), { problem: FIRING, publicUrl: 'https://inquest.example' }],
  'a question opened it': ['progress', { ...sampleAlertPart(null), title: null }, {}],
  deferred: [
    'deferred',
    { status: 'deferred', deferral: { reason: 'The budget of the hour is used.' } as Session['deferral'] },
    { problem: UNKNOWN },
  ],
  completed: [
    'ended',
    { ...located(), status: 'completed', endedAt: ENDED, finalAnalysis: 'The disk\n\nis full.' },
    {},
  ],
  'completed at once': [
    'ended',
    { status: 'completed', endedAt: new Date(SAMPLE_TIME.getTime() + 29_000) },
    {},
  ],
  'completed, judged': [
    'ended',
    {
      ...withVerdict('confirmed'),
      status: 'completed',
      endedAt: ENDED,
      executiveSummary: 'Confirmed: The disk is full.',
    },
    {
      problem: FIRING,
      fields: [
        { name: 'rollback', value: true },
        { name: 'note', value: '' },
      ],
    },
  ],
  failed: ['failed', { status: 'failed', endedAt: ENDED, failure: FAILED, finalAnalysis: 'The disk.' }, {}],
  'failed, judged': [
    'failed',
    { ...withVerdict('likely'), status: 'timed_out', endedAt: ENDED, failure: FAILED },
    {},
  ],
  cancelled: ['failed', { status: 'cancelled', endedAt: ENDED }, {}],
  details: [
    'details',
    { finalAnalysis: 'The disk is full.', partial: { text: 'So far.' } as Session['partial'] },
    {},
  ],
  'details of nothing': ['details', {}, {}],
  approval: ['approval', {}, { ...decided('pending'), publicUrl: 'https://inquest.example' }],
  'approval without an address': ['approval', {}, decided('pending')],
  'approval of a call with hidden text': [
    'approval',
    {},
    decided('pending', { arguments: '{"a":"b\u202ec"}' }),
  ],
  'approval that is gone': ['approval', {}, {}],
  approved: ['decided', {}, decided('approved', { decidedBy: 'ana@example.com' })],
  denied: ['decided', {}, decided('denied', { decidedBy: 'ana@example.com', reason: 'Not now.' })],
  expired: ['decided', {}, decided('expired')],
  closed: ['decided', {}, decided('ended')],
  asked: ['asked', located(), { asked: ASKED }],
  'asked without options': ['asked', {}, { asked: { question: 'Why?', options: [] } }],
  'asked, no longer stored': ['asked', {}, {}],
  outcome: ['outcome', located(), { outcome: OUTCOME, problem: FIRING }],
  'outcome that is not known': ['outcome', {}, {}],
  answer: ['answer', {}, { answer: 'Because.\nIt was full.' }],
  'no answer': ['answer', {}, { answer: null }],
};

it('each message is its entry of the golden file', async () => {
  const shown = Object.entries(MESSAGES).map(([name, [event, change, sources]]) => [
    name,
    composeDeliveryMessage({
      session: sampleSession({ title: 'Disk full', finalAnalysis: null, executiveSummary: null, ...change }),
      ...{ problem: null, publicUrl: null, now: AT },
      delivery: { event, destination: 'team', isRepeated: event === 'approval' },
      ...sources,
    }),
  ]);
  const text = `${JSON.stringify(Object.fromEntries(shown), null, 2)}\n`;
  await expect(text).toMatchFileSnapshot('golden/messages.json');
});
