// Built by Vercel's own builder (places/vercel.ts). Steps run in the worker's process and do what it says.

export async function steps(name, count) {
  'use workflow';
  for (let n = 0; n < count; n++) await step(name, n);
  return count;
}

async function step(name, n) {
  'use step';
  return globalThis.benchStep(name, n);
}

/** Ends early when a step answers nothing, because the time is over. */
export async function conversation(turns) {
  'use workflow';
  let taken = 0;
  for (; taken < turns; taken++) {
    for (let n = 0; n < 3; n++) if ((await message(n)) === '') return taken;
  }
  return taken;
}

async function message(n) {
  'use step';
  return globalThis.benchMessage(n);
}
