import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { test } from 'node:test'

/** The files that may ask for wall time, and why. Everything else goes by `at.now`. Remove what is no longer needed. */
const allowed: Record<string, string> = {
  'server/kit/at.ts': 'the time of live workspaces',
  'server/kit/id.ts': 'ids',
  'server/kit/blobs/scratch.ts': 'the age of files',
  'server/kit/crypto/signing-secrets.ts': 'the timestamps of signatures',
  'server/kit/http/admission.ts': 'authentication and rate limits',
  'server/kit/http/doors.ts': 'authentication',
  'server/kit/http/idempotency.ts': 'stored answers of test workspaces, whose clocks may stand still',
  'server/kit/http/stream-limits.ts': 'authentication',
  'server/kit/postgres/time.ts': 'until the database was asked for its time',
  'server/kit/traces/exporter.ts': 'the times of spans',
  'server/kit/work/due.ts': 'when work of live workspaces is due',
  'server/agent-tests/runs.ts': 'runs, for which nobody advances a test clock',
  'server/agent-tests/work.ts': 'runs, for which nobody advances a test clock',
  'server/api-keys/command-keys.ts': 'authentication',
  'server/api-keys/store.ts': 'authentication',
  'server/audit/store.ts': 'when something was done',
  'server/clocks/progress.ts': 'when an advance has made progress',
  'server/clocks/store.ts': 'when the work of an advance is due, and when it began',
  'server/cli/key-actions.ts': 'authentication',
  'server/cli/workspace-actions.ts': 'when a new test clock begins',
  'server/erasures/store.ts': 'when a person was erased',
  'server/erasures/work.ts': 'when a person was erased',
  'server/integrations/receive.ts': 'the timestamps of signatures',
  'server/lines/test-channel.ts': 'rate limits',
  'server/lines/web-chat/web-chat.ts': 'authentication',
  'server/lines/browser/pages.ts': 'authentication',
  'server/lines/web-chat/pages.ts': 'authentication',
  'server/main.ts': 'setup links, and how long telephones ring',
  'server/models/provider-error.ts': 'when a provider may be asked again',
  'server/models/routes.ts': 'rate limits',
  'server/people/visitor.ts': 'sessions',
  'server/retention.ts': 'sessions, invitations and live workspaces',
  'server/tools/routes.ts': 'rate limits',
  'server/webhooks/attempt.ts': 'the timestamps of signatures, and dates in Retry-After',
  'server/webhooks/inbox.ts': 'the timestamps of signatures',
  'server/webhooks/store.ts': 'transactions that are still open',
}

test('only these files ask for wall time', () => {
  const found = globSync('server/**/*.ts').filter((file) => /\bclock\.wall\b/.test(readFileSync(file, 'utf8')))
  assert.deepEqual(found.sort(), Object.keys(allowed).sort())
})
