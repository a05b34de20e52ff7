// The RPCs that write, and those of transactions.

import type { Message } from '../../protocol/protoFiles.ts';
import type { Rpc } from '../../protocol/services.ts';
import { asStatusError, status } from '../../protocol/status.ts';
import type { CommitResult, Committer } from '../engine/engine.ts';
import { parseWrite, type Write, type WriteMessage } from '../engine/writes.ts';
import { invalid } from '../values/errors.ts';
import { parseDatabase } from '../values/names.ts';
import { toTimestamp } from '../values/time.ts';
import type { Transactions } from './transactions.ts';

/** The RPCs by name. */
export function commitRpcs(commits: Committer, transactions: Transactions): Record<string, Rpc> {
  return {
    Commit: {
      async unary({ database, writes = [], transaction }) {
        const name = parseDatabase(database);
        const parsed = parseWrites(writes, name);
        const check = transaction?.length ? transactions.end(transaction, parsed.length > 0) : undefined;
        const result = await commits.commit(name, parsed, check);
        return { writeResults: toWriteResults(result), commitTime: toTimestamp(result.time) };
      },
    },

    BatchWrite: {
      async unary({ database, writes = [] }) {
        const name = parseDatabase(database);
        const parsed = parseWrites(writes, name);
        if (new Set(parsed.map(({ key }) => key.path)).size < parsed.length) {
          throw invalid('the same document cannot be written more than once in a single request');
        }
        const commitOne = async (write: Write) => {
          try {
            const [writeResult] = toWriteResults(await commits.commit(name, [write]));
            return { writeResult, status: { code: status.OK } };
          } catch (error) {
            const { code, details } = asStatusError(error);
            return { writeResult: {}, status: { code, message: details } };
          }
        };
        const outcomes = await Promise.all(parsed.map(commitOne));
        return {
          writeResults: outcomes.map(({ writeResult }) => writeResult),
          status: outcomes.map((outcome) => outcome.status),
        };
      },
    },

    BeginTransaction: {
      unary({ database, options }) {
        parseDatabase(database);
        return { transaction: transactions.begin(options).id };
      },
    },

    Rollback: {
      unary({ database, transaction }) {
        parseDatabase(database);
        transactions.rollback(transaction ?? Buffer.alloc(0));
        return {};
      },
    },
  };
}

/** The writes of a request. @throws StatusError INVALID_ARGUMENT for the first invalid one. */
export const parseWrites = (writes: WriteMessage[], database: string): Write[] =>
  writes.map((write) => parseWrite(write, database));

/** The results of a commit on the wire, in the order of its writes. */
export const toWriteResults = ({ writes }: CommitResult): Message[] =>
  writes.map(({ updateTime, results }) => ({
    ...(updateTime !== undefined && { updateTime: toTimestamp(updateTime) }),
    transformResults: results,
  }));
