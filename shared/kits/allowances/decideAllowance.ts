// Decides which wishes a limit has room for, and how much more a process takes at once. Pure.

/** A process takes this part of the free units without need, divided by the number of processes. */
const SLICES = 4;

/** The use of a window. */
interface Standing {
  /** Used units. */
  used: number;
  /** Units that others hold, and those of running calls. */
  held: number;
  /** Processes that use the allowance. */
  instances: number;
}

/** Units that a request needs. */
export interface Wish {
  /** Number of units. */
  need: number;
  /** The most units of the window that can be taken then: its limit without the shares of others. */
  cap: number;
}

/** The outcome of the wishes. */
interface AllowanceDecision {
  /** For each wish, whether it gets its units. */
  granted: boolean[];
  /** Units of the granted wishes. */
  taken: number;
  /** Further units for requests that follow: a slice. 0 near the end of the limit. */
  slice: number;
}

/** Grants wishes in their order. @param wishes those with the largest caps first. */
export function decideAllowance(
  { used, held, instances }: Standing,
  wishes: readonly Wish[],
): AllowanceDecision {
  let taken = 0;
  const granted = wishes.map(({ need, cap }) => {
    const fits = used + held + taken + need <= cap;
    if (fits) taken += need;
    return fits;
  });
  const got = wishes.filter((_, index) => granted[index]);
  const largest = Math.max(0, ...got.map(({ need }) => need));
  const cap = Math.min(...got.map((wish) => wish.cap));
  const slice = got.length === 0 ? 0 : computeSlice(cap - used - held - taken, instances);
  return { granted, taken, slice: slice >= largest ? slice : 0 };
}

/** The most units that a process keeps without need. @param free units that no process holds. */
export function computeSlice(free: number, instances: number): number {
  return Math.max(0, Math.floor(free / (SLICES * Math.max(1, instances))));
}
