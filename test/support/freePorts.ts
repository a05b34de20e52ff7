// Ports for a system whose ports are fixed.

import { freePorts, isFree } from '../../local/processes/ports.ts';

/** The first of ten ports in a row that nothing listens on. */
export async function findTenFreePorts(): Promise<number> {
  for (;;) {
    const [first = 0] = await freePorts(1);
    const all = await Promise.all([0, 1, 2, 3, 4, 5, 6, 7, 8, 9].map((offset) => isFree(first + offset)));
    if (!all.includes(false)) return first;
  }
}
