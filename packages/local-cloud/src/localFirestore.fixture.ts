// The local cloud's Firestore for tests, and the raw protocol for both emulators.

import { type Client, credentials, Metadata, makeGenericClientConstructor } from '@grpc/grpc-js';
import { openDatabase } from './database/database.ts';
import { createFirestoreService } from './firestore/firestoreService.ts';
import { PROTOS } from './firestore/values/protos.ts';
import type { Message } from './protocol/protoFiles.ts';
import { loadService } from './protoLoader.fixture.ts';
import { type RunningServer, startGrpcServer } from './server/grpcServer.ts';

/** @param file where documents are stored; in memory when absent. */
export async function startLocalFirestore(file?: string, port = 0): Promise<RunningServer> {
  const database = openDatabase(file);
  const server = await startGrpcServer([createFirestoreService(database)], port);
  return {
    host: server.host,
    async stop() {
      await server.stop();
      database.close();
    },
  };
}

/** What a call came to. */
interface Outcome {
  /** 0 when it succeeded. */
  code: number;
  details: string;
  /** One answer, or all of a stream. */
  answers: Message[];
}

export interface RawClient {
  call(method: string, request: Message): Promise<Outcome>;
  /** Opens a Listen call. */
  listen(database: string, onMessage: (message: Message) => void, onError: (error: Error) => void): Listening;
  /** Opens a Write call. `end` is what it comes to. */
  openWrites(database: string): {
    answers: Message[];
    send: (request: Message) => void;
    end: Promise<{ code: number }>;
  };
  close(): void;
}

export interface Listening {
  send(request: Message): void;
  /** Reads nothing until it resumes. */
  pause(): void;
  resume(): void;
  end(): void;
}

const SERVICE = 'google.firestore.v1.Firestore';

/** A client of the bare protocol, as an administrator. */
export function rawClient(host: string): RawClient {
  const definition = loadService(PROTOS, SERVICE);
  const Service = makeGenericClientConstructor(definition, SERVICE);
  const limits = { 'grpc.max_receive_message_length': -1, 'grpc.max_send_message_length': -1 };
  const client = new Service(host, credentials.createInsecure(), limits) as Client & Record<string, Message>;
  const metadata = (database = '') => {
    const headers = new Metadata();
    headers.set('authorization', 'Bearer owner');
    if (database !== '') headers.set('google-cloud-resource-prefix', database);
    return headers;
  };

  return {
    call: (method, request) =>
      new Promise((resolve) => {
        const answers: Message[] = [];
        const settle = (error?: { code: number; details: string } | null) =>
          resolve({ code: error?.code ?? 0, details: error?.details ?? '', answers });
        if (definition[method]?.responseStream) {
          const stream = client[method](request, metadata());
          stream.on('data', (answer: Message) => answers.push(answer));
          stream.on('error', settle);
          stream.on('end', () => settle());
        } else {
          client[method](request, metadata(), (error: Message, answer: Message) => {
            if (answer !== undefined) answers.push(answer);
            settle(error);
          });
        }
      }),
    listen(database, onMessage, onError) {
      const stream = client.Listen(metadata(database));
      stream.on('data', onMessage);
      stream.on('error', onError);
      return {
        send: (request) => void stream.write({ database, ...request }),
        pause: () => void stream.pause(),
        resume: () => void stream.resume(),
        end: () => void stream.cancel(),
      };
    },
    openWrites(database) {
      const stream = client.Write(metadata(database));
      const answers: Message[] = [];
      stream.on('data', (answer: Message) => answers.push(answer));
      const end = new Promise<{ code: number }>((resolve) => {
        stream.on('error', resolve);
        stream.on('end', () => resolve({ code: 0 }));
      });
      return { answers, send: (request) => void stream.write(request), end };
    },
    close: () => client.close(),
  };
}
