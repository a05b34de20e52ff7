// `erase`: deletes everything of a session or of a tenant.

import { type Command, Option } from 'commander';
import type { Store } from '../../../shared/core/contract/store.ts';
import { paths } from '../../../shared/core/schema/coreDocuments.ts';
import { eraseElsewhere } from '../../../shared/lists/eraseElsewhere.ts';
import { interactionRemover } from '../../../shared/llm/interactions/removeInteraction.ts';
import { openRawDocuments } from '../../../shared/wiring/openRawDocuments.ts';
import { withApi } from '../../api/withApi.ts';
import { withDatabase } from '../../api/withDatabase.ts';
import { eraseSession, eraseTenant } from '../../erase/erase.ts';
import type { EraseDeps } from '../../erase/eraseDeps.ts';
import { listRemainders } from '../../erase/remainingCopies.ts';
import { describeOperations } from '../../google/firestorePrices.ts';
import { LAST, parseTenant, refusedUrlOption } from '../../options/commandOptions.ts';
import { DATABASE_HELP } from '../../options/project.ts';
import { createProgressLine } from '../../print/progressLine.ts';
import { askUser } from '../../process/ask.ts';
import { printableText, report, write } from '../../process/output.ts';
import { UsageError } from '../../process/usageError.ts';

const TIMEOUT_MS = 30_000;
/** Documents of a session of 20 iterations (docs/performance.md#money), with some of its alert. */
const DOCUMENTS_OF_SESSION = 140;

const HELP = `
Deletes a session with everything below it, its keys, approvals, knowledge entry and stored answers, and its alerts in lists of
related alerts; with --tenant everything of a tenant, including its API keys, knowledge, and dropped and rejected alerts. There is no way back. A session
that runs is refused: cancel it first. Stop the sources of a tenant's alerts before: later alerts open new sessions. After an interruption the same command continues. Questions in the background are deleted at Google with GEMINI_API_KEY; the sweep deletes those that stay there. The output names what remains in
backups, logs and Pub/Sub, and until when. Each document costs a read and a delete: before it begins, --tenant names the number of sessions and the price. The command needs the right to write the database; the API has no such route.
Sessions of versions before tenants are found for --tenant only after \`inquest migrate\`.`;

interface Options {
  tenant?: string;
  yes?: boolean;
  dryRun?: boolean;
  json?: boolean;
}

/** Adds the command to the program. */
export function registerErase(program: Command): void {
  program
    .command('erase')
    .argument('[session]', 'the whole id of the session, or `last` for the newest one of the default tenant')
    .addOption(new Option('--tenant <name>', 'erase everything of this tenant').argParser(parseTenant))
    .addOption(refusedUrlOption('The API erases nothing, so that a stolen key cannot destroy investigations'))
    .option('--dry-run', 'count without deleting')
    .option('--yes', 'confirm the deletion')
    .option('--json', 'print the outcome as a line of JSON')
    .addHelpText('after', `${HELP}\n${DATABASE_HELP}`)
    .action(erase);
}

async function erase(session: string | undefined, options: Options): Promise<void> {
  const { tenant, dryRun = false, json } = options;
  if ((session === undefined) === (tenant === undefined))
    throw new UsageError('give either a session or --tenant');
  if (session?.includes('/')) throw new UsageError(`${printableText(session)} is not the id of a session`);
  const sessionId = session === LAST ? await withApi({}, (api) => api.findSession(LAST)) : session;
  const name = sessionId ?? tenant ?? '';
  await withDatabase(async ({ store, where }) => {
    const subject = sessionId === undefined ? `tenant ${name}` : `session ${name}`;
    if (!dryRun) await confirmName(name, `${subject} in ${where}`, store, options);
    const progress = createProgressLine((text) => process.stderr.write(text), process.stderr.isTTY === true);
    const raw = openRawDocuments(process.env, TIMEOUT_MS);
    const deleted: Record<string, number> = {};
    const questions: string[] = [];
    const background = interactionRemover(process.env);
    const now = () => new Date();
    const deps: EraseDeps = {
      store,
      raw,
      dryRun,
      onErased: (collection, count) => {
        deleted[collection] = (deleted[collection] ?? 0) + count;
      },
      eraseElsewhere: async (id) => {
        questions.push(...(await eraseElsewhere(id, background, { store, now })));
      },
      onSession: (done, total) =>
        progress.show(name, `${done} of ${total} sessions`, { done, total, isEnd: done === total }),
    };
    try {
      if (sessionId === undefined) await eraseTenant(name, deps);
      else await eraseSession(name, deps);
    } finally {
      progress.end();
      await raw.close();
    }
    for (const reason of new Set(questions))
      report(`a question is left to the sweep: ${printableText(reason)}`);
    const remaining = listRemainders(now(), questions.length);
    if (json) return write(JSON.stringify({ subject, dryRun, deleted, remaining }));
    write(`${dryRun ? 'would delete' : 'deleted'} ${subject}:`);
    for (const [collection, count] of Object.entries(deleted).sort()) write(`  ${collection} ${count}`);
    write('remaining, until:');
    for (const { what, until } of remaining) write(`  ${until ?? 'no end'}  ${what}`);
  });
}

/**
 * Names the number of a tenant's sessions and the price, and asks for the name, unless `--yes`.
 * @throws UsageError without terminal; Error for another text.
 */
async function confirmName(
  name: string,
  subject: string,
  store: Store,
  { tenant, yes = false }: Options,
): Promise<void> {
  const amount = tenant === undefined ? '' : `: ${await describeSessions(tenant, store)}`;
  if (yes) return amount === '' ? undefined : report(`deleting everything of ${subject}${amount}`);
  const question = `this deletes everything of ${subject}${amount}; there is no way back\ntype ${name} to confirm: `;
  if ((await askUser(question)) !== name) throw new Error('nothing was deleted');
}

/** `2,000 sessions with some 280,000 documents (…)` */
async function describeSessions(tenant: string, store: Store): Promise<string> {
  const sessions = await store.count({ collection: paths.sessions, equal: { tenantId: tenant } });
  const documents = sessions * DOCUMENTS_OF_SESSION;
  const price = describeOperations({ reads: documents, deletes: documents });
  return `${sessions.toLocaleString('en')} sessions with some ${documents.toLocaleString('en')} documents (${price})`;
}
