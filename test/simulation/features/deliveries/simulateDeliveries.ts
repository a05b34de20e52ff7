// `npm run simulate-deliveries -- COUNT [FIRST]`: runs seeds of messages, prints broken ones.

import { Argument, Command } from 'commander';
import { wholeNumber } from '../../../mutants/campaign.ts';
import { runDeliveries } from './runDeliveries.ts';

const { processedArgs } = new Command('simulate-deliveries')
  .description('Runs the simulation of messages to destinations, and prints the seeds that broke a rule.')
  .addArgument(new Argument('[count]', 'how many seeds to run').argParser(wholeNumber).default(1000))
  .addArgument(new Argument('[first]', 'the first of them').argParser(wholeNumber).default(1))
  .showHelpAfterError()
  .parse();
const [count, first] = processedArgs as [number, number];
const totals = new Map<string, number>();
const add = (name: string, value: number) => totals.set(name, (totals.get(name) ?? 0) + value);
let broken = 0;
for (let seed = first; seed < first + count; seed++) {
  const { violations, log, plan, deaths, deliveries } = await runDeliveries(seed);
  add(`runs with ${plan.resolution}`, 1);
  add('posts', log.posts.length);
  add('deaths', deaths);
  for (const [fault, times] of log.faults) add(`requests: ${fault}`, times);
  for (const { state } of deliveries) add(`messages ${state}`, 1);
  for (const violation of violations) console.log(`seed ${seed} (${plan.resolution}): ${violation}`);
  if (violations.length > 0) broken += 1;
}
for (const [name, total] of [...totals].sort(([a], [b]) => a.localeCompare(b)))
  console.log(`${total} ${name}`);
console.log(`${broken} of ${count} seeds broke a rule`);
process.exitCode = broken > 0 ? 1 : 0;
