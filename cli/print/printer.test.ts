import { describe, expect, it } from 'vitest';
import type { Failure } from '../../shared/core/schema/common.ts';
import { EVENT_TYPES } from '../../shared/core/schema/timelineEvent.ts';
import {
  SAMPLE_TIME,
  sampleAlert,
  sampleEvent,
  sampleSession,
  sampleVerdict,
} from '../../test/support/samples.ts';
import { jsonPrinter, textPrinter } from './printer.ts';

const session = {
  ...sampleSession({
    status: 'completed',
    finalAnalysis: 'Out of memory.',
    tokens: { input: 100, output: 20, thinking: 7, cached: 0, total: 127 },
    endedAt: new Date(SAMPLE_TIME.getTime() + 12_345),
  }),
  chain: 'default',
  alert: sampleAlert(),
  routing: { by: 'default' as const, rule: null, text: 'it is the default' },
  verdict: null,
  problem: { status: 'resolved', at: new Date('2025-11-22T18:25:00Z'), repeats: 0 } as const,
};

/** What a printer writes. */
function linesOf(use: (printer: ReturnType<typeof textPrinter>) => void, color = false): string[] {
  const lines: string[] = [];
  use(textPrinter((line) => lines.push(line), color));
  return lines;
}

describe('lines for people', () => {
  it('start with time, execution and event, then the content', () => {
    const event = sampleEvent('llm_response', { content: 'I look.\nThen I decide.\n' });
    expect(linesOf((printer) => printer.event(event))).toEqual([
      '10:20:30  01-kubernetes  response',
      '          I look.',
      '          Then I decide.',
    ]);
  });

  it('repeat no error: the partial result and the end refer to it', () => {
    const message = 'Gemini refused the request: Request contains an invalid argument.';
    const failure = { code: 'MODEL_BAD_REQUEST', message } as unknown as Failure;
    const text = `The investigation ended early, without an analysis. ${message}\n\n### a (01-a): failed, MODEL_BAD_REQUEST: ${message}`;
    const lines = linesOf((printer) => {
      printer.event(sampleEvent('error', { content: message, status: 'failed' }));
      printer.event(
        sampleEvent('notice', { content: text, metadata: { code: 'partial_result', detail: null } as never }),
      );
      printer.end({ ...session, status: 'failed', finalAnalysis: null, failure }, 'x');
    });
    expect(lines.filter((line) => line.includes('Request contains'))).toEqual([`          ${message}`]);
    expect(lines).toContain('Failure    MODEL_BAD_REQUEST (the error above)');
    expect(lines.join('\n')).toContain('### a (01-a): failed, MODEL_BAD_REQUEST\n');
  });

  it('keep an error that no event has', () => {
    const failure = { code: 'SESSION_TIMEOUT', message: 'It took too long.' } as unknown as Failure;
    const lines = linesOf((printer) => printer.end({ ...session, status: 'timed_out', failure }, 'x'));
    expect(lines).toContain('Failure    SESSION_TIMEOUT: It took too long.');
  });

  it('end with the command, the verdict, its disproof, then the unseen facts', () => {
    const verdict = sampleVerdict('likely', {
      rule: 'texts',
      causes: [{ component: 'k8s:shop/checkout', mechanism: 'memory' }],
      open: [{ code: 'server', subject: 'prometheus' }],
    });
    const executiveSummary = 'Out of memory.\nDo now: `kubectl rollout undo deployment/a`';
    const lines = linesOf((printer) => printer.end({ ...session, verdict, executiveSummary }, 'x'));
    expect(lines.slice(-4).map((line) => line.slice(0, 22))).toEqual([
      'Do now     kubectl rol',
      'Verdict    Likely. Two',
      'Disproof   A status or',
      'Not seen   The server ',
    ]);
  });

  it('wrap prose between words in a terminal, and no command', () => {
    const lines: string[] = [];
    const content = `${'word '.repeat(12)}\nDo now: \`kubectl -n shop rollout undo deployment/checkout\``;
    textPrinter((line) => lines.push(line), false, undefined, 40).event(
      sampleEvent('final_analysis', { content }),
    );
    expect(lines.slice(1)).toEqual([
      `          ${'word '.repeat(6).trim()}`,
      `          ${'word '.repeat(6).trim()}`,
      '          Do now: `kubectl -n shop rollout undo deployment/checkout`',
    ]);
  });

  it('end with the analyses of agents whose synthesis failed', () => {
    const finalAnalysis = '### logs Analysis\n\nOut of memory.';
    const lines = linesOf((printer) => printer.end({ ...session, status: 'failed', finalAnalysis }, 'x'));
    expect(lines.slice(0, 5)).toEqual([
      '',
      'ANALYSES BEFORE THE FAILURE',
      '          ### logs Analysis',
      '          ',
      '          Out of memory.',
    ]);
  });

  it.each(EVENT_TYPES)('are there for %s', (eventType) => {
    const [head, content] = linesOf((printer) => printer.event(sampleEvent(eventType)));
    expect(head).toMatch(/^10:20:30 {2}01-kubernetes {2}\w/);
    expect(content).toContain('ran out of memory');
  });

  it('show the tool of a result, its duration and whether it was cut', () => {
    const metadata = { toolName: 'k.logs', callId: 'c', isError: false, truncated: true, durationMs: 12 };
    expect(linesOf((printer) => printer.event(sampleEvent('tool_result', { metadata })))[0]).toMatch(
      / result k\.logs in 12 ms, cut at the limit$/,
    );
    const unknown = { ...metadata, truncated: false, durationMs: null };
    expect(linesOf((printer) => printer.event(sampleEvent('tool_result', { metadata: unknown })))[0]).toMatch(
      / result k\.logs$/,
    );
  });

  it('are at most twelve for an event, and name where the rest is', () => {
    const content = Array.from({ length: 20 }, (_, index) => `line ${index}`).join('\n');
    const lines = linesOf((printer) =>
      printer.event(sampleEvent('tool_result', { content, sequenceNumber: 7 })),
    );
    expect(lines).toHaveLength(1 + 12 + 1);
    expect(lines.at(-1)).toBe('          … 8 more lines in timeline/01-kubernetes.000007');
  });

  it('are cut when they are too wide for a terminal', () => {
    const content = 'x'.repeat(1_000);
    const [, line] = linesOf((printer) => printer.event(sampleEvent('llm_thinking', { content })));
    expect(line).toBe(`          ${'x'.repeat(160)}…`);
  });

  it.each(['final_analysis', 'error'] as const)('hold a %s whole', (eventType) => {
    const content = `${'x'.repeat(1_000)}\n`.repeat(30);
    const lines = linesOf((printer) => printer.event(sampleEvent(eventType, { content })));
    expect(lines).toHaveLength(31);
    expect(lines[1]).toBe(`          ${'x'.repeat(1_000)}`);
  });

  it('end with status, duration, tokens, where to look, and the problem last', () => {
    expect(linesOf((printer) => printer.end(session, 'sessions/session-1'))).toEqual([
      '',
      'Session    session-1  completed',
      'Chain      default: it is the default',
      'Duration   12.3 s',
      'Tokens     127 (100 in, 20 out, 7 thinking)',
      'Cost       $0.0000',
      'Firestore  sessions/session-1',
      'Problem    Resolved 22 Nov 2025 18:25 UTC',
      'Alert      KubePodCrashLooping (critical, alertmanager)',
      'Place      shop',
    ]);
  });

  it('name the tokens that were cached', () => {
    const tokens = { ...session.tokens, cached: 64 };
    expect(linesOf((printer) => printer.end({ ...session, tokens }, 'x'))).toContain(
      'Tokens     127 (100 in, of which 64 cached, 20 out, 7 thinking)',
    );
  });

  it.each([
    [{ usd: 0.01234, unpricedCalls: 0 }, '$0.0123'],
    [
      { usd: 0.01234, unpricedCalls: 2 },
      'at least $0.0123, and 2 model calls without a price in prices.yaml',
    ],
    [{ usd: 0, unpricedCalls: 1 }, 'unknown: 1 model call without a price in prices.yaml'],
    [{ usd: 0.00001, unpricedCalls: 0 }, 'less than $0.0001'],
  ])('state the cost: %j', (cost, told) => {
    const lines = linesOf((printer) => printer.end({ ...session, cost }, 'x'));
    expect(lines).toContain(`Cost       ${told}`);
  });

  it('show when a script answered instead of a model', () => {
    const lines = linesOf((printer) => printer.end(session, 'x', ['scripted gemini-3.8-flash']));
    expect(lines).toContain('Model      scripted gemini-3.8-flash');
    expect(lines.join('\n')).toContain('The answers come from a script');
    expect(linesOf((printer) => printer.end(session, 'x', ['gemini-3.8-flash'])).join()).not.toContain(
      'script',
    );
  });

  it('name the failure of a session that failed', () => {
    const failure: Failure = { code: 'MODEL_QUOTA', message: 'used up\u001b[2J' };
    const lines = linesOf((printer) => printer.end({ ...session, status: 'failed', failure }, 'x'));
    expect(lines).toContain('Failure    MODEL_QUOTA: used up�[2J');
  });

  it.each([
    [{ forcedConclusion: true, iterationsUsed: 5, maxIterations: 5 }, 'FINAL ANALYSIS (forced conclusion)'],
    [{ truncated: true }, 'FINAL ANALYSIS (cut off: the model stopped before it was complete)'],
    [{ outputFault: 'x' }, 'FINAL ANALYSIS (not in the required structured form)'],
    [{}, 'FINAL ANALYSIS'],
  ])('state in the heading of an analysis why it is weak: %j', (faults, heading) => {
    const metadata = { citations: [], ...faults };
    const [first] = linesOf((printer) => printer.event(sampleEvent('final_analysis', { metadata })));
    expect(first).toBe(`10:20:30  01-kubernetes  ${heading}`);
  });

  it('show in full the steps of a session that ended early', () => {
    const content = 'line\n'.repeat(40);
    const metadata = { code: 'partial_result' as const, subject: 'CANCELLED' };
    const event = sampleEvent('notice', { metadata, content, executionId: 'session' });
    const lines = linesOf((printer) => printer.event(event));
    expect(lines).toHaveLength(41);
    expect(lines[0]).toBe('10:20:30  session  PARTIAL RESULT');
  });

  it('end with the partial results and the caveats of the analyses', () => {
    const partial = { reason: 'MODEL_QUOTA', text: 'The investigation ended early.' };
    const caveats = [{ executionId: '01-logs', code: 'MAX_ITERATIONS' as const }];
    const budgetToRaise = 'dailyTokens (9) in system.yaml';
    const lines = linesOf((printer) => printer.end({ ...session, partial, caveats, budgetToRaise }, 'x'));
    expect(lines).toContain(`Raise      ${budgetToRaise}`);
    expect(lines).toContain('Partial    MODEL_QUOTA: see PARTIAL RESULT above');
    expect(lines).toContain(
      'Caveat     the analysis of 01-logs was forced: all iterations were used up before the agent had concluded',
    );
  });

  it('have colours only where they are allowed', () => {
    const use = (printer: ReturnType<typeof textPrinter>) => {
      for (const eventType of EVENT_TYPES) printer.event(sampleEvent(eventType, { status: 'failed' }));
      printer.end(session, 'x');
    };
    expect(linesOf(use, false).join('\n')).not.toContain('\u001b');
    expect(linesOf(use, true).join('\n')).toContain('\u001b[31m');
  });

  it('let no text of models and tools steer the terminal', () => {
    const content = 'a\u001b]0;title\u0007b\u009bc\u202ed\re';
    const metadata = {
      toolName: 'k.\u001b[2J',
      callId: 'c',
      isError: false,
      truncated: false,
      durationMs: 1,
    };
    const text = linesOf((printer) => printer.event(sampleEvent('tool_result', { content, metadata }))).join(
      '\n',
    );
    expect(text.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}]/u);
    expect(text).toContain('a�]0;title�b�c�d\n          e');
  });
});

describe('lines of JSON', () => {
  it('are one for an event, with everything it holds', () => {
    const lines: string[] = [];
    const event = sampleEvent('tool_result', { content: 'a\nb\u001b' });
    jsonPrinter((line) => lines.push(line)).event(event);
    expect(lines).toHaveLength(1);
    expect(lines[0]).not.toMatch(/\p{Cc}/u);
    const written = { type: 'event', ...event, createdAt: '2026-11-05T10:20:30.123Z' };
    expect(JSON.parse(lines[0] ?? '')).toEqual({ ...written, expireAt: event.expireAt.toISOString() });
  });

  it('end with the session', () => {
    const lines: string[] = [];
    jsonPrinter((line) => lines.push(line)).end(session, 'sessions/session-1', ['gemini-3.8-flash-001']);
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      {
        type: 'session',
        sessionId: 'session-1',
        chain: 'default',
        routing: { by: 'default', rule: null, text: 'it is the default' },
        problem: { status: 'resolved', at: '2025-11-22T18:25:00.000Z', repeats: 0 },
        status: 'completed',
        finalAnalysis: 'Out of memory.',
        executiveSummary: null,
        verdict: null,
        caveats: [],
        partial: null,
        failure: null,
        tokens: session.tokens,
        cost: session.cost,
        durationMs: 12_345,
        models: ['gemini-3.8-flash-001'],
        firestore: 'sessions/session-1',
      },
    ]);
  });
});
