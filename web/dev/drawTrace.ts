// Draws a trace as a picture, from the lines that `inquest trace SESSION --json` prints:
// `node web/dev/drawTrace.ts SPANS.jsonl PICTURE.png`. docs/images/trace.png was drawn by it.

import { readFileSync } from 'node:fs';
import { chromium } from 'playwright-core';
import { findChromium } from './findChromium.ts';

const WIDTH = 1200;
const NAMES = 360;
/** Columns of numbers on the right. */
const NUMBERS = 280;
const ROW = 26;
/** Waits narrower than this have no label. */
const LABELLED = 60;
/** The first word of a span's name gives its colour. */
const COLORS: Record<string, string> = {
  invoke_workflow: '#3b4252',
  stage: '#6b7689',
  invoke_agent: '#2f6fb5',
  generate_content: '#7b52ab',
  execute_tool: '#1f8a70',
  'tools/call': '#7dbfae',
};

/** A span with dates as text. */
interface Line {
  spanId: string;
  parentSpanId?: string;
  name: string;
  startedAt: string;
  endedAt: string;
  error?: string;
  attributes: Record<string, unknown>;
  events: { at: string; attributes: Record<string, unknown> }[];
}

const [from, to] = process.argv.slice(2);
if (from === undefined || to === undefined) throw new Error('call it with a file of spans and a picture');
const spans = readFileSync(from, 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Line);
const start = Math.min(...spans.map((span) => Date.parse(span.startedAt)));
const total = Math.max(...spans.map((span) => Date.parse(span.endedAt))) - start;
const scale = (WIDTH - NAMES - NUMBERS) / total;
const ids = new Set(spans.map(({ spanId }) => spanId));
const rows = rowsBelow('', 0);

const browser = await chromium.launch({ executablePath: findChromium() ?? '', args: ['--no-sandbox'] });
const viewport = { width: WIDTH, height: (rows.length + 2) * ROW + 16 };
const page = await browser.newPage({ viewport, deviceScaleFactor: 2 });
await page.setContent(
  `<style>body{margin:8px 0;font:13px system-ui,sans-serif;color:#222;background:#fff}
  div{position:relative;height:${ROW}px;line-height:${ROW}px;white-space:nowrap}div:nth-child(even){background:#f5f6f8}
  i{position:absolute;top:6px;height:14px;min-width:2px;border-radius:2px}
  i.error{outline:2px solid #c62828}i.wait{background:repeating-linear-gradient(45deg,#fff8 0 4px,#0000 4px 8px)}
  i em{display:block;width:fit-content;margin:0 auto;padding:0 5px;font:600 11px/14px system-ui;color:#222;background:#fffd;border-radius:2px}
  span{position:absolute}span.name{overflow:hidden;text-overflow:ellipsis}
  span i{position:static;display:inline-block;width:22px;height:12px;margin:0 6px 0 16px;vertical-align:-2px}
  b{position:absolute;right:12px;font-weight:400;color:#555}</style>${head()}${rows.join('')}${legend()}`,
);
await page.screenshot({ path: to });
await browser.close();

/** Rows of the spans below a span, by start, longer first. @param parent empty: unknown. */
function rowsBelow(parent: string, depth: number): string[] {
  return spans
    .filter(({ parentSpanId = '' }) => (ids.has(parentSpanId) ? parentSpanId : '') === parent)
    .toSorted((a, b) => a.startedAt.localeCompare(b.startedAt) || b.endedAt.localeCompare(a.endedAt))
    .flatMap((span) => [row(span, depth), ...rowsBelow(span.spanId, depth + 1)]);
}

function row({ name, startedAt, endedAt, error, attributes, events }: Line, depth: number): string {
  const bar = (at: number, ms: number, style: string, kind = '', text = '') =>
    `<i class="${kind}" style="left:${NAMES + (at - start) * scale}px;width:${ms * scale}px;${style}">${text}</i>`;
  const began = Date.parse(startedAt);
  const ms = Date.parse(endedAt) - began;
  const tokens = attributes['gen_ai.usage.input_tokens'];
  const usd = attributes['inquest.cost.usd'];
  const numbers = [
    attributes['inquest.service_tier'] as string | undefined,
    error,
    tokens === undefined ? '' : `${tokens} > ${attributes['gen_ai.usage.output_tokens']}`,
    typeof usd === 'number' && tokens !== undefined ? `$${usd.toFixed(4)}` : '',
    seconds(ms),
  ];
  const waits = events.map(({ at, attributes: wait }) => {
    const waited = Number(wait['inquest.wait.seconds']) * 1000;
    const label = waited * scale < LABELLED ? '' : `<em>${escaped(String(wait['inquest.wait.kind']))}</em>`;
    return bar(Date.parse(at), waited, '', 'wait', label);
  });
  const left = 12 + depth * 16;
  return `<div><span class="name" style="left:${left}px;max-width:${NAMES - 8 - left}px">${escaped(name)}</span>${bar(began, ms, `background:${colorOf(name)}`, error && 'error')}${waits.join('')}<b>${escaped(numbers.filter(Boolean).join(', '))}</b></div>`;
}

function colorOf(name: string): string {
  return COLORS[name.split(' ')[0] ?? ''] ?? '#888';
}

function head(): string {
  const marks = [0, 0.25, 0.5, 0.75].map(
    (part) => `<span style="left:${NAMES + part * total * scale}px">${seconds(part * total)}</span>`,
  );
  return `<div>${marks.join('')}<b>service tier, error, tokens in > out, cost, time</b></div>`;
}

function legend(): string {
  const colors = Object.entries(COLORS).map(([word, color]) => `<i style="background:${color}"></i>${word}`);
  const wait = `<i class="wait" style="background-color:${COLORS.invoke_agent}"></i>wait`;
  return `<div><span>${[...colors, wait, '<i class="error"></i>error'].join('')}</span></div>`;
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(2)} s`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
