// Options of several commands. `--tenant` and `--user` trust the caller, who has database access.

import { Argument, type Command, InvalidArgumentError, Option } from 'commander';
import { DEFAULT_TENANT } from '../../shared/core/schema/session.ts';
import { type Context, readContext, storedTenant } from '../../shared/kits/tenants/context.ts';
import { TENANT_VARIABLE } from '../print/commandFor.ts';

/** Holds the API key. It is no option, because other users of a machine can read command lines. */
export const KEY_VARIABLE = 'INQUEST_API_KEY';

/** The argument for the newest session, alert or key. */
export const LAST = 'last';
/** The help of an argument that names a session. */
export const SESSION_TEXT = `its id, a unique prefix of it, or \`${LAST}\` for the newest session`;

/** The argument that names a session. */
export const SESSION_ARGUMENT = new Argument('<session>', SESSION_TEXT);

/** The options of a command that uses the API. */
export interface ApiOptions {
  /** Address of the API. Absent: the API in this process, on the database that the environment names. */
  url?: string;
  tenant?: string;
  /** The name that is stored and shown as the author of changes. */
  by?: string;
  /** Owner of the entries and chats; null for the shared ones. Default: `by`. */
  user?: string | null;
}

/** The options of a command for a tenant, which can print JSON. */
export interface TenantOptions extends ApiOptions {
  tenant: string;
  json?: boolean;
}

/** Adds a command for one session, with the options `--tenant` and `--url`. */
export function sessionCommand(program: Command, name: string): Command {
  return tenantCommand(program, name).argument('<session>', SESSION_TEXT);
}

/** Adds a command that uses the API, with the options `--tenant` and `--url`. */
export function tenantCommand(program: Command, name: string): Command {
  return program.command(name).addOption(tenantOption()).addOption(urlOption());
}

/** `--json`. Default of the help: one object a line. */
export const jsonOption = (text = 'print one JSON object a line') => new Option('--json', text);

/** `--by`: the person in whose name the command acts. @param who the start of the help. */
export const byOption = (who: string) =>
  new Option('--by <name>', `${who} (default: the user of this machine)`);

/** `--config`, for a command that reads the configuration only without `--url`. */
export const configOption = () =>
  new Option('--config <folder>', 'the configuration, without --url (default: INQUEST_CONFIG, else config/)');

/** `--url`: the address of the API. */
export function urlOption(): Option {
  return new Option(
    '--url <address>',
    `the address of the HTTP API, instead of the database; its key comes from ${KEY_VARIABLE}`,
  ).env('INQUEST_URL');
}

/** `--url` of a command that needs the database. Refused. @param reason a sentence without period. */
export function refusedUrlOption(reason: string): Option {
  return new Option('--url <address>').hideHelp().argParser(() => {
    const fix =
      'leave out --url, and set the variables that `inquest start` printed, or GOOGLE_CLOUD_PROJECT';
    throw new InvalidArgumentError(`${reason}; ${fix}.`);
  });
}

/** `--tenant`, parsed to the tenant id as it is stored. */
export function tenantOption(): Option {
  return new Option('--tenant <name>', 'the tenant to work in')
    .env(TENANT_VARIABLE)
    .default(DEFAULT_TENANT)
    .argParser(parseTenant);
}

/** The tenant id as it is stored. @throws InvalidArgumentError for a text that is none. */
export function parseTenant(tenantId: string): string {
  return storedTenant(readOwner({ tenantId }));
}

/** `--user`: the owner of the documents that the command creates. */
export function userOption(description: string): Option {
  return new Option('--user <id>', description).argParser(
    (userId: string) => readOwner({ userId: userId.trim() }).userId,
  );
}

/** A parser of whole numbers from 1 to `max`. */
export function wholeNumber(max: number): (text: string) => number {
  return (text) => {
    const number = Number(text);
    if (/^\d+$/.test(text) && number >= 1 && number <= max) return number;
    throw new InvalidArgumentError(`It is a number from 1 to ${max}.`);
  };
}

function readOwner(given: Partial<Context>): Context {
  const reading = readContext(given, { tenantId: 'the name of a tenant', userId: 'the id of a user' });
  if (!reading.ok) throw new InvalidArgumentError(`${reading.fault}.`);
  return reading.context;
}
