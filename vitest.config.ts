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
    // Most tests have real servers and real time: where a machine is shared (CI) one is made once more before it counts as
    // failed, and the summary says so. What a property found counts at once, and so does what was lost or doubled.
    ...(process.env.RETRY === '1' && { retry: { count: 1, condition: /^(?!Property failed)/ } }),
  },
});
