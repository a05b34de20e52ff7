// Ports for a system whose ports are fixed.

import { freePorts, isFree } from '../../local/ports.ts';

/** The first of seven ports in a row that nothing listens on. */
export async function firstOfSeven(): Promise<number> {
  for (;;) {
    const [first = 0] = await freePorts(1);
    const all = await Promise.all([0, 1, 2, 3, 4, 5, 6].map((offset) => isFree(first + offset)));
    if (!all.includes(false)) return first;
  }
}
