import { randomUUID } from 'node:crypto'
import path from 'node:path'
import { reactions as test_reactions } from './agent-tests/reactions.ts'
import { reactions as agent_reactions } from './agents/reactions.ts'
import { reactions as analytics_reactions } from './analytics/reactions.ts'
import { reactions as api_key_reactions } from './api-keys/reactions.ts'
import { openSound, sound } from './audio/sound.ts'
import { openSpeechInstaller, speechInstaller } from './audio/speech-install.ts'
import { reactions as audit_reactions } from './audit/reactions.ts'
import { renderer, speechFinder } from './calls/carrier.ts'
import { LiveCalls, liveCalls } from './calls/live-calls.ts'
import { reactions as call_reactions } from './calls/reactions.ts'
import { callWatch, openCallWatch } from './calls/store.ts'
import { reactions as campaign_reactions } from './campaigns/reactions.ts'
import { reactions as channel_reactions } from './channels/reactions.ts'
import { openTestTime } from './clocks/time.ts'
import { type Config, ConfigError } from './config.ts'
import { reactions as consent_reactions } from './consent/reactions.ts'
import { reactions as contact_reactions } from './contacts/reactions.ts'
import { reactions as conversation_reactions } from './conversations/reactions.ts'
import { conversationWatch, openConversationWatch } from './conversations/stream.ts'
import { reactions as document_reactions } from './documents/reactions.ts'
import { openSharedReader, sharedReader } from './events/shared-reader.ts'
import { reactions as import_reactions } from './imports/reactions.ts'
import { reactions as integration_reactions } from './integrations/reactions.ts'
import { openHooks, type Service } from './kit/at.ts'
import { openBlobs } from './kit/blobs/open-blobs.ts'
import { openSeal, type Seal } from './kit/crypto/seal.ts'
import { openRateLimit } from './kit/limits/rate.ts'
import { type Log, openLog } from './kit/log.ts'
import type { Metrics } from './kit/metrics.ts'
import { type Outbound, openOutbound } from './kit/outbound/outbound.ts'
import type { Pool } from './kit/postgres/pool.ts'
import { openTraces, type Traces } from './kit/traces/traces.ts'
import { openRenderer } from './lines/simulator/render/renderer.ts'
import { reactions as message_reactions } from './messages/reactions.ts'
import { openServiceMetrics } from './metrics.ts'
import { environmentProviders, readEnvironmentProviders } from './models/environment.ts'
import { reactions as provider_reactions } from './models/reactions.ts'
import { installationStatus } from './people/installation-routes.ts'
import { reactions as people_reactions } from './people/reactions.ts'
import { product, seal_info, version } from './product.ts'
import { openStatus } from './status.ts'
import { table_classes } from './table-classes.ts'
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

/** Each workspace may test this many providers and channels per second. */
const tests_per_second_max = 1

/** What verbs need, in the server and on the command line. Without SECRETS_KEY nothing can be encrypted. */
export function openService(
  pool: Pool,
  config: Config,
  address: () => string,
  log: Log = openLog(config.log_level),
): Service {
  pool.refuseSilentNodes({ tenants: all_workspaces, reference_tables: table_classes.reference })
  const live_calls = new LiveCalls(config)
  const outbound = openOutbound({ allowed: config.outbound_allow_hosts })
  const metrics = openServiceMetrics(pool, live_calls, config)
  const service: Service = {
    pool,
    hooks,
    tools: {
      seal: sealFor(config),
      outbound,
      blobs: openBlobs({ folder: recordingsFolder(config), bucket: config.bucket }),
      readTestTime: openTestTime(pool),
      address,
      tests: openRateLimit(tests_per_second_max),
      metrics,
      traces: openServiceTraces(config, { outbound, metrics, log }),
      opened: new Map(),
    },
  }
  callWatch.set(service, openCallWatch(pool))
  conversationWatch.set(service, openConversationWatch(pool))
  environmentProviders.set(service, readEnvironmentProviders(config))
  installationStatus.set(service, openStatus(pool, config))
  liveCalls.set(service, live_calls)
  renderer.set(service, openRenderer({ folder: recordingsFolder(config) }))
  sharedReader.set(service, openSharedReader(pool))
  sound.set(service, openSound({ folder: config.speech_dir, log }))
  speechFinder.set(service, (at, configuration) => sound.of(at).find(at, configuration))
  speechInstaller.set(service, openSpeechInstaller({ folder: config.speech_dir }))
  return service
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
