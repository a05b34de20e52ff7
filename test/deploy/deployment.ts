// A deployment on one machine, of the resources that the Terraform module declares: topics, push
// subscriptions with tokens, a process for each service from the extracted archive, the schedule, and before
// each service what Google has there.

import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import { Firestore } from '@google-cloud/firestore';
import { type CryptoKey, exportSPKI, generateKeyPair } from 'jose';
import { type SlackServer, startSlackServer } from '../../local/destinations/slackServer.ts';
import { boundPort } from '../../local/processes/ports.ts';
import type { CloudDatabase } from '../../packages/local-cloud/src/database/database.ts';
import { openDatabase } from '../../packages/local-cloud/src/database/database.ts';
import { createFirestoreService } from '../../packages/local-cloud/src/firestore/firestoreService.ts';
import { createPubsubService } from '../../packages/local-cloud/src/pubsub/service.ts';
import { DELIVERY } from '../../packages/local-cloud/src/pubsub/store/tables.ts';
import { type RunningServer, startGrpcServer } from '../../packages/local-cloud/src/server/grpcServer.ts';
import { KEY_SECRETS, SIGNING_KEY, VERIFYING_KEYS } from '../../shared/core/contract/signatures.ts';
import { generateSecret } from '../../shared/kits/access/macs.ts';
import { generateDecisionKeys } from '../../shared/kits/access/signatures.ts';
import { startAccountPort } from './accountPort.ts';
import { type FrontEnd, startFrontEnd } from './frontEnd.ts';
import { createInstance, type Instance } from './instance.ts';
import { connectMessages, type Messages } from './messages.ts';
import { startMetadataServer } from './metadataServer.ts';
import { type ModelServer, startModelServer } from './modelServer.ts';
import { createRights, type Rights } from './rights.ts';
import type { DeploymentSettings } from './settings.ts';
import { startToolServer } from './toolServer.ts';
import { createWorldClock, type WorldClock } from './worldClock.ts';

const SLACK_TOKEN = 'xoxb-of-the-deployment';
/** Those that Terraform creates. */
const INDEXES = JSON.parse(readFileSync(new URL('../../firestore.indexes.json', import.meta.url), 'utf8'));
const HOOK = fileURLToPath(new URL('./fixtures/serviceHook.ts', import.meta.url));

/** A service with what is before it. */
interface DeployedService {
  frontEnd: FrontEnd;
  instance: Instance;
}

/** A deployment that runs. */
export interface Deployment {
  /** The settings that hold now. */
  settings(): DeploymentSettings;
  services: Record<string, DeployedService>;
  clock: WorldClock;
  database: Firestore;
  model: ModelServer;
  pubsub: Messages['pubsub'];
  rights: Rights;
  /** Publishes as a member that is no service. @throws Error when it must not. */
  publishAs(member: string, topic: string, json: object): Promise<void>;
  pending: PendingMessages;
  slack: SlackServer;
  /** Signs assertions as IAP does. */
  iapKey: CryptoKey;
  /** The environment of commands that reach its database and its topics. */
  env: Record<string, string>;
  /** Replaces rights, topics and subscriptions, as an apply of changed settings does. Services stay. */
  apply(settings: DeploymentSettings): Promise<void>;
  /** Calls a service as its schedule does. @returns the status. */
  callOnSchedule(name: string): Promise<number>;
  stop(): Promise<void>;
}

/** New keys of an installation, by variable. */
function generateKeys(): Record<string, string> {
  const { privateKey, publicKey } = generateDecisionKeys();
  return { [SIGNING_KEY]: privateKey, [VERIFYING_KEYS]: publicKey, [KEY_SECRETS]: generateSecret() };
}

/** Those of `keys` that a service is declared to get. */
function keysOf(
  { secrets }: DeploymentSettings['services'][string],
  keys: Record<string, string>,
): Record<string, string> {
  return Object.fromEntries(Object.entries(keys).filter(([name]) => name in secrets));
}

/** Starts a deployment. @param folder the extracted archive. */
export async function startDeployment(first: DeploymentSettings, folder: string): Promise<Deployment> {
  let current = first;
  const settings = () => current;
  const clock = createWorldClock();
  const database = openDatabase(undefined);
  const rights = createRights(settings);
  const pubsubService = createPubsubService(database, { clock });
  const google = [createFirestoreService(database, INDEXES), ...pubsubService.services];
  // Of the test itself, without a check.
  const server = await startGrpcServer(google);
  const portOf = (member: string) =>
    startAccountPort(member, google, rights, `projects/${first.project}/databases/${first.database.name}`);
  const iap = await generateKeyPair('ES256', { extractable: true });
  const iapKeys = await serveJson({ test: await exportSPKI(iap.publicKey) });
  const model = await startModelServer(settings, rights);
  const tools = await startToolServer(settings, rights);
  const slack = await startSlackServer({
    token: SLACK_TOKEN,
    channels: { C0123456789: 'member' },
    now: () => clock.now().getTime(),
  });
  const signers = { google: pubsubService.tokens.publicKey(), iap: iap.privateKey };
  const keys = generateKeys();
  const env = {
    GOOGLE_CLOUD_PROJECT: first.project,
    FIRESTORE_DATABASE: first.database.name,
    ...emulatorsAt(server),
    // Of the operator, whose commands create keys of the API.
    [KEY_SECRETS]: keys[KEY_SECRETS] ?? '',
  };
  const usesSlack = Object.values(first.services).some(({ secrets }) => 'SLACK_BOT_TOKEN' in secrets);
  const started = await Promise.all(
    Object.entries(first.services).map(async ([name, service]) => {
      const metadata = await startMetadataServer(service.service_account);
      const port = await portOf(`serviceAccount:${service.service_account}`);
      const here = {
        ...emulatorsAt(port),
        ...(usesSlack && name === 'deliver' && { SLACK_BOT_TOKEN: SLACK_TOKEN, SLACK_API_URL: slack.url }),
        ...keysOf(service, keys),
        GOOGLE_MCP_URL: tools.url,
        GOOGLE_VERTEX_BASE_URL: model.url,
        GCE_METADATA_HOST: metadata.host,
        METADATA_SERVER_DETECTION: 'assume-present',
        NODE_OPTIONS: `--import=${HOOK}`,
        WORLD_CLOCK: clock.file,
        IAP_KEYS_URL: iapKeys.url,
      };
      const instance = createInstance(service, folder, here, rights);
      const frontEnd = await startFrontEnd(name, settings, rights, signers, clock.now, instance.port);
      return { name, url: service.url, frontEnd, instance, metadata, port };
    }),
  );
  const services = Object.fromEntries(
    started.map(({ name, frontEnd, instance }) => [name, { frontEnd, instance }]),
  );
  const addresses = new Map(started.map(({ url, frontEnd }) => [url, frontEnd.url]));
  const { pubsub, apply } = connectMessages(first.project, server.host, rights);
  await apply(first, addresses);
  const client = openDatabaseClient(first, server.host);

  return {
    settings,
    services,
    clock,
    database: client,
    model,
    pubsub,
    rights,
    slack,
    async publishAs(member, topic, json) {
      const port = await portOf(member);
      const own = connectMessages(first.project, port.host, rights).pubsub;
      try {
        await own.topic(topic).publishMessage({ json });
      } finally {
        await own.close();
        await port.stop();
      }
    },
    pending: pendingMessages(database, clock.now),
    iapKey: iap.privateKey,
    env,
    async apply(changed) {
      current = changed;
      await apply(changed, addresses);
    },
    async callOnSchedule(name) {
      const job = current.schedules[name];
      if (job === undefined) throw new Error(`the settings have no schedule ${name}`);
      const authorization = `Bearer ${pubsubService.tokens.tokenFor(job.account, job.url)}`;
      const response = await fetch(addresses.get(job.url) ?? '', {
        method: 'POST',
        headers: { authorization },
      });
      return response.status;
    },
    async stop() {
      await pubsub.close();
      await client.terminate();
      await Promise.all(started.map(({ frontEnd }) => frontEnd.stop()));
      await Promise.all(started.map(({ instance }) => instance.kill()));
      await Promise.all(started.map(({ metadata }) => metadata.stop()));
      await Promise.all(started.map(({ port }) => port.stop()));
      await Promise.all([model.stop(), tools.stop(), slack.close(), iapKeys.stop()]);
      pubsubService.close();
      await server.stop();
      database.close();
      clock.stop();
    },
  };
}

const emulatorsAt = ({ host }: RunningServer) => ({
  FIRESTORE_EMULATOR_HOST: host,
  PUBSUB_EMULATOR_HOST: host,
});

/** A client of the deployment's database, against the tests' emulator variables. */
function openDatabaseClient({ project, database }: DeploymentSettings, host: string): Firestore {
  const { FIRESTORE_EMULATOR_HOST: before } = process.env;
  process.env.FIRESTORE_EMULATOR_HOST = host;
  try {
    return new Firestore({ projectId: project, databaseId: database.name });
  } finally {
    process.env.FIRESTORE_EMULATOR_HOST = before;
  }
}

/** Serves a JSON value on a port of this machine. */
async function serveJson(value: object): Promise<{ url: string; stop(): Promise<void> }> {
  const server = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${boundPort(server)}`,
    stop: async () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** The unacked messages of all subscriptions. */
interface PendingMessages {
  /** How many pushes run or are due now. */
  active(): number;
  /** When the next push after now is due, in epoch milliseconds; undefined without one. */
  nextDueMs(): number | undefined;
  /** How many messages wait to be pulled. */
  pullable(): number;
}

/** @param now of the clock that Pub/Sub uses. */
function pendingMessages({ sql }: CloudDatabase, now: () => Date): PendingMessages {
  const deliveries = 'pubsubDeliveries AS delivery JOIN pubsubSubscriptions ON id = subscription';
  const isPush = `settings -> 'pushConfig' ->> 'pushEndpoint' <> ''`;
  const active = sql.prepare(
    `SELECT COUNT(*) AS count FROM ${deliveries}
     WHERE ${isPush} AND (state = ${DELIVERY.leased} OR (state = ${DELIVERY.waiting} AND dueMs <= ?))`,
  );
  const nextDue = sql.prepare(
    `SELECT MIN(dueMs) AS ms FROM ${deliveries} WHERE ${isPush} AND state = ${DELIVERY.waiting} AND dueMs > ?`,
  );
  const pullable = sql.prepare(`SELECT COUNT(*) AS count FROM ${deliveries} WHERE NOT (${isPush})`);
  return {
    active: () => Number(active.get(now().getTime())?.count),
    nextDueMs() {
      const ms = nextDue.get(now().getTime())?.ms;
      return typeof ms === 'number' ? ms : undefined;
    },
    pullable: () => Number(pullable.get()?.count),
  };
}
