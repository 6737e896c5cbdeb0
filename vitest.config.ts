import { configDefaults, defineConfig } from 'vitest/config';

export default defineConfig({
  define: { BABELQ_VERSION: '"test"' },
  test: {
    include: ['test/**/*.test.{ts,tsx}'],
    // What others wrote is tried by `npm run test:interop`.
    exclude: [...configDefaults.exclude, 'test/interop/**'],
    // Most tests wait for servers more than they work.
    maxWorkers: 2,
    testTimeout: 30_000,
    hookTimeout: 30_000,
  },
});
