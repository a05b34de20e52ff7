// The report of an evaluation as one HTML file: no script, no network, light, dark and for print.

import type { Interval } from '../evidence/calibration.ts';
import { FAULTS } from '../kits/judge/judgement.ts';
import { usdText } from '../text/amounts.ts';
import type { Evaluation } from './evaluate.ts';
import { faultCounts } from './judge.ts';
import { answerScore, type Comparison, MIN_RANKED, type Row, type Score } from './score.ts';

/** A report. */
export interface Report extends Evaluation {
  version: number;
  rows: readonly Row[];
  comparisons: readonly Comparison[];
}

const STYLE = `
:root{color-scheme:light dark;--ink:#1b1f24;--soft:#57606a;--line:#d0d7de;--ground:#fff;--dot:#0969da;--bad:#b42318}
@media screen and (prefers-color-scheme:dark){:root{--ink:#e6edf3;--soft:#9aa4af;--line:#30363d;--ground:#0d1117;--dot:#58a6ff;--bad:#ff8f80}}
body{font:15px/1.5 system-ui,sans-serif;color:var(--ink);background:var(--ground);margin:0 auto;max-width:88rem;padding:1rem}
h1{font-size:1.4rem}h2{font-size:1.1rem;margin-top:2rem}h3{font-size:1rem;margin:1.4rem 0 .3rem}h4{font-size:.9rem;margin:.6rem 0 .2rem}
.wide{overflow-x:auto}table{border-collapse:collapse;white-space:nowrap;font-variant-numeric:tabular-nums;font-size:13px}
th,td{border-bottom:1px solid var(--line);padding:.25rem .4rem;text-align:right;vertical-align:top}td small{display:block}
th:first-child,td:first-child,th:nth-child(2),td:nth-child(2){text-align:left}
th:first-child,td:first-child{position:sticky;left:0;background:var(--ground)}
small,.soft{color:var(--soft)}svg{width:46rem;max-width:none;height:auto}details{border-bottom:1px solid var(--line);padding:.3rem 0}
summary{cursor:pointer}pre{white-space:pre-wrap;overflow-wrap:anywhere;border-left:3px solid var(--line);padding-left:.6rem;margin:.3rem 0;font-size:13px}
.differs,.absent,.echoed,.ambiguous,.outside_window{text-decoration:line-through;color:var(--soft)}.wrong{color:var(--bad)}
@page{size:A4 landscape;margin:12mm}
@media print{body{max-width:none;padding:0;font-size:11px}table{font-size:8px}th,td{padding:.1rem .2rem}pre{font-size:9px}th:first-child,td:first-child{position:static}.wide{overflow:visible}tr,pre{break-inside:avoid}details::details-content{content-visibility:visible;height:auto}}`;

/** The whole document. Everything that it inserts is escaped. */
export function reportHtml(report: Report): string {
  const cases = Math.max(0, ...report.rows.map((row) => row.cases));
  const state = report.stopped === undefined ? 'complete' : `stopped: ${report.stopped}`;
  return html`<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'"><title>Evaluation</title><style>${new Markup(STYLE)}</style></head><body>
<h1>Evaluation</h1><p class="soft">${report.scores.length} runs, ${state}. The unit is the case: repeats are averaged. Intervals are 95 %.${
    cases < MIN_RANKED ? ` ${cases} cases are too few for a ranking; it takes ${MIN_RANKED}.` : ''
  }</p>
<h2>Models and arms</h2><div class="wide"><table><thead><tr>${[
    'Model',
    'Arm',
    'Cases',
    'Not scored',
    'Score',
    'Right',
    'Grounded',
    'Coverage',
    'Precision',
    'False confirmed',
    'Abstained',
    'Unrecorded',
    'Calls',
    'Tokens',
    'USD',
    'Seconds',
  ].map(headCell)}</tr></thead><tbody>${report.rows.map(rowHtml)}</tbody></table></div>
<h2>Cost and score</h2><div class="wide">${plotRows(report.rows)}</div>
<h2>Differences of the score</h2>${differenceRows(report.comparisons)}
${judged(report.scores)}
<h2>Runs</h2>${[...Map.groupBy(report.scores, (score) => score.case)].map(([name, runs]) => html`<h3>${name}</h3>${runs.map(runHtml)}`)}</body></html>\n`
    .text;
}

const formatPercent = (share: number): string => `${Math.round(share * 100)} %`;
const known = (share: number | null): string => (share === null ? '-' : formatPercent(share));
const interval = ({ value, low, high }: Interval): Markup =>
  html`${formatPercent(value)} <small>${formatPercent(low)} to ${formatPercent(high)}</small>`;
const headCell = (name: string): Markup => html`<th scope="col">${name}</th>`;
const cellHtml = (cell: Value): Markup => html`<td>${cell}</td>`;

function rowHtml(row: Row): Markup {
  const cells = [
    row.model,
    row.arm,
    row.cases,
    row.notScored,
    row.score.toFixed(2),
    interval(row.right),
    interval(row.grounded),
    known(row.coverage),
    known(row.precision),
    interval(row.falseConfirmed),
    interval(row.abstained),
    formatPercent(row.unrecorded),
    row.calls.toFixed(1),
    row.tokens.toFixed(0),
    row.usd === null ? 'unknown' : row.usd.toFixed(4),
    row.seconds.toFixed(1),
  ];
  return html`<tr>${cells.map(cellHtml)}</tr>`;
}

/** One dot for each model in the arm `base`; labels keep a distance from each other. */
function plotRows(rows: readonly Row[]): Markup {
  const base = rows.filter(({ arm, usd }) => arm === 'base' && usd !== null);
  if (base.length === 0) return html`<p class="soft">No model has a known price.</p>`;
  const most = Math.max(...base.map(({ usd }) => usd ?? 0));
  const [width, left, bottom] = [720, 50, 40];
  const height = Math.max(260, 60 + base.length * 28);
  const axis = height - bottom;
  let free = 0;
  const dots = base
    .map(({ model, usd, score }) => ({
      model,
      x: left + 8 + (most === 0 ? 0 : ((usd ?? 0) / most) * (width - left - 230)),
      y: 15 + ((1 - Math.max(-2, Math.min(1, score))) / 3) * (axis - 15),
    }))
    .toSorted((a, b) => a.y - b.y)
    .map(({ model, x, y }) => {
      const label = Math.max(y + 4, free);
      free = label + 13;
      const line = html`<path d="M${x.toFixed(1)} ${y.toFixed(1)}L${(x + 22).toFixed(1)} ${(label - 4).toFixed(1)}" stroke="var(--line)"/>`;
      return html`${line}<circle cx="${x.toFixed(1)}" cy="${y.toFixed(1)}" r="4" fill="var(--dot)"/><text x="${(x + 25).toFixed(1)}" y="${label.toFixed(1)}" font-size="11" fill="currentColor">${model}</text>`;
    });
  const mark = (x: number, y: number, text: string) =>
    html`<text x="${x}" y="${y}" font-size="11" fill="currentColor">${text}</text>`;
  const scale = [
    mark(4, 19, 'score 1'),
    mark(34, axis, '-2'),
    mark(left, height - 12, '0 USD'),
    ...(most === 0 ? [] : [mark(width - 220, height - 12, `${usdText(most)} in all`)]),
  ];
  return html`<svg viewBox="0 0 ${width} ${height}" role="img" aria-label="Score of each model against its cost"><path d="M${left} 10V${axis}H${width - 10}" fill="none" stroke="var(--line)"/>${scale}${dots}</svg>`;
}

function differenceRows(comparisons: readonly Comparison[]): Markup {
  if (comparisons.length === 0) return html`<p class="soft">One model only.</p>`;
  const lines = comparisons.map(
    ({ one, other, cases, score }) =>
      html`<tr><td>${one}</td><td>${other}</td><td>${cases}</td><td>${score === null ? '-' : html`${score.value.toFixed(2)} <small>${score.low.toFixed(2)} to ${score.high.toFixed(2)}</small>`}</td></tr>`,
  );
  return html`<div class="wide"><table><thead><tr><th>Model</th><th>Other</th><th>Cases</th><th>Difference</th></tr></thead><tbody>${lines}</tbody></table></div>`;
}

/** How often a judge named each fault: for trends, apart from the scores. */
function judged(scores: readonly Score[]): Markup {
  const counts = faultCounts(scores);
  if (counts.length === 0) return html``;
  const head = ['Model', 'Judged', ...FAULTS.map((fault) => fault.replaceAll('_', ' '))];
  const rows = counts.map(({ model, judged: all, faults }) => {
    const cells = [model, all, ...FAULTS.map((fault) => faults[fault] ?? 0)];
    return html`<tr>${cells.map(cellHtml)}</tr>`;
  });
  return html`<h2>Faults that a judge model named</h2><p class="soft">An opinion of a model, for trends. No score depends on it.</p><div class="wide"><table><thead><tr>${head.map(headCell)}</tr></thead><tbody>${rows}</tbody></table></div>`;
}

function runHtml(score: Score): Markup {
  const { model, arm, repeat, verdict, causes, right, evidence, analysis, calls, unrecorded } = score;
  const named = causes
    .map(({ component, mechanism }) => `${component ?? '?'} ${mechanism ?? '?'}`)
    .join('; ');
  const part = (title: string, lines: readonly Markup[]) =>
    lines.length === 0 ? '' : html`<h4>${title}</h4>${lines}`;
  const made = (score.made ?? []).map(
    ({ call, isRecorded }) => html`<pre>${call}${isRecorded ? '' : ' (not recorded)'}</pre>`,
  );
  const quotes = evidence.map(
    ({ quote, state, side }) => html`<pre class="${state}">${state} ${side}: ${quote}</pre>`,
  );
  const gold = (score.gold ?? []).map(
    ({ line, isHeld }) =>
      html`<pre>${isHeld ? 'quoted' : html`<span class="wrong">not quoted</span>`}: ${line}</pre>`,
  );
  const { judgement } = score;
  const opinion = judgement
    ? [html`<pre>${[judgement.faults.join(', ') || 'no fault', judgement.reason].join(': ')}</pre>`]
    : [];
  return html`<details><summary><span class="${right ? '' : 'wrong'}">${right ? 'right' : 'not right'}</span> ${model}, ${arm}, ${repeat}: ${verdict ?? 'not checked'} <small>${named || 'no cause'}</small></summary><p>${calls} calls, ${unrecorded} not recorded; answer ${answerScore(score).toFixed(2)}</p>${part('Calls', made)}${part('Stated evidence', quotes)}${part('Gold evidence', gold)}<h4>Analysis</h4><pre>${analysis}</pre>${part('Judge', opinion)}</details>`;
}

const ESCAPES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
const escaped = (text: string): string => text.replace(/[&<>"']/g, (one) => ESCAPES[one] ?? one);

/** Markup that `html` made, which it does not escape again. */
class Markup {
  /** The HTML. */
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Value = Markup | string | number | readonly Value[];

/** Markup in which every inserted text is escaped. A list is inserted without separators. */
function html(parts: TemplateStringsArray, ...values: Value[]): Markup {
  const inserted = (value: Value): string => {
    if (value instanceof Markup) return value.text;
    return Array.isArray(value) ? value.map(inserted).join('') : escaped(String(value));
  };
  return new Markup(parts.map((part, index) => part + inserted(values[index] ?? '')).join(''));
}
