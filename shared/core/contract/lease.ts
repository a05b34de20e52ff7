// A lease: only its holder works, until its release or its end. Pure; callers store it conditionally.

/** The process that works on something, and until when the others leave it alone. */
export interface Lease {
  holder: string;
  until: Date;
}

/** A lease in two fields of a document; both are null while no process has it. */
export interface LeaseFields {
  holder: string | null;
  heldUntil: Date | null;
}

/** The lease that a holder stores, also to renew it. @param ms how long it is valid without renewal. */
export function claimLease(holder: string, ms: number, now: Date): Lease {
  return { holder, until: new Date(now.getTime() + ms) };
}

/** Whether a process can still work under a lease. @param lease null after a release. */
export function isHeld(lease: Pick<Lease, 'until'> | null | undefined, now: Date): boolean {
  return lease != null && lease.until > now;
}

/** The lease in the fields of a document. */
export function leaseIn({ holder, heldUntil }: LeaseFields): Lease | null {
  return holder === null || heldUntil === null ? null : { holder, until: heldUntil };
}

/** The fields of a lease. */
export function claimedFields({ holder, until }: Lease): LeaseFields {
  return { holder, heldUntil: until };
}

/** The fields after a release, and of a document that no process has held. */
export const RELEASED: LeaseFields = { holder: null, heldUntil: null };
