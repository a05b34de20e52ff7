// The options `--tenant` and `--user`. Both trust the caller: anyone with database access can name any tenant and user.

import { InvalidArgumentError, Option } from 'commander';
import { type Context, readContext, tenantOf } from '../../shared/runtime/tenants/context.ts';
import { DEFAULT_TENANT } from '../../shared/schema/session.ts';
import { TENANT_VARIABLE } from '../print/commandFor.ts';

/** `--tenant`, parsed to the tenant id as it is stored. */
export function tenantOption(): Option {
  return new Option('--tenant <name>', 'the tenant to work in')
    .env(TENANT_VARIABLE)
    .default(DEFAULT_TENANT)
    .argParser((tenantId: string) => tenantOf(read({ tenantId })));
}

/** `--user`: the owner of the documents that the command creates. */
export function userOption(description: string): Option {
  return new Option('--user <id>', description).argParser(
    (userId: string) => read({ userId: userId.trim() }).userId,
  );
}

function read(given: Partial<Context>): Context {
  const reading = readContext(given, { tenantId: 'the name of a tenant', userId: 'the id of a user' });
  if (!reading.ok) throw new InvalidArgumentError(`${reading.fault}.`);
  return reading.context;
}
