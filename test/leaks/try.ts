import { runScenario, SCENARIO_NAMES } from './runScenario.ts';
const [,, from='1', n='3', only] = process.argv;
let cases=0; const t0=Date.now(); const per: Record<string, number> = {};
const seen = new Map<string, [number, any]>();
for (let seed=Number(from); seed<Number(from)+Number(n); seed++) for (const s of SCENARIO_NAMES) {
  if (only && !s.includes(only)) continue;
  const t=Date.now();
  const run = await runScenario(s, seed).catch((e) => { console.log('ERR', s, seed, e); return undefined; });
  per[s] = (per[s] ?? 0) + Date.now()-t;
  if (!run) continue;
  cases += run.cases;
  for (const l of run.leaks) { const k=`${l.field} > ${l.output}`; const e=seen.get(k); seen.set(k, [(e?.[0] ?? 0)+1, e?.[1] ?? {...l, seed}]); }
}
console.log(cases, 'cases', Date.now()-t0, 'ms', per);
for (const [k,[c,l]] of seen) console.log(c, k, '|', l.seed, l.kind, '|', l.encoding, '|', JSON.stringify(l.excerpt));
