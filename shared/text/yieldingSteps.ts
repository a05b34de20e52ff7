// Work in steps: run in one go, or with turns for the other work of the process between steps.

/** Runs all steps at once. */
export function runAllSteps<T>(steps: Generator<undefined, T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

/** Runs steps, with a turn of the event loop between two of them. */
export async function runGradually<T>(steps: Generator<undefined, T>): Promise<T> {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
    await new Promise((resolve) => setImmediate(resolve));
  }
}
