import { randomUUID } from 'node:crypto'
import path from 'node:path'
import { reactions as test_reactions } from './agent-tests/reactions.ts'
import { openTestTurns } from './agent-tests/test-turns.ts'
import { reactions as agent_reactions } from './agents/reactions.ts'
import { reactions as analytics_reactions } from './analytics/reactions.ts'
import { reactions as api_key_reactions } from './api-keys/reactions.ts'
import { openSound } from './audio/sound.ts'
import { openSpeechInstaller } from './audio/speech-install.ts'
import { reactions as audit_reactions } from './audit/reactions.ts'
import { openLiveCalls } from './calls/live-calls.ts'
import { reactions as call_reactions } from './calls/reactions.ts'
import { openCallWatch } from './calls/stream.ts'
import { openForecastTurns } from './campaigns/forecast-turns.ts'
import { reactions as campaign_reactions } from './campaigns/reactions.ts'
import { reactions as channel_reactions } from './channels/reactions.ts'
import { openTestTime } from './clocks/time.ts'
import { type Config, ConfigError } from './config.ts'
import { reactions as consent_reactions } from './consent/reactions.ts'
import { openVerifications } from './consent/verify.ts'
import { reactions as contact_reactions } from './contacts/reactions.ts'
import { openLiveWords } from './conversations/live.ts'
import { reactions as conversation_reactions } from './conversations/reactions.ts'
import { openWatch } from './conversations/watch.ts'
import { reactions as document_reactions } from './documents/reactions.ts'
import { openSearches } from './documents/search.ts'
import { openSharedReader } from './events/shared-reader.ts'
import { reactions as import_reactions } from './imports/reactions.ts'
import { reactions as integration_reactions } from './integrations/reactions.ts'
import { openHooks, type Service } from './kit/at.ts'
import { openBlobs } from './kit/blobs/open-blobs.ts'
import { openSeal, type Seal } from './kit/crypto/seal.ts'
import { openQueuePerKey } from './kit/limits/key-queues.ts'
import { openRateLimit } from './kit/limits/rate.ts'
import { type Log, openLog } from './kit/log.ts'
import type { Metrics } from './kit/metrics.ts'
import { type Outbound, openOutbound } from './kit/outbound/outbound.ts'
import type { Pool } from './kit/postgres/pool.ts'
import { openTraces, type Traces } from './kit/traces/traces.ts'
import { openRenderer } from './lines/simulator/render/renderer.ts'
import { reactions as message_reactions } from './messages/reactions.ts'
import { openServiceMetrics } from './metrics.ts'
import { environmentProviders } from './models/environment.ts'
import { reactions as provider_reactions } from './models/reactions.ts'
import { reactions as people_reactions } from './people/reactions.ts'
import { product, seal_info, version } from './product.ts'
import { openStatus } from './status.ts'
import { table_classes } from './table-classes.ts'
import { lists_at_once_max } from './tools/mcp-schema.ts'
import { reactions as tool_reactions } from './tools/reactions.ts'
import { reactions as webhook_reactions } from './webhooks/reactions.ts'
import { reactions as workspace_reactions } from './workspaces/reactions.ts'
import { all_workspaces } from './workspaces/store.ts'

const hooks = openHooks([
  ...audit_reactions,
  ...workspace_reactions,
  ...api_key_reactions,
  ...contact_reactions,
  ...provider_reactions,
  ...tool_reactions,
  ...document_reactions,
  ...webhook_reactions,
  ...consent_reactions,
  ...agent_reactions,
  ...channel_reactions,
  ...conversation_reactions,
  ...message_reactions,
  ...call_reactions,
  ...campaign_reactions,
  ...test_reactions,
  ...analytics_reactions,
  ...import_reactions,
  ...integration_reactions,
  ...people_reactions,
])

/** Each workspace may run this many tests per second. */
const tests_per_second_max = 1

/** What verbs need, in the server and on the command line. Without SECRETS_KEY nothing can be encrypted. */
export function openService(
  pool: Pool,
  config: Config,
  address: () => string,
  log: Log = openLog(config.log_level),
): Service {
  pool.refuseSilentNodes({ tenants: all_workspaces, reference_tables: table_classes.reference })
  const live_calls = openLiveCalls(config)
  const outbound = openOutbound({ allowed: config.outbound_allow_hosts })
  const metrics = openServiceMetrics(pool, live_calls, config)
  return {
    pool,
    hooks,
    tools: {
      seal: sealFor(config),
      outbound,
      blobs: openBlobs({ folder: recordingsFolder(config), bucket: config.bucket }),
      renderer: openRenderer({ folder: recordingsFolder(config) }),
      speech_installer: openSpeechInstaller({ folder: config.speech_dir }),
      readTestTime: openTestTime(pool),
      address,
      watch: openWatch(pool),
      live_words: openLiveWords(),
      event_reader: openSharedReader(pool),
      configurations: new Map(),
      answers_by: new Map(),
      analytics_live_from: new Map(),
      models: new Map(),
      mcp_eras: new Map(),
      mcp_lists: openQueuePerKey(lists_at_once_max),
      document_searches: openSearches(),
      forecast_turns: openForecastTurns(),
      test_turns: openTestTurns(),
      verifyInTurn: openVerifications(),
      tests: openRateLimit(tests_per_second_max),
      call_watch: openCallWatch(pool),
      environment_providers: environmentProviders(config),
      sound: openSound({ folder: config.speech_dir, log }),
      live_calls,
      readStatus: openStatus(pool, config),
      metrics,
      traces: openServiceTraces(config, { outbound, metrics, log }),
    },
  }
}

function openServiceTraces(
  config: Config,
  tools: { outbound: Outbound; metrics: Metrics; log: Log },
): Traces | undefined {
  const { otlp_endpoint: endpoint, otlp_headers, otel_resource_attributes, otel_service_name } = config
  if (endpoint === undefined) return undefined
  const attributes = {
    'service.name': product.short_name,
    'service.version': version,
    'service.instance.id': randomUUID(),
    ...otel_resource_attributes,
    ...(otel_service_name !== undefined && { 'service.name': otel_service_name }),
  }
  return openTraces({
    endpoint,
    headers: { 'user-agent': product.name, ...otlp_headers },
    resource: { attributes, scope: { name: product.short_name, version } },
    sample_ratio: config.otel_sample_ratio,
    ...tools,
  })
}

export const recordingsFolder = ({ data_dir }: Config): string => path.join(data_dir, 'recordings')

export const sealFor = ({ secrets_key, secrets_key_previous }: Config): Seal =>
  secrets_key === undefined ? no_seal : openSeal(secrets_key, seal_info, secrets_key_previous)

const secretsKeyMissing = (): never => {
  throw new ConfigError('SECRETS_KEY is required: set it as for the server')
}
const no_seal: Seal = { close: secretsKeyMissing, open: secretsKeyMissing, isCurrent: secretsKeyMissing }
