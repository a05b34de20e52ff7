// The options `--tenant` and `--user`: on whose behalf a command works. Whoever may read the database is believed.

import { InvalidArgumentError, Option } from 'commander';
import { type Context, readContext, tenantOf } from '../../shared/runtime/tenants/context.ts';
import { DEFAULT_TENANT } from '../../shared/schema/session.ts';
import { TENANT_VARIABLE } from '../print/commandFor.ts';

/** `--tenant`: its value is the tenant as it is stored. */
export function tenantOption(): Option {
  return new Option('--tenant <name>', 'the tenant; sessions of others are not there')
    .env(TENANT_VARIABLE)
    .default(DEFAULT_TENANT)
    .argParser((tenantId: string) => tenantOf(read({ tenantId })));
}

/** `--user`: who is stored with what the command opens. */
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
