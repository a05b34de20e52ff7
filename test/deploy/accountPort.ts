// Firestore and Pub/Sub as one member reaches them: each call needs a right. The local cloud cannot see who
// calls it, so that each member has a port of its own.

import type { CloudService, Rpc } from '../../packages/local-cloud/src/protocol/services.ts';
import { StatusError, status } from '../../packages/local-cloud/src/protocol/status.ts';
import { type RunningServer, startGrpcServer } from '../../packages/local-cloud/src/server/grpcServer.ts';
import { asObject } from '../../shared/text/json.ts';
import type { Rights } from './rights.ts';

/** The fields of requests that name a database, or something in it. */
const PLACES = ['database', 'parent', 'name'];

/**
 * Serves the services to one member.
 * @param database the only one: `projects/P/databases/D`. A stream, whose requests come later, is of this
 * one.
 */
export function startAccountPort(
  member: string,
  services: CloudService[],
  rights: Rights,
  database: string,
): Promise<RunningServer> {
  const check = (service: string, rpc: string, request: unknown) => {
    const fields = asObject(request);
    const isAllowed =
      service === 'google.firestore.v1.Firestore'
        ? rights.allows(member, 'roles/datastore.user', projectOf(database), databaseOf(fields) ?? database)
        : rights.allows(member, roleOf(service, rpc), resourceOf(fields));
    if (!isAllowed)
      throw new StatusError(status.PERMISSION_DENIED, 'User not authorized to perform this action.');
  };
  const guarded = services.map((service) => ({
    ...service,
    rpcs: Object.fromEntries(
      Object.entries(service.rpcs).map(([name, rpc]) => [
        name,
        guard(rpc, (request) => check(service.name, name, request)),
      ]),
    ),
  }));
  return startGrpcServer(guarded);
}

function guard(rpc: Rpc, check: (request: unknown) => void): Rpc {
  if ('unary' in rpc)
    return {
      unary: (request, signal) => {
        check(request);
        return rpc.unary(request, signal);
      },
    };
  if ('serverStream' in rpc)
    return {
      serverStream: (request) => {
        check(request);
        return rpc.serverStream(request);
      },
    };
  return {
    bidiStream: (call) => {
      try {
        check(undefined);
      } catch (error) {
        call.emit('error', error);
        return;
      }
      rpc.bidiStream(call);
    },
  };
}

const projectOf = (name: string) => name.split('/').slice(0, 2).join('/');

function databaseOf(request: Record<string, unknown>): string | undefined {
  const place = PLACES.map((field) => request[field]).find((value) => typeof value === 'string');
  return place === undefined ? undefined : String(place).split('/').slice(0, 4).join('/');
}

/** Services publish, and do nothing else with topics and subscriptions. */
const roleOf = (service: string, rpc: string) =>
  service.endsWith('.Publisher') && rpc === 'Publish' ? 'roles/pubsub.publisher' : `roles for ${rpc}`;

/** `projects/P/topics/T` -> `topics/T` */
const resourceOf = ({ topic, subscription }: Record<string, unknown>) =>
  String(topic ?? subscription)
    .split('/')
    .slice(2)
    .join('/');
