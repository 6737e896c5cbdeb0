import { defineConfig } from 'vitest/config';

export default defineConfig({
  define: { BABELQ_VERSION: '"test"' },
  test: {
    include: ['test/interop/**/*.test.ts'],
    globalSetup: ['test/interop/setup.ts'],
    testTimeout: 120_000,
    hookTimeout: 60_000,
    // They wait for servers most of the time.
    maxWorkers: 3,
    maxConcurrency: 24,
  },
});
