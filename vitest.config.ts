import { configDefaults, defineConfig } from 'vitest/config';

export default defineConfig({
  define: { BABELQ_VERSION: '"test"' },
  test: {
    // Against servers that others wrote, which take longer and aren't everywhere: INTEROP=1 runs these alone.
    include: [process.env.INTEROP ? 'test/interop/**/*.test.ts' : 'test/**/*.test.{ts,tsx}'],
    exclude: [...configDefaults.exclude, ...(process.env.INTEROP ? [] : ['test/interop/**'])],
    testTimeout: 30_000,
    hookTimeout: 30_000,
  },
});
