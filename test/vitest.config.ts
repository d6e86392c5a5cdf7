import { configDefaults, defineConfig } from 'vitest/config';

// The suite runs against ai 7; `AI_MAJOR=6` runs the same suite against ai 6 and its matching provider.
const six = process.env.AI_MAJOR === '6';

export default defineConfig({
  resolve: {
    alias: six
      ? [
          { find: /^ai$/, replacement: 'ai6' },
          { find: /^ai\/test$/, replacement: 'ai6/test' },
          { find: /^@ai-sdk\/(openai|anthropic|google)$/, replacement: 'ai-sdk-$13' },
        ]
      : [],
  },
  test: {
    include: ['test/**/*.test.ts'],
    // A minute of load that tells the same on every leg: `npm run test:soak` runs it, once.
    exclude: process.env.SOAK === '1' ? configDefaults.exclude : [...configDefaults.exclude, 'test/soak/**'],
    testTimeout: 20_000,
    hookTimeout: 30_000,
    pool: 'forks',
    // Most of the time is waiting for servers; the default leaves one core out, which is half of two.
    maxWorkers: '100%',
  },
});
