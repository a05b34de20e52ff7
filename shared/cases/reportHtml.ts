// The report of an evaluation as one HTML file: no script, no request to any network, light, dark and for print.

import type { Evaluation } from './evaluate.ts';
import { answerScore, type Comparison, MIN_RANKED, type Row, type Score } from './score.ts';
import type { Interval } from './statistics.ts';

/** A report. */
export interface Report extends Evaluation {
  version: number;
  rows: readonly Row[];
  comparisons: readonly Comparison[];
}

const STYLE = `
:root{color-scheme:light dark;--ink:#1b1f24;--soft:#57606a;--line:#d0d7de;--ground:#fff;--dot:#0969da;--bad:#b42318}
@media (prefers-color-scheme:dark){:root{--ink:#e6edf3;--soft:#9aa4af;--line:#30363d;--ground:#0d1117;--dot:#58a6ff;--bad:#ff8f80}}
body{font:15px/1.5 system-ui,sans-serif;color:var(--ink);background:var(--ground);margin:0 auto;max-width:75rem;padding:1rem}
h1{font-size:1.4rem}h2{font-size:1.1rem;margin-top:2rem}.wide{overflow-x:auto}
table{border-collapse:collapse;white-space:nowrap;font-variant-numeric:tabular-nums}
th,td{border-bottom:1px solid var(--line);padding:.25rem .6rem;text-align:right}
th:first-child,td:first-child,th:nth-child(2),td:nth-child(2){text-align:left}
small,.soft{color:var(--soft)}svg{max-width:100%;height:auto}details{border-bottom:1px solid var(--line);padding:.3rem 0}
summary{cursor:pointer}pre{white-space:pre-wrap;overflow-wrap:anywhere;border-left:3px solid var(--line);padding-left:.6rem;margin:.4rem 0}
.differs,.absent,.trivial,.echoed,.unlinked,.ambiguous,.outside_window{text-decoration:line-through;color:var(--soft)}.wrong{color:var(--bad)}
@media print{body{max-width:none}details>*{display:block}}`;

/** The whole document. All texts of cases and models are escaped. */
export function reportHtml(report: Report): string {
  const cases = Math.max(0, ...report.rows.map((row) => row.cases));
  const state = report.stopped === undefined ? 'complete' : `stopped: ${report.stopped}`;
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'"><title>Evaluation</title><style>${STYLE}</style></head><body>
<h1>Evaluation</h1><p class="soft">${report.scores.length} runs, ${escaped(state)}. The unit is the case: repeats are averaged. Intervals are 95 %.${
    cases < MIN_RANKED ? ` ${cases} cases are too few for a ranking; it takes ${MIN_RANKED}.` : ''
  }</p>
<h2>Models and arms</h2><div class="wide"><table><thead><tr>${[
    ...['Model', 'Arm', 'Cases', 'Not scored', 'Score', 'Right', 'Grounded', 'Coverage', 'Precision'],
    ...['False confirmed', 'Abstained', 'Unrecorded', 'Calls', 'Tokens', 'USD', 'Seconds'],
  ]
    .map((name) => `<th scope="col">${name}</th>`)
    .join('')}</tr></thead><tbody>${report.rows.map(rowHtml).join('')}</tbody></table></div>
<h2>Cost and score</h2>${plot(report.rows)}
<h2>Differences of the score</h2>${differences(report.comparisons)}
<h2>Runs</h2>${report.scores.map(runHtml).join('')}</body></html>\n`;
}

const percent = (share: number): string => `${Math.round(share * 100)} %`;
const interval = ({ value, low, high }: Interval): string =>
  `${percent(value)} <small>${percent(low)} to ${percent(high)}</small>`;

function rowHtml(row: Row): string {
  const cells = [
    ...[escaped(row.model), row.arm, row.cases, row.notScored, row.score.toFixed(2), interval(row.right)],
    ...[interval(row.grounded), percent(row.coverage), row.precision === null ? '-' : percent(row.precision)],
    ...[interval(row.falseConfirmed), interval(row.abstained), percent(row.unrecorded), row.calls.toFixed(1)],
    ...[row.tokens.toFixed(0), row.usd === null ? 'unknown' : row.usd.toFixed(4), row.seconds.toFixed(1)],
  ];
  return `<tr>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`;
}

/** One dot for each model in the arm `base`. */
function plot(rows: readonly Row[]): string {
  const base = rows.filter(({ arm, usd }) => arm === 'base' && usd !== null);
  if (base.length === 0) return '<p class="soft">No model has a known price.</p>';
  const most = Math.max(...base.map(({ usd }) => usd ?? 0)) || 1;
  const [width, height, left, bottom] = [720, 260, 50, 40];
  const dots = base.map(({ model, usd, score }, index) => {
    const x = left + ((usd ?? 0) / most) * (width - left - 160);
    const y = 15 + ((1 - Math.max(-2, Math.min(1, score))) / 3) * (height - bottom - 15);
    const label = y + 4 + (index % 2) * 12;
    return `<circle cx="${x.toFixed(1)}" cy="${y.toFixed(1)}" r="5" fill="var(--dot)"/><text x="${(x + 9).toFixed(1)}" y="${label.toFixed(1)}" font-size="11" fill="currentColor">${escaped(model)}</text>`;
  });
  const axis = height - bottom;
  return `<svg viewBox="0 0 ${width} ${height}" role="img" aria-label="Score of each model against its cost"><path d="M${left} 10V${axis}H${width - 10}" fill="none" stroke="var(--line)"/><text x="4" y="18" font-size="11" fill="currentColor">score 1</text><text x="4" y="${axis}" font-size="11" fill="currentColor">-2</text><text x="${left}" y="${height - 12}" font-size="11" fill="currentColor">0 USD</text><text x="${width - 220}" y="${height - 12}" font-size="11" fill="currentColor">${most.toFixed(4)} USD in all</text>${dots.join('')}</svg>`;
}

function differences(comparisons: readonly Comparison[]): string {
  if (comparisons.length === 0) return '<p class="soft">One model only.</p>';
  const lines = comparisons.map(
    ({ one, other, score }) =>
      `<tr><td>${escaped(one)}</td><td>${escaped(other)}</td><td>${score.value.toFixed(2)} <small>${score.low.toFixed(2)} to ${score.high.toFixed(2)}</small></td></tr>`,
  );
  return `<div class="wide"><table><thead><tr><th>Model</th><th>Other</th><th>Difference</th></tr></thead><tbody>${lines.join('')}</tbody></table></div>`;
}

function runHtml(score: Score): string {
  const { model, arm, repeat, verdict, causes, right, evidence, analysis, calls, unrecorded } = score;
  const named = causes
    .map(({ component, mechanism }) => `${component ?? '?'} ${mechanism ?? '?'}`)
    .join('; ');
  const quotes = evidence.map(
    ({ quote, state, side }) =>
      `<pre class="${escaped(state)}">${escaped(state)} ${escaped(side)}: ${escaped(quote)}</pre>`,
  );
  return `<details><summary><span class="${right ? '' : 'wrong'}">${right ? 'right' : 'not right'}</span> ${escaped(score.case)}, ${escaped(model)}, ${arm}, ${repeat}: ${escaped(verdict ?? 'not checked')} <small>${escaped(named || 'no cause')}</small></summary><p>${calls} calls, ${unrecorded} not recorded; answer ${answerScore(score).toFixed(2)}</p>${quotes.join('')}<pre>${escaped(analysis)}</pre></details>`;
}

const ESCAPES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
const escaped = (text: string): string => text.replace(/[&<>"']/g, (one) => ESCAPES[one] ?? one);
