// A pack: the facts about one MCP server and its tools, in config/packs/NAME.yaml. `packs add` copies it.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Document, parseDocument, type YAMLMap } from 'yaml';
import * as z from 'zod';
import { describeYamlError } from '../../shared/config/yamlFaults.ts';
import { YIELDS } from '../../shared/core/schema/block.ts';
import { projectFile } from '../../shared/projectFiles.ts';
import { asArray, asObject } from '../../shared/text/json.ts';
import { parseAs } from '../../shared/text/zodIssues.ts';
import { UsageError } from '../process/usageError.ts';

const FOLDER = projectFile('config/packs');
/** Shown first: Inquest itself runs on Google Cloud. */
const FIRST: readonly string[] = ['gcp', 'gke', 'cloud-run'];

const text = z.string().trim().min(1);

const serverSchema = z
  .strictObject({
    /** An entry of servers.yaml, without `readOnly`: that lists `tools`. */
    server: z.looseObject({ transport: z.enum(['stdio', 'http']), readOnly: z.undefined().optional() }),
    /** Read-only tools by name. */
    tools: z.record(
      text,
      z.strictObject({
        /** The kind of their results: measured or current state, free text such as logs, or changes. */
        yields: z.enum(YIELDS),
        /** Digest of the definition on the checked server. */
        digest: z
          .string()
          .regex(/^[0-9a-f]{16}$/)
          .optional(),
      }),
    ),
    /** The package and version of npx. config/packs/locks/ has all its packages, with digests. */
    downloads: z
      .string()
      .regex(/^(?:@[\w.-]+\/)?[\w.-]+@\d[\w.+-]*$/)
      .optional(),
    /**
     * A call that shows whether the system behind the server answers, and the account works. `system` is its
     * name for people, with its address. Texts can name settings as `${NAME}`.
     */
    probe: z.strictObject({ system: text, tool: text, arguments: z.record(z.string(), z.unknown()) }),
  })
  .refine(({ tools, probe }) => Object.hasOwn(tools, probe.tool), {
    path: ['probe', 'tool'],
    error: 'must be one of the tools',
  })
  .refine(({ server, downloads }) => server.command !== 'npx' || startsLocked(server, downloads), {
    path: ['downloads'],
    error:
      'must name the package in args, and env must set npm_config_before: npm then takes no later version of any package',
  });

function startsLocked({ args, env }: Record<string, unknown>, downloads: string | undefined): boolean {
  const { npm_config_before: before } = asObject(env);
  return downloads !== undefined && asArray(args).includes(downloads) && typeof before === 'string';
}

const packSchema = z
  .strictObject({
    /** One line. */
    description: text.max(120),
    /** Where the names of the tools are documented. */
    source: z.url(),
    /** The day when tools were compared with the pinned server, its source or documentation. */
    listChecked: z.strictObject({
      date: z.iso.date(),
      against: z.enum(['server', 'source', 'documentation']),
    }),
    /** The last day when Inquest asked the observed system through the servers. Absent: never. */
    tried: z.strictObject({ date: z.iso.date(), on: text.max(60) }).optional(),
    /** The rights that the account of the servers needs, a sentence each. */
    roles: z.array(text).min(1),
    /** Environment variables of the servers, by name. */
    settings: z.record(
      z.string().regex(/^[A-Z][A-Z0-9_]*$/),
      z.strictObject({
        description: text,
        default: z.string().optional(),
        secret: z.literal(true).optional(),
      }),
    ),
    /** The servers by their name in servers.yaml. */
    servers: z.record(z.string(), serverSchema),
    agent: z.strictObject({ description: text, instructions: text }),
    /** Calls before the agent starts, as in a stage of chains.yaml. */
    collect: z.array(z.strictObject({ tool: text, arguments: z.record(z.string(), z.string()) })).default([]),
    /** Markdown. */
    runbook: text,
  })
  .refine(
    ({ servers, listChecked }) =>
      Object.values(servers).every(({ tools }) =>
        Object.values(tools).every(
          ({ digest }) => (digest !== undefined) === (listChecked.against === 'server'),
        ),
      ),
    {
      path: ['servers'],
      error: 'must have a digest of each tool if the list was compared with the server, else none',
    },
  );

/** A server of a pack. */
export interface PackServer extends z.infer<typeof serverSchema> {
  /** Name in servers.yaml. */
  name: string;
  /** The entry of servers.yaml as YAML with its comments, not indented, with its tools under `readOnly`. */
  yaml: string;
}

/** A pack. Its agent and its runbook get names from the pack's name. */
export interface Pack extends Omit<z.infer<typeof packSchema>, 'servers'> {
  /** Name of the file. */
  name: string;
  /** Name of the agent. */
  agentName: string;
  servers: PackServer[];
}

/** The names of all packs, those of Google Cloud's own services first, the others sorted. */
export function packNames(): string[] {
  const others = readdirSync(FOLDER)
    .filter((file) => file.endsWith('.yaml'))
    .map((file) => file.slice(0, -'.yaml'.length))
    .filter((name) => !FIRST.includes(name))
    .sort();
  return [...FIRST, ...others];
}

/** The check of the tools of a pack, for people. */
export function describeList({ listChecked: { date, against } }: Pick<Pack, 'listChecked'>): string {
  return `${date}, against the ${against}`;
}

/** The trial of a pack on the service, for people. */
export function describeTrial({ tried }: Pick<Pack, 'tried'>): string {
  return tried === undefined ? 'no' : `${tried.date}, on ${tried.on}`;
}

/** The pack with a name. @throws UsageError with all packs; Error for a file with faults. */
export function readPack(name: string): Pack {
  const names = packNames();
  if (!names.includes(name))
    throw new UsageError(`there is no pack ${JSON.stringify(name)}; there are: ${names.join(', ')}`);
  return parsePack(name, readFileSync(packFile(name), 'utf8'));
}

/** The file of a pack. */
export const packFile = (name: string): string => join(FOLDER, `${name}.yaml`);

/** A pack from the text of its file. @throws Error with the file and its faults. */
export function parsePack(name: string, yaml: string): Pack {
  const document = parseDocument(yaml);
  const [fault] = document.errors;
  if (fault !== undefined)
    throw new Error(`config/packs/${name}.yaml: ${describeYamlError(yaml, fault.code, fault.pos[0])}`);
  const parsed = parseAs(packSchema, document.toJS(), `config/packs/${name}.yaml`);
  const servers = Object.entries(parsed.servers).map(([server, entry]) => ({
    ...entry,
    name: server,
    yaml: serverText(document.getIn(['servers', server, 'server']) as YAMLMap, entry.tools),
  }));
  return { ...parsed, name, agentName: `${name}-investigator`, servers };
}

/** A server's lines with comments, read-only tools, kinds of results (`text` is the default). */
function serverText(server: YAMLMap, tools: PackServer['tools']): string {
  const document = new Document(server);
  document.set('readOnly', Object.keys(tools));
  const yields = Object.entries(tools).flatMap(([tool, { yields: kind }]) =>
    kind === 'text' ? [] : [[tool, kind] as const],
  );
  if (yields.length > 0) document.set('yields', Object.fromEntries(yields));
  return document.toString({ lineWidth: 0, flowCollectionPadding: false }).trimEnd();
}
