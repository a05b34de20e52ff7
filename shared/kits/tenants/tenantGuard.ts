// Decides whether a tenant can read, write or count a document, by the table of owners.

import type { Store, Write } from '../../core/contract/store.ts';
import { paths } from '../../core/schema/coreDocuments.ts';
import { rawDocumentType } from '../../core/schema/documentType.ts';
import { findPathOwner, type Owner, tenantIn } from './ownership.ts';

/** The rights of one tenant. Answers of every method are for documents of any type. */
export interface TenantGuard {
  /** Whether the tenant can own anything at a path, as far as the path shows it. */
  canRead(owner: Owner): Promise<boolean>;
  /** Whether a stored document with these fields is the tenant's, or shared with it. */
  isOwnData(owner: Owner, data: Record<string, unknown>): Promise<boolean>;
  /** Whether the document exists and is the tenant's, or shared. Reads it if the path does not decide. */
  isOwnDocument(path: string): Promise<boolean>;
  /**
   * Whether all documents of a batch are the tenant's before and after it.
   * @throws RangeError for a document that no tenant can write, and for one of another tenant.
   */
  canCommit(writes: Write[]): Promise<boolean>;
  /**
   * @param value the fields to add or set.
   * @throws RangeError when the tenant cannot count in the document.
   */
  requireCountable(path: string, value: object): Promise<void>;
}

/** The guard of a tenant. It remembers the owners of sessions, which never change. */
export function createTenantGuard(store: Store, tenantId: string): TenantGuard {
  const isOwnSession = rememberSessions(store, tenantId);

  const isOwnData: TenantGuard['isOwnData'] = async (owner, data) => {
    switch (owner.kind) {
      case 'tenant':
        return tenantIn(data) === tenantId;
      case 'session':
        if (typeof data.tenantId === 'string' && data.tenantId !== tenantId) return false;
        return typeof data.sessionId === 'string' && (await isOwnSession(data.sessionId));
      case 'below':
        return isOwnSession(owner.sessionId);
      case 'shared':
        return true;
      case 'operators':
      case 'counted':
        return false;
    }
  };

  const canRead: TenantGuard['canRead'] = async (owner) => {
    if (owner.kind === 'below') return isOwnSession(owner.sessionId);
    return owner.kind !== 'operators' && owner.kind !== 'counted';
  };

  const isOwnDocument = async (path: string): Promise<boolean> => {
    const owner = findPathOwner(path);
    if (owner.kind === 'below' || !(await canRead(owner))) return canRead(owner);
    const stored = await store.get(path, rawDocumentType);
    return stored !== undefined && isOwnData(owner, stored.value);
  };

  /** Whether a document of the kind `tenant` does not exist or is the tenant's. */
  const isFreeOrOwn = async (path: string): Promise<boolean> => {
    const stored = await store.get(path, rawDocumentType);
    return stored === undefined || tenantIn(stored.value) === tenantId;
  };

  /** @param created the sessions that the same batch creates. */
  const canWrite = async (write: Write, created: ReadonlySet<string>): Promise<boolean> => {
    const owner = findPathOwner(write.path);
    const value = write.value as Record<string, unknown>;
    const isNewOrOwn = (sessionId: unknown) =>
      created.has(String(sessionId)) || isOwnSession(String(sessionId));
    switch (owner.kind) {
      case 'below':
        return isNewOrOwn(owner.sessionId);
      case 'tenant':
        if (write.op === 'delete') return isOwnDocument(write.path);
        if (value.tenantId !== tenantId)
          throw new RangeError(`${write.path}: a write for another tenant than that of the store`);
        if (write.op === 'put') return isFreeOrOwn(write.path);
        return write.op === 'create' || isOwnDocument(write.path);
      case 'session':
        if (write.op === 'delete') return isOwnDocument(write.path);
        return (await isNewOrOwn(value.sessionId)) && (write.op === 'create' || isOwnDocument(write.path));
      default:
        throw new RangeError(`${write.path}: no tenant can write this document`);
    }
  };

  return {
    canRead,
    isOwnData,
    isOwnDocument,

    async canCommit(writes) {
      const created = createdSessions(writes);
      return (await Promise.all(writes.map((write) => canWrite(write, created)))).every(Boolean);
    },

    async requireCountable(path, value) {
      const owner = findPathOwner(path);
      const isCountable =
        owner.kind === 'counted' ||
        (owner.kind === 'below' && (await isOwnSession(owner.sessionId))) ||
        (owner.kind === 'tenant' &&
          'tenantId' in value &&
          value.tenantId === tenantId &&
          (await isFreeOrOwn(path)));
      if (!isCountable) throw new RangeError(`${path}: the tenant cannot count in this document`);
    },
  };
}

/** Whether sessions are a tenant's; each is read once, a missing one again: it can be created. */
function rememberSessions(store: Store, tenantId: string): (sessionId: string) => Promise<boolean> {
  const sessions = new Map<string, Promise<boolean>>();
  return (sessionId) => {
    const known = sessions.get(sessionId);
    if (known !== undefined) return known;
    const reading = store.get(paths.session(sessionId), rawDocumentType).then((stored) => {
      if (stored === undefined) sessions.delete(sessionId);
      return stored !== undefined && tenantIn(stored.value) === tenantId;
    });
    sessions.set(sessionId, reading);
    reading.catch(() => sessions.delete(sessionId));
    return reading;
  };
}

function createdSessions(writes: Write[]): Set<string> {
  const sessions = writes.filter(({ op, path }) => op === 'create' && isSession(path));
  return new Set(sessions.map(({ value }) => String((value as { sessionId: unknown }).sessionId)));
}

function isSession(path: string): boolean {
  return findPathOwner(path).kind === 'tenant' && path.startsWith(`${paths.sessions}/`);
}
