import { describe, it } from 'vitest';
import { BEHAVIOURS } from './support/behaviours.ts';
import { simulatedServer } from './support/simulator/behaviour-server.ts';

let made = 0;
const naming = () => {
  made += 1;
  const stem = `behaviour-${made}`;
  return (suffix = '') => `${stem}${suffix}`;
};

describe('the simulator behaves as SQS does', () => {
  it.each(BEHAVIOURS)('$name', async ({ check }) => {
    const server = simulatedServer();
    await server.run(check(server, naming()));
  });
});
