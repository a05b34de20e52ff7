import { findMutant, MUTANTS } from './mutants.ts';

for (const n of process.argv.slice(2)) {
  const f = await findMutant(n);
  console.log(MUTANTS[n]?.seed, f?.seed, n, f?.violation.slice(0, 120));
}
