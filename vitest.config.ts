import { defineConfig } from 'vitest/config';

export default defineConfig({
  define: { BABELQ_VERSION: '"test"' },
  test: {
    include: ['test/**/*.test.{ts,tsx}'],
    testTimeout: 30_000,
    hookTimeout: 30_000,
  },
});
