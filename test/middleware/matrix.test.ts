/** Every ordered pair of middlewares keeps both promises: on a server that is well, under aborts, time-outs and a failing server. */

import { context, propagation, trace } from '@opentelemetry/api';
import { NodeTracerProvider } from '@opentelemetry/sdk-trace-node';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { type Condition, MAKERS, type Name, PROMISES } from './promises.ts';
import { withScene } from './scene.ts';

const NAMES = Object.keys(MAKERS) as Name[];
const PAIRS = NAMES.flatMap((outer) => NAMES.filter((inner) => inner !== outer).map((inner): [Name, Name] => [outer, inner]));
const CONDITIONS: readonly Condition[] = ['well', 'aborted', 'late', 'failing'];

// For the context and the propagator alone; each scene has a tracer of its own.
beforeAll(() => new NodeTracerProvider().register());
afterAll(() => {
  for (const api of [trace, context, propagation]) api.disable();
});

/** Whether the first is listed before the second, which must both be there. */
function isBefore(stack: readonly Name[], first: Name, second: Name): boolean {
  return stack.includes(first) && stack.indexOf(first) < stack.indexOf(second);
}

async function keeps(stack: readonly Name[], name: Name, condition: Condition): Promise<void> {
  await withScene(
    (probe) => stack.map((each) => MAKERS[each](probe)),
    (scene) =>
      PROMISES[name][condition](
        scene,
        (other) => isBefore(stack, other, name),
        (other) => isBefore(stack, name, other),
      ),
    condition === 'late' ? { limit: 200, request: 300 } : {},
  );
}

describe.each(CONDITIONS)('%s:', (condition) => {
  for (const name of NAMES) {
    const { id, says } = PROMISES[name];
    test(`${id} [${name}] ${says}`, () => keeps([name], name, condition));
  }

  for (const stack of PAIRS) {
    const ids = stack.map((name) => PROMISES[name].id);
    test.concurrent(`${ids.join(' ')} [${stack.join(', ')}] keep both promises`, async () => {
      await Promise.all(stack.map((name) => keeps(stack, name, condition)));
    });
  }
});
