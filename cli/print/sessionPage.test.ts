import { describe, expect, it } from 'vitest';
import { rerunPart } from '../../shared/alerts/schema/rerun.ts';
import { withPart } from '../../shared/core/schema/parts.ts';
import { type SessionDocuments, sessionView } from '../../shared/kits/views/sessionView.ts';
import {
  SAMPLE_TIME,
  sampleAlert,
  sampleAlertPart,
  sampleApproval,
  sampleEvent,
  sampleExecution,
  sampleSession,
  sampleStage,
} from '../../test/support/samples.ts';
import { sessionPage } from './sessionPage.ts';
import { measureColumns } from './textTable.ts';

const HOSTILE = 'boom \u001b[2J\u009b1A\u001b]0;title\u0007 \u202Egnp.exe';
const HIDDEN = /[\p{Cc}\p{Cf}]/u;
const tokens = { input: 100, output: 20, thinking: 7, cached: 0, total: 127 };

const NOW = new Date(SAMPLE_TIME.getTime() + 120_000);

function documents(overrides: Partial<SessionDocuments> = {}): SessionDocuments {
  const session = sampleSession({
    status: 'completed',
    ...withPart(rerunPart, sampleAlertPart(sampleAlert({ masked: 2 })), { of: '2026-11-21-earlier-abcdef' }),
    finalAnalysis: 'Out of memory.',
    executiveSummary: 'checkout is down.\nRoll back.',
    endedAt: new Date(SAMPLE_TIME.getTime() + 65_000),
  });
  return {
    session,
    stages: [sampleStage({ status: 'completed' })],
    executions: [
      sampleExecution({
        status: 'completed',
        tokens,
        cost: { usd: 0.5, unpricedCalls: 0 },
        pendingCalls: [],
      }),
    ],
    timeline: [sampleEvent('llm_response', { content: 'I look.', metadata: { masked: 3 } })],
    interactions: [],
    approvals: [sampleApproval({ status: 'denied', decidedBy: 'ada', reason: 'not now' })],
    problem: { status: 'firing', at: SAMPLE_TIME, repeats: 14 },
    now: NOW,
    ...overrides,
  };
}

describe('a session as a page', () => {
  it('has alert, state, agents, masked and refused values, timeline, analysis and cost', () => {
    const page = sessionPage(sessionView(documents()), 80, false, NOW).join('\n');
    for (const text of [
      /^Problem +Firing since 10:20 UTC, repeated 14 times$/m,
      /^Alert +KubePodCrashLooping \(critical, alertmanager\)$/m,
      /^Rerun of +2026-11-21-earlier-abcdef$/m,
      /^Duration +1:05 min$/m,
      /^Masked +2 secrets in the alert, 3 in the timeline$/m,
      /^Tokens +127 \(100 in, 20 out, 7 thinking\)$/m,
      /^Cost +\$0\.5000$/m,
      /^Stages\n {2}01-investigation +completed\n {4}01-kubernetes +completed /m,
      /^Refused\n.*denied by ada: not now/m,
      /^Timeline\n {2}10:20:30 {2}01-kubernetes {2}response\n.*I look\./m,
      /^Summary\n {2}checkout is down\.\n {2}Roll back\.$/m,
      /^Analysis\n {2}Out of memory\.$/m,
    ])
      expect(page).toMatch(text);
  });

  it('shows the progress of a running session, and the calls that wait', () => {
    const waiting = { index: 0, callId: 'c', name: 'k.restart', readOnly: false, state: 'waiting' as const };
    const execution = sampleExecution({
      status: 'waiting',
      iteration: 3,
      startedAt: SAMPLE_TIME,
      pendingCalls: [{ ...waiting, resultEvent: 3, resultMessage: 4 }],
    });
    const view = sessionView(documents({ session: sampleSession(), executions: [execution], approvals: [] }));
    expect(view).toMatchObject({ status: 'in_progress', durationMs: 120_000, endedAt: null });
    const page = sessionPage(view, 100, false, NOW).join('\n');
    expect(page).toMatch(/01-kubernetes +waiting +iteration 3 of 20 .* k\.restart waiting/);
    expect(page).not.toContain('Analysis');
  });

  it('shows how often the alert was reported, where to read more, and when a session starts automatically', () => {
    const alert = sampleAlert({ links: [{ title: 'Dashboard', url: 'https://d.example' }] });
    const deferral = { reason: 'settling' as const, startedAt: null, until: SAMPLE_TIME };
    const session = sampleSession({ status: 'deferred', ...sampleAlertPart(alert), deferral });
    const counts = {
      firing: 14,
      resolved: 3,
      acknowledged: 0,
      joined: 0,
      base: null,
      events: 9,
      lastAt: SAMPLE_TIME,
      expireAt: SAMPLE_TIME,
    };
    const view = sessionView(documents({ session, counts }));
    expect(view.reports).toEqual({
      firing: 14,
      resolved: 3,
      acknowledged: 0,
      joined: 0,
      lastAt: SAMPLE_TIME,
    });
    const page = sessionPage(view, 200, false, NOW).join('\n');
    expect(page).toMatch(/^Reported +seen 14 times since \d{4}-\d\d-\d\d \d\d:\d\d UTC, 3 times resolved$/m);
    expect(page).toMatch(/^Links +Dashboard https:\/\/d\.example$/m);
    expect(page).toMatch(/^Deferred +settling; starts at /m);
  });

  it('fits the terminal and gives it no orders, whatever is stored', () => {
    const session = sampleSession({
      status: 'failed',
      ...sampleAlertPart(sampleAlert({ title: HOSTILE, summary: `${HOSTILE} ${'支付 '.repeat(80)}` })),
      failure: { code: 'MODEL_TRUNCATED', message: HOSTILE },
      cancellation: { by: HOSTILE, reason: HOSTILE, at: SAMPLE_TIME },
      finalAnalysis: `${HOSTILE} ${'long '.repeat(100)}`,
    });
    const timeline = [sampleEvent('llm_response', { content: `${HOSTILE} ${'x'.repeat(300)}` })];
    const approvals = [sampleApproval({ status: 'denied', toolName: HOSTILE, reason: HOSTILE })];
    for (const line of sessionPage(
      sessionView(documents({ session, timeline, approvals })),
      80,
      false,
      NOW,
    )) {
      expect(line).not.toMatch(HIDDEN);
      expect(measureColumns(line)).toBeLessThanOrEqual(80);
    }
  });

  it('states tokens and cost as unknown, not as 0, if an execution cannot be read', () => {
    const lost = {
      path: 'sessions/session-1/executions/01-kubernetes',
      code: 'DOCUMENT_INVALID',
      message: 'status',
    } as const;
    const pageOf = (executions: SessionDocuments['executions']) =>
      sessionPage(sessionView(documents({ executions, unreadable: [lost] })), 80, false, NOW).join('\n');
    expect(pageOf([])).toMatch(/^Tokens +unknown\nCost +unknown$/m);
    expect(pageOf(documents().executions)).toMatch(/^Tokens +at least 127 .*\nCost +at least \$0\.5000$/m);
  });
});
