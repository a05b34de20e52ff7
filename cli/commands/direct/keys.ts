// `keys`: creates, lists and revokes API keys of programs that call the deployed API.

import { userInfo } from 'node:os';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { systemClock } from '../../../shared/core/kernel/deps.ts';
import type { ApiKey } from '../../../shared/kits/access/apiKeyDocument.ts';
import { createApiKey, listApiKeys, revokeApiKey } from '../../../shared/kits/access/createApiKey.ts';
import { API_ROLES, type ApiRole } from '../../../shared/schema/apiRole.ts';
import { parseDuration } from '../../../shared/text/units.ts';
import { withDatabase } from '../../api/withDatabase.ts';
import { operatorKeySigner } from '../../google/operatorKeys.ts';
import { LAST, refusedUrlOption, tenantOption } from '../../options/commandOptions.ts';
import { DATABASE_HELP } from '../../options/project.ts';
import { MAX_NAME, readLine, readName } from '../../options/readLine.ts';
import { alignColumns, onOneLine } from '../../print/textTable.ts';
import { escapeHidden, report, write } from '../../process/output.ts';
import { UsageError } from '../../process/usageError.ts';

const DAY_MS = 86_400_000;
const DEFAULT_LIFETIME = '90d';
const MAX_DAYS = 366;
const NO_ROUTE = 'The API makes and revokes no keys, so that a stolen key cannot make others';

const HELP = `
A key identifies a program, with one tenant and one role (viewer reads; responder also acts on sessions; admin also changes
agents and knowledge). Programs send it as a bearer token in the header Authorization. It is printed once; only its digest is
stored, with an HMAC of a secret that \`deploy\` creates in Secret Manager. \`create\` reads the secret from INQUEST_KEY_SECRETS,
beside an emulator from this machine, else from Secret Manager with your rights. The local API of \`inquest start\` needs no key.

\`--url\` is refused: keys are made, listed and revoked in the database, with the rights of an operator. A route for them would let
one stolen key of an admin make further keys, which its revocation leaves valid.`;

/** Adds the command to the program. */
export function registerKeys(program: Command): void {
  const keys = program.command('keys').addHelpText('after', `${HELP}\n${DATABASE_HELP}`);
  keys
    .command('create')
    .description('create a key and print it; it cannot be shown again')
    .argument('<name>', 'of the program, as shown in timelines')
    .addOption(new Option('--role <role>', 'the role of its requests').choices(API_ROLES).default('viewer'))
    .option(
      '--lifetime <duration>',
      `how long it is valid, at most ${MAX_DAYS}d`,
      readLifetime,
      readLifetime(DEFAULT_LIFETIME),
    )
    .addOption(tenantOption())
    .addOption(refusedUrlOption(NO_ROUTE))
    .option('--by <name>', 'who creates it', userInfo().username)
    .addHelpText('after', `${HELP}\n${DATABASE_HELP}`)
    .action(createKey);
  keys
    .command('list')
    .description('list keys, newest first')
    .addOption(refusedUrlOption(NO_ROUTE))
    .option('--json', 'print one JSON object a line')
    .addHelpText('after', DATABASE_HELP)
    .action(listKeys);
  keys
    .command('revoke')
    .description('revoke a key: the next request with it is refused')
    .argument('<id>', 'of the key, as `list` prints it, or `last` for the newest one')
    .addOption(refusedUrlOption(NO_ROUTE))
    .option('--by <name>', 'who revokes it', userInfo().username)
    .addHelpText('after', DATABASE_HELP)
    .action(revokeKey);
}

async function createKey(
  name: string,
  { role, lifetime, tenant, by }: { role: ApiRole; lifetime: number; tenant: string; by: string },
): Promise<void> {
  const given = {
    name: readLine('the name', name, MAX_NAME),
    tenantId: tenant,
    role,
    createdBy: readName(by),
    lifetimeMs: lifetime,
  };
  await withDatabase(async ({ store, where }) => {
    const { key, text } = await createApiKey(given, {
      store,
      clock: systemClock,
      sign: operatorKeySigner(process.env),
    });
    report(`${key.keyId}: ${role} of ${tenant} in ${where}, until ${key.expireAt.toISOString()}`);
    write(text);
  });
}

async function listKeys({ json }: { json?: boolean }): Promise<void> {
  await withDatabase(async ({ store, where }) => {
    const keys = await listApiKeys(store);
    if (json) {
      for (const { digest: _, mac: __, ...key } of keys) write(escapeHidden(JSON.stringify(key)));
      return;
    }
    if (keys.length === 0) return report(`${where} has no keys`);
    const now = new Date();
    const rows = keys.map((key) => [
      key.keyId,
      describeKeyState(key, now),
      key.role,
      key.tenantId,
      onOneLine(key.name),
      `created by ${onOneLine(key.createdBy)} on ${key.createdAt.toISOString().slice(0, 10)}`,
    ]);
    for (const line of alignColumns([['ID', 'STATE', 'ROLE', 'TENANT', 'NAME', ''], ...rows])) write(line);
  });
}

function describeKeyState({ revoked, expireAt, mac }: ApiKey, now: Date): string {
  if (revoked !== null) return `revoked by ${onOneLine(revoked.by)}`;
  if (mac === null && expireAt > now) return 'refused: no HMAC, create a new one';
  return expireAt > now ? `until ${expireAt.toISOString().slice(0, 10)}` : 'expired';
}

async function revokeKey(id: string, { by }: { by: string }): Promise<void> {
  if (id !== LAST && !/^[0-9a-f]{12}$/.test(id))
    throw new UsageError(
      'the id of a key has 12 characters, 0 to 9 and a to f; `inquest keys list` prints it',
    );
  const revoker = readName(by);
  await withDatabase(async ({ store, where }) => {
    const keyId = id === LAST ? (await listApiKeys(store))[0]?.keyId : id;
    if (keyId === undefined) throw new Error(`${where} has no keys`);
    const key = await revokeApiKey(keyId, revoker, { store, clock: systemClock });
    if (key === undefined)
      throw new Error(`${where} has no key ${keyId}; \`inquest keys list\` lists the existing ones`);
    write(`${keyId}: revoked by ${onOneLine(key.revoked?.by ?? revoker)}`);
  });
}

function readLifetime(text: string): number {
  const duration = parseDuration(text);
  if (duration.ok && duration.value > 0 && duration.value <= MAX_DAYS * DAY_MS) return duration.value;
  throw new InvalidArgumentError(`It is a duration such as 12h or 90d, at most ${MAX_DAYS}d.`);
}
